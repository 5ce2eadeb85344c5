"""Strategy `reduced`: couplings exact, loops at round-off, energy kept; drives, friction, springs, limits as with any
other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.session.commands.factory import contacts_ignored, make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from tests.physics.worlds import advance, example, joint, link, model, world

Write = Callable[..., Path]


@contextmanager
def reduced(path: Path, *drives: str) -> Iterator[Engine]:
    settings = SessionSettings(solver="reduced", drives=tuple(parse_drive(text) for text in drives))
    engine = make_engine(open_document(path), settings)
    yield engine
    engine.close()


def test_rack_accelerates_to_round_off() -> None:
    """20 rad/s^2 within 1e-12 relative; the coupling is in the coordinates, so its residual is a rounded product."""
    with reduced(example("rack_and_pinion"), "pinion_joint=effort:0.01") as engine:
        for _ in range(100):
            advance(engine, 0.01)
            snapshot = engine.snapshot()
            assert snapshot.velocity[0] == pytest.approx(20.0 * engine.time, rel=1e-12)
            assert snapshot.worst_coupling_residual() <= 1e-15


def test_crank_rocker_keeps_closure_and_energy() -> None:
    """theta(2 s) = -4.7392293007 within 5e-6, closure 1e-12 m, energy 1e-7 of the largest kinetic energy."""
    with reduced(example("four_bar")) as engine:
        closure = error = kinetic = 0.0
        for _ in range(1000):
            advance(engine, 0.002)
            snapshot = engine.snapshot()
            closure = max(closure, snapshot.worst_loop_residual()[0])
            error, kinetic = max(error, abs(snapshot.energy.error)), max(kinetic, snapshot.energy.kinetic)
        angle = math.radians(60.0) + snapshot.position[engine.mechanism.axis_index("crank_joint")]
        assert angle == pytest.approx(-4.7392293007, abs=5e-6)
        assert closure <= 1e-12
        assert error <= 1e-7 * kinetic


def test_spring_and_damper_are_integrated_to_fourth_order(write_document: Write) -> None:
    """x = a exp(-z t) (cos w t + z / w sin w t), z = d / 2 m, w^2 = k / m - z^2; RK4 at omega dt = 4e-3 leaves 1e-11 of
    the amplitude."""
    dynamics = "<dynamics><spring_stiffness>40</spring_stiffness><damping>1.5</damping></dynamics>"
    text = world(model(link("a", mass=2.5), joint("j", "prismatic", "a", axis="1 0 0", inside_axis=dynamics)))
    settings = SessionSettings(solver="reduced", initial=(("j", 0.3),))
    engine = make_engine(open_document(write_document(text)), settings)
    z = 1.5 / (2 * 2.5)
    w = math.sqrt(40 / 2.5 - z * z)
    advance(engine, 2.0)
    expected = 0.3 * math.exp(-2 * z) * (math.cos(2 * w) + z / w * math.sin(2 * w))
    assert engine.snapshot().position[0] == pytest.approx(expected, abs=3e-11)
    engine.close()


def test_drives_and_their_effort_limits(write_document: Write) -> None:
    """A velocity drive reaches its speed where its effort allows: 3 N on 1.5 kg give 2 m/s^2 until 0.7 m/s, then it
    holds."""
    limit = "<limit><effort>3</effort></limit>"
    path = write_document(
        world(model(link("a", mass=1.5), joint("j", "prismatic", "a", axis="1 0 0", inside_axis=limit)))
    )
    with reduced(path, "j=velocity:0.7") as engine:
        advance(engine, 0.2)
        assert engine.snapshot().velocity[0] == pytest.approx(0.4, rel=1e-9)
        assert engine.snapshot().effort[0] == pytest.approx(3.0, rel=1e-9)
        advance(engine, 0.5)
        assert engine.snapshot().velocity[0] == pytest.approx(0.7, rel=1e-9)
    with reduced(path, "j=position:-0.1") as engine:
        advance(engine, 2.0)
        assert engine.snapshot().position[0] == pytest.approx(-0.1, abs=1e-6)


def test_friction_stops_and_sticks(write_document: Write) -> None:
    """10 N against 2 N of friction on 4 kg: 2 m/s^2; let go: -0.5 m/s^2 to rest, and rest it is."""
    dynamics = "<dynamics><friction>2</friction></dynamics>"
    text = world(model(link("a", mass=4.0), joint("j", "prismatic", "a", axis="1 0 0", inside_axis=dynamics)))
    with reduced(write_document(text), "j=effort:10") as engine:
        advance(engine, 0.1)
        assert engine.snapshot().velocity[0] == pytest.approx(0.2, rel=1e-9)
        engine.set_drive(0, None)
        advance(engine, 0.2)
        assert engine.snapshot().velocity[0] == pytest.approx(0.1, rel=1e-9)
        advance(engine, 0.5)
        assert abs(engine.snapshot().velocity[0]) <= 1e-12
        assert engine.snapshot().energy.work == pytest.approx(engine.snapshot().energy.dissipated, rel=1e-9)


def test_limit_of_a_follower_stops_its_leader(write_document: Write) -> None:
    """The follower's stop at 0.05 m holds the leader at 2.5 rad; the stop is an effort for one step, so it gives way by
    rounding only."""
    follow = (
        '<limit><lower>-0.1</lower><upper>0.05</upper></limit><mimic joint="lead"><multiplier>0.02</multiplier></mimic>'
    )
    text = world(
        model(
            link("a", inertia="1e-4 1e-4 1e-4"),
            link("b"),
            joint("lead", "revolute", "a"),
            joint("follow", "prismatic", "b", axis="1 0 0", inside_axis=follow),
        )
    )
    with reduced(write_document(text), "lead=effort:0.01") as engine:
        advance(engine, 2.0)
        snapshot = engine.snapshot()
        assert snapshot.position[0] == pytest.approx(2.5, abs=1e-9)
        assert abs(snapshot.velocity[0]) <= 1e-9


@pytest.mark.parametrize("name", ["gear_train", "screw_press", "fast_slow_pendulums", "gearbox", "slider_crank"])
def test_example_worlds_keep_their_energy(name: str) -> None:
    """One second of each, let go: residuals at round-off, energy within 1e-9 of the largest kinetic one (1e-6 with a
    loop)."""
    with reduced(example(name)) as engine:
        error = kinetic = 0.0
        for _ in range(100):
            advance(engine, 0.01)
            snapshot = engine.snapshot()
            error, kinetic = max(error, abs(snapshot.energy.error)), max(kinetic, snapshot.energy.kinetic)
        assert snapshot.worst_coupling_residual() <= 1e-12
        assert snapshot.worst_loop_residual()[0] <= 1e-12
        assert error <= max(1e-6 * kinetic, 1e-12)


def test_a_world_with_contacts_is_told_that_there_are_none() -> None:
    opened = open_document(example("gripper"))
    sentence = contacts_ignored(opened, "reduced")
    assert "no contacts" in sentence
    assert "box::" in sentence
    assert contacts_ignored(opened, "gear") == ""
    assert contacts_ignored(open_document(example("four_bar")), "reduced") == ""


def test_strategies_agree_where_both_are_exact() -> None:
    """The first step of `gear` is the first step of the same equations: accelerations at rest agree to 1e-9."""
    with reduced(example("gear_train"), "gear_1_joint=effort:0.02") as exact:
        advance(exact, 0.001)
        velocity = exact.snapshot().velocity
    settings = SessionSettings(drives=(parse_drive("gear_1_joint=effort:0.02"),))
    bullet = make_engine(open_document(example("gear_train")), settings)
    advance(bullet, 0.001)
    np.testing.assert_allclose(bullet.snapshot().velocity, velocity, rtol=1e-9)
    bullet.close()
