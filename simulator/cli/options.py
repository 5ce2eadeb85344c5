"""Options that several commands share, and what they come to."""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from simulator.cli import completion
from simulator.errors import UsageError
from simulator.formats.options import GLTF_UP, ReadingOptions
from simulator.records import dataclass
from simulator.session.relay.defaults import ADDRESS, PREFIX, SOURCE, TIMEOUT, TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable

Group = TypeVar("Group")

SOLVER_HELP = (
    "how couplings and loops are held: rows (exact, with contacts), reduced (exact, without contacts) or gear "
    "(Bullet's own)"
)

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
    typer.Option("--gltf-up", metavar="y|z", help="the axis that points up in glTF meshes; detected by default"),
]
HoldBase = Annotated[bool, typer.Option("--hold-base", help="fix bases of robots that would fall to the world")]
XacroArguments = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="NAME=VALUE", help="an argument for a .xacro document (repeatable)"),
]
Solver = Annotated[str, typer.Option("--solver", metavar="S", help=SOLVER_HELP, autocompletion=completion.solvers)]
Solvers = Annotated[
    str,
    typer.Option(
        "--solvers",
        metavar="S,S...",
        help="strategies, separated by commas; by default all for one document, rows for several and for variants",
    ),
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        metavar="PARAMETER=VALUE,...",
        help="also compare with these numbers, in the form of --set (repeatable)",
    ),
]
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
        help="position, velocity or effort of an axis or actuator/NAME: a number (SI units), sine(…), ramp(…), "
        "step(…), chirp(…), expression(…) over t, @FILE.csv or @FILE.csv,spline, with ,pid(…) behind it for a loop "
        "(repeatable)",
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
        help="start velocity, rad/s or m/s; coupled and closed axes move along (repeatable)",
    ),
]
Forces = Annotated[
    list[str] | None,
    typer.Option(
        "--force",
        metavar="LINK@X,Y,Z=FX,FY,FZ[,MX,MY,MZ]",
        help="a force [N] and a moment [N m] in world axes on a link, at a point of its frame [m]; components are "
        "numbers or profiles such as ramp(0,-10,2) (repeatable)",
    ),
]

Numbers = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PARAMETER=VALUE",
        help="a number that replaces the document's, SI units, e.g. coupler.mass=0.2; `simulator describe FILE "
        "--parameters` lists them (repeatable)",
    ),
]

WithReactions = Annotated[
    bool,
    typer.Option(
        "--reactions",
        help="columns of -o for reactions of joints, couplings and contacts, and for force-torque sensors",
    ),
]
WithFixedJoints = Annotated[
    bool, typer.Option("--fixed-joints", help="as --reactions, and columns for fixed joints, too")
]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="OUT.html", help="write a page with pictures, plots and tables")
]


@dataclass(frozen=True)
class StartOptions:
    """Options about how a simulation starts, for commands that simulate."""

    drive: Drives = None
    initial: Initial = None
    initial_velocity: InitialVelocity = None


@dataclass(frozen=True)
class CourseOptions:
    """Options about how far a run goes, in which steps and by which strategy."""

    duration: Duration
    dt: Step = None
    solver: Solver = "rows"


@dataclass(frozen=True)
class RecordingOptions:
    """Options about what a run writes to a file."""

    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            "--csv",
            metavar="OUT",
            help="write every sample to this file: MCAP if it ends in .mcap, else CSV",
        ),
    ] = None
    every: Annotated[float | None, typer.Option("--every", metavar="DT", help="seconds between samples")] = None
    stream: Annotated[
        str | None,
        typer.Option(
            "--stream",
            metavar="VIEWER",
            help="run in real time and show it live in foxglove, rerun or plotjuggler, VIEWER=HOST:PORT elsewhere; 100 "
            "samples a second, unless --every says otherwise",
        ),
    ] = None
    reactions: WithReactions = False
    fixed_joints: WithFixedJoints = False
    report: Report = None


@dataclass(frozen=True)
class PictureOptions:
    """Options about the picture or film of `simulator render`."""

    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="OUT", help="the .png picture, .mp4 or .gif film, or .glb model to write"
        ),
    ]
    time: Annotated[float, typer.Option("--time", metavar="T", help="simulated seconds before the picture")] = 0.0
    duration: Annotated[
        float | None, typer.Option("--duration", metavar="T", help="simulated seconds of a film, from --time on")
    ] = None
    fps: Annotated[float, typer.Option("--fps", metavar="N", help="pictures of a film for each second")] = 25.0
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="pixels")] = "1280x720"


@dataclass(frozen=True)
class ExaminationOptions:
    """Options about what `simulator survey` does with each document."""

    duration: Duration = 2.0
    dt: Step = None
    solver: Solver = "rows"
    jobs: Jobs = None
    limit: Limit = 60.0
    memory: Memory = 4.0
    no_pictures: Annotated[bool, typer.Option("--no-pictures", help="draw nothing")] = False
    own_paths: OwnPaths = True
    exercise: Annotated[
        bool, typer.Option("--exercise", help="hold bases, and drive every independent axis through its range and back")
    ] = False


@dataclass(frozen=True)
class RelayOptions:
    """Options about what `simulator relay` listens to and what it sends."""

    listen: Annotated[
        str,
        typer.Option("--listen", metavar="HOST:PORT", help="where lines of JSON are taken; port 0 is any free one"),
    ] = ADDRESS
    rosbridge: Annotated[
        str | None, typer.Option("--rosbridge", metavar="URL", help="also by this rosbridge server, ws://HOST:PORT")
    ] = None
    zenoh: Annotated[
        str | None, typer.Option("--zenoh", metavar="ENDPOINT", help="also by this zenoh router, tcp/HOST:PORT")
    ] = None
    source: Annotated[
        str, typer.Option("--from", metavar="TOPIC", help="the topic or key that joint states are taken from")
    ] = SOURCE
    to: Annotated[str, typer.Option("--to", metavar="PREFIX", help="before the topics and keys of what is sent")] = (
        PREFIX
    )
    joints: Annotated[
        str, typer.Option("--joints", metavar="NAME,...", help="joints that are listened to; all by default")
    ] = ""
    efforts: Annotated[bool, typer.Option("--efforts", help="also send the efforts that the moved joints need")] = False
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", help="seconds without a message after which a joint is late")
    ] = TIMEOUT
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance", metavar="X", help="how far joints that determine each other may be apart, rad or m"
        ),
    ] = TOLERANCE

    def only(self) -> tuple[str, ...]:
        """The joints of `--joints`."""
        return tuple(name.strip() for name in self.joints.split(",") if name.strip())


Speed = Annotated[
    float, typer.Option("--velocity", metavar="W", help="speed of the first axis towards its end, rad/s or m/s")
]
Acceleration = Annotated[
    float, typer.Option("--acceleration", metavar="A", help="its acceleration in the same sense, rad/s^2 or m/s^2")
]


@dataclass(frozen=True)
class MovesOptions:
    """Options about what moves and what is followed."""

    move: Annotated[
        list[str] | None,
        typer.Option(
            "--move", metavar="AXIS=FROM:TO", help="an axis to move, rad or m; the first sets the pace (repeatable)"
        ),
    ] = None
    points: Annotated[int, typer.Option("--points", metavar="N", help="positions, both ends counted")] = 361
    velocity: Speed = 0.0
    acceleration: Acceleration = 0.0
    point: Annotated[
        list[str] | None,
        typer.Option(
            "--point", metavar="LINK:x,y,z", help="a point to follow, metres in the link's frame (repeatable)"
        ),
    ] = None
    branch: Annotated[
        str, typer.Option("--branch", metavar="this|all", help="the present branch of assembly, or all branches found")
    ] = "this"


@dataclass(frozen=True)
class WrittenOptions:
    """Options about where results go."""

    csv: Annotated[Path | None, typer.Option("--csv", metavar="OUT", help="write all columns to this file")] = None
    report: Report = None
    tolerances: Annotated[
        Path | None,
        typer.Option(
            "--tolerances",
            metavar="FOLDER",
            help="add the results of `simulator tolerances STUDY.toml -o FOLDER` to the page",
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="print an object with the results")] = False


@dataclass(frozen=True)
class ReadOptions:
    """Options about how documents are read, for every command."""

    resource_path: ResourcePath = None
    strict: Strict = False
    gltf_up: GltfUp = None
    hold_base: HoldBase = False
    arg: XacroArguments = None

    def options(self) -> ReadingOptions:
        """What they come to. Raises UsageError if a value is none that there is."""
        if self.gltf_up is not None and self.gltf_up not in GLTF_UP[1:]:
            raise UsageError(f"--gltf-up is y or z, not '{self.gltf_up}'")
        return ReadingOptions(
            resource_paths=tuple(self.resource_path or ()),
            strict=self.strict,
            gltf_up=self.gltf_up or "",
            hold_base=self.hold_base,
            arguments=tuple(map(_argument, self.arg or ())),
        )


def with_reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Spread the groups of options of a command, parameters of a dataclass whose fields are options, and put those
    about reading behind all; the command takes what these come to as its last parameter, `options`."""
    kinds = inspect.get_annotations(command, locals={"ReadingOptions": ReadingOptions}, eval_str=True)
    named = [one for one in inspect.signature(command).parameters.values() if one.name != "options"]
    groups = {one.name: kinds[one.name] for one in named if is_dataclass(kinds[one.name])}

    @wraps(command)
    def wrapped(**values: object) -> None:
        for name, group in groups.items():
            values[name] = _taken(group, values)
        values["options"] = _taken(ReadOptions, values).options()
        command(**values)

    parameters = []
    for one in named:
        own = [one.replace(annotation=kinds[one.name])]
        parameters += _options_of(groups[one.name]) if one.name in groups else own
    parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in [*parameters, *_options_of(ReadOptions)]]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # where typer looks
    wrapped.__annotations__ = {one.name: one.annotation for one in parameters}
    return wrapped


def _taken(group: Callable[..., Group], values: dict[str, object]) -> Group:
    """A group made of its options, which are no longer among `values` then."""
    return group(**{name: values.pop(name) for name in inspect.signature(group).parameters})


def _options_of(group: type) -> list[inspect.Parameter]:
    """The fields of a group as parameters."""
    kinds = inspect.get_annotations(group, eval_str=True)
    return [one.replace(annotation=kinds[one.name]) for one in inspect.signature(group).parameters.values()]


def _argument(text: str) -> tuple[str, str]:
    name, separator, value = text.replace(":=", "=", 1).partition("=")
    if not (name and separator):
        raise UsageError(f"'{text}' is not an argument of a xacro document: write NAME=VALUE, e.g. --arg prefix=left_")
    return name, value
