"""The example worlds that come with the program."""

from __future__ import annotations

import os
import re
from pathlib import Path

from simulator.errors import UnknownNameError
from simulator.formats.files import read_head
from simulator.records import dataclass

_PACKAGE = Path(__file__).resolve().parents[2]
_TITLE = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)


GROUPS = {
    "gears": (
        "rack_and_pinion", "gearbox", "gearbox_as_mimic", "gear_train", "gear_train_1024", "planetary", "differential",
        "screw_press", "telescope", "elliptic_gears", "worm_hoist", "backlash_arm", "belt_drive", "power_split",
        "clutch_drive",
    ),
    "loops": (
        "four_bar", "slider_crank", "hoeken", "peaucellier", "sarrus", "bennett", "stewart", "scissor_lift",
    ),
}  # fmt: skip
"""Subjects of the example worlds; the others are machines."""
HEAD = 4000
"""Bytes at the start of a file in which its title is searched."""


@dataclass(frozen=True)
class Example:
    """An example world: its name (the file's stem), its file, and the title in its first comment."""

    name: str
    path: Path
    title: str

    @property
    def group(self) -> str:
        """gears, loops or machines."""
        return next((group for group, names in GROUPS.items() if self.name in names), "machines")


def worlds_folder() -> Path | None:
    """The folder of example worlds."""
    return shared_folder("worlds")


def shared_folder(name: str) -> Path | None:
    """A folder that comes with the program: of a checkout, or installed with the package."""
    for folder in (_PACKAGE.parent / name, _PACKAGE / "_share" / name):
        if folder.is_dir():
            return folder
    return None


def examples() -> tuple[Example, ...]:
    """All example worlds, by name."""
    return tuple(Example(path.stem, path, _title(path)) for path in _paths())


def find_file(name: str) -> Path:
    """A file, or the example world or lesson of that name (`planetary.lesson` if a world has it, too).

    A text that looks like a path is returned unchanged (the reader reports a missing file).

    Raises UnknownNameError for a bare word that is neither.
    """
    path = Path(name)
    is_there = os.path.exists(path)  # which accepts names that no file can have
    if is_there and not path.is_dir():
        return path
    worlds, lessons = _paths(), lesson_paths()
    for world in worlds:
        if name in (world.stem, world.name):
            return world
    for key, lesson in lessons.items():
        if name in (key, f"{key}.lesson", lesson.name):
            return lesson
    if name == path.name and not path.suffix and not is_there:
        raise UnknownNameError("file or example world", name, (*(world.stem for world in worlds), *lessons))
    return path


def lesson_paths() -> dict[str, Path]:
    """The lessons that come with the program, in their order, by their names without the number."""
    folder = shared_folder("lessons")
    found = sorted(folder.glob("*.lesson.toml"), key=_number_of) if folder is not None else []
    return {path.name.removesuffix(".lesson.toml").lstrip("0123456789_"): path for path in found}


def _number_of(lesson: Path) -> tuple[int, str]:
    """What a lesson is sorted by: the number before its name, 9 before 10."""
    number = lesson.name.partition("_")[0]
    return (int(number) if number.isdigit() else 0, lesson.name)


def _paths() -> list[Path]:
    folder = worlds_folder()
    return [] if folder is None else sorted(folder.glob("*.sdf"))


def _title(path: Path) -> str:
    match = _TITLE.search(read_head(path, HEAD).decode("utf-8", errors="replace"))
    return " ".join(match.group(1).split()) if match else path.stem
