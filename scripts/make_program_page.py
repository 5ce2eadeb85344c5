"""Makes docs/reference/other_programs.md: what other programs do with features of documents.

    python scripts/make_program_page.py            writes docs/reference/other_programs.md
    python scripts/make_program_page.py --check    makes it again in memory and compares

It reads simulator/session/other_programs/programs.toml, from which `simulator check --for` speaks, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from simulator.session.other_programs.findings import NAMES  # noqa: E402
from simulator.session.other_programs.statements import RUN, Statement, known  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "other_programs.md"
HEAD = """# What other programs make of a document

Made by `scripts/make_program_page.py` from the file of statements that `simulator check FILE --for PROGRAM` uses:

```sh
simulator check robot.urdf --for gazebo --for mujoco
simulator check four_bar --for drake --json
```

Each statement that concerns the document is a finding with file and line. What is ignored or refused is a warning
(with `--strict` an error), what is approximated an info. A document of a format that the program does not read is
judged as if it were converted with `simulator convert`.

*tested*: a test loads a document with the feature in that version of the program.
*read*: its source or documentation says so.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_programs(), *(line for key in known().programs for line in _section(key))]) + "\n"


def _programs() -> Iterator[str]:
    yield "| program | checked against | reads |"
    yield "|---|---|---|"
    for key, one in known().programs.items():
        formats = ", ".join(NAMES[form] for form in one.reads)
        yield f"| [{one.name}](#{_anchor(one.name)}): `--for {key}` | {one.version} | {formats} |"
    yield ""


def _section(key: str) -> Iterator[str]:
    program = known().programs[key]
    yield f"## {program.name}"
    yield ""
    yield "| feature | in | is | what happens | what to do | checked |"
    yield "|---|---|---|---|---|---|"
    for one in known().statements:
        if one.program == key:
            yield _row(one)
    yield ""


def _row(one: Statement) -> str:
    title = known().features[one.feature].rstrip(",").removeprefix("the ")
    formats = ", ".join(NAMES[form] for form in one.formats if form in ("sdf", "urdf") or one.documents)
    how = "tested" if one.checked == RUN else "read"
    cells = [
        title,
        formats,
        one.verdict.value,
        one.says,
        one.remedy,
        "; ".join(part for part in (how, one.source) if part),
    ]
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes docs/reference/other_programs.md.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    made = page()
    if parser.parse_args().check:
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == made
        print(f"{PAGE.relative_to(ROOT)} is", "up to date" if same else "not what it would be made: run this script")
        return 0 if same else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
