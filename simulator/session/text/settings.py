"""Settings of a session: the choices of the command line or the window."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.engine.drives import Drive, DriveKind
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.profile_text import finite_number
from simulator.records import dataclass
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.force_text import parse_force
from simulator.session.text.variants import parse_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.mechanism.types import Mechanism
    from simulator.model.loads import Load, PointSpring
    from simulator.model.world import World
    from simulator.session.open.opening import Opened
    from simulator.session.text.variants import Numbers

SOLVERS = ("rows", "reduced", "gear")
"""The strategies, from the most exact to the least."""
DEFAULT_SOLVER = "rows"
LONGEST_STEP = 1.0
"""[s]"""


@dataclass(frozen=True)
class SessionSettings:
    """`solver`: strategy by name; `dt` [s]: step, None for the document's; `speed`: simulated per wall second;
    `drives`: by name of an axis or `actuator/NAME`, given in that order; `initial` (positions) and `initial_velocity`:
    by axis name, SI units; `forces`: loads besides those of the document; `numbers`: parameters with other values than
    the document's, which `session.text.variants` supplies."""

    solver: str = DEFAULT_SOLVER
    dt: float | None = None
    speed: float = 1.0
    paused: bool = False
    drives: tuple[tuple[str, Drive], ...] = ()
    initial: tuple[tuple[str, float], ...] = ()
    initial_velocity: tuple[tuple[str, float], ...] = ()
    forces: tuple[Load | PointSpring, ...] = ()
    numbers: Numbers = ()


def typed_settings(
    drives: Iterable[str] | None,
    initial: Iterable[str] | None,
    initial_velocity: Iterable[str] | None = None,
    *,
    forces: Iterable[str] | None = None,
    numbers: Iterable[str] | None = None,
    solver: str = DEFAULT_SOLVER,
    dt: float | None = None,
    speed: float = 1.0,
    paused: bool = False,
) -> SessionSettings:
    """Settings with drives, initial positions and velocities, forces and parameters from text. Raises UsageError if one
    cannot be read."""
    return SessionSettings(
        solver=solver,
        dt=dt,
        speed=speed,
        paused=paused,
        drives=tuple(map(parse_drive, drives or ())),
        initial=tuple(map(parse_initial, initial or ())),
        initial_velocity=tuple(parse_initial(text, "velocity") for text in initial_velocity or ()),
        forces=tuple(map(parse_force, forces or ())),
        numbers=parse_numbers(numbers or ()),
    )


def demonstration_drives(world: World, mechanism: Mechanism) -> tuple[tuple[str, Drive], ...]:
    """The drives with which a document asks the window to start; without those of axes that do not exist or
    follow."""
    followers = mechanism.follower_axes()
    found = []
    for wish in world.drives:
        axis = mechanism.axis_index(wish.axis)
        if axis is not None and axis not in followers:
            found.append((mechanism.axes[axis].name, Drive(DriveKind(wish.kind), wish.profile)))
    return tuple(found)


def parse_initial(text: str, what: str = "position") -> tuple[str, float]:
    """`AXIS=VALUE` from the command line. Raises UsageError for other text."""
    name, separator, value = text.rpartition("=")
    if not separator or not name:
        raise UsageError(f"'{text}' is not an initial {what}: write AXIS=VALUE, e.g. crank_joint=0.5")
    return name, finite_number(value, text)


def find_axis(mechanism: Mechanism, name: str) -> int:
    """Index of an axis by name. Raises UnknownNameError with the names that exist, UsageError for an ambiguous
    name and for a hinge of a ball joint."""
    index = mechanism.axis_index(name)
    if index is None:
        meant = [axis.name for axis in mechanism.axes if axis.name.endswith(f"::{name}")]
        if meant:
            raise UsageError(f"'{name}' is ambiguous: {', '.join(sorted(meant))}")
        hinges = mechanism.hinges_beside(name)
        if hinges:
            raise UsageError(
                f"'{name}' has no axis of its own: {', '.join(hinges)} are a ball joint, which cannot be driven about "
                "a single axis; give one of them limits, damping or an actuator in the document to have three hinges"
            )
        raise UnknownNameError("axis", name, (axis.name for axis in mechanism.axes))
    return index


def step_of(opened: Opened, settings: SessionSettings) -> float:
    """The step [s]: the settings' or the document's. Raises UsageError if it is not a usable step."""
    dt = settings.dt if settings.dt is not None else opened.world.physics.max_step_size
    if not math.isfinite(dt) or not 0.0 < dt <= LONGEST_STEP:
        raise UsageError(f"a step of {dt:g} s cannot be simulated; choose more than 0 and at most {LONGEST_STEP:g} s")
    return dt


def checked_speed(factor: float) -> float:
    """The speed. Raises UsageError for a number that is not positive and finite."""
    if not (math.isfinite(factor) and factor > 0.0):
        raise UsageError(f"a speed of {factor:g} is not possible; give simulated seconds per second, e.g. 0.5")
    return factor
