#!/usr/bin/env python3
"""Write docs/examples/*.ipynb from the scripts beside them, run by a kernel of Jupyter, with what they print, their
plots, and a picture of what they simulate.

    scripts/make_notebooks.py [NAME…]          write them, or those of these scripts
    scripts/make_notebooks.py --check          say whether their code is that of the scripts
    scripts/make_notebooks.py --run [NAME…]    run them as they are, and write nothing

A notebook has a cell for every paragraph of its script; its text is the script's docstring.
"""

from __future__ import annotations

import argparse
import ast
import base64
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

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


def run(book: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells, run in an empty folder. Raises CellExecutionError."""
    import nbformat
    from nbclient import NotebookClient

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    document = nbformat.reads(json.dumps(book), as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as scratch:
        resources = {"metadata": {"path": scratch}}
        NotebookClient(document, timeout=300, kernel_name="python3", resources=resources).execute()
    done: dict[str, Any] = json.loads(nbformat.writes(document))  # type: ignore[no-untyped-call]
    for cell in done["cells"]:
        cell["metadata"] = {}  # when it ran
    last = done["cells"][-1]["outputs"][-1]["data"]
    last["image/jpeg"] = smaller(last.pop("image/png"))
    return {**done, "metadata": book["metadata"]}


def smaller(png: str) -> str:
    """The picture of a simulation, in base64: the PNG of a notebook would take twenty times as much of the
    repository."""
    stream = io.BytesIO()
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    picture.resize(SIZE, Image.Resampling.LANCZOS).save(stream, format="JPEG", quality=80)
    return base64.b64encode(stream.getvalue()).decode()


def _code(number: int, source: str) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    empty: dict[str, Any] = {"execution_count": None, "metadata": {}, "outputs": []}
    return {"cell_type": "code", "id": f"cell-{number}", "source": lines, **empty}


def code_in(path: Path) -> list[str]:
    """The sources of a notebook's code cells."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of scripts, without .py (default: all)")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--run", action="store_true")
    options = parser.parse_args()
    names = options.names or sorted(script.stem for script in FOLDER.glob("*.py"))
    if options.check:
        return check(names)
    for name in names:
        target = FOLDER / f"{name}.ipynb"
        title, sources = cells_of((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        cells = [_code(number, source) for number, source in enumerate([*sources, "sim"], start=1)]
        content = run(json.loads(target.read_text(encoding="utf-8")) if options.run else notebook(title, cells))
        if not options.run:
            target.write_text(json.dumps(content, indent=1, ensure_ascii=False) + os.linesep, encoding="utf-8")
        print(f"{target.relative_to(ROOT)}: {plots_in(content)} plots")
    return 0


def check(names: list[str]) -> int:
    """Whether the notebooks have the code of their scripts; 1 where one does not."""
    stale = []
    for name in names:
        target = FOLDER / f"{name}.ipynb"
        _, sources = cells_of((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        stale += [] if target.is_file() and code_in(target) == [*sources, "sim"] else [target.name]
    if stale:
        print(f"not made from their scripts: {', '.join(stale)}; run scripts/make_notebooks.py", file=sys.stderr)
    return 1 if stale else 0


def plots_in(book: dict[str, Any]) -> int:
    """Number of pictures that cells show besides their values."""
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", [])]
    return sum(output["output_type"] == "display_data" for output in outputs)


if __name__ == "__main__":
    sys.exit(main())
