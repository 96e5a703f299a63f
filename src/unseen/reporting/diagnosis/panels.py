"""The tables of a diagnosis as text, each with what it means: the terminal and the page show the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unseen.reporting.diagnosis import words
from unseen.reporting.diagnosis.record import Away, Diagnosis, Portrait, Range, Round
from unseen.reporting.diagnosis.words import number, percent

CLASSES = 20
"""rows of the table by class, at most"""


@dataclass(frozen=True)
class Panel:
    """One table and the paragraph under it; the first column is of words, the others are of numbers."""

    name: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    meaning: str


def panels(diagnosis: Diagnosis) -> list[Panel]:
    """Every table that there is something to show in."""
    made = [_rounds(diagnosis), _gamma(diagnosis), _regularizer(diagnosis), _certificate(diagnosis)]
    return made + ([_domains(diagnosis), _classes(diagnosis)] if diagnosis.model.domains else [])


def span(values: Range) -> str:
    """``0.21 to 0.23``, or one number where both are the same to the eye."""
    return " to ".join(dict.fromkeys(map(number, values)))


def _rounds(diagnosis: Diagnosis) -> Panel:
    headings = ("round", "images", "rho", "L2 in pixels", "loss before -> after", "reached")
    rows = tuple(_round(each, "none" if diagnosis.no_gamma else "not recorded") for each in diagnosis.rounds)
    return Panel("rounds", "How far the rounds went", headings, rows, words.rounds(diagnosis))


def _round(each: Round, absent: str) -> tuple[str, ...]:
    return (
        str(each.number),
        f"{each.images:,}",
        number(each.radius) if each.radius is not None else "not recorded",
        number(each.moved),
        f"{number(each.loss_before)} -> {number(each.loss_after)}",
        "overshot" if each.overshot else _shares(each.reached) if each.reached else absent,
    )


def _shares(values: Range) -> str:
    return " to ".join(dict.fromkeys(map(percent, values)))


def _gamma(diagnosis: Diagnosis) -> Panel:
    rows = [("L1", *_each(diagnosis, lambda it: number(it.L1)))]
    rows += [("L(theta)", *_each(diagnosis, lambda it: number(it.L_theta)))]
    if diagnosis.rounds:
        empty = ("",) * (diagnosis.plain is not None)
        units = number(diagnosis.gamma) if diagnosis.gamma is not None else "none"
        rows.insert(0, (f"gamma, as set ({diagnosis.scale} scale)", f"{diagnosis.gamma_set:g}", *empty))
        rows.insert(1, ("gamma, in the text's units", units, *empty))
    return Panel("gamma", "Gamma against how the loss bends", _heads(diagnosis), tuple(rows), words.gamma(diagnosis))


def _regularizer(diagnosis: Diagnosis) -> Panel:
    rows = [
        ("mean loss on the source", *_each(diagnosis, lambda it: number(it.loss))),
        ("R", *_each(diagnosis, lambda it: number(it.regularizer))),
    ]
    if (gamma := diagnosis.gamma) is not None:
        rows += [
            ("R / (2 gamma)", *_each(diagnosis, lambda it: number(it.regularizer / (2 * gamma)))),
            ("worst case at gamma, minus loss", *_each(diagnosis, _rise)),
        ]
    title = "The regularizer beside the loss"
    return Panel("regularizer", title, _heads(diagnosis), tuple(rows), words.regularizer(diagnosis))


def _rise(portrait: Portrait) -> str:
    assert portrait.surrogate is not None
    least, most = portrait.surrogate
    return span((least - portrait.loss, most - portrait.loss))


def _certificate(diagnosis: Diagnosis) -> Panel:
    portraits = _portraits(diagnosis)
    headings = [f"{name} {what}" for name, _ in portraits for what in ("rho", "worst mean loss")]
    columns = [column for _, it in portraits for column in (map(number, it.curve.rho), _worst(it))]
    rows = tuple(zip((f"{share:.3g}" for share in diagnosis.model.shares), *columns, strict=True))
    title = "Certificate: the worst mean loss within a radius"
    return Panel("certificate", title, ("rho/spread", *headings), rows, words.certificate(diagnosis))


def _worst(portrait: Portrait) -> list[str]:
    return [span(each) for each in zip(portrait.curve.attained, portrait.curve.bound, strict=True)]


def _domains(diagnosis: Diagnosis) -> Panel:
    headings = ("domain", "network", "matched", "rho", "rho/spread", "loss", "at most", "accuracy")
    every = zip(*(it.domains for _, it in _portraits(diagnosis)), strict=True)
    rows = [
        _domain("" if i else away.domain, name, away, it)
        for aways in every
        for i, (away, (name, it)) in enumerate(zip(aways, _portraits(diagnosis), strict=True))
    ]
    title = "Domains: how far from the source, and how accurate there"
    return Panel("domains", title, headings, tuple(rows), words.domains(diagnosis))


def _domain(first: str, name: str, away: Away, portrait: Portrait) -> tuple[str, ...]:
    return (
        first,
        name,
        f"{away.matched:,}",
        number(away.radius),
        number(away.radius / portrait.spread),
        number(away.loss),
        number(away.bound),
        percent(away.accuracy),
    )


def _classes(diagnosis: Diagnosis) -> Panel:
    domains, spread = diagnosis.model.domains, diagnosis.model.spread
    known = list(dict.fromkeys(name for away in domains for name in away.classes))
    shown = sorted(known, key=lambda name: -max(away.classes.get(name, 0) for away in domains))[:CLASSES]
    rows = tuple((name, *(_share(away, name, spread) for away in domains)) for name in known if name in shown)
    title = "Class by class" + (f": the {CLASSES} farthest of {len(known)}" if len(known) > CLASSES else "")
    return Panel("classes", title, ("class", *(away.domain for away in domains)), rows, words.classes(diagnosis))


def _share(away: Away, name: str, spread: float) -> str:
    return number(away.classes[name] / spread) if name in away.classes else "none"


def _portraits(diagnosis: Diagnosis) -> list[tuple[str, Portrait]]:
    return list(zip(words.names(diagnosis), diagnosis.portraits, strict=True))


def _each(diagnosis: Diagnosis, show: Callable[[Portrait], str]) -> Sequence[str]:
    return [show(portrait) for portrait in diagnosis.portraits]


def _heads(diagnosis: Diagnosis) -> tuple[str, ...]:
    return ("", *words.labels(diagnosis))
