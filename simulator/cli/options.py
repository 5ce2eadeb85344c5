"""Options that several commands share, and what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simulator.cli import completion
from simulator.errors import UsageError
from simulator.formats.options import GLTF_UP, ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

SOLVER_HELP = "how couplings and loops are held: rows (exact, with contacts), reduced (exact, without contacts) or gear (Bullet's own)"

File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="a document, or the name of an example world", autocompletion=completion.files),
]
Folders = Annotated[
    list[Path],
    typer.Argument(metavar="FOLDER...", exists=True, help="folders whose documents are examined, or documents"),
]
Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="documents, or names of example worlds", autocompletion=completion.files),
]
ResourcePath = Annotated[
    list[Path] | None,
    typer.Option(
        "--resource-path",
        metavar="DIR",
        exists=True,
        file_okay=False,
        help="look up model:// and relative URIs here too (repeatable)",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="refuse what libsdformat refuses, instead of reading it as RViz and Gazebo do")
]
GltfUp = Annotated[
    str | None,
    typer.Option("--gltf-up", metavar="y|z", help="the axis that points up in glTF meshes; found out by default"),
]
HoldBase = Annotated[
    bool, typer.Option("--hold-base", help="fix the bases of robots to the world that would fall otherwise")
]
XacroArguments = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="NAME=VALUE", help="an argument for a .xacro document (repeatable)"),
]
Solver = Annotated[str, typer.Option("--solver", metavar="S", help=SOLVER_HELP, autocompletion=completion.solvers)]
Duration = Annotated[float, typer.Option("--duration", metavar="T", help="simulated seconds")]
Step = Annotated[float | None, typer.Option("--dt", metavar="DT", help="step in seconds; the document's by default")]
Memory = Annotated[float, typer.Option("--memory", metavar="GB", min=0.1, help="memory that a document may take")]
Limit = Annotated[float, typer.Option("--limit", metavar="S", min=0.1, help="seconds that a document may take")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", min=1, help="documents at a time; one a processor by default")
]
OwnPaths = Annotated[
    bool,
    typer.Option("--own-paths/--no-own-paths", help="look up files in the packages and models below each FOLDER, too"),
]
Drives = Annotated[
    list[str] | None,
    typer.Option(
        "--drive",
        metavar="AXIS=KIND:VALUE",
        help="position, velocity or effort of an axis or actuator/NAME: a number (SI units), sine(…), ramp(…), step(…), chirp(…) or "
        "@FILE.csv, with ,pid(…) behind it for a loop (repeatable)",
    ),
]
Initial = Annotated[
    list[str] | None,
    typer.Option("--initial", metavar="AXIS=VALUE", help="start position within the limits, rad or m (repeatable)"),
]
InitialVelocity = Annotated[
    list[str] | None,
    typer.Option(
        "--initial-velocity",
        metavar="AXIS=VALUE",
        help="start velocity, rad/s or m/s; what is coupled or closed moves along (repeatable)",
    ),
]


def reading_options(
    resource_paths: Sequence[Path] | None,
    strict: bool,
    gltf_up: str | None,
    hold_base: bool,
    arguments: Sequence[str] | None,
) -> ReadingOptions:
    """What the command line says about reading. Raises UsageError where a value is none that there is."""
    if gltf_up is not None and gltf_up not in GLTF_UP[1:]:
        raise UsageError(f"--gltf-up is y or z, not '{gltf_up}'")
    return ReadingOptions(
        resource_paths=tuple(resource_paths or ()),
        strict=strict,
        gltf_up=gltf_up or "",
        hold_base=hold_base,
        arguments=tuple(map(_argument, arguments or ())),
    )


def _argument(text: str) -> tuple[str, str]:
    name, separator, value = text.replace(":=", "=", 1).partition("=")
    if not (name and separator):
        raise UsageError(f"'{text}' is no argument of a xacro document: write NAME=VALUE, e.g. --arg prefix=left_")
    return name, value
