"""Makes the manual page from the command line's own help.

    python scripts/make_man_page.py            writes docs/man/simulator.1
    python scripts/make_man_page.py --check    makes it again in memory and compares

The wheel carries it to share/man/man1, where `man` finds it beside an installation and pipx makes it known.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "man" / "simulator.1"

DESCRIPTION = """\
An interactive simulator for coupled and closed-loop mechanisms. It opens SDFormat worlds and URDF robots, holds mimic,
gearbox, screw and loop constraints to round-off beside contacts, and shows leader, follower and what is left between
them.

FILE is an .sdf, .world, .urdf or .xacro document, or the name of an example world: `simulator four_bar` opens one,
`simulator` alone
shows them all. Data goes to standard output, text for people to standard error."""

EXAMPLES = (
    ("simulator rack_and_pinion", "open the window on an example"),
    ("simulator check robot.urdf", "say what is wrong with a document, with file and line"),
    ("simulator run four_bar --duration 5 --csv out.csv", "simulate to numbers"),
    ("simulator run four_bar --duration 5 --drive crank_joint=velocity:2", "with a drive"),
    ("simulator render four_bar -o out.png --time 1", "draw a picture, without a display"),
    ("simulator --install-completion", "let the shell complete commands, options and names of documents"),
    ("simulator desktop install", "put the program into the desktop's menu"),
)
EXIT_STATUS = (
    ("0", "done"),
    ("1", "the document has errors"),
    ("2", "wrong usage: a name that does not exist, a file that cannot be written, a display that cannot be reached"),
    ("3", "the simulation failed, or the machine did"),
    ("130, 143, 129", "ended by Ctrl-C, SIGTERM, SIGHUP; everything recorded up to there is written"),
)
ENVIRONMENT = (
    (
        "SDF_PATH, GZ_SIM_RESOURCE_PATH, ROS_PACKAGE_PATH",
        "folders in which model://, package:// and relative URIs are looked up",
    ),
    ("SIMULATOR_KERNELS", "python: kernels run as Python; bounds: as machine code that checks indices"),
    ("SIMULATOR_KERNELS_FOLDER", "folder for compiled code, instead of the user's cache folder"),
    ("DISPLAY, WAYLAND_DISPLAY, QT_QPA_PLATFORM", "where the window opens"),
)
FILES = (
    ("~/.cache/simulator", "compiled code; it may be removed at any time and is made again"),
    (
        "~/.local/share/applications/simulator.desktop",
        "written by `simulator desktop install`, with an icon and types of documents",
    ),
)


def page() -> str:
    """The whole manual page."""
    sys.path.insert(0, str(ROOT))
    import typer

    from simulator import __version__
    from simulator.cli.app import app

    root: Any = typer.main.get_command(app)
    context = root.make_context("simulator", [], resilient_parsing=True)
    lines = [
        "." + chr(92) + '" Made by scripts/make_man_page.py from the help of the commands.',
        f'.TH SIMULATOR 1 "" "simulator {__version__}" "User Commands"',
        ".SH NAME",
        "simulator \\- simulate coupled and closed\\-loop mechanisms",
        ".SH SYNOPSIS",
        ".B simulator",
        "[\\fIFILE\\fR]",
        ".br",
        ".B simulator",
        "\\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR]",
        ".SH DESCRIPTION",
        *".PP\n".join(f"{roff(text)}\n" for text in DESCRIPTION.split("\n\n")).splitlines(),
        ".SH OPTIONS",
        *options(root, context),
        ".SH COMMANDS",
    ]
    for command, names, inner in commands(root, context):
        lines += [f'.SS "{roff(" ".join([*names, *arguments(command, inner)]))}"', roff(first_sentence(command))]
        lines += options(command, inner)
    lines += section("EXAMPLES", EXAMPLES) + section("EXIT STATUS", EXIT_STATUS)
    lines += section("ENVIRONMENT", ENVIRONMENT) + section("FILES", FILES)
    return "\n".join(lines) + "\n"


def commands(group: Any, context: Any, before: Sequence[str] = ()) -> Iterator[tuple[Any, list[str], Any]]:
    """Every command with its names and its context, those of groups one by one."""
    for name, command in group.commands.items():
        names = [*before, name]
        inner = type(context)(command, info_name=name, parent=context, resilient_parsing=True)
        if hasattr(command, "commands"):
            yield from commands(command, inner, names)
        else:
            yield command, names, inner


def arguments(command: Any, context: Any) -> list[str]:
    """What stands behind its name."""
    return [param.metavar for param in command.get_params(context) if param.param_type_name == "argument"]


def options(command: Any, context: Any) -> list[str]:
    """A paragraph for each; that of --help, which all have, in the first place only."""
    lines = []
    for param in command.get_params(context):
        record = param.get_help_record(context) if param.param_type_name == "option" else None
        if record is None or (param.name == "help" and context.parent is not None):
            continue
        names, help_text = record
        parts = [re.sub(r"(--?[\w-]+)", r"<b>\1<r>", part.strip()) for part in names.split(",")]
        lines += [".TP", bold(roff(", ".join(parts))), roff(help_text)]
    return lines


def section(title: str, entries: Sequence[tuple[str, str]]) -> list[str]:
    """Names and what they mean."""
    return [f".SH {title}", *(line for name, text in entries for line in (".TP", f"\\fB{roff(name)}\\fR", roff(text)))]


def first_sentence(command: Any) -> str:
    """What a command says about itself, as a sentence."""
    return " ".join(str(command.help or "").split())


def roff(text: str) -> str:
    """Text that roff prints as it is: backslashes and hyphens escaped, no line that looks like a request."""
    escaped = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("~", "\\(ti").replace("'", "\\(aq")
    )
    lines = (line.replace('"', "\\(dq") for line in escaped.splitlines())
    return "\n".join(f"\\&{line}" if line[:1] == "." else line for line in lines)


def bold(text: str) -> str:
    return text.replace("<b>", "\\fB").replace("<r>", "\\fR")


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    with patch.dict(os.environ, COLUMNS="1000", TERM="dumb", LC_ALL="C.UTF-8"):
        wanted = page()
    if parser.parse_args(given).check:
        same = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted
        print("as it should be" if same else f"{PAGE.name} is not what scripts/make_man_page.py makes: run it")
        return 0 if same else 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(wanted, encoding="utf-8")
    print(PAGE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
