"""The texts of the shaders, and widths of lines that go with them; also for pages, which draw with WebGL."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "shaders"
INCLUDE = re.compile(r'^#include "([a-z_.]+)"$', re.MULTILINE)
EDGE_WIDTH, OUTLINE_WIDTH = 0.55, 0.85
"""Half widths of feature edges and outlines [px]."""


@cache
def source(name: str) -> str:
    """The text of a shader with its includes in place."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return INCLUDE.sub(lambda match: source(match.group(1)), text)
