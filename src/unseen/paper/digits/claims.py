"""What the paper claims of its digit experiments, and the page of their results."""

from __future__ import annotations

from collections.abc import Iterable

from unseen.paper.claims import Claim
from unseen.paper.digits.lab import COLUMNS, SOURCE, DigitLab
from unseen.paper.digits.plan import DIGIT_PLAN
from unseen.paper.digits.recipes import DIGIT_RECIPES
from unseen.paper.published import GAMMAS, ROUNDS
from unseen.paper.results import Results
from unseen.paper.section import Section, Subject

FAR = ("SVHN", "MNIST-M", "SYN")
NEAR = ("USPS",)
NEAR_REPETITIONS = "γ up to 10"
"""they move a round's images equally far: what is left between them is chance"""


def _all(recipe: str, better: Iterable[str], worse: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"{recipe}/{name}", f"{recipe}/{worse}") for name in better)


_K = [f"K={K}" for K in ROUNDS]
_GAMMAS = [m.label for m in DIGIT_RECIPES["figure2a-bottom"].methods if m.kind == "ada"]
_NEAR = [label for label, gamma in zip(_GAMMAS, GAMMAS, strict=True) if gamma <= 10]
_RIDGES = [(m.label, m.against) for m in DIGIT_RECIPES["figure2b-middle"].methods if m.kind == "ada"]
_MOST = DIGIT_RECIPES["figure4"].methods[-1].label

DIGIT_CLAIMS = (
    Claim(
        "A cost in feature space does better than one in pixel space (K=1, γ=10⁴).",
        "Section 4.1, Figure 2a top",
        _all("figure2a-top", ["features"], "pixels"),
        FAR,
        name="Features beat pixels",
    ),
    Claim(
        "ADA (K=2) does better than ERM for any γ.",
        "Section 4.1, Figure 2a bottom",
        _all("figure2a-bottom", _GAMMAS, "ERM"),
        FAR,
        name="ADA beats ERM at any γ",
        near={f"figure2a-bottom/{name}": NEAR_REPETITIONS for name in _NEAR},
    ),
    Claim(
        "ADA (γ=1) does better than ERM.",
        "Section 4.1, Figure 2b top",
        _all("figure2b-top", _K, "ERM"),
        FAR,
        name="ADA beats ERM, K=1 to 4",
    ),
    Claim(
        "ADA (γ=1) does better than dropout.",
        "Section 4.1, Figure 2b top",
        _all("figure2b-top", _K, "Dropout"),
        FAR,
        name="ADA beats dropout",
    ),
    Claim(
        "On USPS, which is close to MNIST, ADA does worse than ERM.",
        "Section 4.1; by Figure 2b top",
        tuple((erm, name) for name, erm in _all("figure2b-top", _K, "ERM")),
        NEAR,
        name="ADA loses on USPS",
    ),
    Claim(
        "ADA (K=1, γ=1) adds to what ridge does.",
        "Section 4.1, Figure 2b middle",
        tuple((f"figure2b-middle/{name}", f"figure2b-middle/{alone}") for name, alone in _RIDGES),
        FAR,
        name="ADA adds to ridge",
    ),
    Claim(
        "Ridge adds to what ADA (K=1, γ=1) does: the two sum up.",
        "Section 4.1, Figure 2b middle against top",
        tuple((f"figure2b-middle/{name}", "figure2b-top/K=1") for name, _ in _RIDGES),
        FAR,
        name="Ridge adds to ADA",
    ),
    Claim(
        "An ensemble over γ does better than an ERM ensemble of the same size.",
        "Section 4.1, Figure 2b bottom",
        _all("figure2b-bottom", _K, "ERM"),
        FAR,
        name="γ ensemble beats ERM ensemble",
        independent=True,
    ),
    Claim(
        "An ensemble over γ does better than the single network (γ=1) with the same K.",
        "Section 4.1, Figure 2b bottom against top",
        tuple((f"figure2b-bottom/{name}", f"figure2b-top/{name}") for name in _K),
        FAR,
        name="γ ensemble beats one network",
        named=("ensemble", "network"),
    ),
    Claim(
        "Ensembles get better as K grows: K=4 against K=1.",
        "Section 4.1, Figure 2b bottom",
        _all("figure2b-bottom", ["K=4"], "K=1"),
        FAR,
        name="Ensembles gain with K",
    ),
    Claim(
        "ADDA with many target images does better than ADA (K=2) on USPS and MNIST-M (how slightly is not judged).",
        "Appendix B, Figure 4",
        _all("figure4", [_MOST], "K=2"),
        ("USPS", "MNIST-M"),
        name="ADDA beats ADA",
    ),
    Claim(
        "ADA (K=2) does better than ADDA with many target images on SYN.",
        "Appendix B, Figure 4",
        (("figure4/K=2", f"figure4/{_MOST}"),),
        ("SYN",),
        name="ADA beats ADDA on SYN",
    ),
)


# The page.


def digit_sections(results: Results) -> list[Section]:
    """One for each recipe, if there is a run on MNIST."""
    runs = [line for line in results if line["kind"] == "run" and line["job"]["source"] == SOURCE]
    if not runs:
        return []
    scored = {score["domain"] for line in runs for score in line["scores"]}
    most = 1 + max(line["seed"] for line in runs)
    sections = []
    for recipe in DIGIT_RECIPES.values():
        absent = tuple(column for column in recipe.columns if COLUMNS[column] not in scored)
        lab = DigitLab(out=results.path.parent, rows={SOURCE: recipe.columns}, absent=absent)
        if recipe.methods:
            sections.append(Section(recipe, lab, results, most, level=not recipe.crossed))
    return sections


DIGITS = Subject(
    title="The paper's digit experiments, run again",
    lead="Volpi et al. (NeurIPS 2018) train a digit network on MNIST alone and test it on digits it has never seen. "
    "Here are their figures and Table 1 again, with our runs beside their numbers; nothing is on SYN, which we could "
    "not get.",
    measure="accuracy",
    sections=digit_sections,
    claims=DIGIT_CLAIMS,
    judging="Three statements of the paper are not among the claims: that ensembles gain nothing on USPS, that they do "
    "better than the single networks of Figure 2a, and that ADDA does not converge on SVHN.",
    shared={"ERM": ["figure2b-top/ERM"], "ADA (γ=1)": [f"figure2b-top/{name}" for name in _K]},
    plan=DIGIT_PLAN,
    picture="claims",
    html="report.html",
    markdown="results.md",
    discussion="discussion.md",
)
