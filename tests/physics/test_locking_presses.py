"""Screw presses with threads that lock themselves, on stacks of boxes: what a thread carries that stands is of no one
size, and yet what it does is that of the drive and of the blow."""

from __future__ import annotations

import pytest

import simulator

THREAD, FORWARD = 0.005, 0.4
"""Way of the plate for a radian of the spindle [m], and efficiency of the thread, which is 0 backward."""
SPINDLE, PLATE, BOX, SIDE = 0.0017, 2.0, 1.0, 0.1
"""Moment of inertia [kg m²], masses [kg], and height of a box [m]."""
GRAVITY = 9.81


def press(boxes: int, gap: float, friction: float = 0.0) -> str:
    """A plate on a thread over so many boxes, which stand on the ground a little beside each other."""
    stack = "".join(
        f"""<model name="o{i}"><pose>{0.01 * i} {-0.004 * i} {SIDE * (i + 0.5)} 0 0 0</pose><link name="box">
        <inertial><mass>{BOX}</mass><inertia><ixx>0.003</ixx><iyy>0.003</iyy><izz>0.003</izz></inertia></inertial>
        <collision name="c"><geometry><box><size>0.15 0.12 {SIDE}</size></box></geometry></collision></link></model>"""
        for i in range(boxes)
    )
    return f"""<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w">
      <gravity>0 0 -{GRAVITY}</gravity><model name="ground"><static>true</static><link name="ground">
      <collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>{stack}
      <model name="press"><link name="spindle"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass>
        <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>{SPINDLE}</izz></inertia></inertial></link>
      <link name="plate"><pose>0 0 {boxes * SIDE + gap + 0.02} 0 0 0</pose><inertial><mass>{PLATE}</mass>
        <inertia><ixx>0.015</ixx><iyy>0.015</iyy><izz>0.03</izz></inertia></inertial>
        <collision name="c"><geometry><box><size>0.3 0.3 0.04</size></box></geometry></collision></link>
      <joint name="turn" type="revolute"><parent>world</parent><child>spindle</child>
        <axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="press" type="prismatic"><parent>world</parent><child>plate</child><axis><xyz>0 0 -1</xyz>
        <mimic joint="turn"><multiplier>{THREAD}</multiplier><offset>0</offset><reference>0</reference>
        <simulator:efficiency forward="{FORWARD}" backward="0"/></mimic>
        <dynamics><friction>{friction}</friction></dynamics></axis></joint></model></world></sdf>"""


@pytest.mark.parametrize("boxes", [1, 2])
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_press_lands_on_a_stack_and_stands(boxes: int, friction: float) -> None:
    """Contacts take no more than what moved, and the lowest one carries the weights and what of the torque arrives,
    less what the slide's friction holds back at most. A thread that jams at 880 times that carried it as well."""
    torque = 10.0
    sim = simulator.load(press(boxes, 0.001, friction))
    run = sim.run(0.1, drives={"turn": simulator.effort(torque)})
    assert abs(run["energy/contact"]).max() <= run["energy/kinetic"].max()
    assert abs(run["energy/error"]).max() < 1e-9
    assert abs(run["turn/velocity"][-50:]).max() < 1e-9
    carried = sum(contact.force for contact in sim.contacts if "world" in contact.names)
    whole = FORWARD * torque / THREAD + GRAVITY * (PLATE + boxes * BOX)
    assert whole - friction - 1e-6 <= carried <= whole + friction + 1e-6


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_a_motor_without_a_limit_turns_a_press_onto_a_stack(dt: float) -> None:
    """It stops there, and presses with nothing: before, the thread threw the boxes away with 760 kJ. What it gives is
    no more than what the plate's weight needs, backwards."""
    sim = simulator.load(press(2, 0.0005), dt=dt)
    run = sim.run(0.15, drives={"turn": simulator.velocity(2.0)})
    assert abs(run["turn/velocity"][-10:]).max() < 1e-5
    assert run["turn/position"][-1] == pytest.approx(0.0005 / THREAD, abs=1e-3)
    assert run["energy/kinetic"].max() <= 0.5 * (SPINDLE + PLATE * THREAD**2) * 2.0**2 * (1.0 + 1e-9)
    assert run.drives["press::turn"]["peak"] <= 2.5 * PLATE * GRAVITY * THREAD / FORWARD
    assert abs(run["energy/error"]).max() < 1e-9
