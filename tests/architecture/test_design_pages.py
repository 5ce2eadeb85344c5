"""Pages on the design name functions of the physics that exist."""

from __future__ import annotations

import re

from tests.helpers.repository import PACKAGE, ROOT

_NAMED = re.compile(r"`([a-z]\w+)\.([A-Za-z]\w+)`")
_FOLDERS = ("dynamics/compiled", "collision")


def named_functions() -> set[tuple[str, str]]:
    """(file, function or class) of all that docs/design names."""
    pages = (ROOT / "docs" / "design").glob("*.md")
    return {found for page in pages for found in _NAMED.findall(page.read_text(encoding="utf-8"))}


def test_what_pages_name_exists() -> None:
    missing = []
    for file, name in sorted(named_functions()):
        paths = [path for folder in _FOLDERS if (path := PACKAGE / folder / f"{file}.py").is_file()]
        text = "".join(path.read_text(encoding="utf-8") for path in paths)
        if not re.search(rf"^(def|class) {name}\b", text, re.MULTILINE):
            missing.append(f"{file}.{name}")
    assert missing == []


def test_the_step_is_named_from_its_start_to_its_end() -> None:
    assert {"advance_bounded", "rk4", "project", "separate_overlaps"} <= {name for _, name in named_functions()}
