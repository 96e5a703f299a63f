"""The tables of a diagnosis, each with what it means: the terminal and the page show the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unseen.reporting.diagnosis import explanations
from unseen.reporting.diagnosis.explanations import named_networks, number, percent
from unseen.reporting.diagnosis.record import Diagnosis, MeasuredDomain, MeasuredNetwork, Range, Round
from unseen.reporting.kit.tables import Sheet

CLASSES = 20
"""rows of the table by class, at most"""


def sheets(diagnosis: Diagnosis) -> dict[str, Sheet]:
    """Every table that there is something to show in, by its name."""
    makers = {"rounds": _rounds, "gamma": _gamma, "regularizer": _regularizer, "certificate": _certificate}
    makers |= {"domains": _domains, "classes": _classes} if diagnosis.model.domains else {}
    return {name: make(diagnosis) for name, make in makers.items()}


def span(values: Range) -> str:
    """``0.21 to 0.23``, or one number where both are the same to the eye."""
    return " to ".join(dict.fromkeys(map(number, values)))


def _rounds(diagnosis: Diagnosis) -> Sheet:
    headings = ("round", "images", "rho", "L2 in pixels", "loss before → after", "reached")
    rows = tuple(_round(each, "none" if diagnosis.no_gamma else "not recorded") for each in diagnosis.rounds)
    return Sheet("How far the rounds went", headings, rows, explanations.rounds(diagnosis))


def _round(each: Round, absent: str) -> tuple[str, ...]:
    return (
        str(each.number),
        f"{each.images:,}",
        number(each.radius) if each.radius is not None else "not recorded",
        number(each.moved),
        f"{number(each.loss_before)} → {number(each.loss_after)}",
        "overshot" if each.overshot else _shares(each.reached) if each.reached else absent,
    )


def _shares(values: Range) -> str:
    return " to ".join(dict.fromkeys(map(percent, values)))


def _gamma(diagnosis: Diagnosis) -> Sheet:
    rows = [("L1", *_each(diagnosis, lambda it: number(it.L1)))]
    rows += [("L(theta)", *_each(diagnosis, lambda it: number(it.L_theta)))]
    if diagnosis.rounds:
        empty = ("",) * (diagnosis.plain is not None)
        units = number(diagnosis.gamma) if diagnosis.gamma is not None else "none"
        rows.insert(0, (f"gamma, as set ({diagnosis.scale} scale)", f"{diagnosis.gamma_set:g}", *empty))
        rows.insert(1, ("gamma, in the text's units", units, *empty))
    return Sheet("Gamma against how the loss bends", _heads(diagnosis), tuple(rows), explanations.gamma(diagnosis))


def _regularizer(diagnosis: Diagnosis) -> Sheet:
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
    return Sheet(title, _heads(diagnosis), tuple(rows), explanations.regularizer(diagnosis))


def _rise(network: MeasuredNetwork) -> str:
    assert network.surrogate is not None
    least, most = network.surrogate
    return span((least - network.loss, most - network.loss))


def _certificate(diagnosis: Diagnosis) -> Sheet:
    networks = named_networks(diagnosis)
    headings = [f"{name} {what}" for name, _ in networks for what in ("rho", "worst mean loss")]
    columns = [column for _, it in networks for column in (map(number, it.curve.rho), _worst(it))]
    rows = tuple(zip((f"{share:.3g}" for share in diagnosis.model.shares), *columns, strict=True))
    title = "Certificate: the worst mean loss within a radius"
    return Sheet(title, ("rho/spread", *headings), rows, explanations.certificate(diagnosis))


def _worst(network: MeasuredNetwork) -> list[str]:
    return [span(each) for each in zip(network.curve.attained, network.curve.bound, strict=True)]


def _domains(diagnosis: Diagnosis) -> Sheet:
    headings = ("domain", "network", "matched", "rho", "rho/spread", "loss", "at most", "accuracy")
    every = zip(*(it.domains for _, it in named_networks(diagnosis)), strict=True)
    rows = [
        _domain(name, there, it)
        for measured in every
        for there, (name, it) in zip(measured, named_networks(diagnosis), strict=True)
    ]
    title = "Domains: how far from the source, and how accurate there"
    return Sheet(title, headings, rows, explanations.domains(diagnosis), frozenset({0, 1}))


def _domain(name: str, there: MeasuredDomain, network: MeasuredNetwork) -> tuple[str, ...]:
    return (
        there.domain,
        name,
        f"{there.matched:,}",
        number(there.radius),
        number(there.radius / network.spread),
        number(there.loss),
        number(there.bound),
        percent(there.accuracy),
    )


def _classes(diagnosis: Diagnosis) -> Sheet:
    domains, spread = diagnosis.model.domains, diagnosis.model.spread
    known = list(dict.fromkeys(name for each in domains for name in each.classes))
    shown = sorted(known, key=lambda name: -max(each.classes.get(name, 0) for each in domains))[:CLASSES]
    rows = tuple((name, *(_share(each, name, spread) for each in domains)) for name in known if name in shown)
    title = "Class by class" + (f": the {CLASSES} farthest of {len(known)}" if len(known) > CLASSES else "")
    return Sheet(title, ("class", *(each.domain for each in domains)), rows, explanations.classes(diagnosis))


def _share(there: MeasuredDomain, name: str, spread: float) -> str:
    return number(there.classes[name] / spread) if name in there.classes else "none"


def _each(diagnosis: Diagnosis, show: Callable[[MeasuredNetwork], str]) -> Sequence[str]:
    return [show(network) for network in diagnosis.networks]


def _heads(diagnosis: Diagnosis) -> tuple[str, ...]:
    return ("", *explanations.labels(diagnosis))
