"""What mkdocs does beside copying docs/: pages made from the program itself, and equations as MathML.

Made at every build, so that they cannot be out of date: the command line from its own help, diagnostics from the table
beside the readers, example worlds and the changelog from the repository. Equations between `$` become MathML,
which browsers draw by themselves.
"""

from __future__ import annotations

import html
import os
import re
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from latex2mathml.converter import convert
from make_man_page import ENVIRONMENT, EXIT_STATUS, arguments, commands, first_sentence
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent

ELSEWHERE = {
    "simulator/formats/DIAGNOSTICS.md": "reference/diagnostics.md",
    "worlds/README.md": "reference/worlds.md",
    "CHANGELOG.md": "reference/changelog.md",
}
"""Files outside docs/ that are pages of the site."""

FINDING = re.compile(r"^\| `([A-Z0-9_]+)` \| (.+?) \| (.+?) \| (.*?) \|$", re.MULTILINE)
HEADER = re.compile(r"^\| code .*\n\|[-|]+\|$", re.MULTILINE)
WORD = re.compile(r"_\{([a-z]{3,})\}")
"""A word as an index, which is no product of letters."""
BAR = re.compile(r"\\([lr])[vV]ert")
DRAWN_BAR = re.compile(r"<mo>(&#x0007C;|&#x02016;)</mo>")
FORMS = {"l": "prefix", "r": "postfix"}
"""Bars of an absolute value or a norm: without a side they are spaced as relations are."""
COMMANDS = "<!-- commands -->"
SCRIPT = re.compile(r"<!-- script (\w+) -->")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")
EQUATION = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    pages = {
        "reference/diagnostics.md": diagnostics_page(),
        "reference/worlds.md": copied("worlds/README.md"),
        "reference/changelog.md": copied("CHANGELOG.md"),
    }
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put the commands and the example scripts where pages have their markers."""
    if page.file.src_uri == "reference/command_line.md":
        markdown = markdown.replace(COMMANDS, command_line())
    return SCRIPT.sub(lambda match: f"```python\n{_script(match[1])}\n```", markdown)


def _script(name: str) -> str:
    return (ROOT / "docs" / "examples" / f"{name}.py").read_text(encoding="utf-8").strip()


def on_page_content(content: str, **_: Any) -> str:
    """Turn every equation of a page into MathML."""
    return EQUATION.sub(_math, content)


def _math(match: re.Match[str]) -> str:
    latex = WORD.sub(r"_\\text{\1}", html.unescape(match[3]))
    drawn = convert(latex, display="block" if match[2] == "[" else "inline")
    sides = iter(BAR.findall(latex))
    drawn = DRAWN_BAR.sub(lambda bar: f'<mo stretchy="false" form="{FORMS[next(sides)]}">{bar[1]}</mo>', drawn)
    return f'<{match[1]} class="equation">{drawn}</{match[1]}>'


def copied(name: str) -> str:
    """A Markdown file of the repository as a page of reference/; links to what the site does not have become plain
    text."""
    text = (ROOT / name).read_text(encoding="utf-8")

    def linked(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(Path(name).parent / match[2])).as_posix()
        page = ELSEWHERE.get(target, target.removeprefix("docs/") if target.startswith("docs/") else "")
        if not page.endswith(".md"):
            return match[1]
        return f"[{match[1]}]({os.path.relpath(page, 'reference')}{match[3] or ''})"

    return LINK.sub(linked, text)


def diagnostics_page() -> str:
    """The table of findings with a heading for each code, which other pages can link to."""
    return FINDING.sub(_finding, HEADER.sub("", copied("simulator/formats/DIAGNOSTICS.md")))


def _finding(match: re.Match[str]) -> str:
    code, meaning, remedy, example = match.groups()
    shown = example.strip("`").replace("\\|", "|")
    lines = [f"## `{code}` {{#{code}}}", f"{meaning[0].upper()}{meaning[1:]}.", f"*What to do:* {remedy}"]
    return "\n\n".join([*lines, *([f"```text\n{shown}\n```"] if shown else [])]) + "\n"


def command_line() -> str:
    """Commands and options, exit codes and environment variables, from the help of the commands and the manual page."""
    sys.path.insert(0, str(ROOT))
    import typer

    from simulator.cli.app import app

    with patch.dict(os.environ, COLUMNS="1000", TERM="dumb", LC_ALL="C.UTF-8"):
        root: Any = typer.main.get_command(app)
        context = root.make_context("simulator", [], resilient_parsing=True)
        lines = ["## Options without a command", "", *_options(root, context)]
        for command, names, inner in commands(root, context):
            usage = " ".join(["simulator", *names, *arguments(command, inner)])
            lines += [f"## simulator {' '.join(names)}", "", f"    {usage} [OPTIONS]", "", first_sentence(command), ""]
            lines += _options(command, inner)
    lines += ["## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {_cell(text)} |" for code, text in EXIT_STATUS]
    lines += ["", "## Environment variables", "", "| variable | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {_cell(text)} |" for name, text in ENVIRONMENT]
    return "\n".join(lines)


def _options(command: Any, context: Any) -> list[str]:
    """A table of the options of a command; --help, which all have, in the first place only."""
    rows = []
    for param in command.get_params(context):
        record = param.get_help_record(context) if param.param_type_name == "option" else None
        if record is not None and (param.name != "help" or context.parent is None):
            names, text = record
            rows.append(f"| `{names}` | {_cell(text)} |")
    return ["| option | meaning |", "|---|---|", *rows, ""] if rows else []


def _cell(text: str) -> str:
    """Text that Markdown shows as it is in a table."""
    return re.sub(r"([|<*_])", r"\\\1", " ".join(text.split()))
