"""The commands and their options; what they do is in one file each."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from simulator import __version__
from simulator.cli import answers_command, completion, desktop_command, study_command
from simulator.cli.analyse_options import analyse
from simulator.cli.balance_options import equilibrium, linearise
from simulator.cli.interruption import INTERRUPTED
from simulator.cli.options import (
    CourseOptions,
    Duration,
    ExaminationOptions,
    File,
    Files,
    Folders,
    Forces,
    Initial,
    Numbers,
    PictureOptions,
    RecordingOptions,
    RelayOptions,
    Solver,
    Solvers,
    StartOptions,
    Step,
    Variants,
    with_reading_options,
)
from simulator.cli.output import OK, WRONG_USAGE, exit_code_of, hide_broken_pipe, note
from simulator.errors import SimulatorError, UnknownNameError, UsageError, closest

if TYPE_CHECKING:
    from collections.abc import Collection

    from simulator.formats.options import ReadingOptions

app = typer.Typer(
    name="simulator",
    help="Interactive simulator for coupled and closed-loop mechanisms. FILE is an .sdf, .world, .urdf, .xacro, "
    ".asmt or .FCStd document, or the name of an example world; `simulator FILE` opens the window.",
    no_args_is_help=False,
    cls=completion.Commands,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ArgumentsError = cast("type[Exception]", typer.BadParameter.__bases__[0])
"""The root of what typer finds wrong with arguments: it is click's, and where click lives depends on typer's
version."""


@app.callback(invoke_without_command=True)
def simulator(
    version: Annotated[bool, typer.Option("--version", help="print the version and exit")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="with --version: also how kernels run")] = False,
) -> None:
    """Options before every command."""
    if version:
        print(f"simulator {__version__}")
        if verbose:
            from simulator.native.ready import described

            print(*described(), sep="\n")
        raise typer.Exit


@app.command()
@with_reading_options
def view(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]", help="a document, or the name of an example world", autocompletion=completion.files
        ),
    ] = None,
    *,
    solver: Solver = "rows",
    paused: Annotated[bool, typer.Option("--paused", help="open without running")] = False,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="simulated seconds per second")] = 1.0,
    step: Annotated[int, typer.Option("--step", metavar="N", help="of a lesson: begin with this step")] = 1,
    start: StartOptions,
    numbers: Numbers = None,
    options: ReadingOptions,
) -> None:
    """Open the window; without FILE, the gallery of example worlds."""
    from simulator.cli.spare import spare_process

    with spare_process() as spare:  # it loads the physics while this process loads what comes next
        from simulator.cli.view_command import view_document

        code = view_document(
            file,
            spare,
            solver=solver,
            paused=paused,
            speed=speed,
            step=step,
            drives=start.drive or (),
            initial=start.initial or (),
            initial_velocity=start.initial_velocity or (),
            numbers=numbers or (),
            options=options,
        )
    raise typer.Exit(code)


@app.command()
@with_reading_options
def run(
    file: File,
    *,
    course: CourseOptions,
    numbers: Numbers = None,
    start: StartOptions,
    force: Forces = None,
    recording: RecordingOptions,
    as_json: Annotated[bool, typer.Option("--json", help="print a summary object on standard output")] = False,
    options: ReadingOptions,
) -> None:
    """Simulate without a window."""
    from simulator.cli.run_command import run_document
    from simulator.session.text.settings import typed_settings

    settings = typed_settings(
        start.drive,
        start.initial,
        start.initial_velocity,
        forces=force,
        numbers=numbers,
        solver=course.solver,
        dt=course.dt,
    )
    raise typer.Exit(run_document(file, settings, options, recording, duration=course.duration, as_json=as_json))


@app.command()
@with_reading_options
def compare(
    files: Files,
    *,
    duration: Duration,
    solvers: Solvers = "",
    variant: Variants = None,
    dt: Step = None,
    numbers: Numbers = None,
    start: StartOptions,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object instead of the table")] = False,
    options: ReadingOptions,
) -> None:
    """Simulate one document with every strategy, or documents and variants side by side under the same drives."""
    from simulator.session.text.settings import typed_settings

    settings = typed_settings(start.drive, start.initial, start.initial_velocity, numbers=numbers, dt=dt)
    if len(files) == 1 and not variant:
        from simulator.cli.compare_command import compare_document

        raise typer.Exit(
            compare_document(files[0], settings, options, solvers=solvers, duration=duration, as_json=as_json)
        )
    from simulator.cli.variants_command import compare_variants

    raise typer.Exit(
        compare_variants(files, variant or (), settings, options, solvers=solvers, duration=duration, as_json=as_json)
    )


@app.command()
@with_reading_options
def check(
    files: Files,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object a document, one a line")] = False,
    programs: Annotated[
        list[str] | None,
        typer.Option(
            "--for",
            metavar="PROGRAM",
            help="report what this program ignores, approximates or refuses: gazebo, mujoco, isaac, drake, pinocchio, "
            "moveit, newton; may be repeated",
        ),
    ] = None,
    *,
    options: ReadingOptions,
) -> None:
    """Check documents and report problems."""
    from simulator.cli.check_command import check_documents

    raise typer.Exit(check_documents(files, options, as_json=as_json, programs=programs or ()))


@app.command()
@with_reading_options
def describe(
    files: Files,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object a document, one a line")] = False,
    parameters: Annotated[
        bool, typer.Option("--parameters", help="the numbers that --set takes, with values, units and bounds, instead")
    ] = False,
    *,
    options: ReadingOptions,
) -> None:
    """Describe documents: bodies, joints, couplings, loops, mobility."""
    from simulator.cli.describe_command import describe_documents

    raise typer.Exit(describe_documents(files, options, as_json=as_json, parameters=parameters))


@app.command()
@with_reading_options
def convert(
    file: File,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="OUT.sdf", help="the file to write; standard output by default"),
    ] = None,
    keep_gearbox: Annotated[
        bool, typer.Option("--keep-gearbox", help="keep gearbox joints, even if a mimic is equivalent")
    ] = False,
    loops: Annotated[
        str,
        typer.Option(
            "--loops",
            metavar="DIALECT",
            help="for a URDF, how its loops are written: loop (URDF+, this program), isaac, constraint, gazebo, drake, "
            "yaml (Pinocchio)",
        ),
    ] = "loop",
    fmi: Annotated[
        int | None, typer.Option("--fmi", metavar="2|3", help="for an FMU, the version of FMI; 2 by default")
    ] = None,
    dt: Step = None,
    *,
    numbers: Numbers = None,
    start: StartOptions,
    options: ReadingOptions,
) -> None:
    """Write a document as SDFormat 1.12, with gearbox joints as mimics, or as URDF, MJCF, USD, glTF or an FMU (-o
    OUT.urdf, .xml, .usda, .glb, .fmu). Drives, numbers, step and start are for FMUs.
    """
    from simulator.cli.convert_command import convert_file
    from simulator.session.text.settings import typed_settings

    settings = typed_settings(start.drive, start.initial, start.initial_velocity, numbers=numbers, dt=dt)
    raise typer.Exit(
        convert_file(file, options, settings, output=output, keep_gearbox=keep_gearbox, loops=loops, fmi=fmi)
    )


@app.command()
@with_reading_options
def render(
    file: File,
    *,
    picture: PictureOptions,
    solver: Solver = "rows",
    dark: Annotated[bool, typer.Option("--dark", help="dark background")] = False,
    numbers: Numbers = None,
    start: StartOptions,
    force: Forces = None,
    options: ReadingOptions,
) -> None:
    """Draw a picture, or a film with --duration, or write either as a glTF model; needs no display."""
    from simulator.cli.render_command import render_document
    from simulator.session.text.settings import typed_settings

    settings = typed_settings(
        start.drive, start.initial, start.initial_velocity, forces=force, numbers=numbers, solver=solver
    )
    raise typer.Exit(render_document(file, settings, options, picture, dark=dark))


@app.command()
@with_reading_options
def share(
    file: File,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="the page, NAME.html where it is left out")
    ] = None,
    duration: Annotated[float, typer.Option("--duration", metavar="T", help="seconds of the recording in it")] = 10.0,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="instead of the world's name")] = None,
    notes: Annotated[
        str | None,
        typer.Option(
            "--notes", metavar="TEXT", help="words beside the mechanism, formulas between $, or a .md or .txt file"
        ),
    ] = None,
    hand_in: Annotated[
        str | None,
        typer.Option(
            "--hand-in",
            metavar="NAME",
            help="your name, for a folder with page, document, recording and report",
        ),
    ] = None,
    solver: Solver = "rows",
    numbers: Numbers = None,
    start: StartOptions,
    force: Forces = None,
    options: ReadingOptions,
) -> None:
    """Write a document or a lesson as one HTML page that moves in every browser, without a network."""
    from simulator.cli.share_command import share_file
    from simulator.session.text.settings import typed_settings

    settings = typed_settings(
        start.drive, start.initial, start.initial_velocity, forces=force, numbers=numbers, solver=solver
    )
    raise typer.Exit(
        share_file(file, settings, options, output=output, duration=duration, title=title, notes=notes, hand_in=hand_in)
    )


@app.command()
@with_reading_options
def relay(
    file: File,
    *,
    links: RelayOptions,
    initial: Initial = None,
    numbers: Numbers = None,
    options: ReadingOptions,
) -> None:
    """Complete joint states that other programs send, live: passive, mimic and loop joints, poses, residuals, efforts;
    on a socket of this computer, by rosbridge or zenoh.
    """
    from simulator.cli.relay_command import relay_document
    from simulator.session.text.settings import typed_settings

    settings = typed_settings(None, initial, numbers=numbers)
    raise typer.Exit(relay_document(file, settings, options, links))


@app.command()
@with_reading_options
def survey(
    folders: Folders,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="the folder to write")] = Path("survey"),
    examination: ExaminationOptions,
    xacro: Annotated[bool, typer.Option("--xacro", help="include .xacro files as documents")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="skip documents that have results in OUT")] = False,
    options: ReadingOptions,
) -> None:
    """Check, run and draw every document of folders, side by side: tables and a page of pictures."""
    if sys.platform != "linux":
        raise UsageError("survey works on Linux only: it forks a process for each document and bounds its memory")
    from simulator.cli.survey_command import survey_folders, survey_settings

    settings = survey_settings(options, examination)
    raise typer.Exit(survey_folders(folders, output, settings, xacro=xacro, resume=resume))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def new(
    context: typer.Context,
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="what to make; without it, the list of kinds")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE.sdf",
            help="the file to write; KIND.sdf by default. Without KIND, NAME.html: the list, with pictures",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="write over a file that exists")] = False,
) -> None:
    """Make a mechanism by its parameters, as `simulator new spur_gears --module 2mm --teeth 20,40`: gears, cams,
    linkages, robots."""
    from simulator.cli.new_command import new_mechanism

    raise typer.Exit(new_mechanism(kind, context.args, output, force=force))


@app.command()
def synthesise(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="motion, path, translation, line, function, six_bar_function or dwell")
    ],
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="GIVEN...",
            help="positions x,z,angle (motion), points x,z (path), ends x,z (line), turns crank,rocker (function), "
            "turns crank,output (six_bar_function), turn,swing (dwell)",
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT.sdf", help="write the designs: OUT.sdf, OUT_2.sdf …")
    ] = None,
    count: Annotated[int, typer.Option("-n", "--count", metavar="N", help="how many designs")] = 3,
    force: Annotated[bool, typer.Option("--force", help="write over files that exist")] = False,
) -> None:
    """Find linkages from what they are to do: `simulator synthesise motion 0,0,0deg 0.1,0.05,20deg 0.2,0,50deg`."""
    from simulator.cli.synthesise_command import synthesise_linkage

    raise typer.Exit(synthesise_linkage(task, given, output, count=count, force=force))


app.command()(analyse)
app.command()(equilibrium)
app.command()(linearise)
app.add_typer(study_command.commands, name="study")
app.command()(answers_command.optimise)
app.command()(answers_command.tolerances)
app.add_typer(desktop_command.commands, name="desktop")


@cache
def _commands() -> typer.core.TyperGroup:
    """All commands with their options, which take long to make and never change."""
    return cast("typer.core.TyperGroup", typer.main.get_command(app))


def run_app(arguments: list[str]) -> int:
    """Run a command line; returns its exit code and never lets an exception of ours out (others are reported by
    `faults`)."""
    os.environ.setdefault("LC_NUMERIC", "C")  # numbers have a decimal point, whatever the locale
    completion.heed_named_shell(arguments)
    group = _commands()
    done: object = OK
    try:
        with hide_broken_pipe():
            done = group.main(
                args=with_default_command(arguments, group.commands), prog_name="simulator", standalone_mode=False
            )
        return done if isinstance(done, int) else OK
    except SystemExit as end:
        if not completion.is_about_completion(arguments):
            raise
        return end.code if isinstance(end.code, int) else OK
    except ArgumentsError as error:
        note(_in_a_line(error))
        return WRONG_USAGE
    except SimulatorError as error:
        note(str(error))
        return exit_code_of(error)
    except KeyboardInterrupt:
        return INTERRUPTED


def with_default_command(arguments: list[str], commands: Collection[str]) -> list[str]:
    """`simulator FILE` means `simulator view FILE`, and `simulator` alone opens the gallery.

    Raises UsageError if FILE is nothing but a slip in the name of a command.
    """
    if not arguments:
        return ["view"]
    first = arguments[0]
    if first == "study":
        return [first, *study_command.with_run(arguments[1:])]
    if first in commands or first in ("-h", "--help", "--version", "--verbose", *completion.OPTIONS):
        return arguments
    command = closest(first, commands)
    if command:
        from simulator.session.open.examples import find_file

        try:
            find_file(first)
        except UnknownNameError:
            message = f"no command, file or example world is named '{first}'; did you mean `simulator {command}`?"
            raise UsageError(message) from None
    return ["view", *arguments]


def _in_a_line(error: Exception) -> str:
    """What typer found wrong with the arguments, what may be meant, and where the options are listed."""
    context, near = getattr(error, "ctx", None), getattr(error, "possibilities", None)
    message = str(getattr(error, "message", "") if near else getattr(error, "format_message", error.__str__)())
    guess = f"; did you mean {closest(getattr(error, 'option_name', ''), near) or near[0]}?" if near else ""
    command = "simulator" if context is None else context.command_path
    return f"{message[:1].lower()}{message[1:].rstrip('.')}{guess} (`{command} --help` lists all)"
