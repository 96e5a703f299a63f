"""The parts of the page that we draw, as HTML: answers, strips, pictures. Nothing in them is fetched from anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from unseen.base.extras import require
from unseen.deploy.play.players import Player
from unseen.deploy.play.sitting import Made, Shown, Strip
from unseen.deploy.play.sliders import Slider
from unseen.deploy.prediction import Prediction
from unseen.reporting.kit.palette import colours_of
from unseen.reporting.kit.pictures import amplification, difference_picture, map_picture, picture
from unseen.reporting.kit.theme import THEME, method_key

if TYPE_CHECKING:
    import jinja2

ALL = 12
"""classes that are all shown, in their order, so that no bar changes its place; of more, each player's first"""
FIRST = 6
SIDE = 640  # pixels kept of a picture


@lru_cache(maxsize=1)
def _templates() -> jinja2.Environment:
    engine = require("jinja2", "play")
    made: jinja2.Environment = engine.Environment(
        loader=engine.PackageLoader("unseen.deploy.play"),
        autoescape=True,
        undefined=engine.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    safe = require("markupsafe", "play").Markup
    made.filters |= {"key": lambda style: safe(method_key(style)), "percent": _percent}
    return made


def _percent(share: float) -> str:
    """``99 %``; what isn't certain is never rounded to certainty."""
    if 0.995 <= share < 1:
        return ">99 %"
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def style_sheet() -> str:
    """The page's CSS, in our colours, light and dark."""
    light, dark = ("".join(f"--u-{name}: {pair[i]};" for name, pair in THEME.items()) for i in (0, 1))
    methods = "".join(f".c{i} {{ --own: var(--u-m{i}) }}" for i in range(sum(name[1:].isdecimal() for name in THEME)))
    own = (Path(__file__).parent / "templates" / "play.css").read_text()
    return f":root {{{light}}} .dark {{{dark}}} {methods} {own}"


def heading(players: Sequence[Player]) -> str:
    """What this page is, and who plays in which colour."""
    return _templates().get_template("heading.html").render(players=players)


def strips_heading(*, masks: bool) -> str:
    """What the lines below the sliders are."""
    return _templates().get_template("strips.html").render(masks=masks)


def kind(name: str) -> str:
    """The heading of the sliders of one kind."""
    return _templates().get_template("kind.html").render(name=name)


def ascent_heading() -> str:
    """What a fictitious image is."""
    return _templates().get_template("ascent.html").render()


def message(text: str) -> str:
    """What went wrong with a picture or an ascent; nothing for no text."""
    return _templates().get_template("message.html").render(text=text)


def empty(text: str) -> str:
    """In place of what there is nothing of yet."""
    return _templates().get_template("empty.html").render(text=text)


def seen(image: Tensor) -> str:
    """The picture as the networks see it."""
    return _templates().get_template("seen.html").render(picture=picture(image, SIDE), shape=tuple(image.shape))


@dataclass(frozen=True)
class Bar:
    """One class in a player's answer."""

    name: str
    share: float
    first: bool
    """whether it is the answer"""
    colour: str | None = None


def answers(players: Sequence[Player], said: Sequence[Prediction], image: Tensor) -> str:
    """What each player says, side by side."""
    cards = [
        {
            "player": player,
            "said": prediction,
            "bars": bars(prediction),
            "overlay": None if prediction.mask is None else overlay(image, prediction.mask, tuple(prediction.shares)),
        }
        for player, prediction in zip(players, said, strict=True)
    ]
    return _templates().get_template("answers.html").render(cards=cards)


def bars(said: Prediction) -> list[Bar]:
    """The probability of each class, or of a mask its share of the pixels; of many classes, the first few."""
    if said.mask is not None:
        colours = dict(zip(said.shares, colours_of(tuple(said.shares)), strict=True))
        return [Bar(name, share, False, colours[name]) for name, share in _greatest(said.shares) if share > 0]
    shares = said.probabilities.items() if len(said.probabilities) <= ALL else _greatest(said.probabilities)
    return [Bar(name, share, name == said.label) for name, share in shares]


def _greatest(shares: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(shares.items(), key=lambda pair: -pair[1])[:FIRST]


def overlay(image: Tensor, mask: Tensor, classes: Sequence[str]) -> dict[str, object]:
    """A mask in the classes' colours over its picture."""
    return {"under": picture(image, SIDE), "over": map_picture(mask, colours_of(classes), SIDE)}


def axis(slider: Slider) -> str:
    """The place of a strip, before there is something to draw."""
    return _templates().get_template("strip.html").render(slider=slider, lines=[], place=_place(slider, 0.0), said="")


def strip(drawn: Strip, at: float, players: Sequence[Player]) -> str:
    """A line for each player over the slider's range: solid where its answer is right, dotted where it isn't."""
    lines = [
        {"style": player.style, "pieces": _pieces(held, None if drawn.right is None else drawn.right[i])}
        for i, (player, held) in enumerate(zip(players, drawn.held, strict=True))
    ]
    said = "; ".join(f"{name}: {words}" for name, words in breaks(drawn, players))
    place = _place(drawn.slider, at)
    return _templates().get_template("strip.html").render(slider=drawn.slider, lines=lines, place=place, said=said)


def _place(slider: Slider, at: float) -> float:
    """A value as a share of the slider's length."""
    return (at - slider.least) / (slider.greatest - slider.least)


def _pieces(held: Tensor, right: Tensor | None) -> list[tuple[str, bool]]:
    """The line in pieces, each with whether the answer is right from its one end to the other."""
    places = [(100 * i / (len(held) - 1), 100 * (1 - share)) for i, share in enumerate(held.tolist())]
    kept = torch.ones(len(held), dtype=torch.bool) if right is None else right
    both = (kept[1:] & kept[:-1]).tolist()
    pieces = []
    for good, group in groupby(range(len(both)), lambda i: both[i]):
        numbers = list(group)
        points = places[numbers[0] : numbers[-1] + 2]
        pieces.append((" ".join(f"{x:.1f},{y:.1f}" for x, y in points), bool(good)))
    return pieces


def breaks(drawn: Strip, players: Sequence[Player]) -> list[tuple[str, str]]:
    """For each player in words, where on the slider its answer is right; of masks, how many pixels agree at worst."""
    if drawn.right is None:
        worst = drawn.held.amin(1).tolist()
        return [(each.name, f"{_percent(share)} agree at worst") for each, share in zip(players, worst, strict=True)]
    values = drawn.slider.values()
    return [(each.name, _where(values, right)) for each, right in zip(players, drawn.right, strict=True)]


def _where(values: Tensor, right: Tensor) -> str:
    if right.all() or not right.any():
        return "right everywhere" if right.all() else "right nowhere"
    good = values[right]
    return f"right at {len(good)} of {len(values)} values, from {good[0]:.2f} to {good[-1]:.2f}"


def fictitious(made: Made, shown: Shown, players: Sequence[Player]) -> str:
    """The original, the fictitious image, their difference, how it was made and what the players make of it."""
    difference = made.image - shown.image
    factor = amplification([difference])
    return _templates().get_template("fictitious.html").render(
        made=made,
        ada=made.by.ada,
        pictures=[
            ("original", picture(shown.image, SIDE)),
            ("fictitious", picture(made.image, SIDE)),
            (f"difference ×{factor}" if factor > 1 else "difference", difference_picture(difference, factor, SIDE)),
        ],
        levels=255 * float(difference.abs().max()),
        what=f"probability of {shown.label}" if shown.label is not None else "share of the pixels that agree",
        rows=list(zip(players, made.before, made.after, strict=True)),
    )  # fmt: skip
