import base64
import re
from dataclasses import replace
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.text import Text

from unseen import Domain
from unseen.paper import figures
from unseen.paper.cells import Cell, Setting
from unseen.paper.published import DOMAINS, GAMMAS, ROUNDS, Published, erm, table1
from unseen.reporting.kit.charts import embedded, render, save
from unseen.reporting.kit.theme import COLOURS
from unseen.reporting.kit.wording import power_of_ten

OURS = {"SVHN": 28.0, "MNIST-M": 54.0, "USPS": 79.0}  # percent of a made-up ERM; SYN is not here
SETTING = Setting(
    title="Figure 2b, top: K = 1..4 at γ = 1",
    source="the first 10,000 MNIST images",
    data={"SVHN": "11,420 of the 26,032 test images", "MNIST-M": "9,001 images", "USPS": "2,007 images"},
)


def cell(method, domain, gain=0.0, seeds=3, **options):
    known = range(seeds if domain in OURS else 0)
    return Cell(method, domain, {s: (OURS[domain] + gain + 0.7 * s) / 100 for s in known}, **options)


def figure2b_top(seeds=3, published=True):
    cells = []
    for d in DOMAINS:
        cells.append(cell("ERM", d, 0, seeds, kind="erm", published=erm(d) if published else None))
        cells.append(cell("Dropout", d, 0.5, seeds, kind="dropout"))
        cells += [cell(f"K={k}", d, 2 * k, seeds, published=table1(1, k, d) if published else None) for k in ROUNDS]
    return cells


def figure2a_bottom(seeds=2):
    return [
        c
        for d in DOMAINS
        for c in [
            cell("ERM", d, 0, seeds, kind="erm", published=erm(d)),
            *(cell(f"γ=10{i}", d, i / 5, seeds, published=table1(g, 2, d)) for i, g in enumerate(GAMMAS)),
        ]
    ]


def figure2b_middle(seeds=2):
    pairs = [(f"ridge 0.{i}", 0.5 * i) for i in (1, 2, 3)]
    return [
        c
        for d in DOMAINS
        for name, gain in pairs
        for c in [
            cell(name, d, gain, seeds, kind="ridge", group=name),
            cell(f"{name} + ADA", d, gain + 3, seeds, against=name, group=name),
        ]
    ]


def figure4(seeds=2):
    return [
        c
        for d in DOMAINS[1:]
        for c in [
            cell("ERM", d, 0, seeds, kind="erm", published=erm(d)),
            cell("K=2", d, 4, seeds, published=table1(1, 2, d)),
            *(cell(f"ADDA, {n}", d, n / 1000, seeds, kind="adda", at=n) for n in (7000, 100, 1000)),
        ]
    ]


def grid(seeds=2, published=True):
    cells = [cell("ERM", d, 0, seeds, kind="erm", published=erm(d) if published else None) for d in DOMAINS]
    for d in DOMAINS:
        for i in range(-6, 5):
            row = f"γ={power_of_ten(i)}"
            cells += [
                cell(f"{row}, K={k}", d, k - 2, min(seeds, 1 if i else 5), group=row, at=k,
                     published=table1(10.0**i, k, d) if published else None)
                for k in ROUNDS
            ]  # fmt: skip
    return cells


DRAWN = {
    "2a-bottom": lambda seeds=2: figures.bars(figure2a_bottom(seeds), SETTING, line="ERM"),
    "2b-top": lambda seeds=2: figures.bars(figure2b_top(seeds), SETTING),
    "2b-middle": lambda seeds=2: figures.bars(figure2b_middle(seeds), SETTING),
    "4": lambda seeds=2: figures.curve(figure4(seeds), SETTING),
    "table1": lambda seeds=2: figures.grid(grid(seeds), SETTING),
}


def texts(figure, axes=None):
    return [text.get_text() for text in (axes or figure).findobj(Text) if text.get_text() and text.get_visible()]


def heights(axes):
    return [bar.get_height() for container in axes.containers for bar in container]


def diamonds(axes):
    return {
        (round(float(line.get_xdata()[0]), 3), round(float(line.get_ydata()[0]), 3))
        for line in axes.get_lines()
        if line.get_marker() == "D"
    }


def panel(figure, name):
    (axes,) = [axes for axes in figure.axes if axes.get_title(loc="left") == name]
    return axes


# Bars.


def test_the_columns_are_the_domains_in_the_papers_order():
    figure = figures.bars(figure2b_top(), SETTING)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["SVHN", "MNIST-M", "SYN", "USPS"]


def test_bars_start_at_zero_and_end_at_the_mean_with_their_range_in_black():
    axes = panel(figures.bars(figure2b_top(), SETTING), "SVHN")
    assert axes.get_ylim()[0] == 0
    assert heights(axes) == pytest.approx([28.7, 29.2, 30.7, 32.7, 34.7, 36.7])
    ranges = [segment[:, 1].tolist() for lines in axes.collections for segment in lines.get_segments()]
    assert ranges[0] == pytest.approx([28.0, 29.4])
    assert {to_hex(lines.get_color()[0]) for lines in axes.collections} == {"#000000"}


def test_values_are_written_and_the_papers_numbers_are_diamonds_where_there_are_any():
    axes = panel(figures.bars(figure2b_top(), SETTING), "SVHN")
    assert {"28.7", "29.2", "36.7", "ERM", "Dropout", "K=4"} <= set(texts(None, axes))
    assert {y for _, y in diamonds(axes)} == {28.3, 28.4, 30.6, 31.4, 33.5}
    assert not diamonds(panel(figures.bars(figure2b_top(published=False), SETTING), "SVHN"))


def test_one_thing_has_one_colour_in_every_figure():
    bars = panel(figures.bars(figure2b_top(), SETTING), "SVHN").containers
    assert [to_hex(bar[0].get_facecolor()) for bar in bars[:3]] == [COLOURS[k] for k in ("erm", "dropout", "ada")]
    lines = panel(figures.curve(figure4(), SETTING), "USPS").get_lines()
    drawn = {to_hex(line.get_color()) for line in lines if line.get_marker() != "D"}
    assert drawn == {COLOURS[k] for k in ("adda", "erm", "ada")}


def test_bars_of_one_group_stand_together_over_its_name():
    axes = panel(figures.bars(figure2b_middle(), SETTING), "SVHN")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["ridge 0.1", "ridge 0.2", "ridge 0.3"]
    places = [bar[0].get_x() + bar[0].get_width() / 2 for bar in axes.containers]
    assert places == pytest.approx([-0.2, 0.2, 0.8, 1.2, 1.8, 2.2])


def test_the_line_is_no_bar_and_has_a_band_over_its_range():
    axes = panel(figures.bars(figure2a_bottom(), SETTING, line="ERM"), "SVHN")
    assert len(axes.containers) == len(GAMMAS)
    (line,) = [line for line in axes.get_lines() if line.get_marker() != "D"]
    assert (list(line.get_ydata()), list(line.get_xdata())) == ([28.35, 28.35], list(axes.get_xlim()))
    (band,) = [drawn for drawn in axes.collections if isinstance(drawn, PolyCollection)]
    assert to_hex(band.get_facecolor()[0]) == COLOURS["erm"]
    assert band.get_paths()[0].get_extents().intervaly.tolist() == pytest.approx([28.0, 28.7])


def test_an_absent_column_says_so_and_keeps_the_papers_numbers():
    axes = panel(figures.bars(figure2b_top(), SETTING), "SYN")
    assert "not here" in texts(None, axes)
    assert (heights(axes), len(diamonds(axes))) == ([], 5)


def test_a_bar_that_was_not_run_says_so():
    cells = [*figure2b_top(), *(Cell("K=8", d) for d in DOMAINS)]
    figure = figures.bars(cells, SETTING)
    assert texts(None, panel(figure, "SVHN")).count("not run") == 1
    assert "not run" not in texts(None, panel(figure, "SYN"))


def test_the_footnote_says_seeds_source_steps_scale_rule_and_what_is_missing():
    footnote = " ".join(texts(figures.bars(figure2b_top(), SETTING))).replace("\n", " ")
    for words in ("Mean of 3 seeds.", SETTING.protocol, "No result on SYN.", "11,420 of the 26,032 test images"):
        assert words in footnote


def test_stand_ins_are_named_in_the_column_and_in_the_footnote():
    setting = replace(SETTING, stand_ins={"USPS": "the real USPS"})
    words = " ".join(texts(figures.bars(figure2b_top(), setting))).replace("\n", " ")
    assert "stand-in for the real USPS: 2,007 images" in words
    assert "Stand-ins, which are not the paper's sets: USPS for the real USPS." in words


# The curve.


def test_the_curve_goes_through_the_means_in_order_on_a_logarithmic_axis():
    axes = panel(figures.curve(figure4(), SETTING), "USPS")
    assert axes.get_xscale() == "log"
    (adda,) = [line for line in axes.get_lines() if to_hex(line.get_color()) == COLOURS["adda"]]
    assert list(adda.get_xdata()) == [100, 1000, 7000]
    assert list(adda.get_ydata()) == pytest.approx([79.45, 80.35, 86.35])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["100", "1,000", "7,000"]


def test_the_curve_says_that_its_axis_does_not_start_at_zero():
    figure = figures.curve(figure4(), SETTING)
    assert "Axes of accuracy don't start at 0." in " ".join(texts(figure)).replace("\n", " ")
    assert "not here" in texts(None, panel(figure, "SYN"))


# The grid.


def fields(axes):
    """The texts of a heat map's fields with their colours."""
    return {(field.get_x(), field.get_y()): to_hex(field.get_facecolor()) for field in axes.patches}


def test_the_grid_colours_and_writes_differences_from_erm():
    figure = figures.grid(grid(), SETTING)
    axes = panel(figure, "SVHN, here")
    assert {"−1.0", "±0.0", "+1.0", "+2.0"} <= set(texts(None, axes))
    assert "+0.1" in texts(None, panel(figure, "SVHN, the paper")), "28.4 minus 28.3"
    red, green, blue = (int(fields(axes)[0, 0][i : i + 2], 16) for i in (1, 3, 5))
    assert red > green > blue, "K=1 lies below ERM"
    red, green, blue = (int(fields(axes)[3, 0][i : i + 2], 16) for i in (1, 3, 5))
    assert red < green < blue, "K=4 lies above ERM"


def test_a_field_as_good_as_erm_is_white():
    paper = Published(0.3, 0.01, (10,), "")
    cells = [Cell(m, "A", {0: 0.3}, paper, group=m, at=at) for m, at in (("ERM", None), ("a", 1))]
    assert fields(panel(figures.grid(cells, SETTING), "A, here")) == {(0, 0): "#ffffff"}


def test_the_grid_compares_with_erm_over_the_seeds_of_the_field():
    erm = Cell("ERM", "A", {0: 0.4, 1: 0.2, 2: 0.1})
    cells = [erm, Cell("a", "A", {0: 0.3}, group="a", at=1), Cell("b", "A", {1: 0.3}, group="b", at=1)]
    below, above = fields(panel(figures.grid(cells, SETTING), "A, here")).values()
    assert (below, above) == (COLOURS["erm"], COLOURS["ada"]), "0.1 below seed 0, 0.1 above seed 1"


def test_too_few_seeds_are_in_italics_and_none_is_a_dash():
    cells = [*grid(seeds=3), *(Cell("more", d, group="γ=more", at=1) for d in DOMAINS)]
    axes = panel(figures.grid(cells, SETTING), "SVHN, here")
    styles = {round(t.get_position()[1] - 0.5): t.get_style() for t in axes.texts if re.match(r"[−±+]", t.get_text())}
    assert (styles[0], styles[6]) == ("italic", "normal")
    assert texts(None, axes).count("\N{EN DASH}") == len(ROUNDS)


def test_without_published_numbers_there_is_no_row_for_them():
    figure = figures.grid(grid(published=False), SETTING)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [f"{d}, here" for d in DOMAINS]


# Samples.


@pytest.fixture
def digits_domain():
    images = torch.linspace(0, 1, 4 * 3 * 8 * 8).reshape(4, 3, 8, 8)
    return Domain("bars", images, torch.tensor([1, 0, 1, 2]), tuple("012"))


def test_samples_show_the_first_image_of_each_class_in_order(digits_domain):
    figure = figures.samples({"MNIST": digits_domain, "SYN": None}, SETTING)
    strip = figure.axes[0].get_images()[0].get_array()
    expected = digits_domain.images[[1, 0, 3]].movedim(1, 3).numpy()
    assert [np.array_equal(strip[:, i * 9 : i * 9 + 8], expected[i]) for i in range(3)] == [True] * 3
    assert strip.shape == (8, 26, 3)
    assert "not here" in texts(None, figure.axes[1])
    assert {"MNIST", "SYN"} <= set(texts(figure))


# All of them.


@pytest.mark.parametrize("seeds", [0, 1])
@pytest.mark.parametrize("name", DRAWN)
def test_any_number_of_seeds_can_be_drawn(name, seeds):
    figure = DRAWN[name](seeds)
    FigureCanvasAgg(figure).draw()
    assert ("not here" in texts(None, figure.axes[0])) == (seeds == 0)


@pytest.mark.parametrize("name", DRAWN)
def test_no_words_overlap_or_leave_the_sheet(name):
    figure = DRAWN[name]()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    shown = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
    boxes = [(text, text.get_window_extent(canvas.get_renderer())) for text in shown]
    width, height = canvas.get_width_height()
    out = [t.get_text() for t, b in boxes if b.x0 < 0 or b.y0 < 0 or b.x1 > width or b.y1 > height]
    assert out == []
    straight = [(text, box) for text, box in boxes if text.get_rotation() % 90 == 0]
    touching = [
        (one.get_text(), other.get_text())
        for (one, a), (other, b) in combinations(straight, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1
    ]
    assert touching == []


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_same_figure_has_the_same_bytes_whatever_the_users_style(ending):
    first = render(DRAWN["2b-top"](), ending)
    with mpl.rc_context({"font.size": 30, "axes.grid": True, "svg.hashsalt": "other", "savefig.dpi": 30}):
        assert render(DRAWN["2b-top"](), ending) == first
        assert mpl.rcParams["font.size"] == 30
    assert re.search(rb"20\d\d-\d\d-\d\d|Matplotlib", first) is None


def test_a_figure_is_saved_as_svg_and_png(tmp_path):
    figure = DRAWN["2b-top"]()
    svg, png = save(figure, tmp_path / "figure2b-top")
    assert (svg.name, png.name) == ("figure2b-top.svg", "figure2b-top.png")
    assert svg.read_bytes() == render(figure)
    assert png.read_bytes().startswith(b"\x89PNG")


def test_an_embedded_figure_needs_no_file_and_has_its_description():
    figure = DRAWN["2b-top"]()
    tag = embedded(figure, 'ERM & "ADA"')
    content = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', tag)[1]
    assert base64.b64decode(content) == render(figure)
    assert 'alt="ERM &amp; &quot;ADA&quot;"' in tag
