"""A strategy or a coupling is changed while it runs: nothing jumps, nothing is lost, nonsense leaves everything as it
was."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.errors import LimitsError, SimulatorError, UnknownNameError, UsageError
from simulator.model.profiles import Constant
from tests.helpers.documents import mimic
from tests.physics.axes import limit
from tests.physics.solids import box_shape, solid
from tests.physics.worlds import advance, example, joint, link, model, running, world

Write = Callable[..., Path]


def swinging_pair() -> str:
    """Two pendulums, the second geared to the first."""
    return world(
        model(
            link("a", inertia="0.02 0.02 0.02", com="0.3 0 0"),
            link("b", inertia="0.02 0.02 0.02", com="0.2 0 0", pose="0 1 0 0 0 0"),
            joint("ja", "revolute", "a", axis="0 1 0"),
            joint("jb", "revolute", "b", axis="0 1 0", inside_axis=mimic("ja", -0.5, 0.1)),
        )
    )


# --- strategies
# ---------------------------------------------------------------------------------------------------------


def test_strategies_are_exchanged_in_the_swing(write_document: Write) -> None:
    """rows -> reduced -> rows is the same motion to round-off; gear shows its first order (1e-2 over its 20 ms) and
    hands over what it has. Positions and velocities at an exchange are the same numbers to round-off of the way to the
    backend and back."""
    path = write_document(swinging_pair())
    with running(path) as engine, running(path) as plain:
        for name in ("reduced", "rows", "reduced"):
            advance(engine, 0.1)
            advance(plain, 0.1)
            keep_state(engine, name, 1e-15)
            assert np.abs(engine.snapshot().velocity - plain.snapshot().velocity).max() <= 1e-12
        for name in ("rows", "gear", "reduced", "rows"):
            keep_state(engine, name, 1e-12)
            advance(engine, 0.02)
            advance(plain, 0.02)
        assert engine.strategy == "rows"
        assert engine.steps == plain.steps
        assert np.abs(engine.snapshot().velocity - plain.snapshot().velocity).max() <= 1e-2
        assert engine.snapshot().worst_coupling_residual() <= 1e-12


def keep_state(engine: Engine, name: str, tolerance: float, *, of_speed: float | None = None) -> None:
    before = engine.snapshot()
    engine.use_strategy(name)
    after = engine.snapshot()
    assert engine.strategy == name
    assert np.abs(after.position - before.position).max() <= tolerance
    assert np.abs(after.velocity - before.velocity).max() <= (of_speed or tolerance) * (
        1.0 + np.abs(before.velocity).max()
    )
    assert after.step == before.step
    assert after.energy.work == before.energy.work
    assert after.energy.dissipated == before.energy.dissipated
    assert after.energy.error == pytest.approx(before.energy.error, abs=1e-12 * (1.0 + before.energy.kinetic))
    assert np.array_equal(after.effort, before.effort)


def test_drives_and_work_go_with_it() -> None:
    """A rack at 20 rad/s^2, then held by a speed drive: nothing of it is forgotten by any exchange."""
    with running(example("rack_and_pinion"), drives=("pinion_joint=effort:0.01",)) as engine:
        for name in ("gear", "reduced", "rows"):
            advance(engine, 0.1)
            keep_state(engine, name, 1e-12)
        advance(engine, 0.1)
        snapshot = engine.snapshot()
        assert snapshot.velocity[0] == pytest.approx(20.0 * 0.4, rel=1e-9)
        assert snapshot.energy.work == pytest.approx(0.5 * 5e-4 * 8.0**2, rel=1e-9)
        engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(3.0)))
        for name in ("reduced", "gear", "rows"):
            engine.use_strategy(name)
            advance(engine, 0.05)
            assert engine.snapshot().velocity[0] == pytest.approx(3.0, rel=1e-9)


def test_floating_bodies_keep_their_motion(write_document: Write) -> None:
    """Tumbling without forces: angular momentum and the way of the centre of mass do not notice the exchanges."""
    tumbling = solid("b", box_shape("0.3 0.2 0.1"), mass=2.0, inertia="0.01 0.02 0.03", pose="0 0 5 0.1 0.2 0.3")
    with running(write_document(world(model(tumbling, name="box"), gravity="0 0 0"))) as engine:
        snapshot = engine.snapshot()
        velocities = snapshot.body_velocities.copy()
        velocities[1] = (1.0, -2.0, 0.5, 0.3, 0.2, -0.1)
        engine.resume(replace(snapshot, body_velocities=velocities))
        start = engine.snapshot()
        for name in ("reduced", "gear", "rows"):
            before = engine.snapshot()
            engine.use_strategy(name)
            after = engine.snapshot()
            assert np.abs(after.body_velocities - before.body_velocities).max() <= 1e-12
            assert np.abs(after.body_poses - before.body_poses).max() <= 1e-12
            advance(engine, 0.01)
        end = engine.snapshot()
        assert np.abs(end.body_poses[1, :3] - start.body_poses[1, :3] - 0.03 * velocities[1, 3:]).max() <= 1e-12


def test_loops_are_handed_over() -> None:
    """Velocities are projected onto the loop anew, at a position that differs by its closure: 1e-10 of the speed."""
    with running(example("four_bar")) as engine:
        advance(engine, 0.3)
        keep_state(engine, "reduced", 1e-12, of_speed=1e-10)
        advance(engine, 0.1)
        keep_state(engine, "rows", 1e-12, of_speed=1e-10)
        before = engine.snapshot()
        engine.use_strategy("gear")
        assert np.abs(engine.snapshot().position[:3] - before.position[:3]).max() <= 1e-12
        assert np.abs(engine.snapshot().velocity[:3] - before.velocity[:3]).max() <= 1e-8
        advance(engine, 0.05)
        engine.use_strategy("rows")
        engine.step()
        assert engine.snapshot().worst_loop_residual()[0] <= 1e-12, "what gear left open is closed"


def refused(engine: Engine, change: Callable[[], None], error: type[SimulatorError], match: str) -> None:
    """The change is refused, and nothing at all is different afterwards; the motion continues as if it had not been
    asked for."""
    before, name, laws = engine.snapshot(), engine.strategy, dict(engine.laws)
    couplings, drives = engine.mechanism.couplings, dict(engine.drives)
    with pytest.raises(error, match=match):
        change()
    after = engine.snapshot()
    assert np.array_equal(after.position, before.position)
    assert np.array_equal(after.velocity, before.velocity)
    assert after.energy == before.energy
    assert (engine.strategy, engine.laws, engine.drives) == (name, laws, drives)
    assert engine.mechanism.couplings == couplings
    engine.step()
    assert np.isfinite(engine.snapshot().position).all()


def test_exchanges_that_cannot_be() -> None:
    with running(example("four_bar"), drives=("closing_joint=velocity:0.5",)) as engine:
        advance(engine, 0.05)
        refused(engine, lambda: engine.use_strategy("gear"), UsageError, "closes a loop: under strategy gear")
        refused(engine, lambda: engine.use_strategy("magic"), UnknownNameError, "magic")
    with running(example("planetary")) as engine:
        advance(engine, 0.05)
        if any(len(coupling.terms) > 2 for coupling in engine.mechanism.couplings):
            refused(engine, lambda: engine.use_strategy("gear"), SimulatorError, ".")


# --- couplings
# ----------------------------------------------------------------------------------------------------------

LAWS = [(2.0, 0.0, 0.0), (-1.0, 0.2, 0.0), (0.5, -0.1, 0.3), (0.0, 0.1, 0.0), (-0.5, 0.1, 0.0)]


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
def test_a_law_is_changed_in_the_swing(write_document: Write, solver: str) -> None:
    """Residual 0 at once; the kinetic energy does not rise; the ledger's error stays, for the cost of the change is
    booked."""
    with running(write_document(swinging_pair()), solver=solver) as engine:
        for law in LAWS:
            advance(engine, 0.05)
            changed(engine, 0, law)
            lead, follow = engine.snapshot().position
            assert follow == pytest.approx(law[0] * (lead - law[2]) + law[1], abs=1e-12)
            engine.step()
            assert engine.snapshot().worst_coupling_residual() <= 1e-9


def changed(engine: Engine, index: int, law: tuple[float, ...]) -> None:
    before = engine.snapshot()
    engine.change_coupling(index, *law)
    after = engine.snapshot()
    assert after.worst_coupling_residual() <= 1e-12
    assert after.worst_loop_residual()[0] <= 1e-10
    assert after.energy.kinetic <= before.energy.kinetic * (1.0 + 1e-9) + 1e-18
    assert after.energy.error == pytest.approx(before.energy.error, abs=1e-12 * (1.0 + before.energy.kinetic))
    assert after.step == before.step
    assert engine.laws[index] == law


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
def test_a_law_in_the_middle_of_a_chain(write_document: Write, solver: str) -> None:
    """Three followers of followers: all of them are assembled anew around the leader, which stays where it is."""
    parts = [link(f"l{i}", inertia="1e-2 1e-2 1e-2") for i in range(4)]
    parts.append(joint("j0", "revolute", "l0"))
    parts += [joint(f"j{i}", "revolute", f"l{i}", inside_axis=mimic(f"j{i - 1}", -2.0, 0.01)) for i in (1, 2, 3)]
    with running(write_document(world(model(*parts))), drives=("j0=effort:0.5",), solver=solver) as engine:
        for index, law in ((1, (3.0, 0.0, 0.1)), (0, (1.0, 0.1, 0.0)), (2, (-1.0, 0.0, 0.0))):
            advance(engine, 0.05)
            lead = engine.snapshot().position[0]
            changed(engine, index, law)
            assert engine.snapshot().position[0] == pytest.approx(lead, abs=1e-12)
        q = [*engine.snapshot().position]
        assert q[1] == pytest.approx(q[0] + 0.1, abs=1e-12)
        assert q[2] == pytest.approx(3.0 * (q[1] - 0.1), abs=1e-12)
        assert q[3] == pytest.approx(-q[2], abs=1e-12)


@pytest.mark.parametrize("solver", ["rows", "reduced"])
def test_a_law_of_several_leaders(solver: str) -> None:
    """The ring of an epicyclic gear follows a planet and the carrier: each has its own multiplier, and both are changed
    in motion."""
    with running(
        example("planetary"), drives=("sun_joint=velocity:1.5", "carrier_joint=velocity:0.4"), solver=solver
    ) as engine:
        axis = {info.joint.rpartition("::")[2]: i for i, info in enumerate(engine.mechanism.axes)}
        index = next(i for i, c in enumerate(engine.mechanism.couplings) if c.follower == axis["ring_joint"])
        assert engine.mechanism.couplings[index].leaders == (
            (axis["planet_1_joint"], 0.25),
            (axis["carrier_joint"], 1.0),
        )
        for law in ((0.25, 0.0, 0.0, -0.5), (-1.0, 0.2, 0.3, 2.0), (0.0, 0.0, 0.0, 1.0), (0.25, 0.0, 0.0, 1.0)):
            advance(engine, 0.05)
            changed(engine, index, law)
            advance(engine, 0.05)
            after = engine.snapshot()
            for value, constant in ((after.position, law[1] - law[0] * law[2]), (after.velocity, 0.0)):
                ring, planet, carrier = (value[axis[f"{name}_joint"]] for name in ("ring", "planet_1", "carrier"))
                assert ring == pytest.approx(law[0] * planet + law[3] * carrier + constant, abs=1e-9)
        for short in ((0.25, 0.0, 0.0), (0.25, 0.0, 0.0, 1.0, 1.0)):
            change = partial(engine.change_coupling, index, *short)
            refused(engine, change, UsageError, "each of its leaders")


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
def test_a_law_that_leads_out_of_the_limits_moves_the_leader_in(write_document: Write, solver: str) -> None:
    """Both at 0.4; three times as much would be 1.2 for a follower that ends at 0.9: the nearest that both allow is 0.3
    and 0.9. A follower that is to be at 2 more than its leader has no place at all: that is refused with both names,
    and nothing has changed."""
    parts = model(
        link("a"), link("b"),
        joint("ja", "revolute", "a", inside_axis=limit(-0.5, 0.5)),
        joint("jb", "revolute", "b", inside_axis=limit(-0.9, 0.9) + mimic("ja", 1.0)),
    )  # fmt: skip
    with running(write_document(world(parts)), initial=("ja=0.4",), solver=solver) as engine:
        engine.change_coupling(0, 3.0, 0.0, 0.0)
        assert engine.snapshot().position == pytest.approx([0.3, 0.9], abs=1e-9)
        advance(engine, 0.05)
        assert engine.snapshot().position == pytest.approx([0.3, 0.9], abs=1e-6)
        refused(engine, lambda: engine.change_coupling(0, 1.0, 2.0, 0.0), LimitsError, "m::ja")
        refused(engine, lambda: engine.change_coupling(0, 1.0, 2.0, 0.0), LimitsError, "m::jb")


def test_velocities_after_a_change_are_those_of_an_impulse(write_document: Write) -> None:
    """A flywheel of 1 at speed w whose follower of 4 stood at multiplier 0 gets multiplier 1: w / 5, as when both are
    clutched."""
    parts = model(
        link("a", inertia="1 1 1"),
        link("b", inertia="4 4 4"),
        joint("ja", "revolute", "a"),
        joint("jb", "revolute", "b", inside_axis=mimic("ja", 0.0)),
    )
    with running(write_document(world(parts)), drives=("ja=velocity:5",)) as engine:
        advance(engine, 0.1)
        engine.set_drive(0, None)
        q = engine.snapshot().position[0]
        engine.change_coupling(0, 1.0, 0.0, 0.0)
        snapshot = engine.snapshot()
        assert snapshot.velocity == pytest.approx([1.0, 1.0], rel=1e-12)
        assert snapshot.position == pytest.approx([q, q], rel=1e-12)
        assert snapshot.energy.kinetic == pytest.approx(2.5, rel=1e-12)
        assert abs(snapshot.energy.error) <= 1e-12


@pytest.mark.parametrize("solver", ["rows", "reduced"])
def test_a_law_in_front_of_a_loop(write_document: Write, solver: str) -> None:
    """A scissor lift's nut is coupled to its spindle: with half the lead it continues from where it is."""
    with running(example("scissor_lift"), solver=solver) as engine:
        advance(engine, 0.1)
        coupling = engine.mechanism.couplings[0]
        changed(engine, 0, (0.5 * coupling.multiplier, coupling.offset, coupling.reference))
        advance(engine, 0.1)
        assert engine.snapshot().worst_loop_residual()[0] <= 1e-10


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
def test_changes_that_cannot_be(write_document: Write, solver: str) -> None:
    with running(write_document(swinging_pair()), solver=solver) as engine:
        advance(engine, 0.05)
        for index, law in (
            (1, (1.0, 0.0, 0.0)),
            (-1, (1.0, 0.0, 0.0)),
            (0, (math.nan, 0.0, 0.0)),
            (0, (1.0, math.inf, 0.0)),
        ):
            refused(engine, partial(engine.change_coupling, index, *law), UsageError, ".")


def test_drives_go_on_under_new_laws(write_document: Write) -> None:
    """Of two couplings in a chain the first is changed; the leader's drive takes it back to its speed."""
    parts = model(
        *(link(name, inertia="1 1 1") for name in "abc"),
        joint("ja", "revolute", "a"),
        joint("jb", "revolute", "b", inside_axis=mimic("ja", 2.0)),
        joint("jc", "revolute", "c", inside_axis=mimic("jb", 3.0)),
    )
    with running(write_document(world(parts))) as engine:
        engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(1.0)))
        advance(engine, 0.05)
        for law in ((2.0, 0.0, 0.0), (-3.0, 0.5, 0.1)):
            changed(engine, 0, law)
            advance(engine, 0.01)
            assert engine.snapshot().velocity[0] == pytest.approx(1.0, rel=1e-9), "its drive takes it back to its speed"


def test_rotors_take_part_when_a_law_changes() -> None:
    """The rotors of the wrist weigh more at its joints than the hand: their energy is in what a change leaves and in
    what is booked."""
    with running(example("wrist"), drives=("roll_joint=velocity:2", "pitch_joint=velocity:1")) as engine:
        advance(engine, 0.2)
        for axis in (0, 1):
            engine.set_drive(axis, None)
        before, law = engine.snapshot(), engine.mechanism.couplings[0]
        engine.change_coupling(0, 3.0 * law.multiplier, law.offset, law.reference)
        after = engine.snapshot()
        assert 0.5 * before.energy.kinetic < after.energy.kinetic <= before.energy.kinetic * (1.0 + 1e-12)
        assert abs(after.energy.error - before.energy.error) <= 1e-12
        assert np.abs(after.coupling_residual).max() <= 1e-12
        advance(engine, 0.1)
        assert abs(engine.snapshot().energy.error - before.energy.error) <= 1e-9
