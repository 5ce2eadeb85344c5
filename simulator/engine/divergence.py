"""Why a run cannot continue: what ran away or jammed, and which damper, spring or loop is too fast for the step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.drives import DriveKind
from simulator.engine.jam import balls_of_hinges
from simulator.errors import DivergedError, JammedError
from simulator.physics.compiled.bounded import BoundedMechanism
from simulator.physics.compiled.motors_now import response_now
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from simulator.diagnostics import Source
    from simulator.engine.actuation import Actuation
    from simulator.engine.pid import Gains
    from simulator.engine.port import BackendState, IntegratedDynamics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


RUN_AWAY = 1e12
"""Positions and speeds [SI] beyond any mechanism: a simulation that reaches them has diverged."""
RESOLVED = 10.0
"""Steps in a time constant from which a motion is resolved."""
GROWN = 1e6
"""Numbers [SI] beyond those of a controller whose mechanism rests or moves properly."""


@dataclass(frozen=True)
class Fast:
    """A damper, spring or loop and its `time_constant` [s]: of a decay, or of a radian of a swing. `unstable`: what
    shows that it grows by itself, a loop by its gains or a controller of a script by what it wrote; else empty.
    `source`: where the document has it."""

    what: str
    time_constant: float
    unstable: str = ""
    source: Source | None = None

    def __str__(self) -> str:
        """With the step that would follow it."""
        return (
            f"{self.what} (time constant {self.time_constant:.3g} s; "
            f"a step of {self.time_constant / RESOLVED:.1g} s would follow it)"
        )


def fast_elements(
    mechanism: Mechanism, state: JointState, actuation: Actuation, dt: float, added_inertia: Array | None
) -> list[Fast]:
    """Dampers, springs and loops whose time constant at `state` is less than `dt` [s], the fastest first; before them
    loops that are unstable by themselves."""
    bounded = BoundedMechanism(mechanism, added_inertia=added_inertia)
    bounded.model.set_state(state)
    found = [*_passive(mechanism, bounded), *_loops(mechanism, actuation, bounded)]
    blamed = [fast for fast in found if fast.unstable or fast.time_constant < dt]
    return sorted(blamed, key=lambda fast: (not fast.unstable, fast.time_constant))


def _passive(mechanism: Mechanism, bounded: BoundedMechanism) -> Iterable[Fast]:
    """Dampers and springs of the document."""
    axes = [(i, info) for i, info in enumerate(mechanism.axes) if info.axis.damping or info.axis.spring_stiffness]
    mobilities = np.diag(response_now(bounded, [((i, 1.0),) for i, _ in axes])[1]).tolist()
    for (_, info), mobility in zip(axes, mobilities, strict=True):
        if info.axis.damping * mobility > 0.0:
            # v' = -d W v decays in 1 / (d W).
            yield Fast(f"the damper of '{info.name}'", 1.0 / (info.axis.damping * mobility), source=info.source)
        if info.axis.spring_stiffness * mobility > 0.0:
            # q'' = -k W q swings a radian in 1 / √(k W).
            constant = float((info.axis.spring_stiffness * mobility) ** -0.5)
            yield Fast(f"the spring of '{info.name}'", constant, source=info.source)


def _loops(mechanism: Mechanism, actuation: Actuation, bounded: BoundedMechanism) -> Iterable[Fast]:
    """Loops of axes and actuators, by the fastest of their gains."""
    loops = actuation.loops([info.name for info in mechanism.axes])
    mobilities = np.diag(response_now(bounded, [terms for _, terms, _ in loops])[1]).tolist()
    for (name, _, drive), mobility in zip(loops, mobilities, strict=True):
        gains = drive.gains
        assert gains is not None
        first = 2 if drive.kind is DriveKind.POSITION else 1
        values = (gains.derivative, 1), (gains.proportional, first), (gains.integral, first + 1)
        # Each gain alone makes x^(n) = -gain W x, of rate (gain W)^(1/n).
        rates = [(gain * mobility) ** (1.0 / power) for gain, power in values if gain * mobility > 0.0]
        if rates:
            yield Fast(f"the loop of '{name}'", 1.0 / max(rates), _unstable(gains, mobility) if first == 2 else "")


def _unstable(gains: Gains, mobility: float) -> str:
    """Routh: s^3 + W D s^2 + W P s + W I has a root with a positive real part if I > W D P."""
    most = mobility * gains.derivative * gains.proportional
    if gains.integral <= most:
        return ""
    why = f"integral gain {gains.integral:g} is more than proportional times derivative gain over inertia, {most:.3g}"
    return f"whose gains are unstable at any step: {why}"


def grown_controllers(mechanism: Mechanism, written: Mapping[int, tuple[float, float]]) -> list[Fast]:
    """What writes to drives, by axis the least and the greatest number, where these have grown beyond all measure: a
    controller that is sampled too rarely for its gains."""
    most = {axis: max(map(abs, numbers)) for axis, numbers in written.items()}
    return [
        Fast(
            f"the controller of '{mechanism.axes[axis].name}'",
            0.0,
            f"whose numbers have grown to {number:.3g}: it is likely unstable at the rate at which it is called",
        )
        for axis, number in most.items()
        if number >= GROWN
    ]


def is_bounded(*parts: Array) -> bool:
    """Whether all numbers are finite and within bounds."""
    return all(np.abs(part).max(initial=0.0) < RUN_AWAY for part in parts)


def require_bounded(
    mechanism: Mechanism,
    state: BackendState,
    *,
    time: float,
    dt: float,
    fast: Callable[[], list[Fast]],
    since: float | None = None,
) -> None:
    """Raise DivergedError if a state is not finite or beyond all bounds (Bullet clips speeds, so that they never become
    infinite). `fast` is asked then only. `since` [s]: when it was last seen within bounds, if not a step before."""
    if is_bounded(state.position, state.velocity, state.body_poses, state.body_velocities):
        return
    with np.errstate(invalid="ignore"):
        held = (np.abs(state.position) < RUN_AWAY) & (np.abs(state.velocity) < RUN_AWAY)
        floating = bool(
            (np.abs(state.body_poses) < RUN_AWAY).all() and (np.abs(state.body_velocities) < RUN_AWAY).all()
        )
    in_tree = np.array([info.in_tree for info in mechanism.axes], dtype=bool)
    bad = np.flatnonzero(in_tree & ~held)
    if not len(bad) and floating:
        return
    name = f"'{mechanism.axes[int(bad[0])].name}'" if len(bad) else "a free body"
    when = f"at {time:.6g} s" if since is None else f"between {since:.6g} s and {time:.6g} s"
    balls = [" ".join(f"'{hinge}'" for hinge in names) for names in balls_of_hinges(mechanism)]
    lock = f"; or else a gimbal lock of hinges that stand for a ball: {', '.join(balls)}" if balls else ""
    found = fast()
    cause = _lightness(mechanism) if not found else ""
    raise DivergedError(
        f"the simulation diverged {when}: {name} has run away; {cause or _cause(found, dt)}{lock}", time
    )


def require_going(dynamics: IntegratedDynamics, *, time: float) -> None:
    """Raise JammedError if a loop came open, or a motor is blocked."""
    trouble = dynamics.trouble()
    if trouble:
        raise JammedError(f"the mechanism jammed at {time:.6g} s: {trouble}", time)


def _lightness(mechanism: Mechanism) -> str:
    """What links have to do with it whose inertia the document leaves out; empty where it leaves out none."""
    light = [finding for finding in mechanism.diagnostics if finding.code == "NO_INERTIA"]
    if not light:
        return ""
    place = f"{light[0].file}:{light[0].line}"
    return f"links have no inertia of their own ({place}): what hangs on them turns them too fast for any step"


def _cause(found: list[Fast], dt: float) -> str:
    if not found:
        return f"the likely cause is a step of {dt:g} s that is too long; no spring, damper or loop is faster than it"
    if found[0].unstable:
        return f"the cause is {found[0].what}, {found[0].unstable}"
    return f"the likely cause is {too_long(found, dt)}"


def too_long(found: list[Fast], dt: float) -> str:
    """`a step of 0.001 s that is too long for the damper of 'j' (…)`."""
    more = f", and for {len(found) - 1} more like it" if len(found) > 1 else ""
    return f"a step of {dt:g} s that is too long for {found[0]}{more}"
