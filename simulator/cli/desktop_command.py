"""`simulator desktop install|remove`: the program in the desktop's menu, and its documents known by their icon."""

from __future__ import annotations

import platform
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from simulator.cli.output import note, say
from simulator.errors import UsageError

if TYPE_CHECKING:
    from simulator.session.batch.desktop import Changed

commands = typer.Typer(help="Add the program to the desktop's menu, with an icon and types for its documents.")
FOREIGN = {"Darwin": "macOS", "Windows": "Windows"}
"""Systems by Python's names for them and their own."""


@commands.command()
def install() -> None:
    """Write entry, icon and types into the user's data folder."""
    from simulator.session.batch.desktop import data_folder, install_desktop

    if platform.system() in FOREIGN:
        raise UsageError(
            f"desktop entries belong to freedesktop.org's desktops; {FOREIGN[platform.system()]} reads none"
        )
    try:
        changed = install_desktop(own_command())
    except OSError as error:
        raise UsageError(_reported(error)) from error
    _say("written", changed)
    if not changed.files:
        say(f"nothing to do: everything is in {data_folder()} already")


@commands.command()
def remove() -> None:
    """Take them away again."""
    from simulator.session.batch.desktop import data_folder, remove_desktop

    try:
        changed = remove_desktop()
    except OSError as error:
        raise UsageError(_reported(error)) from error
    _say("removed", changed)
    if not changed.files:
        say(f"nothing to do: this program has no files in {data_folder()}")


def own_command() -> Path:
    """The command that was started, by a path that holds from anywhere. Raises UsageError if there is none, as under
    `python -m`."""
    beside = Path(sys.executable).with_name("simulator")
    for candidate in (sys.argv[0], beside, shutil.which("simulator")):
        path = Path(candidate).absolute() if candidate else None
        if path is not None and path.name == "simulator" and path.is_file():
            return path
    raise UsageError(
        "no command `simulator` is installed for the desktop to start: install the package first, with pipx or pip"
    )


def _say(what: str, changed: Changed) -> None:
    for path in changed.files:
        say(f"{what}: {path}")
    for text in changed.failed:
        note(text)
    if changed.absent:
        note(f"the desktop may notice only at the next login: {', '.join(changed.absent)} not found")


def _reported(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)
