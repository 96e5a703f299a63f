"""A small file that unfolds to gigabytes, or says so, is refused before it does."""

from __future__ import annotations

import bz2
import gzip
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import MappingProxyType

from attacks import playground
from attacks.harness import Attack, Case, Told, problem
from attacks.mutations import (
    ANIMALS,
    DOMAINS,
    EVALUATE,
    MASKS,
    PREDICT,
    RESUME,
    SYNTHIA,
    TRAINED,
    Reader,
    read,
    train_on,
)

GIB = 2**30
_BLOCK = 2**26
PATIENCE = 60.0


def zeros(times: int) -> bytes:
    """``times`` blocks of 64 MiB of zeros as a zlib stream of some kilobytes; its checksum, at its end, is wrong."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    block = packer.compress(bytes(_BLOCK)) + packer.flush(zlib.Z_FULL_FLUSH)  # can stand after itself
    return b"\x78\xda" + block * times + b"\x03\x00" + bytes(4)


def _gzip(path: Path) -> None:
    """Two members and more: the size that is written at the end is only the last one's."""
    first = gzip.compress(bytes([0, 0, 8, 3]) + struct.pack(">III", 10_000, 28, 28) + bytes(_BLOCK))
    path.write_bytes(first + gzip.compress(bytes(_BLOCK)) * 60)


def _bz2(path: Path) -> None:
    path.write_bytes(bz2.compress(b"1 1:0.5 \n") + bz2.compress(bytes(_BLOCK // 4)) * 250)


def _npy(shape: tuple[int, ...]) -> bytes:
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


def _npz(path: Path, *, claims: bool) -> None:
    """Arrays that say how large they are, or are."""
    size = 5 * GIB
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in ("images", "labels"):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                file.write(_npy((size,)))
                for _ in range(0 if claims else 40):
                    file.write(bytes(_BLOCK))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _png(path: Path, *, side: int, bits: int, colours: int) -> None:
    header = struct.pack(">IIBBBBB", side, side, bits, colours, 0, 0, 0)
    content = _chunk(b"IHDR", header) + _chunk(b"IDAT", zeros(50)) + _chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + content)


def _text_of_png(path: Path) -> None:
    """The pixels are few, the text beside them isn't."""
    content = path.read_bytes()
    path.write_bytes(content[:33] + _chunk(b"zTXt", b"Comment\x00\x00" + zeros(40)) + content[33:])


def _jpeg(path: Path) -> None:
    """A header of 65,000 pixels a side."""
    content = bytearray(path.read_bytes())
    at = content.index(b"\xff\xc0") + 5
    content[at : at + 4] = struct.pack(">HH", 65_000, 65_000)
    path.write_bytes(content)


def _mat(path: Path) -> None:
    """A compressed element, as MATLAB writes it, that has gigabytes in it."""
    packed = zeros(60)
    head = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H2s", 0x0100, b"IM")
    path.write_bytes(head + struct.pack("<II", 15, len(packed)) + packed)


def _sparse(path: Path, size: int = 6 * GIB) -> None:
    """Gigabytes that take no room on the disk."""
    with path.open("r+b") as file:
        file.truncate(size)


def _long_header(path: Path) -> None:
    path.write_bytes(struct.pack("<Q", 4 * GIB) + path.read_bytes()[8:])


def _claiming_tensor(path: Path) -> None:
    header = json.dumps({"x": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header)


def _nested(path: Path) -> None:
    path.write_text('{"a":' * 200_000 + "1" + "}" * 200_000)


def _long_number(path: Path) -> None:
    path.write_text('{"format": ' + "9" * 2_000_000 + "}")


TRAIN = Reader("train --config train.toml --out new", ["train.toml", "animals", "street"], TRAINED)
SWEEP = Reader("sweep sweep.toml --out new", ["sweep.toml", "animals", "street"])
SVHN, SYN, USPS, MNIST = (train_on(f"{name}-test --data data", "data") for name in ("svhn", "syn", "usps", "mnist"))
_GREY, _RGB = 0, 2
BOMBS: MappingProxyType[str, tuple[Callable[[Path], None], str, tuple[Reader, ...]]] = MappingProxyType(
    {
        "gzip of several members": (_gzip, "data/mnist/t10k-images-idx3-ubyte.gz", (DOMAINS, MNIST)),
        "bz2": (_bz2, "data/usps/usps.t.bz2", (DOMAINS, USPS)),
        "npz that says so": (partial(_npz, claims=True), "data/syn/syn_test.npz", (DOMAINS, SYN)),
        "npz": (partial(_npz, claims=False), "data/syn/syn_test.npz", (DOMAINS, SYN)),
        "mat": (_mat, "data/svhn/test_32x32.mat", (DOMAINS, SVHN)),
        "mask of 8 bits": (partial(_png, side=50_000, bits=8, colours=_GREY), "masks/masks/0.png", (MASKS,)),
        "mask of 16 bits": (partial(_png, side=22_000, bits=16, colours=_RGB),
                            "data/synthia/SYNTHIA-SEQS-01-DAWN/GT/LABELS/Stereo_Left/Omni_F/000000.png", (SYNTHIA,)),
        "PNG": (partial(_png, side=13_000, bits=8, colours=_RGB), "street/cat/0.png", (PREDICT, EVALUATE)),
        "larger PNG": (partial(_png, side=60_000, bits=8, colours=_RGB), "animals/cat/0.png", (ANIMALS,)),
        "text of a PNG": (_text_of_png, "street/cat/0.png", (PREDICT,)),
        "JPEG": (_jpeg, "street/cat/1.jpg", (PREDICT, EVALUATE)),
        "JPEG of the source": (_jpeg, "animals/cat/1.jpg", (ANIMALS,)),
        "long config": (_sparse, "runs/done/config.json", (EVALUATE, PREDICT)),
        "long metrics": (_sparse, "runs/unfinished/metrics.jsonl", (RESUME,)),
        "long weights": (partial(_sparse, size=2 * GIB), "runs/done/weights.safetensors", (EVALUATE,)),
        "long settings": (_sparse, "train.toml", (TRAIN,)),
        "long grid": (_sparse, "sweep.toml", (SWEEP,)),
        "long class list": (_sparse, "masks/classes.txt", (MASKS,)),
        "long evaluation": (_sparse, "runs/done/evaluation.json", (EVALUATE,)),
        "header of weights": (_long_header, "runs/done/weights.safetensors", (EVALUATE,)),
        "claiming tensor": (_claiming_tensor, "runs/done/weights.safetensors", (EVALUATE,)),
        "nested config": (_nested, "runs/done/config.json", (EVALUATE,)),
        "nested evaluation": (_nested, "runs/done/evaluation.json", (EVALUATE,)),
        "long number": (_long_number, "runs/done/config.json", (EVALUATE,)),
    }
)  # fmt: skip
HARMLESS = {"long metrics", "long evaluation", "nested evaluation"}
"""what is beyond the checkpoint's is cut off unread; an evaluation that can't be read is made again"""
CASES = [(name, reader) for name, (_, _, readers) in BOMBS.items() for reader in readers]


def undergo(case: Case) -> Told:
    """One bomb, and a verb that meets it."""
    name, reader = CASES[case.number % len(CASES)]
    make, place, _ = BOMBS[name]
    playground.copy(case.prepared, case.folder, *reader.needs)
    make(case.folder / place)
    ended = case.run(partial(read, reader), audit=reader.accepted, patience=PATIENCE)
    wrong = problem(ended, allowed={2, 3, 8} | ({0} if name in HARMLESS or reader is DOMAINS else set()))
    return Told(broken=(f"{name} at {place}, then: unseen {reader.words}\n{wrong}",)) if wrong else Told()


ATTACK = Attack(
    "bombs", "What unfolds to more than was expected is refused before it does.", len(CASES), undergo, playground.make
)
