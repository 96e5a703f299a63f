"""The page: which parts it has, and what happens when one of them is touched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from unseen.base.extras import require
from unseen.deploy.play import drawing
from unseen.deploy.play.sitting import Shown, Sitting
from unseen.deploy.play.sliders import SLIDERS, by_kind
from unseen.errors import UnseenError

TITLE = "unseen play"
STEP = 0.01
"""of a slider; all ranges are multiples of it"""
HEIGHT = 232
NO_PICTURE = "Drop a picture, or take one of the examples: what the networks say stands here."


class Page:
    """A Gradio page for a sitting: ``blocks`` is what is launched. Pictures of its own are written into ``folder``."""

    def __init__(self, sitting: Sitting, examples: Sequence[Shown], folder: Path) -> None:
        self.sitting, self.examples = sitting, examples
        self.ascents = {ascent.name: ascent for ascent in sitting.players.ascents}
        self._gradio = require("gradio", "play")
        self._files = [_written(shown, folder / f"example-{i}.png") for i, shown in enumerate(examples)]
        self._asked = count(1)
        self.blocks = self._built()

    def opened(self, file: str | None) -> list[Any]:
        """For a picture that was dropped: what is shown, its class, a message if it can't be read, and the picture."""
        try:
            return [*self._taken(None if file is None else self.sitting.show(file)), self._gradio.skip()]
        except UnseenError as error:
            return [*self._taken(None, str(error)), None]

    def chosen(self, example: int) -> list[Any]:
        """The same for an example."""
        return [*self._taken(self.sitting.look(self.examples[example])), self._files[example]]

    def called(self, shown: Shown | None, label: str | None) -> Shown | None:
        """The picture with the class that somebody says it has."""
        return shown and replace(shown, label=label)

    def answers(self, shown: Shown | None, *at: float) -> tuple[str, str, int]:
        """The picture as it is seen, what is said of it, and a new number: the strips are drawn for each."""
        if shown is None:
            return drawing.empty(""), drawing.empty(NO_PICTURE), next(self._asked)
        image = self.sitting.seen(shown, at)
        said = self.sitting.answers(shown, at)
        return drawing.seen(image), drawing.answers(self.sitting.players.each, said, image), next(self._asked)

    def strips(self, shown: Shown | None, *at: float) -> Iterator[list[Any]]:
        """The strip below each slider, one after the other."""
        if shown is None:
            yield [drawing.axis(slider) for slider in SLIDERS]
            return
        for i, slider in enumerate(SLIDERS):
            made = [self._gradio.skip()] * len(SLIDERS)
            made[i] = drawing.strip(self.sitting.strip(shown, slider, at), at[i], self.sitting.players.each)
            yield made

    def fictitious(self, shown: Shown | None, name: str, seed: float | None) -> str:
        """The fictitious image of the picture, by the ascent of that name."""
        if shown is None:
            return drawing.message("There is no picture yet: drop one, or take one of the examples.")
        try:
            made = self.sitting.make_fictitious(shown, self.ascents[name], int(seed or 0))
        except UnseenError as error:
            return drawing.message(str(error))
        return drawing.fictitious(made, shown, self.sitting.players.each)

    def _taken(self, shown: Shown | None, problem: str = "") -> list[Any]:
        label = self._gradio.update(value=shown and shown.label)
        return [shown, label, drawing.message(problem)]

    def _built(self) -> Any:
        gradio = self._gradio
        with gradio.Blocks(title=TITLE, analytics_enabled=False) as blocks:
            gradio.HTML(drawing.heading(self.sitting.players.each))
            shown, asked = gradio.State(None), gradio.State(0)
            problem = gradio.HTML(elem_id="problem")
            with gradio.Row():
                with gradio.Column(scale=5, min_width=320):
                    picture, seen, label, examples = self._picture()
                with gradio.Column(scale=7, min_width=320):
                    answers = gradio.HTML(drawing.empty(NO_PICTURE), elem_id="answers")
            sliders, strips, reset = self._sliders()
            ascent = self._ascent() if self.ascents else None

            how = {"api_visibility": "private", "show_progress": "hidden", "trigger_mode": "always_last"}
            drawn = asked.change(self.strips, [shown, *sliders], strips, **how)
            ask = how | {
                "fn": self.answers, "inputs": [shown, *sliders], "outputs": [seen, answers, asked], "cancels": [drawn],
            }  # fmt: skip
            taken = [shown, label, problem, picture]
            gradio.on([picture.input, picture.clear], self.opened, picture, taken, **how).then(**ask)
            if examples is not None:
                examples.click(self.chosen, examples, taken, **how).then(**ask)
            label.input(self.called, [shown, label], shown, **how).then(**ask)
            gradio.on([slider.input for slider in sliders], **ask)
            reset.click(lambda: [0.0] * len(sliders), None, sliders, **how).then(**ask)
            if ascent is not None:
                button, *asked_for, made = ascent
                button.click(self.fictitious, [shown, *asked_for], made, **how | {"show_progress": "minimal"})
        return blocks

    def _picture(self) -> tuple[Any, Any, Any, Any]:
        """Where a picture is dropped, where it is seen, what is on it, and examples if there are some."""
        gradio, players = self._gradio, self.sitting.players
        with gradio.Row():
            picture = gradio.Image(
                label="Drop a picture", sources=["upload"], height=HEIGHT, buttons=[], elem_id="picture"
            )
            seen = gradio.HTML(drawing.empty(""), elem_id="seen")
        picture.preprocess = _path  # the file as it was dropped: Gradio would open it first, by other rules than ours
        label = gradio.Dropdown(
            list(players.predictor.classes), value=None, label="What is on it: their guess, until you choose",
            elem_id="label", visible=not players.masks, interactive=True,
        )  # fmt: skip
        if not self._files:
            return picture, seen, label, None
        examples = gradio.Dataset(
            components=[gradio.Image(visible=False)], samples=[[file] for file in self._files], type="index",
            label="Examples from the source", elem_id="examples",
        )  # fmt: skip
        return picture, seen, label, examples

    def _sliders(self) -> tuple[list[Any], list[Any], Any]:
        """A column for each kind, a strip below each slider, and the button that puts all back."""
        gradio, sliders, strips = self._gradio, [], []
        with gradio.Row(elem_id="strips-head"):
            gradio.HTML(drawing.strips_heading(masks=self.sitting.players.masks))
            reset = gradio.Button("All to 0", size="sm", scale=0, min_width=100, elem_id="reset")
        with gradio.Row():
            for kind, own in by_kind().items():
                with gradio.Column(min_width=220, elem_classes="u-kind"):
                    gradio.HTML(drawing.kind(kind))
                    for slider in own:
                        ends, name = (slider.least, slider.greatest, 0.0), f"{slider.transform.name}-{slider.parameter}"
                        with gradio.Group():
                            sliders.append(gradio.Slider(*ends, step=STEP, label=slider.label, elem_id=name))
                            strips.append(gradio.HTML(drawing.axis(slider), elem_id=f"strip-{name}"))
        return sliders, strips, reset

    def _ascent(self) -> tuple[Any, Any, Any, Any]:
        """The button, whose ascent it is, the seed of its draws, and where the result stands."""
        gradio, names = self._gradio, list(self.ascents)
        gradio.HTML(drawing.ascent_heading())
        with gradio.Row(elem_id="ascent"):
            name = gradio.Dropdown(names, value=names[0], label="By the ascent of", min_width=240, interactive=True)
            seed = gradio.Number(0, label="Seed of its draws", precision=0, minimum=0)
            button = gradio.Button("Make the fictitious image", variant="primary", elem_id="make")
        return button, name, seed, gradio.HTML(elem_id="made")

    def launch(self, host: str, port: int, browser: bool) -> str:
        """Serve the page from threads of its own; its address."""
        _, address, _ = self.blocks.launch(
            server_name=host, server_port=port, inbrowser=browser, prevent_thread_lock=True, quiet=True, share=False,
            footer_links=[], ssr_mode=False, theme=_theme(self._gradio), css=drawing.style_sheet(), show_error=True,
            enable_monitoring=False, max_file_size="200mb",
        )  # fmt: skip
        return str(address)


def _path(payload: Any) -> str | None:
    return None if payload is None else str(payload.path)


def _theme(gradio: ModuleType) -> Any:
    """Gradio's plainest, in fonts that every machine has and in the colours of our style sheet, light and dark."""
    colours = {
        "body_background_fill": "paper", "body_text_color": "ink", "body_text_color_subdued": "soft",
        "block_background_fill": "card", "block_border_color": "rule", "block_label_text_color": "soft",
        "block_label_background_fill": "card", "block_info_text_color": "soft", "block_title_text_color": "ink",
        "border_color_primary": "rule", "input_background_fill": "card", "input_border_color": "rule",
        "slider_color": "faint", "button_primary_background_fill": "m1", "button_primary_background_fill_hover": "m1",
        "button_primary_text_color": "card", "button_secondary_background_fill": "tint",
        "button_secondary_text_color": "ink", "color_accent_soft": "tint",
    }  # fmt: skip
    variables = {f"{part}{mode}": f"var(--u-{name})" for part, name in colours.items() for mode in ("", "_dark")}
    fonts = {"font": ["system-ui", "sans-serif"], "font_mono": ["ui-monospace", "monospace"]}
    return gradio.themes.Base(**fonts).set(**variables, color_accent="var(--u-m1)")


def _written(shown: Shown, file: Path) -> str:
    """An example as a file that Gradio can show."""
    pixels = (shown.image.clamp(0, 1) * 255).round().byte().movedim(0, 2)
    image = require("PIL.Image", "play").fromarray(pixels.squeeze(2).numpy())
    image.save(file)
    return str(file)
