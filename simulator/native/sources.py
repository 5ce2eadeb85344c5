"""Which sources the libraries are made from."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

FORM = 1
"""Of tables, stored functions and libraries; another one for what is made otherwise from the same sources."""

PACKAGE = Path(__file__).parents[1]
FOLDERS = ("algorithms/kernels", "collision", "dynamics/compiled", "native")
"""Where kernels, their layouts and the tuples that they take are, and what says how they are called."""


@cache
def stamp() -> str:
    """Sixteen hexadecimal digits that tell these sources from others."""
    made = hashlib.sha256(str(FORM).encode())
    for path in files():
        made.update(path.name.encode() + b"\0" + path.read_bytes())
    return made.hexdigest()[:16]


def files() -> list[Path]:
    """All of them, sorted."""
    return sorted(path for folder in FOLDERS for path in PACKAGE.joinpath(folder).glob("*.py"))
