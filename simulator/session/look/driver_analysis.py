"""Positions along one driver from the present pose, and its modes there: data for plots and animations of a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.analysis.analysis import Analysis
from simulator.analysis.independent import IndependentAxes
from simulator.analysis.linear import linearised
from simulator.analysis.sweeps import Move, Route, Sweeper
from simulator.analysis.wrenches import compliances_of
from simulator.engine.rotors import rotor_inertia
from simulator.engine.state_transfer import joint_state_of
from simulator.errors import SimulatorError
from simulator.kinematics.kinematics import Kinematics
from simulator.mechanism.types import MotionKind
from simulator.session.text.force_text import with_loads
from simulator.spatial.rotation import quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from simulator.analysis.linear import Mode
    from simulator.engine.snapshot import Snapshot
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import AxisInfo, Mechanism
    from simulator.model.loads import Load
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array


SLIDE = 0.1
"""Range of a sliding axis without limits [m]."""
FRAMES = 48
"""Pictures of a swing."""
SWING = 0.25
"""Amplitude of the axis that moves furthest in a mode [rad, m], if nothing limits it."""


def suggested_ends(axis: AxisInfo, position: float) -> tuple[float, float]:
    """Default range of a moved axis: between its limits, else one turn from the present position."""
    lower, upper = axis.axis.lower, axis.axis.upper
    if axis.kind is MotionKind.ROTATION:
        if np.isfinite([lower, upper]).all() and upper - lower < 4.0 * np.pi:
            return lower, upper
        return position, position + 2.0 * np.pi
    return (lower, upper) if np.isfinite([lower, upper]).all() else (position - SLIDE, position + SLIDE)


class SeenState(NamedTuple):
    """Analyses of a mechanism at a snapshot."""

    mechanism: Mechanism
    state: JointState
    rotors: Array | None


def look(opened: Opened, mechanism: Mechanism, snapshot: Snapshot, forces: Iterable[Load] = ()) -> SeenState:
    """`mechanism`: with its present laws; `forces` act besides those of its document. Raises the errors of
    `with_loads`."""
    mechanism = with_loads(mechanism, forces)
    state = joint_state_of(
        mechanism, snapshot.position, snapshot.velocity, snapshot.body_poses, snapshot.body_velocities
    )
    return SeenState(mechanism, state, rotor_inertia(opened.actuators, mechanism))


def along_driver(
    opened: Opened,
    seen: SeenState,
    axis: int,
    ends: tuple[float, float],
    *,
    points: int = 361,
    velocity: float = 0.0,
    acceleration: float = 0.0,
) -> Analysis:
    """The sweep of one axis between two positions [rad or m] with a velocity and an acceleration towards the second
    [rad/s or m/s, per s]; axes that no loop or coupling moves stay; on the branch of the snapshot. Raises
    UsageError, AssemblyError."""
    sweeper = Sweeper(Kinematics(seen.mechanism).as_meant, seen.rotors, compliances_of(opened.world))
    route = Route((Move(axis, *ends),), points, velocity, acceleration)
    return Analysis(sweeper.along(seen.state, route))


class Swing(NamedTuple):
    """A mode, the amplitude of the axis that moves furthest [rad or m], and X_WB of one period, shape
    (FRAMES, n_bodies, 7)."""

    mode: Mode
    amplitude: float
    frames: Array


class ModesHere(NamedTuple):
    """Modes around a pose, slow ones first, whether it is stable, and the efforts that hold the mechanism in it, zero
    for an equilibrium, shape (n_axes,) [N m or N]."""

    modes: tuple[Mode, ...]
    stable: bool
    held: Array


def modes_at(seen: SeenState) -> ModesHere:
    """Modes of small motion around the snapshot, at rest, held there by efforts. Raises UsageError if independent
    coordinates are not all axes."""
    axes = _axes(seen)
    still = np.zeros(len(axes.axes))
    efforts = np.zeros(len(seen.mechanism.axes))
    efforts[list(axes.axes)] = axes.needed(axes.q.copy(), still)
    model = linearised(axes, still, efforts)
    return ModesHere(model.modes, model.is_stable, efforts)


def swing(seen: SeenState, mode: Mode) -> Swing:
    """Oscillation of the mechanism in a mode around the snapshot, without damping, loops closed. Raises the errors of
    `modes_at`, and AssemblyError if not even a small oscillation is possible."""
    axes = _axes(seen)
    start = axes.q.copy()
    shape = mode.shape[list(axes.axes)]
    amplitude = SWING
    while True:
        try:
            return Swing(mode, amplitude, np.stack([_posed(axes, start, shape, amplitude, part) for part in _parts()]))
        except SimulatorError:
            amplitude *= 0.5
            if amplitude < SWING / 64.0:
                raise
            axes = _axes(seen)


def _parts() -> list[complex]:
    """Phases of a period that begins at the present pose."""
    return [complex(part) for part in -1j * np.exp(2j * np.pi * np.arange(FRAMES) / FRAMES)]


def _posed(
    axes: IndependentAxes, start: Array, shape: NDArray[np.complex128], amplitude: float, part: complex
) -> Array:
    axes.go(start + amplitude * (shape * part).real)
    machine = axes.swept
    matrices = machine.kinematics.body_matrices(machine.model.joint_state())
    return np.array([(*X[:3, 3], *quat_from_matrix(X[:3, :3])) for X in matrices])


def _axes(seen: SeenState) -> IndependentAxes:
    return IndependentAxes(Sweeper(Kinematics(seen.mechanism).as_meant, seen.rotors).swept, seen.state)
