"""Pages on the design name functions of the physics and files that exist."""

from __future__ import annotations

import re

from tests.helpers.repository import PACKAGE, ROOT

_NAMED = re.compile(r"`([a-z]\w+)\.([A-Za-z]\w+)`")
_FILE = re.compile(r"`([\w/]+\.py)`")
_FOLDERS = ("dynamics/compiled", "collision")
_HOMES = (PACKAGE, PACKAGE / "dynamics/compiled", PACKAGE / "collision", ROOT, ROOT / "scripts")
PAGES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "design").glob("*.md"))]


def named_functions() -> set[tuple[str, str]]:
    """(file, function or class) of all that docs/design names as `file.function`."""
    kernels = (path.stem for folder in _FOLDERS for path in (PACKAGE / folder).glob("*.py"))
    files = set(kernels)
    return {(file, name) for page in PAGES for file, name in _NAMED.findall(page) if file in files and name != "py"}


def test_what_pages_name_exists() -> None:
    missing = []
    for file, name in sorted(named_functions()):
        paths = [path for folder in _FOLDERS if (path := PACKAGE / folder / f"{file}.py").is_file()]
        text = "".join(path.read_text(encoding="utf-8") for path in paths)
        if not re.search(rf"^(def|class) {name}\b", text, re.MULTILINE):
            missing.append(f"{file}.{name}")
    assert missing == []


def test_files_that_pages_name_exist() -> None:
    named = {file for page in PAGES for file in _FILE.findall(page)}
    assert len(named) > 20
    assert [file for file in sorted(named) if not any((home / file).is_file() for home in _HOMES)] == []


def test_the_step_is_named_from_its_start_to_its_end() -> None:
    assert {"advance_bounded", "rk4", "project", "separate_overlaps"} <= {name for _, name in named_functions()}
