"""The pages for maintainers name files and kernels that exist, each kernel in the file that is named after it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "design").glob("*.md"))
HERE = (
    "simulator/dynamics/compiled",
    "simulator/collision",
    "simulator",
    "simulator/formats",
    "tests/architecture",
    "",
)
QUOTED = re.compile(r"`([^`]+)`")
PAIR = re.compile(r"`(\w+)`(?: in|,) `([\w/]+\.py)`")


def found(name: str) -> Path | None:
    return next((path for folder in HERE if (path := ROOT / folder / name).exists()), None)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_exist(page: Path) -> None:
    named = [name for name in QUOTED.findall(page.read_text(encoding="utf-8")) if re.fullmatch(r"[\w./]+\.py", name)]
    assert [name for name in named if found(name) is None and found(f"scripts/{name}") is None] == []


def test_kernels_are_in_the_files_named_beside_them() -> None:
    text = (ROOT / "docs" / "design" / "physics.md").read_text(encoding="utf-8")
    pairs = PAIR.findall(text)
    assert len(pairs) > 20
    missing = []
    for name, file in pairs:
        path = found(file)
        assert path is not None, file
        if not re.search(rf"^\s*(def|class) {name}\b", path.read_text(encoding="utf-8"), re.MULTILINE):
            missing.append((name, file))
    assert missing == []
