"""Pages on the design name functions of the physics and files that exist."""

from __future__ import annotations

import ast
import re

from tests.helpers.repository import PACKAGE, ROOT, syntax

_NAMED = re.compile(r"`([a-z]\w+)\.([a-z]\w+)\.([A-Za-z]\w+)`")
_FILE = re.compile(r"`([\w/]+\.py)`")
_PHYSICS = PACKAGE / "physics"
_HOMES = (PACKAGE, ROOT, ROOT / "scripts")
PAGES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "design").glob("*.md"))]


def named_functions() -> list[tuple[str, str, str]]:
    """(folder, file, function or class) of all that docs/design names as `folder.file.function`, in that order."""
    folders = {path.name for path in _PHYSICS.iterdir() if path.is_dir()}
    return [names for page in PAGES for names in _NAMED.findall(page) if names[0] in folders and names[2] != "py"]


def test_what_pages_name_exists() -> None:
    missing = []
    for folder, file, name in sorted(set(named_functions())):
        path = _PHYSICS / folder / f"{file}.py"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if not re.search(rf"^(def|class) {name}\b", text, re.MULTILINE):
            missing.append(f"{folder}.{file}.{name}")
    assert missing == []


def test_files_that_pages_name_exist() -> None:
    named = {file for page in PAGES for file in _FILE.findall(page)}
    assert len(named) > 20
    assert [file for file in sorted(named) if not any((home / file).is_file() for home in _HOMES)] == []


def test_the_step_is_named_from_its_start_to_its_end() -> None:
    """The page names every part of the step, in the order in which the step calls them."""
    path = PACKAGE / "physics" / "step" / "step.py"
    functions = [one for one in syntax(path).body if isinstance(one, ast.FunctionDef)]
    step = next(one for one in functions if one.name == "step_rows")
    calls = [one for one in ast.walk(step) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    called = [ast.unparse(one.func) for one in sorted(calls, key=lambda call: call.lineno)]
    parts = [name for name in called if not name.startswith("open_")]
    assert 10 <= len(parts) <= 14
    named_parts = [name for *_, name in named_functions() if name in parts]
    assert list(dict.fromkeys(named_parts)) == parts
