"""The engine over a backend of closed form: what it asks for, what it books, and how it fails.

Flywheels of 0.02 kg m²; a step of 1 ms. 1e-12: a thousand additions of numbers of size 1.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.engine.core import UNBOUNDED_EFFORT
from simulator.engine.divergence import fast_elements
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.engine.passive import STICTION_SPEED, PassiveEfforts
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.errors import AssemblyError, DivergedError, EngineLimitError, UsageError
from simulator.kinematics.state import rest_state
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.profiles import Constant
from tests.helpers.drives import Runaway
from tests.helpers.fake_dynamics import FakeDynamics, Motor
from tests.helpers.linkages import four_bar
from tests.helpers.mechanisms import axis_of, joint, link, mechanism, mimic

DT = 0.001


def wheels(**axis: object) -> Mechanism:
    """`j` with these properties, `k` that follows it with factor 2, `p` on its own."""
    return mechanism(
        link("a"), link("b"), link("c"), joint("j", "revolute", "world", "a", axis=dict(axis)),
        joint("k", "revolute", "world", "b", axis={"mimic": mimic("j", multiplier=2.0)}),
        joint("p", "prismatic", "world", "c"),
    )  # fmt: skip


def engine_of(built: Mechanism, **initial: float) -> tuple[Engine, FakeDynamics]:
    backend = FakeDynamics(built, DT)
    start = {axis_of(built, name): value for name, value in initial.items()}
    return Engine(built, backend, dt=DT, initial=start), backend


def run(engine: Engine, steps: int) -> None:
    for _ in range(steps):
        engine.step()


def test_time_is_counted_in_steps() -> None:
    engine, _ = engine_of(wheels())
    run(engine, 1000)
    assert engine.time == engine.snapshot().time == 1.0
    assert engine.snapshot().step == 1000


def test_an_effort_drive_works_and_is_booked() -> None:
    engine, _ = engine_of(wheels())
    engine.set_drive(2, Drive(DriveKind.EFFORT, Constant(0.1)))
    run(engine, 1000)
    snapshot = engine.snapshot()
    assert snapshot.velocity[2] == pytest.approx(5.0, abs=1e-12)
    assert snapshot.effort[2] == 0.1
    # The work of a constant effort on a flywheel is its kinetic energy, I w^2 / 2, exactly.
    assert snapshot.energy.work == pytest.approx(0.5 * 0.02 * 25.0, abs=1e-12)
    assert snapshot.energy.dissipated == 0.0


def test_the_effort_limit_bounds_effort_drives() -> None:
    engine, _ = engine_of(wheels(effort=0.05))
    engine.set_drive(0, Drive(DriveKind.EFFORT, Constant(-3.0)))
    run(engine, 1)
    assert engine.snapshot().effort[0] == -0.05


def test_an_effort_limit_of_zero_is_a_limit() -> None:
    engine, backend = engine_of(wheels(effort=0.0))
    engine.set_drive(0, Drive(DriveKind.EFFORT, Constant(1.0)))
    run(engine, 10)
    assert engine.snapshot().velocity[0] == 0.0
    engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(1.0)))
    assert backend.motors[0] == Motor(0.0, 1.0, None)


@pytest.mark.parametrize(
    ("drive", "motor"),
    [
        (Drive(DriveKind.VELOCITY, Constant(1.0)), Motor(4.0, 1.0)),
        (Drive(DriveKind.VELOCITY, Constant(-9.0)), Motor(4.0, -3.0)),
        (Drive(DriveKind.POSITION, Constant(0.2)), Motor(4.0, 3.0, 0.2)),
        (Drive(DriveKind.POSITION, Constant(5.0)), Motor(4.0, 3.0, 1.0)),
        (Drive(DriveKind.EFFORT, Constant(1.0)), Motor(0.5)),
    ],
)
def test_drives_become_motors_within_limits(drive: Drive, motor: Motor) -> None:
    engine, backend = engine_of(wheels(effort=4.0, velocity=3.0, lower=-1.0, upper=1.0, friction=0.5))
    assert backend.motors[0] == Motor(0.5), "friction owns the row at first"
    engine.set_drive(0, drive)
    assert backend.motors[0] == motor
    engine.set_drive(0, None)
    assert backend.motors[0] == Motor(0.5)
    assert engine.drives == {}


def test_no_limit_is_a_large_effort() -> None:
    engine, backend = engine_of(wheels())
    engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(1.0)))
    assert backend.motors[0] == Motor(UNBOUNDED_EFFORT, 1.0)


@pytest.mark.parametrize(
    ("axis", "drive", "reason"),
    [
        (
            1,
            Drive(DriveKind.EFFORT, Constant(1.0)),
            "'m::k' follows another axis and cannot be driven: m::k = 2·m::j; drive 'm::j' instead",
        ),
        (0, Drive(DriveKind.EFFORT, Runaway()), "cannot be driven"),
        (0, Drive(DriveKind.VELOCITY, Runaway()), "cannot be driven"),
        (7, Drive(DriveKind.EFFORT, Constant(1.0)), "there is no axis 7"),
        (-1, Drive(DriveKind.EFFORT, Constant(1.0)), "there is no axis -1"),
    ],
)
def test_what_cannot_be_driven_is_refused_and_forgotten(axis: int, drive: Drive, reason: str) -> None:
    engine, _ = engine_of(wheels())
    with pytest.raises(UsageError, match=reason):
        engine.set_drive(axis, drive)
    assert engine.drives == {}


def test_springs_and_dampers_push_and_are_booked() -> None:
    """-k (q - ref) - d qd. The energy in the spring is potential, what the damper takes is dissipated."""
    passive = PassiveEfforts(wheels(spring_stiffness=3.0, spring_reference=0.5, damping=0.2))
    efforts = passive.spring_and_damper(np.array([0.1, 0, 0]), np.array([2.0, 0, 0]))
    assert efforts == pytest.approx([3.0 * 0.4 - 0.4, 0.0, 0.0])
    assert passive.spring_energy(np.array([0.1, 0, 0])) == pytest.approx(0.5 * 3.0 * 0.16)
    engine, _ = engine_of(wheels(spring_stiffness=3.0, spring_reference=0.5))
    assert engine.snapshot().energy.potential == pytest.approx(0.375)


def test_a_damper_takes_what_the_flywheel_had() -> None:
    """Explicit damping over n steps: v_n = (1 - d dt / I)^n v_0, and the ledger balances to round-off."""
    built = wheels(damping=0.02)
    engine, _ = engine_of(built)
    engine.set_drive(0, Drive(DriveKind.EFFORT, Constant(0.02)))
    run(engine, 1000)
    velocity = float(engine.snapshot().velocity[0])
    assert velocity == pytest.approx(1.0 - 0.999**1000, abs=1e-12)
    energy = engine.snapshot().energy
    assert energy.work - energy.dissipated == pytest.approx(0.5 * 0.02 * velocity**2, rel=1e-9)


def test_friction_is_a_motor_towards_rest_and_its_loss_is_booked() -> None:
    engine, _ = engine_of(wheels(friction=0.01))
    engine.set_drive(0, Drive(DriveKind.EFFORT, Constant(0.03)))
    run(engine, 1000)
    snapshot = engine.snapshot()
    assert snapshot.velocity[0] == pytest.approx(1.0, abs=1e-12)
    assert snapshot.effort[0] == 0.03, "the drive's share only"
    assert snapshot.energy.dissipated == pytest.approx(0.01 * 0.5, abs=1e-12)


def test_friction_beside_a_drive_fades_at_rest() -> None:
    passive = PassiveEfforts(wheels(friction=0.5))
    assert passive.friction_beside_drive(0, 3.0) == -0.5
    assert passive.friction_beside_drive(0, -3.0) == 0.5
    assert passive.friction_beside_drive(0, 0.5 * STICTION_SPEED) == pytest.approx(-0.25)
    assert passive.friction_beside_drive(0, 0.0) == 0.0


def test_reset_goes_to_the_start_and_keeps_drives() -> None:
    engine, _ = engine_of(wheels(), j=0.3)
    engine.set_drive(2, Drive(DriveKind.EFFORT, Constant(0.1)))
    run(engine, 50)
    engine.reset()
    snapshot = engine.snapshot()
    assert (snapshot.step, snapshot.time) == (0, 0.0)
    assert snapshot.position == pytest.approx([0.3, 0.6, 0.0])
    assert not snapshot.velocity.any()
    assert engine.drives == {2: Drive(DriveKind.EFFORT, Constant(0.1))}
    assert (snapshot.energy.work, snapshot.energy.error) == (0.0, 0.0)


def test_initial_positions_of_the_document_are_heard_and_the_session_has_the_last_word() -> None:
    assert engine_of(wheels(initial_position=0.2))[0].snapshot().position == pytest.approx([0.2, 0.4, 0.0])
    assert engine_of(wheels(initial_position=0.2), j=0.1)[0].snapshot().position == pytest.approx([0.1, 0.2, 0.0])


def test_an_impossible_start_is_refused() -> None:
    with pytest.raises(AssemblyError, match="cannot start at"):
        engine_of(wheels(), j=0.1, k=0.1)


def test_place_moves_at_rest_and_costs_no_energy_balance() -> None:
    engine, _ = engine_of(wheels(spring_stiffness=3.0))
    engine.set_drive(2, Drive(DriveKind.EFFORT, Constant(0.1)))
    run(engine, 100)
    error = engine.snapshot().energy.error
    engine.place(1, 0.8)
    snapshot = engine.snapshot()
    assert snapshot.position[:2] == pytest.approx([0.4, 0.8])
    assert not snapshot.velocity.any()
    assert snapshot.step == 100
    assert snapshot.energy.error == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize(("axis", "value"), [(9, 0.0), (0, math.nan)])
def test_place_refuses_nonsense(axis: int, value: float) -> None:
    engine, _ = engine_of(wheels())
    with pytest.raises(UsageError):
        engine.place(axis, value)


def test_resume_goes_on_where_a_snapshot_was() -> None:
    first, _ = engine_of(wheels(damping=0.01))
    first.set_drive(2, Drive(DriveKind.EFFORT, Constant(0.1)))
    run(first, 100)
    second, _ = engine_of(wheels(damping=0.01))
    second.resume(first.snapshot())
    second.set_drive(2, Drive(DriveKind.EFFORT, Constant(0.1)))
    for engine in (first, second):
        run(engine, 50)
    a, b = first.snapshot(), second.snapshot()
    assert (a.step, a.time) == (b.step, b.time)
    np.testing.assert_allclose(b.position, a.position, atol=1e-12)
    np.testing.assert_allclose(b.velocity, a.velocity, atol=1e-12)
    assert b.energy.work == pytest.approx(a.energy.work, abs=1e-12)
    assert b.energy.error == pytest.approx(a.energy.error, abs=1e-12)


def test_divergence_names_the_axis_the_time_and_the_likely_cause() -> None:
    built = wheels()
    engine = Engine(built, FakeDynamics(built, DT, break_at=3), dt=DT)
    run(engine, 2)
    last = engine.snapshot()
    with pytest.raises(DivergedError, match=r"diverged at 0.003 s: 'm::j' has run away.*step of 0.001 s") as caught:
        engine.step()
    assert caught.value.time == pytest.approx(0.003)
    assert engine.snapshot().position == pytest.approx(last.position), "the last good state is kept"


def test_divergence_of_a_mechanism_with_loops_is_told_as_well() -> None:
    """The angles of loop joints follow from poses that are not numbers by then."""
    built = build_mechanism(four_bar())
    engine = Engine(built, FakeDynamics(built, DT, break_at=2), dt=DT)
    engine.step()
    with pytest.raises(DivergedError, match="has run away"):
        engine.step()


def test_gear_asks_for_one_row_a_coupling_and_every_loop() -> None:
    _, backend = engine_of(wheels())
    assert backend.calls[0] == "gear 1 0"
    _, backend = engine_of(build_mechanism(four_bar()))
    assert backend.calls[0] == "loop m::close planar"


def test_gear_refuses_couplings_of_loop_joints() -> None:
    with pytest.raises(EngineLimitError, match=r"cannot couple 'm::close'.*made-up.sdf:4"):
        engine_of(build_mechanism(four_bar(axis={"mimic": mimic("crank_joint")})))


def test_a_snapshot_is_a_copy() -> None:
    engine, _ = engine_of(wheels())
    snapshot = engine.snapshot()
    snapshot.position[:] = 99.0
    assert not engine.snapshot().position.any()


def test_close_is_handed_down() -> None:
    engine, backend = engine_of(wheels())
    engine.close()
    assert backend.calls[-1] == "close"


def test_rank_of_the_start() -> None:
    assert engine_of(build_mechanism(four_bar()))[0].rank_mobility() == 1


def test_what_is_too_fast_is_judged_at_the_state_that_it_was_at() -> None:
    """A damper of 1000 N·m·s on a hinge, with 0.02 kg m² about it and 1 kg that slides along an arm: after (0.02 + r²)
    / 1000 seconds its speed is down to 1/e, which a step of 10 ms does not follow while r < 3.1 m."""
    built = mechanism(
        link("a"), link("b"), joint("j", "revolute", "world", "a", axis={"damping": 1000.0}),
        joint("s", "prismatic", "a", "b", axes=[(1.0, 0.0, 0.0)]),
    )  # fmt: skip
    engine = Engine(built, ReducedDynamics(built, dt=0.01), dt=0.01)
    for r, blamed in ((0.0, True), (2.0, True), (4.0, False)):
        state = rest_state(built)
        state.position[axis_of(built, "s")] = r
        found = fast_elements(built, state, engine.actuation, 0.01, None)
        assert [fast.what for fast in found] == ["the damper of 'm::j'"] * blamed
        assert [fast.time_constant for fast in found] == pytest.approx([(0.02 + r * r) / 1000.0] * blamed, rel=1e-9)
