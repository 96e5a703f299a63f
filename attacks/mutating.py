"""How a file is changed: at random places, and where it is JSON, TOML or ours, also in what it says."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import safetensors
import torch

from unseen.base.tensors import write_tensors
from unseen.runs.config import sealed

Mutation = Callable[[bytes, random.Random], bytes]

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**63, -(2**63), 10**400, 1e308, -0.0, 5e-324, float("nan"), float("inf")),
    *("", "x", "\x00", "\x1b[31m", "[red]", "[/b]", "/", "..", "~nobody/x", "a" * 5000, "1", "\ud7ff", "é" * 300),
    *([], {}, [[]], [{}], {"": None}, [1, "a", None], {"a": {"b": {"c": []}}}, [[1, 2], [3]]),
)
"""values that nobody expects"""
ODD_TOML = (
    *("true", "-1", "0", "1e308", "inf", "-inf", "nan", "18446744073709551616", "9" * 400, "0.5", "2**3", "[]", "{}"),
    *('""', '"x"', '"~nobody/x"', f'"{"a" * 300}"', '"[/b]"', '"\\u001b[31m"', "[[]]", "[1, 'a']", "1979-05-27", '"/"'),
    *("{a = 1}", "[[[[]]]]", '["x", "x"]', "00", "'''", '"meta"', '"cuda:99"', "0x10", "1_0"),
)


def flip(content: bytes, dice: random.Random) -> bytes:
    """Some bits are others."""
    changed = bytearray(content)
    for _ in range(dice.choice((1, 1, 1, 2, 8))):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def overwrite(content: bytes, dice: random.Random) -> bytes:
    """Some bytes are others."""
    start, size = _range(content, dice)
    return content[:start] + dice.randbytes(size) + content[start + size :]


def cut(content: bytes, dice: random.Random) -> bytes:
    """The end is missing."""
    return content[: dice.randrange(len(content))]


def drop(content: bytes, dice: random.Random) -> bytes:
    """Something in between is missing."""
    start, size = _range(content, dice)
    return content[:start] + content[start + size :]


def insert(content: bytes, dice: random.Random) -> bytes:
    """There is more."""
    start, size = _range(content, dice)
    return content[:start] + dice.randbytes(size) + content[start:]


def zero(content: bytes, dice: random.Random) -> bytes:
    """Some bytes are zero."""
    start, size = _range(content, dice)
    return content[:start] + bytes(size) + content[start + size :]


def duplicate(content: bytes, dice: random.Random) -> bytes:
    """Something is there twice."""
    start, size = _range(content, dice)
    return content[: start + size] + content[start:]


def swap(content: bytes, dice: random.Random) -> bytes:
    """Two parts are exchanged."""
    size = dice.randint(1, max(1, len(content) // 4))
    first, second = sorted((dice.randrange(len(content)), dice.randrange(len(content))))
    one, other = content[first : first + size], content[second : second + size]
    return content[:first] + other + content[first + size : second] + one + content[second + size :]


def renumber(content: bytes, dice: random.Random) -> bytes:
    """Another number, in binary or in digits, where there is one."""
    digits = list(re.finditer(rb"\d+", content))
    if digits and dice.random() < 0.5:
        found = dice.choice(digits)
        number = dice.choice((b"0", b"-1", b"99999999999999999999", b"1e999", b"4294967296"))
        return content[: found.start()] + number + content[found.end() :]
    start, size = dice.randrange(len(content)), dice.choice((1, 2, 4, 8))
    number = dice.choice((0, 1, 2 ** (8 * size) - 1, 2 ** (8 * size - 1)))
    return content[:start] + number.to_bytes(size, dice.choice(("little", "big"))) + content[start + size :]


def replace_all(content: bytes, dice: random.Random) -> bytes:
    """Something else altogether."""
    page = b"<!doctype html><title>404 Not Found</title>"
    return dice.choice((b"", b"\n", b"\x00" * len(content), page, dice.randbytes(len(content)), b"[" * 100_000, b"{}"))


def _range(content: bytes, dice: random.Random) -> tuple[int, int]:
    return dice.randrange(len(content)), dice.choice((1, 2, 4, 16, 64, dice.randint(1, len(content))))


PLAIN: tuple[Mutation, ...] = (flip, flip, overwrite, cut, drop, insert, zero, duplicate, swap, renumber, replace_all)


def change_json(content: bytes, dice: random.Random) -> bytes:
    """JSON that says something else."""
    return (json.dumps(_changed(json.loads(content), dice), indent=2) + "\n").encode()


def seal_again(content: bytes) -> bytes:
    """A config with the digest of what it says, where it still says something."""
    try:
        changed = json.loads(content)
    except (ValueError, RecursionError):
        return content
    return json.dumps(sealed(changed), indent=2).encode() if isinstance(changed, dict) else content


def change_json_line(content: bytes, dice: random.Random) -> bytes:
    """The same in one of the lines."""
    lines = content.decode().splitlines()
    number = dice.randrange(len(lines))
    lines[number] = json.dumps(_changed(json.loads(lines[number]), dice))
    return ("\n".join(lines) + "\n").encode()


def change_toml(content: bytes, dice: random.Random) -> bytes:
    """Another value, another name, or a line more or less."""
    lines = content.decode().splitlines()
    number = dice.choice([i for i, line in enumerate(lines) if "=" in line])
    name = lines[number].partition("=")[0].strip()
    change = dice.randrange(6)
    if change < 3:
        lines[number] = f"{name} = {dice.choice(ODD_TOML)}"
    elif change == 3:
        lines[number] = lines[number].replace(name, dice.choice(("", '"a.b"', "x" * 300, f"{name}.x", "K", "é")), 1)
    elif change == 4:
        lines.insert(dice.randrange(len(lines)), dice.choice((lines[number], "[x]", "[[grid]]", "=", "[" * 2000)))
    else:
        del lines[number]
    return "\n".join(lines).encode()


def _changed(tree: Any, dice: random.Random) -> Any:
    """The same with one place of it changed."""
    places = list(_places(tree))
    if not places:
        return dice.choice(ODD)
    holder, key = dice.choice(places)
    value, change = holder[key], dice.randrange(7)
    if change == 0:
        del holder[key]
    elif change == 1:
        holder[key] = [value]
    elif change == 2:
        holder[key] = {"x": value}
    elif change == 3 and isinstance(holder, dict):
        holder[f"{key}x"] = holder.pop(key)
    elif change == 4:
        other, there = dice.choice(places)
        holder[key], other[there] = other[there], value
    else:
        holder[key] = dice.choice(ODD)
    return tree


def _places(tree: Any) -> Any:
    """Every place in it, as what holds it and its key there."""
    inside = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(inside):
        yield tree, key
        yield from _places(value)


def sign_again(path: Path, dice: random.Random) -> None:
    """A file of tensors that says something else, with a digest that is right: made by somebody who knows how."""
    with safetensors.safe_open(str(path), framework="pt") as file:
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 (not a dict)
        meta = json.loads(json.loads(file.metadata()["unseen"])["meta"])
    name, change = dice.choice(sorted(tensors)), dice.randrange(6)
    if change == 0:
        del tensors[name]
    elif change == 1:
        tensors[name] = tensors[name].reshape(-1)[: tensors[name].numel() // 2].clone()
    elif change == 2:
        tensors[name] = tensors[name].to(dice.choice((torch.float64, torch.int32, torch.uint8)))
    elif change == 3:
        tensors[f"{name}x"] = tensors.pop(name)
    else:
        meta = _changed(meta, dice)
    write_tensors(path, tensors, meta)
