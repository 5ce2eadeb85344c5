"""The Geneva drive: a wheel that is moved by contact alone, and a gear that follows it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.repository import ROOT
from tests.physics.worlds import advance, example, running

PIN_CIRCLE, DISTANCE = 0.05, 0.05 * math.sqrt(2.0)
CLEARANCE = 1e-4
SPEED = 2.0


def wheel_angle(t: float) -> float:
    """Of a wheel without clearance [rad], 0 where the pin is on the line of the axes: tan w = a sin t / (C - a cos
    t)."""
    return math.atan2(PIN_CIRCLE * math.sin(t), DISTANCE - PIN_CIRCLE * math.cos(t))


def lag(t: float) -> float:
    """How far the wheel can be from there: the pin's clearance over its distance from the wheel's axis, and where it
    enters and leaves, when the slot's corners pass the pin, as much again."""
    distance = math.hypot(DISTANCE - PIN_CIRCLE * math.cos(t), PIN_CIRCLE * math.sin(t))
    return 2.0 * CLEARANCE / distance


def aside(crank: float, wheel: float) -> float:
    """How far the pin is from the middle of the nearest slot [m]; 0 outside of the slots and in their mouths, whose
    corners are round."""
    x = -DISTANCE - PIN_CIRCLE * math.cos(crank)
    y = -PIN_CIRCLE * math.sin(crank)
    along, across = math.hypot(x, y), math.atan2(y, x) - wheel - math.pi / 4.0
    off = along * math.sin((across + math.pi / 4.0) % (math.pi / 2.0) - math.pi / 4.0)
    return abs(off) if along <= 0.047 else 0.0


def test_the_pin_moves_the_wheel_a_quarter_and_no_further() -> None:
    """Four turns of the crank: the wheel follows the closed form while the pin is in a slot and stands otherwise, the
    dial follows the wheel to round-off. Pin and wall move by each other at up to 0.1 m/s, 0.1 mm a step; they overlap
    by no more than the 1 um that contacts are left with, and what a step adds. The energy is accounted for but for what
    moving them apart adds in the steps, one in a turn or two, in which the pin goes from wall to wall: 4e-8 J of 0.07 J
    in the end, a seventh of it at half the step."""
    with running(example("geneva"), drives=(f"crank_joint=velocity:{SPEED}",)) as engine:
        stood = 0
        for _ in range(int(8.0 * math.pi / SPEED / engine.dt)):
            engine.step()
            snapshot = engine.snapshot()
            crank, wheel, dial = snapshot.position.tolist()
            turns = math.floor(crank / (2.0 * math.pi))
            t = crank - 2.0 * math.pi * turns - math.pi
            if abs(t) <= math.pi / 4.0:
                assert abs(wheel + 0.5 * math.pi * turns + math.pi / 4.0 + wheel_angle(t)) <= lag(t)
            elif abs(t) > math.pi / 4.0 + 0.1:
                stood += 1
                assert abs(wheel + 0.5 * math.pi * (turns + (t > 0.0))) <= lag(math.pi / 4.0)
                assert abs(snapshot.velocity[1]) <= 1e-9
            assert aside(crank, wheel) <= CLEARANCE + 2e-6
            assert abs(dial + wheel) <= 1e-12
            assert abs(snapshot.energy.error) <= 1e-6 * snapshot.energy.work + 1e-15
        assert engine.snapshot().position[1] == pytest.approx(-2.0 * math.pi, abs=lag(math.pi / 4.0))
        assert stood > 5000


def test_the_wheel_is_fastest_where_the_pin_is_nearest_to_it() -> None:
    """a / (C - a) = 2.414 times the crank's speed; here over the last three degrees before that, as long as the pin
    pushes. The clearance changes the distance of the pin by 0.1 mm of 20.7 mm."""
    with running(example("geneva"), drives=(f"crank_joint=velocity:{SPEED}",)) as engine:
        advance(engine, (math.pi - math.radians(3.0)) / SPEED)
        before = engine.snapshot()
        advance(engine, math.radians(3.0) / SPEED)
        after = engine.snapshot()
        turned = wheel_angle(after.position[0] - math.pi) - wheel_angle(before.position[0] - math.pi)
        assert before.position[1] - after.position[1] == pytest.approx(turned, rel=CLEARANCE / (DISTANCE - PIN_CIRCLE))
        assert turned == pytest.approx(2.414 * math.radians(3.0), rel=0.03)  # it is flat there


def test_links_of_one_model_pass_through_each_other_unless_it_says_so(write_document: Callable[..., Path]) -> None:
    """The comment of the world says that <self_collide> is needed: without it the pin goes through the wheel."""
    text = example("geneva").read_text(encoding="utf-8").replace("../assets", str(ROOT / "assets"))
    path = write_document(text.replace("<self_collide>true</self_collide>", ""))
    with running(path, drives=(f"crank_joint=velocity:{SPEED}",)) as engine:
        advance(engine, 2.0 * math.pi / SPEED)
        assert engine.snapshot().position[1] == 0.0
