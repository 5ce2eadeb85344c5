"""Controllers that are called too rarely for their gains are found by what they write; others are not. Compared with
the root of the sampled loop, 1 - D T / m."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import simulator

if TYPE_CHECKING:
    from collections.abc import Callable

MASS = 0.002
SLIDER = """<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity><model name="m">
<joint name="rail" type="prismatic"><parent>world</parent><child>block</child>
  <axis><xyz>1 0 0</xyz><dynamics><friction>{}</friction></dynamics></axis></joint>
<link name="block"><inertial><mass>0.002</mass></inertial></link>{}</model></world></sdf>"""
MOTOR = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="rail"/>
<actuator name="motor"><mechanicalReduction>10</mechanicalReduction></actuator></transmission>"""


def findings(
    law: Callable[[float, float, float], float], every: float, *, calls: int = 200, friction: float = 0.0
) -> list[str]:
    """What a run under `law` of time, position and velocity, called so often [s], has to say about its controller."""
    sim = simulator.load(SLIDER.format(friction, ""), dt=0.001)
    sim.drive("rail", simulator.effort(0.0))

    def control(now: simulator.Simulation) -> None:
        now.control[0] = law(now.time, now.q[0], now.v[0])

    run = sim.run(calls * every, control=control, control_every=every)
    return [f"{item.message}. {item.hint}" for item in run.findings if item.code == "CONTROL_UNSTABLE"]


def damping(limit: float = math.inf, push: float = 1e-3) -> Callable[[float, float, float], float]:
    return lambda _, __, v: min(max(push - 0.008 * v, -limit), limit)


@pytest.mark.parametrize("limit", [1e9, 50.0])
@pytest.mark.parametrize(("every", "factor"), [(0.6, 1.4), (0.75, 2.0), (1.0, 3.0)])
def test_a_clipped_controller_that_is_called_too_rarely_is_a_finding(every: float, factor: float, limit: float) -> None:
    """D = 8 mN s/m on 2 g: 1 - D T / m = -factor; it is stable from 2 m / D = 0.5 s on. Clipped, it continues."""
    assert 1.0 - 0.008 * every / MASS == pytest.approx(-factor)
    (found,) = findings(damping(limit), every, calls=30)
    assert "the controller of 'm::rail' is unstable at the rate at which it is called" in found
    assert f"changes sign every {every:g} s and grows by {factor:.3g} each time" in found
    assert "call it every 0.5 s or more often" in found


def test_a_controller_in_steps_of_time_is_named_by_its_step() -> None:
    """PD with D = 10 N s/m at 1 ms: 1 - D T / m = -4; stable from 0.4 ms on. The stiffness moves the root a little."""
    (found,) = findings(lambda _, q, v: min(max(0.1 * (0.1 - q) - 10.0 * v, -1e9), 1e9), 0.001)
    assert "call it every 0.0004 s or more often" in found


@pytest.mark.parametrize(
    ("law", "friction"),
    [
        (lambda _, __, v: -0.1 * math.copysign(1.0, v - 0.01), 0.0),  # a sliding mode: it switches on purpose
        (lambda t, __, v: -(0.01 + t) * math.copysign(1.0, v - 0.01), 0.0),  # … with a gain that adapts
        (lambda _, q, v: 40.0 * (0.01 - q) - 0.1 * v, 0.3),  # friction, at which a stable loop sticks and slips
        (lambda t, _, __: 0.02 * math.sin(math.pi * t / 0.011), 0.0),  # nearly the rate of the calls, with beats
    ],
)
def test_what_changes_sign_for_other_reasons_is_none(
    law: Callable[[float, float, float], float], friction: float
) -> None:
    assert findings(law, 0.01, calls=300, friction=friction) == []


def test_a_controller_that_swings_and_settles_is_none() -> None:
    """1 - D T / m = -0.6: its numbers change sign as well, but shrink."""
    assert findings(damping(), 0.4) == []


def test_an_actuator_that_was_asked_too_much_once_is_a_finding() -> None:
    """Behind a reduction of 10, 0.7 N m are 7 N at a rail that may have 5 N; over the last half it asks for 1 N. The
    finding is that of the whole run."""
    text = SLIDER.format(0, MOTOR).replace("<dynamics>", "<limit><effort>5</effort></limit><dynamics>")
    sim = simulator.load(text, dt=0.001)
    sim.drive("actuator/motor", simulator.effort(0.0))

    def control(now: simulator.Simulation) -> None:
        now.control[0] = 0.7 if now.time < 0.05 else 0.1

    (finding,) = sim.run(0.1, control=control).findings
    assert finding.code == "DRIVE_CUT"
    assert "the drives of actuators ask for 7 N at 'm::rail', its joint allows 5" in finding.message
    assert sim.run(0.1, control=control).findings == ()


def test_two_actuators_are_asked_for_together_not_one_after_the_other() -> None:
    """The wrist's differential: one actuator up and one down turn one axis, both change over in one call. What each
    axis is asked for is the sum of both at the same time."""
    sim = simulator.load("wrist")
    names = [f"actuator/{name}" for name in sim._core.opened.actuators.names[:2]]
    for name in names:
        sim.drive(name, simulator.effort(0.0))

    def control(now: simulator.Simulation) -> None:
        sign = 1.0 if now.time < 0.005 else -1.0
        now.control[:] = sign * 0.01, -sign * 0.01

    sim.run(0.01, control=control)
    expected = np.abs(sim._core.opened.actuators.axis_effort(np.array([0.01, -0.01])))
    np.testing.assert_allclose(sim._core.engine.efforts_log.asked, expected, atol=1e-15)
