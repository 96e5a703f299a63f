"""What the paper claims of its street-scene experiments."""

from __future__ import annotations

from unseen.paper.claims import Claim
from unseen.paper.streets.names import TABLE2, condition_of, place_of, way
from unseen.paper.streets.recipes import scenes_ensemble

_OURS = (("figure3/ours", "figure3/ERM"),)
_MEANS = {
    source: tuple(way(source, place) for place in dict.fromkeys(map(place_of, TABLE2[source]))) for source in TABLE2
}
_ENSEMBLE = scenes_ensemble()
_FIRST, *_OTHERS = [method.label for method in _ENSEMBLE.methods if method.kind == "ada" and not method.group]

STREET_CLAIMS = (
    Claim(
        "Ours mostly generalizes better than ERM (mean over the conditions of each test place).",
        "Section 4.2, Figure 3",
        _OURS,
        tuple(column for columns in _MEANS.values() for column in columns),
        mostly=True,
    ),
    Claim(
        "Trained at night, ours always does better than ERM.",
        "Section 4.2, Figure 3",
        _OURS,
        tuple(column for source, columns in _MEANS.items() if condition_of(source) == "night" for column in columns),
    ),
    Claim(
        "Which γ is chosen makes no strong difference: every other γ against γ=1 (means as above).",
        "Section 4.2, text",
        tuple((f"{_ENSEMBLE.name}/{label}", f"{_ENSEMBLE.name}/{_FIRST}") for label in _OTHERS),
        tuple(column for source in _ENSEMBLE.usual or () for column in _MEANS[source]),
        alike=True,
    ),
)
