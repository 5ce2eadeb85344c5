"""Ogre's material scripts, as far as plain colours and the first picture go
(https://ogrecave.github.io/ogre/api/1.12/_material-_scripts.html).

A script is read into blocks; of a material the first pass of its first technique counts, and a material may begin as a
copy of another.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from simulator.formats.files import read_regular, regular_size
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from simulator.formats.files import Budget
    from simulator.model.material import Rgba

MAX_BYTES = 2**20
"""The largest script that is read."""
MAX_SCRIPTS = 200
"""Scripts of one folder that are read."""
MAX_DEPTH = 20
"""Nested blocks, and copies of copies, beyond which a script is given up."""
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ELSEWHERE = ("normal", "bump", "spec")
"""Names of texture units whose pictures are not colours."""


@dataclass(frozen=True)
class ScriptMaterial:
    """Colours as written, and the file name of the picture, of which one copy covers `size` of u and v; `blends`: its
    opacity counts."""

    ambient: Rgba | None = None
    diffuse: Rgba | None = None
    specular: Rgba | None = None
    emissive: Rgba | None = None
    picture: str = ""
    size: tuple[float, float] = (1.0, 1.0)
    blends: bool = False


@dataclass
class _Block:
    """`head` is the line before the brace, in words; `lines` are those inside, in words."""

    head: list[str]
    lines: list[list[str]] = field(default_factory=list)
    blocks: list[_Block] = field(default_factory=list)

    def all(self, kind: str) -> Iterator[_Block]:
        """The blocks of a kind, in order."""
        return (block for block in self.blocks if block.head and block.head[0] == kind)


def materials_in(place: Path, budget: Budget) -> dict[str, ScriptMaterial]:
    """The materials of a script, or of all scripts in a folder, by name. What cannot be read, or is more than is read,
    is passed over."""
    files = sorted(place.glob("*.material"))[:MAX_SCRIPTS] if place.is_dir() else [place]
    found: dict[str, ScriptMaterial] = {}
    for file in files:
        with suppress(OSError):
            if budget.is_new(file):
                budget.take_file(regular_size(file, MAX_BYTES))
            found.update(_materials_of(file, file.stat().st_mtime_ns))
    return found


@lru_cache(maxsize=128)
def _materials_of(file: Path, _changed: int) -> dict[str, ScriptMaterial]:
    return parse_script(read_regular(file, MAX_BYTES).decode("utf-8", errors="replace"))


def parse_script(text: str) -> dict[str, ScriptMaterial]:
    """The materials that a script defines, by name. Never raises for bad input."""
    blocks = {_name(block): block for block in _blocks(text).all("material")}
    return {name: _material(block, blocks, 0) for name, block in blocks.items() if name}


def _name(block: _Block) -> str:
    return " ".join(block.head[1:]).partition(":")[0].strip().strip('"')


def _blocks(text: str) -> _Block:
    """The script as one block. Braces may be anywhere on a line."""
    root = _Block([])
    around = [root]
    head = list[str]()
    for line in _COMMENT.sub("", text).splitlines():
        for part in re.split(r"([{}])", line):
            words = part.split()
            if part == "{" and len(around) <= MAX_DEPTH:
                block = _Block(head)
                if head in around[-1].lines[-1:]:
                    around[-1].lines.pop()
                around[-1].blocks.append(block)
                around.append(block)
                head = []
            elif part == "}":
                around = around[:-1] or [root]
                head = []
            elif words:
                head = words
                around[-1].lines.append(words)
    return root


def _material(block: _Block, blocks: dict[str, _Block], depth: int) -> ScriptMaterial:
    parent = blocks.get(" ".join(block.head[1:]).partition(":")[2].strip().strip('"'))
    start = ScriptMaterial()
    if parent is not None and parent is not block and depth < MAX_DEPTH:
        start = _material(parent, blocks, depth + 1)
    passes = [item for technique in block.all("technique") for item in technique.all("pass")]
    units = [(item, unit) for item in passes for unit in item.all("texture_unit") if _is_colour(unit)]
    found = _coloured(start, passes[0].lines) if passes else start
    for owner, unit in units:
        picture = next((line[1] for line in unit.lines if line[0] == "texture" and len(line) > 1), "")
        if picture:
            blends = any(line[0] in ("alpha_rejection", "scene_blend") and len(line) > 1 for line in owner.lines)
            return replace(found, picture=picture.strip('"'), size=_size(unit), blends=blends)
    return found


def _is_colour(unit: _Block) -> bool:
    return not any(word in " ".join(unit.head[1:]).lower() for word in _ELSEWHERE)


def _coloured(start: ScriptMaterial, lines: list[list[str]]) -> ScriptMaterial:
    colours: dict[str, Rgba] = {}
    for line in lines:
        if line[0] in ("ambient", "diffuse", "specular", "emissive"):
            with suppress(ValueError):
                numbers = [min(1.0, max(0.0, float(word))) for word in line[1:5]]
                if len(numbers) >= 3:
                    opacity = numbers[3] if len(numbers) > 3 and line[0] != "specular" else 1.0
                    colours[line[0]] = (numbers[0], numbers[1], numbers[2], opacity)
    return replace(start, **colours)  # type: ignore[arg-type]  # the keys are those of the loop


def _size(unit: _Block) -> tuple[float, float]:
    """Ogre's `scale`: greater numbers make the picture larger."""
    for line in unit.lines:
        if line[0] == "scale" and len(line) > 2:
            with suppress(ValueError):
                u, v = float(line[1]), float(line[2])
                if 1e-4 < abs(u) < 1e4 and 1e-4 < abs(v) < 1e4:
                    return (u, v)
    return (1.0, 1.0)
