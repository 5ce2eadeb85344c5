"""Documents without an author: byte-level mutants of good ones, and documents grown at random from the reader's own
vocabulary."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from simulator.formats.sdf.vocabulary import ATTRIBUTES, CHILDREN
from tests.helpers.repository import ROOT

LARGEST_SEED = 150_000
"""Bytes; larger documents only make the same faults slower."""
NUMBERS = [
    *(
        "nan",
        "inf",
        "-inf",
        "1e308",
        "-1e308",
        "1e-320",
        "0",
        "-0",
        "-1",
        "1e16",
        "99999999999999999999",
        "0x10",
        "1,5",
        "1_0",
    ),
    *("\u0661", "1.5abc", "9" * 300),
]
WORDS = [
    *(
        "true",
        "false",
        "world",
        "__model__",
        "__root__",
        "::",
        "a::b",
        "__default__",
        "quat_xyzw",
        "axis",
        "axis2",
        "model://..",
    ),
    *(
        "../..",
        "/dev/zero",
        "file:///etc/passwd",
        "http://x",
        "\ufeff",
        "ball",
        "screw",
        "universal",
        "gearbox",
        "fixed",
    ),
]
MARKUP = [
    *(
        "<axis/>",
        "<mimic joint=''/>",
        "<include/>",
        "<!--",
        "-->",
        "]]>",
        "<![CDATA[",
        "&amp;",
        "&#0;",
        "&x;",
        "<?x?>",
        '"',
        "'",
    ),
    *("<", ">", "<!DOCTYPE"),
]
NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
VALUE = re.compile(rb"(?<=[\"'])[^\"'<>]{1,60}(?=[\"'])|(?<=>)[^<>]{1,60}(?=<)")
LEAF = re.compile(rb"<(\w+)[^<>]*>[^<>]*</\1>|<\w[^<>]*/>")


@dataclass(frozen=True)
class Seed:
    """A good document and the folder in which its includes are found."""

    path: Path
    data: bytes


def seeds(corpus: Path | None = None) -> list[Seed]:
    """The documents of the corpus or, without one, those of the conformance tests; and the example worlds."""
    folders = [
        ROOT / "worlds",
        ROOT / "tests" / "conformance" / "documents" if corpus is None else corpus / "documents",
    ]
    paths = [path for folder in folders for kind in ("sdf", "urdf", "world") for path in folder.rglob(f"*.{kind}")]
    found = [Seed(path, path.read_bytes()) for path in sorted(paths) if path.is_file()]
    return [seed for seed in found if 0 < len(seed.data) <= LARGEST_SEED]


def mutants(population: list[Seed], count: int, seed: int) -> Iterator[Seed]:
    """`count` documents, each with one to six changes; the same ones for the same arguments."""
    for number in range(count):
        chance = random.Random(f"{seed}/{number}")
        parent = chance.choice(population)
        data = parent.data
        for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
            data = changed(data, chance, population)
        yield Seed(parent.path, data)


def changed(data: bytes, chance: random.Random, population: list[Seed]) -> bytes:
    """Mostly a change of meaning, sometimes one of bytes, which mostly breaks the XML."""
    kind = chance.choices(("number", "value", "leaf", "lines", "bytes"), (5, 5, 4, 1, 3))[0]
    if kind == "number":
        return _replaced(NUMBER, data, chance, NUMBERS)
    if kind == "value":
        return _replaced(VALUE, data, chance, [*WORDS, *NUMBERS, ""])
    if kind == "leaf":
        return _moved(data, chance)
    return _swapped(data, chance) if kind == "lines" else _torn(data, chance, population)


def _torn(data: bytes, chance: random.Random, population: list[Seed]) -> bytes:
    """Bytes changed, taken away, repeated, brought in from elsewhere, or the rest cut off."""
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice((1, 1, 2, 5, 20, 200)))
    middle, other = data[start:end], chance.choice(population).data
    cut = chance.randrange(len(other) + 1)
    new = chance.choice(
        (
            bytes(chance.randrange(256) for _ in middle),
            b"",
            middle * chance.randint(2, 50),
            chance.choice(MARKUP).encode(),
            other[cut : cut + chance.randint(1, 2000)],
            bytes(byte ^ 32 for byte in middle),
        )
    )
    return data[:start] + new + (data[end:] if chance.random() < 0.9 else b"")


def _replaced(pattern: re.Pattern[bytes], data: bytes, chance: random.Random, tokens: list[str]) -> bytes:
    """One number or value replaced by a token, or by another of the same document."""
    found = list(pattern.finditer(data))
    if not found:
        return data
    place = chance.choice(found)
    new = chance.choice(tokens).encode() if chance.random() < 0.5 else chance.choice(found).group()
    return data[: place.start()] + new + data[place.end() :]


def _moved(data: bytes, chance: random.Random) -> bytes:
    """One element without children taken away, doubled, or put in front of another one."""
    found = list(LEAF.finditer(data))
    if not found:
        return data
    leaf, place = chance.choice(found), chance.choice(found).start()
    if chance.random() < 0.5:
        data, place = data[: leaf.start()] + data[leaf.end() :], min(place, leaf.start())
    return data[:place] + leaf.group() + data[place:] if chance.random() < 0.6 else data


def _swapped(data: bytes, chance: random.Random) -> bytes:
    """Two lines change places."""
    lines = data.splitlines(keepends=True)
    if len(lines) > 1:
        i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def grown(count: int, seed: int) -> Iterator[bytes]:
    """`count` documents of known elements in known places, with attributes and values that may make no sense."""
    for number in range(count):
        chance = random.Random(f"grown/{seed}/{number}")
        version = chance.choice(("1.4", "1.5", "1.6", "1.7", "1.8", "1.12"))
        body = "".join(
            _element(chance, tag, "sdf", 0) for tag in chance.choices(("world", "model"), k=chance.randint(1, 2))
        )
        yield f'<sdf version="{version}">{body}</sdf>'.encode("utf-8", "surrogatepass")


NAMES = ("a", "b", "c", "a::b", "__model__", "world", "")
VALUES = (
    "", "0", "1", "-1", "0.5", "1 2 3", "0 0 0", "0 0 1", "1 2 3 0.1 0.2 0.3", "0 0 0 1", "nan", "inf", "1e308", "a",
    "b", "c",
    "world", "__model__", "true", "maybe", "1 2", "0 0 0 0 0 0 1",
)  # fmt: skip
KINDS = ("revolute", "prismatic", "ball", "screw", "universal", "revolute2", "gearbox", "continuous", "fixed", "hinge")


def _element(chance: random.Random, tag: str, parent: str, depth: int) -> str:
    attributes = " ".join(
        f'{name}="{_attribute(chance, name)}"' for name in ATTRIBUTES.get(tag, "").split() if chance.random() < 0.7
    )
    known = [*CHILDREN.get(f"{parent}/{tag}", CHILDREN.get(tag, {}))]
    if not known or depth > 7:
        return f"<{tag} {attributes}>{chance.choice(VALUES)}</{tag}>"
    wanted = chance.choices(known, k=chance.randint(0, 6))
    body = "".join(_element(chance, child, tag, depth + 1) for child in wanted)
    return f"<{tag} {attributes}>{body}</{tag}>"


def _attribute(chance: random.Random, name: str) -> str:
    if name == "type":
        return chance.choice(KINDS)
    if name == "axis":
        return chance.choice(("axis", "axis2", "axis3"))
    if name == "rotation_format":
        return chance.choice(("euler_rpy", "quat_xyzw", "matrix"))
    return chance.choice((*NAMES, "true", "1"))
