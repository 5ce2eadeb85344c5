"""Stops, speed and effort limits, friction and drives, under both strategies of our own; and the end of a simulation
that cannot continue.

A stop is a row between bounds: an axis ends a step at it, not beyond it, so an overshoot of 1e-9 is far above what is
seen; the energy that stops take is booked impulse by impulse, so the ledger closes to the integrator's own error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.engine.snapshot import Snapshot
from simulator.model.profiles import Constant
from tests.helpers.documents import mimic
from tests.physics.axes import dynamics, limit
from tests.physics.worlds import advance, example, joint, link, model, record_steps, running, world

Write = Callable[..., Path]
STRATEGIES = pytest.mark.parametrize("solver", ["rows", "reduced"])
OVERSHOOT = 1e-9


def watched(
    engine: Engine, duration: float, stops: dict[int, tuple[float, float]], *, energy: float = 1e-9
) -> Snapshot:
    """Let time pass; no axis passes its stops, and the ledger closes within `energy` of the largest kinetic energy, at
    every step."""
    steps = record_steps(engine, round(duration / engine.dt))
    for axis, (low, high) in stops.items():
        assert low - OVERSHOOT <= steps.position[:, axis].min()
        assert steps.position[:, axis].max() <= high + OVERSHOOT
    largest = steps.kinetic.max()
    assert np.abs(steps.error).max() <= energy * max(largest, 1e-9)
    return engine.snapshot()


def pair(lead: str, follow: str, multiplier: float = 0.02) -> str:
    return world(
        model(
            link("a", inertia="1e-4 1e-4 1e-4"),
            link("b"),
            joint("lead", "revolute", "a", inside_axis=lead),
            joint("follow", "prismatic", "b", axis="1 0 0", inside_axis=follow + mimic("lead", multiplier)),
        )
    )


# --- stops
# --------------------------------------------------------------------------------------------------------------


@STRATEGIES
@pytest.mark.parametrize("drive", ["effort:0.01", "velocity:3", "position:5", "velocity:200"])
@pytest.mark.parametrize(
    ("lead", "follow", "multiplier", "end"),
    [
        (limit(-1.0, 2.0), "", 0.02, 2.0),
        ("", limit(-0.1, 0.05), 0.02, 2.5),
        (limit(-1.0, 3.0), limit(-0.05, 0.01), -0.02, 2.5),
    ],
)
def test_stops_of_leaders_and_followers(
    write_document: Write, solver: str, drive: str, lead: str, follow: str, multiplier: float, end: float
) -> None:
    """Whichever has the stop, both end there and stay, whatever drives; pressing further is not a failure."""
    with running(write_document(pair(lead, follow, multiplier)), drives=(f"lead={drive}",), solver=solver) as engine:
        snapshot = watched(engine, 1.5, {0: (-end, end)})
        assert snapshot.position[0] == pytest.approx(end, abs=OVERSHOOT)
        assert abs(snapshot.velocity[0]) <= 1e-9
        assert snapshot.worst_coupling_residual() <= 1e-15


@STRATEGIES
def test_the_stop_at_the_end_of_a_chain(write_document: Write, solver: str) -> None:
    """j3 = -2 (j2 - 0.02) + 0.01 and so on down to j0: the last one's stop at -0.4 holds all."""
    law = mimic
    parts = [link(f"l{i}", inertia="1e-2 1e-2 1e-2") for i in range(4)]
    parts.append(joint("j0", "revolute", "l0"))
    parts += [
        joint(
            f"j{i}",
            "revolute",
            f"l{i}",
            inside_axis=(limit(-0.4, 0.4) if i == 3 else "") + law(f"j{i - 1}", -2.0, 0.01, 0.02),
        )
        for i in (1, 2, 3)
    ]
    with running(write_document(world(model(*parts))), drives=("j0=effort:0.5",), solver=solver) as engine:
        snapshot = watched(engine, 1.0, {3: (-0.4, 0.4)})
        assert snapshot.position[3] == pytest.approx(-0.4, abs=OVERSHOOT)
        q = -0.4
        for _ in range(3):
            q = (q - 0.01) / -2.0 + 0.02
        assert snapshot.position[0] == pytest.approx(q, abs=OVERSHOOT)


@STRATEGIES
def test_a_pendulum_falls_on_its_stop(write_document: Write, solver: str) -> None:
    """m g l sin of its turn becomes heat at the stop: the ledger says how much."""
    text = world(
        model(
            link("a", inertia="0.1 0.1 0.1", com="0.5 0 0"),
            joint("j", "revolute", "a", axis="0 1 0", inside_axis=limit(-0.3, 0.7)),
        )
    )
    with running(write_document(text), solver=solver) as engine:
        snapshot = watched(engine, 1.0, {0: (-0.3, 0.7)})
        assert snapshot.position[0] == pytest.approx(0.7, abs=OVERSHOOT)
        assert snapshot.energy.dissipated == pytest.approx(9.8 * 0.5 * math.sin(0.7), rel=1e-9)


@STRATEGIES
def test_a_screw_has_stops(write_document: Write, solver: str) -> None:
    text = world(
        model(
            link("a", mass=2.0, inertia="0.1 0.1 0.01"),
            joint(
                "j", "screw", "a", inside_axis=limit(-5.0, 3.0), extra="<screw_thread_pitch>0.05</screw_thread_pitch>"
            ),
        )
    )
    with running(write_document(text), solver=solver) as engine:
        snapshot = watched(engine, 4.0, {0: (-5.0, 3.0)})
        assert snapshot.position[0] == pytest.approx(-5.0, abs=OVERSHOOT)
        assert snapshot.position[1] == pytest.approx(-5.0 * 0.05 / (2 * math.pi), abs=OVERSHOOT)


@STRATEGIES
def test_an_impact_throws_another_axis_at_its_stop(write_document: Write, solver: str) -> None:
    """A sled of 10 kg at 5 m/s is stopped at once; a block on it continues at 5 m/s and has 2 mm left, less than the
    way of a step: its stop was out of sight before the impact."""
    text = world(
        model(
            link("sled", mass=10.0),
            link("load"),
            joint("slide", "prismatic", "sled", axis="1 0 0", inside_axis=limit(-1.0, 0.1003)),
            joint("slip", "prismatic", "load", parent="sled", axis="1 0 0", inside_axis=limit(0.0, 0.002)),
        ),
        gravity="0 0 0",
    )
    with running(write_document(text), drives=("slide=velocity:5",), solver=solver) as engine:
        watched(engine, 0.01, {0: (-1.0, 0.1003), 1: (0.0, 0.002)})
        engine.set_drive(0, None)
        snapshot = watched(engine, 0.1, {0: (-1.0, 0.1003), 1: (0.0, 0.002)})
        assert np.abs(snapshot.velocity).max() <= 1e-9


@STRATEGIES
def test_a_drive_faster_than_its_room(write_document: Write, solver: str) -> None:
    """500 m/s would be 0.5 m a step; the stop is 6 cm away."""
    text = world(model(link("a"), joint("j", "prismatic", "a", axis="1 0 0", inside_axis=limit(-1.0, 0.06))))
    with running(write_document(text), drives=("j=velocity:500",), solver=solver) as engine:
        watched(engine, 0.02, {0: (-1.0, 0.06)})


def four_bar_with(joint_name: str, inside_axis: str) -> str:
    """The example four-bar without visuals, with something inside one axis."""
    text = re.sub(r"<visual.*?</visual>", "", example("four_bar").read_text(), flags=re.DOTALL)
    end = text.index("</xyz>", text.index(f'<joint name="{joint_name}"')) + len("</xyz>")
    return text[:end] + inside_axis + text[end:]


@STRATEGIES
@pytest.mark.parametrize(
    ("name", "low", "high"), [("closing_joint", -0.1, 0.4), ("coupler_joint", -0.1, 2.4), ("rocker_joint", -0.02, 0.4)]
)
def test_stops_in_a_loop(write_document: Write, solver: str, name: str, low: float, high: float) -> None:
    """Any joint of the loop may have them, the cut one too. The ledger is good to what the step of order four and the
    projection leave of a loop, 1e-7 as everywhere in loops."""
    with running(write_document(four_bar_with(name, limit(low, high))), solver=solver) as engine:
        axis = engine.mechanism.axis_index(name)
        assert axis is not None
        snapshot = watched(engine, 1.0, {axis: (low, high)}, energy=1e-7)
        assert min(abs(snapshot.position[axis] - low), abs(snapshot.position[axis] - high)) <= OVERSHOOT
        assert np.abs(snapshot.velocity).max() <= 1e-9
        assert snapshot.worst_loop_residual()[0] <= 1e-12


# --- speed, effort, friction
# --------------------------------------------------------------------------------------------


@STRATEGIES
def test_a_speed_limit_without_a_drive(write_document: Write, solver: str) -> None:
    """A falling slide keeps to 0.5 m/s once it is there, and what gravity does goes to the ledger."""
    text = world(model(link("a"), joint("j", "prismatic", "a", inside_axis=limit(velocity=0.5))))
    with running(write_document(text), solver=solver) as engine:
        snapshot = watched(engine, 0.5, {})
        assert snapshot.velocity[0] == pytest.approx(-0.5, rel=1e-12)
        at = 0.5 / 9.8
        assert snapshot.position[0] == pytest.approx(-0.5 * 0.5 * at - 0.5 * (0.5 - at), abs=0.5 * 9.8e-6)


@STRATEGIES
@pytest.mark.parametrize(
    ("limits", "drive", "velocity", "effort"),
    [
        ("", "effort:2.9", 0.0, 2.9),
        ("", "effort:5", 1.0 * 0.5, 5.0),
        ("", "velocity:0.5", 0.5, 3.0),
        (limit(effort=2.0), "velocity:0.5", 0.0, 2.0),
        (limit(effort=5.0), "velocity:3", 1.0 * 0.5, 5.0),
        (limit(velocity=0.2), "velocity:0.5", 0.2, 3.0),
        (limit(effort=2.0), "effort:9", 0.0, 2.0),
    ],
)
def test_friction_under_every_kind_of_drive(
    write_document: Write, solver: str, limits: str, drive: str, velocity: float, effort: float
) -> None:
    """3 N of friction on 2 kg: less does not move it, 5 N give 1 m/s^2, a speed that is held costs 3 N. After 0.5 s."""
    slide = joint("j", "prismatic", "a", axis="1 0 0", inside_axis=dynamics(friction=3.0) + limits)
    with running(
        write_document(world(model(link("a", mass=2.0), slide))), drives=(f"j={drive}",), solver=solver
    ) as engine:
        snapshot = watched(engine, 0.5, {})
        assert snapshot.velocity[0] == pytest.approx(velocity, rel=1e-9, abs=1e-12)
        assert snapshot.effort[0] == pytest.approx(effort, rel=1e-9)


@STRATEGIES
def test_a_position_drive_works_against_friction(write_document: Write, solver: str) -> None:
    """It arrives within a thousandth of its way and the ledger stays closed."""
    slide = joint("j", "prismatic", "a", axis="1 0 0", inside_axis=dynamics(friction=3.0) + limit(effort=20.0))
    with running(
        write_document(world(model(link("a", mass=2.0), slide))), drives=("j=position:0.1",), solver=solver
    ) as engine:
        snapshot = watched(engine, 1.0, {})
        assert snapshot.position[0] == pytest.approx(0.1, abs=1e-4)
        assert abs(snapshot.velocity[0]) <= 1e-6


@STRATEGIES
@pytest.mark.parametrize("start", [1.4, -1.5])
def test_a_position_drive_lets_a_weight_down_without_dropping_it(
    write_document: Write, solver: str, start: float
) -> None:
    """1 kg at 0.5 m needs 4.9 N m where it is to stay and the drive has 8: from above, gravity pulls it there and
    leaves 3 to brake with; from below it helps to brake. It arrives from either side, never a hundredth of its way
    beyond, and stays."""
    hinge = joint("j", "revolute", "a", axis="0 -1 0", inside_axis=limit(effort=8.0))
    rod = link("a", inertia="0.001 0.02 0.02", com="0.5 0 0")
    with running(
        write_document(world(model(rod, hinge))), drives=("j=position:0",), initial=(f"j={start}",), solver=solver
    ) as engine:
        beyond = -math.copysign(1.0, start) * record_steps(engine, 2000).position[:, 0]
        assert beyond.max() <= 0.01 * abs(start)
        assert engine.snapshot().position[0] == pytest.approx(0.0, abs=1e-9)
        assert engine.snapshot().effort[0] == pytest.approx(1.0 * 9.8 * 0.5, rel=1e-9)


@STRATEGIES
def test_friction_of_a_follower_is_felt_by_its_leader(write_document: Write, solver: str) -> None:
    """1 N at the follower are 0.02 N m at the leader: 0.019 do not move it, 0.025 leave 0.005 for 5e-4 kg m^2."""
    for torque, speed in ((0.019, 0.0), (0.025, 10.0 * 0.2)):
        with running(
            write_document(pair("", dynamics(friction=1.0))), drives=(f"lead=effort:{torque}",), solver=solver
        ) as engine:
            assert watched(engine, 0.2, {}).velocity[0] == pytest.approx(speed, rel=1e-9, abs=1e-12)


@STRATEGIES
@pytest.mark.parametrize("drive", ["velocity:0", "position:0"])
@pytest.mark.parametrize("joints", [4, 12, 20])
def test_an_arm_with_a_motor_in_every_joint_holds_against_gravity(
    write_document: Write, solver: str, joints: int, drive: str
) -> None:
    """Motors of a chain pull at each other through its inertia, whose condition grows with the fourth power of its
    length."""
    links = [
        link(f"l{i}", inertia="0.001 0.02 0.02", com="0.25 0 0", pose=f"{0.5 * i} 0 0 0 0 0") for i in range(joints)
    ]
    hinges = [
        joint(f"j{i}", "revolute", f"l{i}", parent=f"l{i - 1}" if i else "world", axis="0 1 0") for i in range(joints)
    ]
    drives = tuple(f"j{i}={drive}" for i in range(joints))
    with running(write_document(world(model(*links, *hinges))), drives=drives, solver=solver) as engine:
        advance(engine, 0.1)
        snapshot = engine.snapshot()
        assert np.abs(snapshot.velocity).max() <= 1e-11
        outboard = [0.5 * k + 0.25 for k in range(joints)]
        assert snapshot.effort[0] == pytest.approx(-9.8 * sum(outboard), rel=1e-9)


@STRATEGIES
def test_a_drive_let_go_and_taken_up_again(write_document: Write, solver: str) -> None:
    """Pressed on the stop, let go, driven back: no sticking, no kick."""
    path = write_document(
        world(model(link("a"), joint("j", "prismatic", "a", axis="1 0 0", inside_axis=limit(-1.0, 0.1))))
    )
    with running(path, drives=("j=velocity:1",), solver=solver) as engine:
        watched(engine, 0.3, {0: (-1.0, 0.1)})
        engine.set_drive(0, None)
        assert watched(engine, 0.1, {0: (-1.0, 0.1)}).position[0] == pytest.approx(0.1, abs=OVERSHOOT)
        engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(-1.0)))
        assert watched(engine, 0.2, {0: (-1.0, 0.1)}).velocity[0] == pytest.approx(-1.0, rel=1e-12)
