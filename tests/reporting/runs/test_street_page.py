"""The page about runs whose labels are masks."""

import html
import re

import pytest
from reading import Reader

from unseen import Domain, Ensemble, evaluate
from unseen.errors import InputError
from unseen.reporting.kit.palette import colours_of

ALL = ("erm-0", "ada-0", "erm-1", "ada-1")


def test_a_page_is_whole_and_fetches_nothing(street_page):
    text = street_page(*ALL, "both-0", "both-1")
    reader = Reader(text)
    assert reader.open == []
    assert all(address.startswith("data:") for address in reader.addresses)
    assert not re.search(r"(https?:)?//\w|@import|url\(", re.sub(r"data:image/png;base64,[\w+/=]*", "", text))


def test_it_speaks_of_miou_and_never_of_accuracy(street_page, street_runs, far_street, load_street_net):
    text = Reader(street_page(*ALL)).text
    assert "accuracy" not in text.casefold()
    assert "Wilson" not in text
    assert "chance" not in text
    for words in ("mIoU on domains nobody trained on", "mIoU, %", "points of mIoU", "mIoU while training"):
        assert words in text, words
    for name in ALL:
        assert f"{100 * evaluate(load_street_net(street_runs / name), far_street):.1f}" in text


def test_the_digits_page_speaks_of_accuracy_and_never_of_miou(page, runs):
    text = page([runs / "erm-0", runs / "ada-0"])
    assert "Accuracy on domains nobody trained on" in text
    assert "IoU" not in text
    assert "The first image of each class" in text


def test_a_class_that_is_nowhere_is_left_out_of_the_bars_and_named(
    street_page, far_street, street_runs, load_street_net
):
    text = Reader(street_page("erm-0", "ada-0")).text
    answered = {
        int(c) for name in ("erm-0", "ada-0")
        for c in load_street_net(street_runs / name)(far_street.images).argmax(1).unique()
    }  # fmt: skip
    assert ("nor in any answer: tram" in text) == (3 not in answered)
    assert ("tram †" in text) == (3 in answered)


def test_one_legend_has_every_class_with_the_colour_that_the_pictures_have(street_page, far_street):
    text = street_page("erm-0", "ada-0")
    for name, colour in zip(far_street.classes, colours_of(far_street.classes), strict=True):
        assert text.count(f'<li><span class="swatch" style="background: {colour}"></span>{name}</li>') == 1
    assert text.count("unlabelled</li>") == 1


def test_it_shows_image_truth_answers_and_where_they_differ(street_page):
    text = html.unescape(street_page("erm-0", "ada-0"))
    assert text.count("its true classes") == 3
    assert text.count("the classes that ERM answers") == text.count("the classes that ADA (K=1, γ=1) answers") == 3
    assert text.count("where ADA (K=1, γ=1) and ERM differ") == 3
    assert {"only ADA right", "only ERM right", "both wrong, not alike"} <= set(
        re.findall(r"</span>([^<]+)</li>", text)
    )
    assert "Images evenly spaced through each domain: nobody chose them." in text
    assert "multiplied by" in text  # the fictitious images and their change


def test_an_ensemble_stands_beside_the_runs(street_page):
    text = html.unescape(street_page("erm-0", "ada-0", "both-0"))
    assert text.count("the classes that ensemble of 1 ERM and 1 ADA (greatest-softmax) answers") == 3
    assert text.count("where ensemble of 1 ERM and 1 ADA (greatest-softmax) and ERM differ") == 3
    assert "compare it with an ensemble of as many ERM runs" in text
    assert re.search(r"On far street the ensemble (is|does)", text)
    assert "1 ensemble" in text


@pytest.mark.parametrize(("ensembles", "pairs"), [(["both-0", "both-1"], "2"), (["both-1"], "1"), (["plain"], "0")])
def test_ensembles_with_the_runs_seeds_are_paired_with_them(
    street_page, street_runs, load_street_net, tmp_path, ensembles, pairs
):
    members = [street_runs / "erm-0", street_runs / "erm-1"]
    Ensemble.of_runs(members, models=[load_street_net(folder) for folder in members]).save(tmp_path / "plain")
    text = street_page(*ALL, *[tmp_path / name if name == "plain" else name for name in ensembles])
    (row,) = re.findall(r"<tr>(?:(?!</tr>).)*</i>ensemble of(?:(?!</tr>).)*</tr>", _comparison(text))
    assert re.findall(r"<td[^>]*>([^<]*)</td>", row)[-1] == pairs


def _comparison(text):
    """The first table of the page."""
    return re.search(r"<table.*?</table>", text, re.DOTALL).group()


def test_one_run_alone_makes_a_page_without_a_comparison(street_page):
    text = Reader(street_page("ada-0")).text
    assert "% mIoU on 1 unseen domain" in text
    assert "Where they differ" not in text
    assert "NOT beat" not in text


def test_an_ensemble_of_digits_answers_beside_the_runs(page, runs, load_net, tmp_path):
    folders = [runs / "erm-0", runs / "ada-0"]
    Ensemble.of_runs(folders, models=[load_net(folder) for folder in folders]).save(tmp_path / "both")
    text = Reader(page([*folders, tmp_path / "both"])).text
    assert "the ensemble" in text
    assert "ensemble of 1 ERM and 1 ADA (greatest-softmax)" in text


def test_ensembles_alone_are_no_page(street_page):
    with pytest.raises(InputError, match="at least one"):
        street_page("both-0")


def test_names_are_text_never_markup(street_page, far_street):
    nasty = "<script>alert(1)</script> & co"
    other = Domain(nasty, far_street.images, far_street.labels, (nasty, *far_street.classes[1:]), origin=nasty)
    reader = Reader(street_page("erm-0", "ada-0", targets=[other]))
    assert "script" not in reader.tags
    assert nasty in reader.text
