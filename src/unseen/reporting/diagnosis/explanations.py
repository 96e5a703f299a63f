"""What the tables of a diagnosis mean, for somebody who hasn't read the paper: for the terminal and the page."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from unseen.reporting.diagnosis.matching import IN_ALL, PER_CLASS
from unseen.reporting.diagnosis.record import Diagnosis, MeasuredNetwork
from unseen.reporting.kit.wording import listed, short


def number(value: float) -> str:
    """A measured size with three digits that matter, without an exponent unless it is tiny."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".") if value == 0 or abs(value) >= 1e-4 else short(value)


def percent(share: float) -> str:
    """``36.8 %``, and three digits where it is less than one."""
    return f"{100 * share:.1f} %" if abs(share) >= 0.01 or share == 0 else f"{number(100 * share)} %"


def labels(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The names of the run, and of the ERM run where there is one."""
    label, baseline = diagnosis.model.label, diagnosis.plain
    if baseline is None:
        return (label,)
    return label, baseline.label if baseline.label != label else f"{label}, baseline"


def names(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The same in short: just ADA and ERM where that is enough."""
    brief = tuple(label.partition(" (")[0] for label in labels(diagnosis))
    return brief if len(set(brief)) == len(brief) else ("this run", "baseline")


def headline(diagnosis: Diagnosis) -> str:
    """What the certificate says at a hundredth of the spread."""
    at = min(range(len(diagnosis.model.shares)), key=lambda i: abs(diagnosis.model.shares[i] - 0.01))
    bounds = [f"{each.curve.bound[at]:.2f} for {name}" for name, each in named_networks(diagnosis)]
    return f"The worst mean loss within 1 % of the features' spread is at most {listed(bounds)}"


def rounds(diagnosis: Diagnosis) -> str:
    """About the rounds."""
    if not diagnosis.rounds:
        return "ERM has no rounds: it made no fictitious images."
    return (
        "A round makes fictitious images: copies of training images, each pushed to where the network of that moment "
        "errs. rho is how far they went in that network's features, half the squared distance on average: the radius "
        "of the neighbourhood the round trained against. L2 is how far they went as images, where a whole image has a "
        f"length of {number(diagnosis.length)}. Loss is their mean loss before and after: the more it rises, the "
        "harder they are. Reached is how much of the possible rise in loss - gamma x distance the ascent got: at 100 % "
        "it found the worst case there is anywhere in the features, near 0 % it took a small step towards it"
        f"{_remark(diagnosis)}.{_sampled(diagnosis)}"
    )


def _sampled(diagnosis: Diagnosis) -> str:
    some = [each.measured for each in diagnosis.rounds if each.measured is not None and each.measured < each.images]
    return f" All of it is measured on {max(some):,} images of a round, drawn." if some else ""


def _remark(diagnosis: Diagnosis) -> str:
    if any(each.overshot for each in diagnosis.rounds):
        return (
            ". Overshot: loss - gamma x distance ended below where it began, because the steps of the ascent are too "
            "long for this gamma; lower eta"
        )
    if any(each.reached for each in diagnosis.rounds):
        return ""
    if diagnosis.no_gamma:
        return f" (none here: {diagnosis.no_gamma})"
    return " (the run did not record it: it is an old one, or has over 100 classes)"


def gamma(diagnosis: Diagnosis) -> str:
    """About gamma, L1 and L(theta)."""
    known = (
        "L1 is how sharply the loss of the trained network can bend over its features, and L(theta) the paper's "
        "coarser number for the same."
    )
    if diagnosis.gamma is None:
        return f"{known} There is no gamma to hold against them: {diagnosis.no_gamma}."
    price = "gamma is the price of distance for a fictitious image; the text's units are those of rho."
    return f"{price} {known} {_verdict(diagnosis.gamma, diagnosis.model)}"


def _verdict(gamma: float, model: MeasuredNetwork) -> str:
    if gamma <= model.L1:
        return (
            f"Here gamma is {number(model.L1 / gamma)} times below L1: distance is so cheap that nothing holds the "
            "worst case near its start. It lies in a far corner of the features, where another class has all the "
            "score, and the few steps of an ascent go a small part of the way. Neither Theorem 1 (a fictitious image "
            "is a Newton step from its original) nor Theorem 2 (training on them adds a regularizer) speaks about this "
            "gamma."
        )
    above = (
        f"Here gamma is {number(gamma / model.L1)} times L1: each image has one worst case, near its start, which an "
        "ascent with short enough steps finds, and Theorem 1 applies: a fictitious image is a Newton step from its "
        "original."
    )
    if gamma <= model.L_theta:
        return (
            f"{above} Theorem 2 (training on them adds a regularizer) is printed for a gamma above L(theta), which "
            "this one isn't; with L1 in the place of L(theta) it holds here."
        )
    return f"{above} So does Theorem 2, up to a factor of 2: training on them adds a regularizer to the loss."


def regularizer(diagnosis: Diagnosis) -> str:
    """About R."""
    text = (
        "The loss is the mean on the source, which the network was trained on. R is the squared length of the loss's "
        "gradient in the features, on average: how hard a small push can hit, 0 where the loss is flat. It is in the "
        "network's own units: two networks are compared by their certificates."
    )
    if diagnosis.gamma is None or diagnosis.model.surrogate is None:
        return text
    first = diagnosis.model.regularizer / (2 * diagnosis.gamma)
    rise = diagnosis.model.surrogate[0] - diagnosis.model.loss
    fits = "describes this gamma well" if rise <= 2 * first else "doesn't describe this gamma"
    return (
        f"{text} R / (2 gamma) is what the method adds to the loss when gamma is large. The last line is what the "
        f"worst case at this gamma adds in truth, which is never less: here {number(rise / first)} times as much, so "
        f"the regularizer {fits}."
    )


def certificate(diagnosis: Diagnosis) -> str:
    """About the curves."""
    guess = math.log(diagnosis.classes)
    return (
        "Take any images whose features lie within rho of the source's, on average, labels kept: their mean loss is at "
        "most the bound, the second number of each range, and somewhere in the features there are points that reach "
        "the first. Lower is sturdier. Radii are shares of the features' spread (their mean half squared distance from "
        f"their centre: {_for_each(diagnosis, lambda it: it.spread)}), because features twice as large with a head "
        f"half as large are the same network. Guessing among {diagnosis.classes} classes has a loss of {guess:.2f}; "
        f"the bound is better than that up to a share of {_for_each(diagnosis, lambda it: crossing(it, guess))}. It "
        f"counts points that no image reaches, so real domains do better. {_compared(diagnosis)}"
    )


def _for_each(diagnosis: Diagnosis, value: Callable[[MeasuredNetwork], float]) -> str:
    """``323 for ADA and 409 for ERM``."""
    return listed([f"{number(value(network))} for {name}" for name, network in named_networks(diagnosis)])


def named_networks(diagnosis: Diagnosis) -> list[tuple[str, MeasuredNetwork]]:
    """Each network with its short name."""
    return list(zip(names(diagnosis), diagnosis.networks, strict=True))


def crossing(network: MeasuredNetwork, level: float) -> float:
    """The share of the spread at which the bound reaches ``level``, between its points by their logarithms."""
    points = list(zip(network.shares, network.curve.bound, strict=True))
    for (near, low), (far, high) in pairwise(points):
        if low <= level < high:
            return float(near * (far / near) ** (math.log(level / low) / math.log(high / low)))
    return 0.0 if level < points[0][1] else points[-1][0]


def _compared(diagnosis: Diagnosis) -> str:
    if diagnosis.plain is None:
        if not diagnosis.rounds:
            return "This run is ERM itself."
        return (
            "There is no ERM run to compare with: none in the same folder has the same job and seed with K=0. Name one "
            "with --plain RUN (in Python: plain=)."
        )
    own, other = names(diagnosis)
    ratios = [a / b for a, b in zip(diagnosis.model.curve.bound, diagnosis.plain.curve.bound, strict=True)]
    lower = sum(ratio < 1 for ratio in ratios)
    found = "as given" if diagnosis.plain_given else "found in the same folder"
    if diagnosis.plain_apart:
        found += f", and differs in more than its rounds: {', '.join(diagnosis.plain_apart)}"
    return (
        f"{other} is the run {Path(diagnosis.plain.folder).name}, {found}. The bound of {own} is the lower one at "
        f"{lower} of {len(ratios)} radii, and {percent(min(ratios))} to {percent(max(ratios))} of that of {other}."
    )


def domains(diagnosis: Diagnosis) -> str:
    """About the domains' distances."""
    text = (
        "A domain's images are matched one to one with source images of the same class so that the sum of their "
        f"distances in features is the least there is ({PER_CLASS} of a class and {IN_ALL:,} in all at most, drawn in "
        "the domain's proportions; a source image counts again where its class has too few). rho is the mean half "
        "squared distance of the matched. Its share of the spread would be 2 for two source images drawn at random, "
        "and is small where the network sees both as the same. Loss is the mean on the matched images; at most is the "
        "certificate of the matched source images at that distance, so the loss is never above it. Accuracy is on all "
        "images."
    )
    held_out = [there.domain for there in diagnosis.model.domains if there.held_out]
    if held_out:
        return f"{text} {held_out[0]} is held-out source: what such a distance is where nothing differs but the draw."
    return f"{text} No held-out images of this source are known: name some, to see what distance is mere chance."


def classes(diagnosis: Diagnosis) -> str:
    """About the distances of each class."""
    return (
        f"The same distances for each class in the features of {names(diagnosis)[0]}, as shares of the spread: where "
        "one is large, the network sees that class of the domain unlike what it was trained on."
    )
