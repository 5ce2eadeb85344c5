"""Which sources the libraries are made from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from simulator.native.digest import digest

FORM = 5
"""Of tables, stored functions and libraries; another one for what is made otherwise from the same sources."""

PACKAGE = Path(__file__).parents[1]
FOLDERS = ("native/build", "physics")
"""Where kernels, their layouts and the tuples that they take are, and what makes libraries of them."""

SUFFIXES = {".py", ".ll", ".c"}


@cache
def stamp() -> str:
    """Sixteen hexadecimal digits that tell these sources from others."""
    parts = (part for path in files() for part in (path.relative_to(PACKAGE).as_posix().encode(), path.read_bytes()))
    return digest(str(FORM).encode(), *parts).hex()[:16]


def files() -> list[Path]:
    """All of them, sorted by their place in the package."""
    return [path for folder in FOLDERS for path in sorted((PACKAGE / folder).rglob("*")) if path.suffix in SUFFIXES]
