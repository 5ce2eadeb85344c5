"""What shells complete: commands, options, and for FILE the example worlds and the documents that are there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeAlias

import typer

OfClick: TypeAlias = Any
"""A type of click's, which some releases of typer take from the package and others bring along."""

OPTIONS = ("--install-completion", "--show-completion")
SHELLS = ("bash", "zsh", "fish")
ASKED = "_SIMULATOR_COMPLETE"
"""Set by the shell's function when it asks for completions; its name is typer's."""
NAMED = "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"
"""With it, typer's options take the name of a shell instead of finding out which one they were called from."""
SUFFIXES = (".sdf", ".world", ".urdf", ".xacro", ".asmt", ".fcstd")


class Commands(typer.core.TyperGroup):
    """`simulator FILE` means `simulator view FILE` for completion, too."""

    def resolve_command(self, ctx: OfClick, args: list[str]) -> OfClick:
        """The command that the arguments are for."""
        if ctx.resilient_parsing and args and args[0] not in self.commands:
            args = ["view", *args]
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: OfClick, incomplete: str) -> list[OfClick]:
        """Commands, and what may be opened without naming one."""
        found: list[OfClick] = list(super().shell_complete(ctx, incomplete))
        file = self.commands["view"].params[0]
        return found if incomplete.startswith("-") else [*found, *file.shell_complete(ctx, incomplete)]


def is_about_completion(arguments: list[str]) -> bool:
    """Whether a shell asks, or a user for the shell's function; typer answers and leaves by SystemExit."""
    return ASKED in os.environ or arguments[:1] in ([OPTIONS[0]], [OPTIONS[1]])


def heed_named_shell(arguments: list[str]) -> None:
    """`--show-completion zsh`: to be called before typer builds its options."""
    if arguments[:1] in ([OPTIONS[0]], [OPTIONS[1]]) and arguments[1:2]:
        os.environ[NAMED] = "1"


def files(incomplete: str) -> list[str]:
    """Example worlds and documents whose names begin so, and folders in which there may be some; what is in a folder if
    it is the only one, as a shell would put a space behind it."""
    from simulator.session.open.examples import examples

    names = [] if "/" in incomplete else [example.name for example in examples() if example.name.startswith(incomplete)]
    found = _paths(incomplete)
    while not names and len(found) == 1 and found[0].endswith("/"):
        inside = _paths(found[0])
        if not inside:
            break
        found = inside
    return names + found


def solvers(incomplete: str) -> list[str]:
    """Strategies."""
    return [name for name in ("rows", "reduced", "gear") if name.startswith(incomplete)]


def _paths(incomplete: str) -> list[str]:
    """Documents and folders as they are typed; hidden ones only where their names begin with the dot."""
    before, _, start = incomplete.rpartition("/")
    folder = f"{before}/" if before or incomplete.startswith("/") else ""
    try:
        entries = sorted(os.scandir(Path(folder or ".").expanduser()), key=lambda entry: entry.name)
    except OSError:
        return []
    found = []
    for entry in entries:
        if entry.name.startswith(start) and (start or not entry.name.startswith(".")):
            if entry.is_dir():
                found.append(f"{folder}{entry.name}/")
            elif entry.name.lower().endswith(SUFFIXES):
                found.append(folder + entry.name)
    return found
