"""Dampers, springs and loops that are too fast for the step under strategy `gear`, whose engine takes efforts and steps
by itself.

An arm of 1 kg, 0.1 m from its hinge (0.01 kg m²), in gravity; efforts are those of the step's end, so what the step
follows is met to first order in it, and what it does not follow creeps as it should or comes to rest where it balances.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from simulator.engine.engine import Engine
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from tests.helpers import documents
from tests.physics.worlds import make_steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]

DT = 1e-3
TORQUE = 0.98
"""Of the weight about the hinge where the arm is level [N m]."""


def arm(write_document: Write, axis: str = "", *drives: str) -> Engine:
    body = (
        "<pose>0.1 0 0 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>1e-5</ixx><iyy>1e-5</iyy>"
        "<izz>1e-5</izz></inertia></inertial>"
    )
    hinge = (
        '<joint name="j" type="revolute"><pose relative_to="__model__"/><parent>world</parent><child>arm</child>'
        f"<axis><xyz>0 1 0</xyz>{axis}</axis></joint>"
    )
    path = write_document(documents.world(documents.model("m", f'<link name="arm">{body}</link>', hinge)))
    told = tuple(parse_drive(drive) for drive in drives)
    return make_engine(open_document(path), SessionSettings(solver="gear", drives=told))


@pytest.mark.parametrize("damping", [10.0, 1e6])
def test_a_stiff_damper_lets_the_arm_creep(write_document: Write, damping: float) -> None:
    """d q' = m g l cos q, late by I / d = 1e-3 s and by a step at most, of the speed m g l / d."""
    engine = arm(write_document, f"<dynamics><damping>{damping}</damping></dynamics>")
    make_steps(engine, 1000)
    angle = 2.0 * math.atan(math.exp(TORQUE / damping)) - math.pi / 2.0
    assert engine.snapshot().position[0] == pytest.approx(angle, abs=2.0 * DT * TORQUE / damping)
    assert abs(engine.snapshot().energy.error) < 1e-3 * TORQUE * angle


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e8])
def test_a_stiff_spring_comes_to_rest_where_it_balances(write_document: Write, stiffness: float) -> None:
    """k q = m g l cos q: a swing of 0.3 to 100 radians a step. Where steps follow it, it decays as e^(-50 t)."""
    engine = arm(
        write_document, f"<dynamics><damping>1</damping><spring_stiffness>{stiffness}</spring_stiffness></dynamics>"
    )
    make_steps(engine, 1000)
    assert engine.snapshot().position[0] == pytest.approx(TORQUE / stiffness, rel=1e-6)
    assert abs(engine.snapshot().velocity[0]) < 1e-12


@pytest.mark.parametrize("gain", [1.0, 1e8])
def test_a_stiff_loop_comes_to_rest_where_it_balances(write_document: Write, gain: float) -> None:
    """P e = m g l cos q at 0.5 rad less e; with D for a damping ratio of 1, of 10 to 1e5 rad/s: 30 time constants of
    the slowest; a second is more for the others."""
    engine = arm(write_document, "", f"j=position:0.5,pid(p={gain},i=0,d={0.2 * math.sqrt(gain)})")
    make_steps(engine, 3000 if gain == 1.0 else 1000)
    state = engine.snapshot()
    error = float(state.position[0]) - 0.5
    assert gain * error == pytest.approx(TORQUE * math.cos(0.5 + error), rel=1e-6)
    assert state.effort[0] == pytest.approx(-gain * error, rel=1e-6)


def test_a_stiff_loop_stays_within_its_limit(write_document: Write) -> None:
    """2 N m lift the arm, and never more; then what the weight asks for holds it. D / P is 0.1 s: e^-15 is left."""
    engine = arm(write_document, "", "j=position:-0.5,pid(p=1e6,i=0,d=1e5,limit=2)")
    for _ in range(1500):
        engine.step()
        assert abs(engine.snapshot().effort[0]) <= 2.0
    assert engine.snapshot().position[0] == pytest.approx(-0.5, abs=1e-5)
    assert engine.snapshot().effort[0] == pytest.approx(-TORQUE * math.cos(0.5), rel=1e-4)


def test_stiffly_damped_links_that_feel_each_other_come_down_slowly(write_document: Write) -> None:
    """Four light links in a row, 0.1 m each, level: gravity's torque on the first is 1 g times 9.8 times (0.1 + … +
    0.4) m = 9.8e-3 N m, so it turns by 9.8e-3 / 10 rad/s at most. Efforts of the start of a step would throw them in
    two steps."""
    parts = []
    for i in range(4):
        inertia = "<inertia><ixx>1e-6</ixx><iyy>1e-6</iyy><izz>1e-6</izz></inertia>"
        parts.append(
            f'<link name="l{i}"><pose>{0.1 * (i + 1)} 0 0 0 0 0</pose><inertial>'
            f"<mass>1e-3</mass>{inertia}</inertial></link>"
            f'<joint name="j{i}" type="revolute"><pose relative_to="__model__">{0.1 * i} 0 0 0 0 0</pose>'
            f"<parent>{f'l{i - 1}' if i else 'world'}</parent><child>l{i}</child>"
            "<axis><xyz>0 1 0</xyz><dynamics><damping>10</damping></dynamics></axis></joint>"
        )
    path = write_document(documents.world(documents.model("m", *parts)))
    engine = make_engine(open_document(path), SessionSettings(solver="gear"))
    for _ in range(1000):
        engine.step()
        assert abs(engine.snapshot().velocity).max() <= 1.001 * 9.8e-4
    torques = [9.8e-3 * sum(0.1 * (j - i + 1) for j in range(i, 4)) for i in range(4)]
    assert engine.snapshot().position == pytest.approx([torque / 10.0 for torque in torques], rel=5e-3)


@pytest.mark.parametrize("gain", [1e2, 1e8])
def test_a_stiff_loop_with_an_integral_takes_the_weight(write_document: Write, gain: float) -> None:
    """D e'' + P e' + I e = 0 but for the inertia: poles of -10 +- 10i per second, e^-20 in 2 s, and no error left."""
    engine = arm(write_document, "", f"j=position:0.1,pid(p={gain},i={10.0 * gain},d={0.05 * gain})")
    make_steps(engine, 2000)
    assert engine.snapshot().position[0] == pytest.approx(0.1, abs=1e-7)
    assert abs(engine.snapshot().effort[0]) == pytest.approx(TORQUE * math.cos(0.1), rel=1e-3)
