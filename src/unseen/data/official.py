"""The official files of the paper's digit sets: where they are published, and how to know that they arrived whole.

Sizes and digests are as others recorded them: TensorFlow Datasets (MNIST, SVHN), torchvision (USPS), Git LFS (SYN),
DeepMind's NEVIS and pytorch-adapt (MNIST-M), several readers of BSDS500. Those of MNIST's content were computed
from files whose MD5 is the official one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class OfficialFile:
    """A published file."""

    name: str
    """as it is published"""
    folder: str = ""
    """the data root's subfolder that a download puts it in; the root itself when empty"""
    url: str | None = None
    """https only; None where nobody publishes it so, and ``how`` says what to do"""
    how: str | None = None
    """how to get it by hand"""
    size: int | None = None
    """in bytes; None where nobody has published it"""
    sha256: str | None = None
    """of the file"""
    md5: str | None = None
    """of the file, where SHA-256 isn't published"""
    content_size: int | None = None
    """bytes inside the compression, which may have been done again since"""
    content_sha256: str | None = None
    """of what is inside the compression"""
    holds: str | None = None
    """the folder that an archive unpacks to, below ``folder``; None for a file that is read as it is"""

    @property
    def digest(self) -> str:
        """``sha256:HEX``, or ``md5:HEX`` where that is all there is."""
        return f"sha256:{self.sha256}" if self.sha256 is not None else f"md5:{self.md5}"


def _mnist(name: str, size: int, sha256: str, content_size: int, content_sha256: str) -> OfficialFile:
    return OfficialFile(
        name=name,
        folder="mnist",
        url=f"https://storage.googleapis.com/cvdf-datasets/mnist/{name}",
        size=size,
        sha256=sha256,
        content_size=content_size,
        content_sha256=content_sha256,
    )


def _svhn(name: str, size: int, sha256: str) -> OfficialFile:
    url = f"https://ufldl.stanford.edu/housenumbers/{name}"
    return OfficialFile(name=name, folder="svhn", url=url, size=size, sha256=sha256)


def _syn(name: str, size: int, sha256: str) -> OfficialFile:
    # The authors' Google Drive asks for a click; this is an academic copy with their README, at a fixed commit.
    commit = "91ff02225a73db330883843bc41ee3aca59a19d9"
    url = f"https://media.githubusercontent.com/media/domainadaptation/datasets/{commit}/synth/{name}"
    return OfficialFile(name=name, folder="syn", url=url, size=size, sha256=sha256)


def _usps(name: str, sha256: str) -> OfficialFile:
    url = f"https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/{name}"
    return OfficialFile(name=name, folder="usps", url=url, sha256=sha256)


MNIST_M = OfficialFile(
    name="mnist_m.tar.gz",
    url="https://cornell.box.com/shared/static/jado7quprg6hzzdubvwzh9umr75damwi",
    how="the authors' own copy is the one that http://yaroslav.ganin.net links to, on Google Drive",
    md5="859df31c91afe82e80e5012ba928f279",
    holds="mnist_m",
)

BSDS500 = OfficialFile(
    name="BSR_bsds500.tgz",
    url="https://www2.eecs.berkeley.edu/Research/Projects/CS/vision/grouping/BSR/BSR_bsds500.tgz",
    size=70_763_455,
    sha256="97e49d31764f3912f0c4122707d53062ac9e783ba0f095e447a4d53c1a41af8e",
    holds="BSR/BSDS500/data/images/train",
)

OFFICIAL: Mapping[str, tuple[OfficialFile, ...]] = MappingProxyType(
    {
        "mnist-train": (
            _mnist(
                "train-images-idx3-ubyte.gz",
                9_912_422,
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
                47_040_016,
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            ),
            _mnist(
                "train-labels-idx1-ubyte.gz",
                28_881,
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
                60_008,
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            ),
        ),
        "mnist-test": (
            _mnist(
                "t10k-images-idx3-ubyte.gz",
                1_648_877,
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
                7_840_016,
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            ),
            _mnist(
                "t10k-labels-idx1-ubyte.gz",
                4_542,
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
                10_008,
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            ),
        ),
        "svhn-train": (
            _svhn("train_32x32.mat", 182_040_794, "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8"),
        ),
        "svhn-test": (
            _svhn("test_32x32.mat", 64_275_384, "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b"),
        ),
        "mnist-m-train": (MNIST_M,),
        "mnist-m-test": (MNIST_M,),
        "syn-train": (
            _syn(
                "synth_train_32x32.mat",
                895_578_032,
                "e0e0924ecd0c0b5a55ed6485aaa7d39937af982397717b89a3d91777aca9433c",
            ),
        ),
        "syn-test": (
            _syn(
                "synth_test_32x32.mat", 17_851_156, "6285fe9a1c6f27b379a47263907a37899b59ce86948fd343a5b904435cde5bcc"
            ),
        ),
        "usps-train": (_usps("usps.bz2", "3771e9dd6ba685185f89867b6e249233dd74652389f263963b3b741e994b034f"),),
        "usps-test": (_usps("usps.t.bz2", "a9c0164e797d60142a50604917f0baa604f326e9a689698763793fa5d12ffc4e"),),
        "bsds500": (BSDS500,),
    }
)
"""The files of each real domain by its name, and of ``bsds500``, whose photographs MNIST-M can be made from."""

IMAGES: Mapping[str, int] = MappingProxyType(
    {
        "mnist-train": 60_000,
        "mnist-test": 10_000,
        "svhn-train": 73_257,
        "svhn-test": 26_032,
        "mnist-m-train": 59_001,
        "mnist-m-test": 9_001,
        "syn-train": 479_400,
        "syn-test": 9_553,
        "usps-train": 7_291,
        "usps-test": 2_007,
    }
)
"""How many images each real domain has, as published."""
