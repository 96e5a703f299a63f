"""A diagnosis as it is saved in a run's folder: numbers only, with the digests of what they were measured on.

The fields are the keys of ``diagnosis.json``, so their names stay: ``plain`` is the ERM run to compare with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from unseen.base.reading import digest_of, read_json, reading
from unseen.base.records import from_json
from unseen.base.writing import write_json
from unseen.data.domain import Domain
from unseen.errors import RunFolderError
from unseen.runs.folder import RunFolder
from unseen.runs.selection import LAST_ITERATE
from unseen.theory import Certificate

FILE = "diagnosis.json"
Range = tuple[float, float]
"""at least, at most"""


@dataclass(frozen=True)
class Round:
    """What one round's ascent did, as means over the images that were measured."""

    number: int
    images: int
    radius: float | None
    """1/2 ||z - z0||^2; None where it was not recorded"""
    moved: float
    """L2 in pixels"""
    loss_before: float
    loss_after: float
    gain: float | None
    """rise of loss - gamma * cost over pixels, below 0 where the steps were too long; None for another ascent"""
    reached: Range | None
    """the gain as a share of the attainable one; None where the supremum was not recorded"""
    measured: int | None = None
    """how many of the images, drawn, these are means over; None where it was all"""

    @property
    def overshot(self) -> bool:
        """Whether the ascent ended below where it began."""
        return self.gain is not None and self.gain < 0


@dataclass(frozen=True)
class MeasuredDomain:
    """One domain, and how far it is from the source in one network's features."""

    domain: str
    sha256: str
    held_out: bool
    """whether these are held-out images of the source"""
    images: int
    accuracy: float
    """on all of its images"""
    matched: int
    """how many of them were matched with as many of the source"""
    radius: float
    """transport cost 1/2 ||z - z'||^2 between the matched, class by class, on average"""
    classes: Mapping[str, float]
    """the same for each class"""
    loss: float
    """mean loss on the matched images"""
    bound: float
    """what the certificate of the source images they are matched with says it is at most"""


@dataclass(frozen=True)
class MeasuredNetwork:
    """A trained network as the theory sees it."""

    label: str
    folder: str
    seed: int
    weights: str
    """SHA-256 of the weights' file"""
    features: int
    L1: float
    L_theta: float
    spread: float
    """mean 1/2 ||z - mean z||^2 over the source: the unit that two networks' distances can be compared in"""
    regularizer: float
    surrogate: Range | None
    """mean phi_gamma; None without a gamma"""
    curve: Certificate
    domains: tuple[MeasuredDomain, ...]
    selection: str = LAST_ITERATE
    """which weights of the training they are"""

    def __post_init__(self) -> None:
        curve = self.curve
        if len({len(each) for each in (curve.rho, curve.bound, curve.gamma, curve.attained)}) != 1 or self.spread <= 0:
            raise ValueError(f"{self.label}: a curve of {len(curve.rho)} radii over a spread of {self.spread}")

    @property
    def loss(self) -> float:
        """The mean loss on the source."""
        return self.curve.loss

    @property
    def shares(self) -> list[float]:
        """The curve's radii as shares of the spread."""
        return [rho / self.spread for rho in self.curve.rho]


@dataclass(frozen=True)
class Diagnosis:
    """What ``diagnose`` found out about a run."""

    source: str
    sha256: str
    """fingerprint of the source's data"""
    classes: int
    images: int
    used: int
    """how many of the source's images everything but the rounds was measured on"""
    length: float
    """mean L2 norm of an image, to compare the rounds' pixels with"""
    gamma_set: float
    scale: str
    gamma: float | None
    """in the units of the text, c = 1/2 ||z - z0||^2"""
    no_gamma: str
    """why there is none"""
    rounds: tuple[Round, ...]
    model: MeasuredNetwork
    plain: MeasuredNetwork | None
    plain_given: bool
    """whether the ERM run was given, or else found in the same folder"""
    plain_apart: tuple[str, ...] = ()
    """in what else a given one differs from the run than in its rounds"""

    @property
    def networks(self) -> list[MeasuredNetwork]:
        """This one, and the ERM run's where there is one."""
        return [network for network in (self.model, self.plain) if network is not None]


def weights_digest(folder: Path) -> str:
    """SHA-256 of a finished run's weights file."""
    return digest_of(RunFolder(folder).weights)


def save(folder: Path, diagnosis: Diagnosis) -> Path:
    """Write it into the run's folder."""
    path = folder / FILE
    write_json(path, asdict(diagnosis))
    return path


def read_current(folder: Path, source: Domain, domains: Sequence[Domain] = ()) -> Diagnosis | None:
    """The saved diagnosis of a run, if the weights, the source and ``domains`` are still those it was made with.

    A file that can't be read counts as none: to diagnose again is all that it costs. So does one whose ERM run
    has other weights by now; one that is gone changes nothing.
    """
    try:
        content = read_json(folder / FILE)
        with reading(folder / FILE, RunFolderError):
            found = from_json(Diagnosis, content)
    except RunFolderError:
        return None
    now = {domain.name: domain.fingerprint for domain in domains}
    same = all(now.get(each.domain, each.sha256) == each.sha256 for each in found.model.domains)
    same &= (found.model.weights, found.sha256) == (weights_digest(folder), source.fingerprint)
    return found if same and not (found.plain and _has_other_weights(found.plain)) else None


def _has_other_weights(network: MeasuredNetwork) -> bool:
    folder = Path(network.folder)
    return RunFolder(folder).finished and weights_digest(folder) != network.weights
