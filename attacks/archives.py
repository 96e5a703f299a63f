"""An archive puts nothing outside of its folder, no link and no device anywhere, and no more than was agreed."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

from attacks.harness import Attack, Case, Told, problem
from unseen.data.download.unpack import unpack

NAMES = (
    *("../out.txt", "set/../../out.txt", "/tmp/unseen-attack-out.txt", "set/..", "..", "set\\..\\out.txt", "C:out.txt"),
    *("set/./a", "set//a", "./set/a", "set/a/", "set", "", ".", "set/" + "a" * 300, "set/" + "a/" * 300, "set/\x00a"),
    *("set/\x1b[31m", "set/con", "set/é", "set/a\nb", "SET/a", "set/.a.part", "set/a", "set/b/c"),
)
KINDS = (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)
TARGETS = ("/etc/passwd", "..", "../../out.txt", "set/a", "a", "/dev/full", ".")
MOST_BYTES, MOST_MEMBERS = 2**20, 50


def undergo(case: Case) -> Told:
    """An archive of drawn members, some of them hostile, is unpacked."""
    folder = case.folder / "data"
    folder.mkdir()
    make = case.dice.choice((_tar, _zip))
    archive = make(case, folder)
    around = _around(case.folder)
    limits = {"most_bytes": MOST_BYTES, "most_members": MOST_MEMBERS}
    ended = case.run(lambda: unpack(archive, folder, holds="set", **limits))
    wrong = problem(ended, allowed=(0, 2, 5)) or _harm(folder, _around(case.folder) - around)
    return Told(broken=(f"{archive.name} of {make.__name__}: {wrong}",)) if wrong else Told()


def _around(folder: Path) -> set[Path]:
    outside = {Path("/tmp/unseen-attack-out.txt"), folder / "out.txt", folder.parent / "out.txt"}
    return {path for path in outside if path.exists()} | {path for path in folder.rglob("*") if not path.is_dir()}


def _harm(folder: Path, new: set[Path]) -> str | None:
    astray = [path for path in new if not path.is_relative_to(folder / "set")]
    odd = [path for path in new if path.is_symlink() or not path.is_file()]
    size = sum(path.stat().st_size for path in new if path.is_file())
    if astray or odd:
        return f"written: {', '.join(map(str, astray + odd))}"
    return f"{size:,} bytes unpacked" if size > MOST_BYTES else None


def _name(case: Case) -> str:
    return case.dice.choice(NAMES) if case.dice.random() < 0.4 else f"set/{case.dice.randrange(100)}.png"


def _size(case: Case) -> int:
    return case.dice.choice((0, 1, 1000, 1000, 1000, MOST_BYTES, 40 * MOST_BYTES))


def _tar(case: Case, folder: Path) -> Path:
    path = folder / "set.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for _ in range(case.dice.randint(1, 8)):
            info = tarfile.TarInfo(_name(case))
            info.type = case.dice.choices(KINDS, (12, 2, 1, 1, 1, 1))[0]
            info.linkname = case.dice.choice(TARGETS) if info.type in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
            info.size = _size(case) if info.type == tarfile.REGTYPE else 0
            info.mode = case.dice.choice((0o644, 0o4777, 0o000))
            archive.addfile(info, io.BytesIO(bytes(info.size)))
    return _damaged(case, path)


def _zip(case: Case, folder: Path) -> Path:
    path = folder / "set.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        names = {_name(case) for _ in range(case.dice.randint(1, 8))}
        for name in sorted(names):
            info = zipfile.ZipInfo(name)
            info.external_attr = case.dice.choice((0o100644, 0o120777, 0o020666, 0)) << 16
            archive.writestr(info, bytes(_size(case)))
    return _damaged(case, path)


def _damaged(case: Case, path: Path) -> Path:
    """Some of the time a few of its bytes are others."""
    if case.dice.random() < 0.3:
        content = bytearray(path.read_bytes())
        for _ in range(4):
            content[case.dice.randrange(len(content))] = case.dice.randrange(256)
        path.write_bytes(content)
    return path


ATTACK = Attack("archives", "An archive writes nothing outside of its folder, no link and no device.", 500, undergo)
