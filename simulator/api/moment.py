"""The moment of a simulation: its state, the number of steps, and the energy ledger. Plain values, cheap to copy and
to send."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.snapshot import EnergyBalance
from simulator.engine.state_transfer import joint_state_of
from simulator.errors import AssemblyError, LimitsError, SimulationError, UsageError
from simulator.kinematics.free_bodies import with_poses
from simulator.kinematics.start import placed_at, starting_pose, within_bounds
from simulator.kinematics.state import multi_dof_joints, rest_state
from simulator.physics.compiled.cables_now import require_cables
from simulator.physics.queries.start_velocity import set_moving
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.queries.equations import Equations
    from simulator.physics.queries.requests import Requests
    from simulator.spatial.arrays import Array


class OnFailure:
    """Calls `step_back` if a simulation fails. (A generator with `contextlib` would cost as much as half a step.)"""

    def __init__(self, step_back: Callable[[], None]) -> None:
        self._step_back = step_back

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SimulationError):
            self._step_back()


@dataclass(frozen=True, eq=False)
class Moment:
    """`state` after `steps` steps; by then drives had done `work`, loads `loads` and contacts `contact`, `dissipated`
    was lost, separating overlaps had added `overlap`, and the balance was off by `error` [J]."""

    state: JointState
    steps: int = 0
    work: float = 0.0
    dissipated: float = 0.0
    error: float = 0.0
    loads: float = 0.0
    contact: float = 0.0
    overlap: float = 0.0

    @property
    def is_fresh(self) -> bool:
        """Whether nothing has happened yet, so that an engine at `state` needs no ledger."""
        return self.steps == 0 and not any(self._flown)

    @property
    def _flown(self) -> tuple[float, ...]:
        return self.work, self.dissipated, self.error, self.loads, self.contact, self.overlap

    def into(self, engine: Engine) -> None:
        """Restore this moment in an engine of the same mechanism; integral terms of drives start at zero."""
        engine.actuation.reset()
        energy = EnergyBalance(0.0, 0.0, *self._flown)
        engine.go_on_from(self.state, self.steps, energy)


def moment_of(engine: Engine, snapshot: Snapshot) -> Moment:
    """The moment of an engine; `snapshot`: its present one."""
    state = joint_state_of(
        engine.mechanism,
        snapshot.position,
        snapshot.velocity,
        snapshot.body_poses,
        snapshot.body_velocities,
        snapshot.cables,
    )
    return Moment(state, snapshot.step, *snapshot.energy.in_order[2:])


def moment_at_start(kinematics: Kinematics, rotors: Array | None) -> Moment:
    """The document's assembled start. Raises AssemblyError if there is none."""
    return Moment(set_moving(kinematics, starting_pose(kinematics, {}).state, {}, rotors))


def moment_with(
    kinematics: Kinematics,
    before: Moment | None,
    positions: Mapping[int, float],
    velocities: Mapping[int, float],
    poses: Mapping[str, object],
    equations: Equations,
    requests: Callable[[], Requests],
) -> Moment:
    """Axes and floating links (`poses`: X_WL by name) at requested places, the rest assembled around them near
    `before`, with axes moving as requested and not more than needed. `requests`: additional requests of the mechanism,
    considered only if there is a `before`.

    Raises UsageError for values beyond limits, AssemblyError if couplings and loops cannot follow; both name
    joints.
    """
    for axis, value in (*positions.items(), *velocities.items()):
        if not np.isfinite(value):
            raise UsageError(f"'{kinematics.mechanism.axes[axis].name}' cannot be set to {value:g}")
    start = rest_state(kinematics.mechanism) if before is None else at_rest(before.state)
    start = with_poses(kinematics.mechanism, start, poses)
    quick = requests() if before is not None and (positions or velocities) else None
    state = start
    if positions or poses or before is None:
        start = replace(start, cable_length=np.zeros(0))
        state = (quick and positions and quick.placed(start, positions)) or _placed(kinematics, start, positions)
        state = within_bounds(kinematics, state)
        require_cables(kinematics.mechanism, state)
    moving = quick.moving(state, velocities) if quick and velocities else None
    return Moment(moving or set_moving(kinematics, state, velocities, beside_document=False, equations=equations))


def _placed(kinematics: Kinematics, start: JointState, positions: Mapping[int, float]) -> JointState:
    try:
        return placed_at(kinematics, start, positions, search=True)
    except LimitsError:
        raise
    except AssemblyError as error:
        axes = kinematics.mechanism.axes
        asked = ", ".join(f"'{axes[axis].name}' at {value:g} {axes[axis].unit}" for axis, value in positions.items())
        raise AssemblyError(f"{error} (requested: {asked})") from None


def moment_carried(kinematics: Kinematics, before: Moment, independent: Sequence[int], rotors: Array | None) -> Moment:
    """`before` for a mechanism of the same structure with other numbers: axes in `independent` and bodies beside
    loops retain their positions and velocities, the rest is assembled around them. Raises AssemblyError if that is
    impossible."""
    held = {axis: float(before.state.position[axis]) for axis in independent}
    moving = {axis: float(before.state.velocity[axis]) for axis in independent}
    state = placed_at(kinematics, at_rest(before.state), held, search=True)
    found = set_moving(kinematics, state, moving, rotors, beside_document=False)
    twists = found.loose_twist.copy()
    twists[_unlooped(kinematics.mechanism)] = before.state.loose_twist[_unlooped(kinematics.mechanism)]
    return Moment(replace(found, loose_twist=twists))


def _unlooped(mechanism: Mechanism) -> list[int]:
    """Places among balls and free joints of those whose motion no loop determines."""
    looped = {joint for cluster in mechanism.clusters if cluster.loop_joints for joint in cluster.joints}
    return [place for place, joint in enumerate(multi_dof_joints(mechanism)) if joint not in looped]


def at_rest(state: JointState) -> JointState:
    """The same positions at rest."""
    return replace(state, velocity=np.zeros_like(state.velocity), loose_twist=np.zeros_like(state.loose_twist))
