#!/usr/bin/env python3
"""Write docs/examples/*.ipynb from the scripts beside them, run, with what they print and a picture of what they
simulate.

    scripts/make_notebooks.py            write them
    scripts/make_notebooks.py --check    say whether their code is that of the scripts

A notebook has a cell for every paragraph of its script; its text is the script's docstring.
"""

from __future__ import annotations

import argparse
import ast
import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "examples"
SIZE = (480, 300)
"""Of pictures [px]."""


def cells_of(script: str) -> tuple[str, list[str]]:
    """The docstring of a script, and its paragraphs: statements that no empty line stands between."""
    tree = ast.parse(script)
    lines = script.splitlines()
    paragraphs: list[list[ast.stmt]] = []
    for statement in tree.body[1:]:
        first = min([statement.lineno, *(item.lineno for item in getattr(statement, "decorator_list", []))])
        if not paragraphs or not lines[first - 2].strip():
            paragraphs.append([])
        paragraphs[-1].append(statement)
    texts = []
    for paragraph in paragraphs:
        first = min([paragraph[0].lineno, *(item.lineno for item in getattr(paragraph[0], "decorator_list", []))])
        texts.append("\n".join(lines[first - 1 : paragraph[-1].end_lineno]))
    return ast.get_docstring(tree) or "", texts


def notebook(title: str, cells: list[dict[str, Any]]) -> dict[str, Any]:
    """The document in notebook format 4.5."""
    text = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": title.splitlines(keepends=True)}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": [text, *cells], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def run(sources: list[str]) -> list[dict[str, Any]]:
    """Code cells with what each prints, one after the other in one namespace; the last one shows `sim`."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    for number, source in enumerate([*sources, "sim"], start=1):
        printed = io.StringIO()
        outputs: list[dict[str, Any]] = []
        with contextlib.redirect_stdout(printed):
            if source == "sim":
                data = {"image/jpeg": picture(names["sim"]), "text/plain": [repr(names["sim"])]}
                outputs.append(
                    {"output_type": "execute_result", "execution_count": number, "data": data, "metadata": {}}
                )
            else:
                exec(compile(source, f"cell {number}", "exec", dont_inherit=True), names)
        if printed.getvalue():
            text = printed.getvalue().splitlines(keepends=True)
            outputs.insert(0, {"output_type": "stream", "name": "stdout", "text": text})
        cells.append(_code(number, source, outputs))
    return cells


def picture(sim: Any) -> str:
    """A small picture in base64: a PNG, which a notebook makes itself, would take twenty times as much of the
    repository."""
    stream = io.BytesIO()
    sim.picture(SIZE).save(stream, format="JPEG", quality=80)
    return base64.b64encode(stream.getvalue()).decode()


def _code(number: int, source: str, outputs: list[dict[str, Any]]) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    return {
        "cell_type": "code",
        "execution_count": number,
        "id": f"cell-{number}",
        "metadata": {},
        "outputs": outputs,
        "source": lines,
    }


def code_in(path: Path) -> list[str]:
    """The sources of a notebook's code cells."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    for script in sorted(FOLDER.glob("*.py")):
        title, sources = cells_of(script.read_text(encoding="utf-8"))
        target = script.with_suffix(".ipynb")
        if check:
            stale += [] if target.is_file() and code_in(target) == [*sources, "sim"] else [target.name]
            continue
        sys.argv = [script.name]
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            content = notebook(title, run(sources))
            os.chdir(ROOT)
        target.write_text(json.dumps(content, indent=1, ensure_ascii=False) + os.linesep, encoding="utf-8")
        print(target.relative_to(ROOT))
    if stale:
        print(f"not made from their scripts: {', '.join(stale)}; run scripts/make_notebooks.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
