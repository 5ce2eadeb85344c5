"""Kinematic quality of a pose for one driver, at a moment of a simulation and over its recording: transmission angles,
velocity ratios, mechanical advantages and the smallest singular value; polodes and the ends of the driver.

The columns are those of `simulator analyse`. The mechanical advantage of an output is its effort per effort of the
driver without losses, by virtual power ω_in / ω_out (Norton, Design of Machinery, section 6.5; Uicker, Pennock and
Shigley, Theory of Machines and Mechanisms, section 3.19).
"""

from __future__ import annotations

from collections import OrderedDict
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.analysis.centres import Polodes, centres_in_world, plane_normal, polodes
from simulator.analysis.freedoms import POINTS
from simulator.analysis.sweeps import Move, Route, Sweeper
from simulator.analysis.table import advantage, angle_columns, ratio_columns
from simulator.analysis.transmission import drives_of, transmission_angle
from simulator.condition.condition import least_singular_value, rank_of_rows
from simulator.condition.start import start_of
from simulator.engine.state_transfer import joint_state_of
from simulator.errors import SimulatorError
from simulator.kinematics.closure import closure_of
from simulator.kinematics.kinematics import Kinematics
from simulator.mechanism.placed_loads import place_on_body
from simulator.mechanism.types import WORLD_BODY
from simulator.recording.history import on_grid
from simulator.records import dataclass
from simulator.session.look.driver_analysis import suggested_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.analysis.sweeps import Swept
    from simulator.analysis.table import Column
    from simulator.engine.snapshot import Snapshot
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.session.run.client import SimulationClient
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3


SIGMA = "sigma_min"
ANGLE, RATIO, ADVANTAGE = "transmission_angle", "velocity_ratio", "mechanical_advantage"
REMEMBERED = 20_000
"""Largest number of cached moments."""
AT_REST = 1e-12
"""A ratio, and a change of it, below this is round-off of no motion."""
STANDS = 1e-7
"""Part of its arm by which an instant centre must move to have a polode."""


class Figure(NamedTuple):
    """`key`: column of an analysis, such as `transmission_angle/four_bar::rocker_pin`, or `sigma_min`."""

    key: str
    unit: str


class KinematicFigures:
    """Kinematics of one mechanism, moved by the axis `driver`; axes that it does not move stay. `figures`: those of
    `at`: transmission angles, velocity ratios and mechanical advantages of the axes that move along, the smallest σ.
    `sweeper`: see `sweeper_of`, made by default. Without `sigma` that is nan, see `with_sigma`."""

    def __init__(
        self, mechanism: Mechanism, driver: int, sweeper: Sweeper | None = None, *, sigma: bool = True
    ) -> None:
        self.mechanism, self.driver = mechanism, driver
        self._kinematics = Kinematics(mechanism).as_meant
        self._sweeper = sweeper or sweeper_of(mechanism)
        self._rank = 0
        self._fixed_sigma: float | None = None
        begin = start_of(self._kinematics).state
        start = self._swept(begin) or self._swept(closure_of(self._kinematics, begin).generic)
        self._drives = drives_of(mechanism, frozenset((driver,))) if start is not None else ()
        self._outputs = np.array(_outputs(start) if start is not None else (), dtype=int)
        columns = [*angle_columns(start), *self._ratio_columns(start)] if start is not None else []
        constrained = [Figure(SIGMA, "")] if mechanism.couplings or mechanism.loop_joints else []
        self.figures: tuple[Figure, ...] = (*(Figure(name, unit) for name, unit, _ in columns), *constrained)
        if sigma:
            self._find_sigma()

    def with_sigma(self) -> KinematicFigures:
        """The same with the smallest σ, which takes half as long as all others for a thousand bodies."""
        found = copy(self)
        found._find_sigma()
        return found

    def _find_sigma(self) -> None:
        found = rank_of_rows(self._kinematics)
        self._rank = found.along
        self._fixed_sigma = found.least if not self.mechanism.loop_joints else None

    def at(self, snapshot: Snapshot) -> Array:
        """The figures at a snapshot, shape (n_figures,); nan at a dead point of the driver."""
        return self._at(_state(self.mechanism, snapshot))

    def _at(self, state: JointState) -> Array:
        found = np.full(len(self.figures), np.nan)
        swept = self._swept(state)
        if swept is not None:
            ratios = swept.ratio[0, self._outputs]
            angles = [float(transmission_angle(swept, drive)[0]) for drive in self._drives]
            found[: len(angles) + 2 * len(ratios)] = [*angles, *ratios, *advantage(ratios)]
        if self._rank:
            fixed = self._fixed_sigma
            found[-1] = least_singular_value(self._kinematics, state, self._rank) if fixed is None else fixed
        return found

    def _ratio_columns(self, swept: Swept) -> list[Column]:
        """Velocity ratios, then mechanical advantages."""
        columns = ratio_columns(swept, self._outputs.tolist())
        return columns[::2] + columns[1::2]

    def _swept(self, state: JointState) -> Swept | None:
        """None at a dead point of the driver."""
        try:
            return self._sweeper.here(state, self.driver)
        except SimulatorError:
            return None


def _outputs(swept: Swept) -> tuple[int, ...]:
    """Axes on the ground that move with the driver; all axes that do if none of them is on the ground."""
    mechanism = swept.mechanism
    joints = (*mechanism.joints, *mechanism.loop_joints)
    grounded = {
        motion.axis for joint in joints if WORLD_BODY in (joint.parent, joint.child) for motion in joint.motions
    }
    moving = moving_axes(swept)
    return tuple(axis for axis in moving if axis in grounded) or moving


def moving_axes(swept: Swept) -> tuple[int, ...]:
    """Axes that move with the first moved one: connected to it by loops or couplings, and not at rest because others
    are fixed. An axis that turns round at this position has a velocity of zero, but a second derivative."""
    mechanism = swept.mechanism
    driver = swept.route.moves[0].axis
    rates = np.maximum(np.abs(swept.points.rate), np.abs(swept.points.bend)).max(axis=0)
    return tuple(axis for axis in _tied(mechanism, driver) if axis != driver and rates[axis] > AT_REST)


def _tied(mechanism: Mechanism, driver: int) -> list[int]:
    """The axes of the driver's cluster, in their order."""
    for cluster in mechanism.clusters:
        joints = [mechanism.joints[i] for i in cluster.joints] + [mechanism.loop_joints[i] for i in cluster.loop_joints]
        axes = sorted({motion.axis for joint in joints for motion in joint.motions})
        if driver in axes:
            return axes
    return [driver]


def _state(mechanism: Mechanism, snapshot: Snapshot) -> JointState:
    return joint_state_of(
        mechanism, snapshot.position, snapshot.velocity, snapshot.body_poses, snapshot.body_velocities
    )


class FiguresOverTime:
    """Figures at moments of a recording, each computed once, in batches short enough for a window. For the last
    batch: `found`, the number of new ones, `complete`, whether the next has nothing to do."""

    def __init__(self, figures: KinematicFigures) -> None:
        self.figures = figures
        self.complete = True
        self.found = 0
        self._known: OrderedDict[tuple[float, bytes], Array] = OrderedDict()

    def trace(
        self, client: SimulationClient, columns: Sequence[int], times: tuple[float, float], dt: float, *,
        points: int = 240, new: int = 40,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Times (n,) and figures (n, n_figures) at some `points` moments between two `times` [s], at most `new` of
        them computed now, late ones first; `columns`: channels of positions, which identify a moment."""
        recorded, positions = client.trace(columns, times[0])
        rows = on_grid(recorded, times, points)
        found: list[tuple[float, Array]] = []
        allowed = new
        for row in rows[::-1].tolist():
            time = float(recorded[row])
            key = (time, positions[row].tobytes())
            if key not in self._known and new > 0:
                snapshot = client.history.at(time, dt)
                new = new - 1
                if snapshot is not None:
                    self._known[key] = self.figures.at(snapshot)
            if key in self._known:
                found.append((time, self._known[key]))
        self.complete = len(found) == len(rows)
        self.found = allowed - new
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        found.reverse()
        values = np.array([value for _, value in found]).reshape(len(found), len(self.figures.figures))
        return np.array([time for time, _ in found]), values


@dataclass(frozen=True, eq=False)
class Rolling:
    """Polodes of a `body`, see `analysis.centres`: paths of its instant centre on the ground and on the body."""

    body: int
    fixed: Array
    moving: Array


def sweeper_of(mechanism: Mechanism) -> Sweeper:
    """Positions of axes with their rounded directions corrected: axes out of line by a rounding are in line."""
    return Sweeper(Kinematics(mechanism).as_meant)


def driver_range(
    mechanism: Mechanism, snapshot: Snapshot, driver: int, sweeper: Sweeper | None = None
) -> tuple[Swept, ...]:
    """Sweeps of the driver from its present position: one whole turn, or down and up to its ends. `sweeper`: see
    `sweeper_of`, made by default.

    Raises UsageError or AssemblyError if the driver cannot be moved from here.
    """
    sweeper = sweeper or sweeper_of(mechanism)
    state = _state(mechanism, snapshot)
    here = float(state.position[driver])
    low, high = suggested_ends(mechanism.axes[driver], here)
    up = [] if high <= here else [sweeper.along(state, Route((Move(driver, here, high),), POINTS), loads=False)]
    if low == here and up and up[0].ended:  # it does not turn fully
        low = here - (high - here)
    down = [] if low >= here else [sweeper.along(state, Route((Move(driver, here, low),), POINTS), loads=False)]
    return (*down, *up)


class BodiesOverRange(NamedTuple):
    """R_WB and the origins of all bodies, shape (n_bodies, n, 3, 3) and (n_bodies, n, 3), from one end of the range of
    a driver to the other."""

    rotations: Array
    origins: Array

    def places(self, mechanism: Mechanism, link: str, at: Vec3) -> Array:
        """Path of a point of a link, in its frame [m], in the world, shape (n, 3)."""
        body, point, _ = place_on_body(link, at, mechanism.bodies)
        found: Array = self.origins[body] + self.rotations[body] @ np.array(point)
        return found


def bodies_over_range(mechanism: Mechanism, snapshot: Snapshot, driver: int) -> BodiesOverRange:
    """Poses of bodies over the range of a driver, on the branch of a snapshot: `POINTS` places of a driver that turns
    fully, as many to each side of one that ends. Raises the errors of `driver_range`."""
    sweeper = sweeper_of(mechanism)
    state = _state(mechanism, snapshot)
    sweeps = [_to_its_end(sweeper, state, swept) for swept in driver_range(mechanism, snapshot, driver, sweeper)]
    frames = [[swept.body_frames(body) for body in range(len(mechanism.bodies))] for swept in sweeps]
    parts = [[np.stack(part) for part in zip(*bodies, strict=True)] for bodies in frames]
    if len(parts) == 2:  # both begin in the middle
        parts[0] = [part[:, :0:-1] for part in parts[0]]
    rotations, origins = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    return BodiesOverRange(rotations, origins)


def _to_its_end(sweeper: Sweeper, state: JointState, swept: Swept) -> Swept:
    """The same sweep with all of its points before its stop."""
    move = swept.route.moves[0]
    if not np.isfinite(swept.stopped) or swept.stopped == move.begin:
        return swept
    return sweeper.along(state, Route((Move(move.axis, move.begin, swept.stopped),), POINTS), loads=False)


def rollings(mechanism: Mechanism, sweeps: Sequence[Swept]) -> tuple[Rolling, ...]:
    """Polodes of the bodies whose instant centre moves, over the range of a driver; none in space."""
    if not sweeps or any(plane_normal(swept) is None for swept in sweeps):
        return ()
    centres = [centres_in_world(swept) for swept in sweeps]
    moving = np.flatnonzero(_moves(np.concatenate(centres))).tolist()
    pairs = [(swept, at) for swept, at in zip(sweeps, centres, strict=True)]
    return tuple(
        Rolling(body + 1, *_joined([polodes(swept, body + 1, at[:, body]) for swept, at in pairs])) for body in moving
    )


def _moves(centres: Array) -> NDArray[np.bool_]:
    """Which of the points of shape (n, n_bodies, 3) move; nan ones do not."""
    known = np.isfinite(centres)
    low, high = (f(np.where(known, centres, fill), axis=0) for f, fill in ((np.min, np.inf), (np.max, -np.inf)))
    size = np.abs(np.where(known, centres, 0.0)).max(axis=(0, 2))
    moves: NDArray[np.bool_] = (high - low).max(axis=1) > STANDS * np.maximum(size, 1e-3)
    return moves


def _joined(pieces: list[Polodes]) -> Polodes:
    """Two sweeps begin in the middle: the first is reversed, so that both make one curve."""
    if len(pieces) == 1:
        return pieces[0]
    down, up = pieces
    return Polodes(*(np.concatenate((one[:0:-1], other)) for one, other in zip(down, up, strict=True)))
