"""The example worlds that come with the program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_TITLE = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)


@dataclass(frozen=True)
class Example:
    """An example world: its name (the file's stem), its file, and the title in its first comment."""

    name: str
    path: Path
    title: str


def worlds_folder() -> Path | None:
    """The folder of example worlds: `worlds/` of a checkout, or what was installed with the package."""
    for folder in (_PACKAGE.parent / "worlds", _PACKAGE / "_share" / "worlds"):
        if folder.is_dir():
            return folder
    return None


def examples() -> tuple[Example, ...]:
    """All example worlds, by name."""
    folder = worlds_folder()
    if folder is None:
        return ()
    return tuple(Example(path.stem, path, _title(path)) for path in sorted(folder.glob("*.sdf")))


def find_file(name: str) -> Path:
    """A file, or the example world of that name; a name that is neither is returned as it is (the reader will say so)."""
    path = Path(name)
    if path.exists():
        return path
    for example in examples():
        if name in (example.name, example.path.name):
            return example.path
    return path


def _title(path: Path) -> str:
    match = _TITLE.search(path.read_text(encoding="utf-8", errors="replace")[:4000])
    return " ".join(match.group(1).split()) if match else path.stem
