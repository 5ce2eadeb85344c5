"""What contacts do in the ledger of energy: they take, and never give."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simulator
from tests.physics.axes import limit, moving
from tests.physics.solids import ball_shape, box_shape, ground, solid
from tests.physics.worlds import joint, make_steps, model, running, world

Write = Callable[..., Path]
G, EDGE = 9.8, 0.1
CUBE = box_shape(f"{EDGE} {EDGE} {EDGE}")
MOMENT = EDGE**2 / 6.0


def cube(name: str, pose: str, *, mu: float = 0.5, restitution: float = 0.0) -> str:
    inertia = f"{MOMENT!r} {MOMENT!r} {MOMENT!r}"
    return model(solid("b", CUBE, inertia=inertia, pose=pose, mu=mu, restitution=restitution), name=name)


def heap(restitution: float) -> str:
    """Six cubes that fall on each other, turned all ways."""
    poses = (
        f"{0.02 * k!r} {-0.015 * k!r} {0.12 + 0.16 * k!r} {0.3 * k!r} {0.5 - 0.2 * k!r} {0.7 * k!r}" for k in range(6)
    )
    cubes = "".join(cube(f"c{k}", pose, restitution=restitution) for k, pose in enumerate(poses))
    return world(ground(0.5, restitution) + cubes)


@pytest.mark.parametrize("restitution", [0.0, 0.7])
def test_contacts_take_energy_and_give_none(write_document: Write, restitution: float) -> None:
    """In no step, however many points touch and whatever slips, rolls and bounces; to the last bit, for what a point
    would give by an error of the step is counted as one. Cubes that tumble at 3 m/s turn other edges towards each other
    within a step than those that touch at its start, and overlap by up to 3 mm; lifting them out of that is an error of
    less than a hundredth of what is taken."""
    with running(write_document(heap(restitution)), dt=1e-3) as engine:
        before = engine.snapshot().energy
        for _ in range(700):
            engine.step()
            energy = engine.snapshot().energy
            assert energy.contact <= before.contact
            assert energy.dissipated == 0.0, "loose bodies have no joints to lose anything in"
            before = energy
        assert before.contact < -1.0
        assert abs(before.error) <= 1e-2 * abs(before.contact)


def test_what_moving_apart_adds_is_a_term_of_its_own(write_document: Write) -> None:
    """A cube starts 2 cm deep in another that stands: it is lifted by the depth, all but the slop of a micrometre,
    without work: m g 0.02 J come from nowhere, and the balance says so. Nothing moves, so contacts take nothing, and
    nothing is missing but round-off of the potential energy."""
    deep = world(ground(0.5) + cube("lower", "0 0 0.05 0 0 0") + cube("upper", "0 0 0.13 0 0 0"))
    with running(write_document(deep), dt=1e-3) as engine:
        make_steps(engine, 300)
        snapshot = engine.snapshot()
        assert snapshot.body_poses[2, 2] == pytest.approx(0.15, abs=3e-6)
        assert snapshot.energy.overlap == pytest.approx(G * 0.02, rel=1e-3)
        assert abs(snapshot.energy.error) < 1e-12
        assert -1e-12 <= snapshot.energy.contact <= 0.0


def test_an_oblique_impact_takes_what_its_impulse_says(write_document: Write) -> None:
    """A ball at 45 degrees onto the ground, without gravity, e = 0.5, mu = 0.1: it slips throughout, so the impulse
    along the ground is mu times that across, which is m (1 + e) v; both leave their parts of the velocity and of
    the spin. One impulse: round-off, and that of 100 steps before it."""
    ball = solid("b", ball_shape(0.1), inertia="0.004 0.004 0.004", pose="0 0 0.3 0 0 0", mu=0.1, restitution=0.5)
    with running(
        write_document(world(ground(0.1, 0.5) + model(ball, name="ball"), gravity="0 0 0")), dt=1e-3
    ) as engine:
        moving(engine, (0.0, 0.0, 0.0, 2.0, 0.0, -2.0))
        while engine.snapshot().body_velocities[1, 5] < 0.0:
            engine.step()
        along = 0.1 * 1.5 * 2.0
        vx, vz, spin = 2.0 - along, 1.0, along * 0.1 / 0.004
        snapshot = engine.snapshot()
        assert snapshot.body_velocities[1] == pytest.approx((0, spin, 0, vx, 0, vz), abs=1e-12)
        left = 0.5 * (vx**2 + vz**2 + 0.004 * spin**2)
        assert snapshot.energy.contact == pytest.approx(left - 4.0, rel=1e-12)
        assert abs(snapshot.energy.error) <= 1e-12


def test_stops_of_joints_are_dissipation_contacts_are_not(write_document: Write) -> None:
    """A pendulum that swings into its stop and a ball that falls beside it: 0.5 J each, in a column each."""
    arm = solid("arm", ball_shape(0.02), inertia="0.01 0.01 0.01", pose="5 0 5 0 0 0", at="0 0 0 0 0 0")
    slider = model(arm, joint("j", "prismatic", "arm", axis="0 0 1", inside_axis=limit(-0.1, 0.1)), name="arm")
    ball = solid("b", ball_shape(0.1), inertia="0.004 0.004 0.004", pose="0 0 0.2 0 0 0")
    with running(write_document(world(ground() + slider + model(ball, name="ball"))), dt=1e-3) as engine:
        make_steps(engine, 400)
        energy = engine.snapshot().energy
        assert energy.contact == pytest.approx(-G * 0.1, rel=1e-9)
        assert energy.dissipated == pytest.approx(G * 0.1, rel=1e-9)
        assert abs(energy.error) <= 1e-11
        assert np.abs(engine.snapshot().body_velocities).max() <= 1e-9
        assert math.isclose(energy.kinetic, 0.0, abs_tol=1e-12)


BASE_WITH_ARM = """
<link name="base"><pose>0 0 0.05 0 0 0</pose>
<inertial><mass>1</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.6 0.2 0.1</size></box></geometry>
<surface><friction><ode><mu>0.3</mu></ode></friction></surface></collision></link>
<link name="arm"><pose>0 0 0.1 0 0.3 0</pose><inertial><pose>0.2 0 0 0 0 0</pose><mass>1</mass>
<inertia><ixx>.001</ixx><iyy>.001</iyy><izz>.001</izz></inertia></inertial></link>
<joint name="j" type="revolute"><parent>base</parent><child>arm</child>
<axis><xyz>0 1 0</xyz><limit><lower>-3</lower><upper>0.8</upper></limit></axis></joint>"""


@pytest.mark.parametrize("slip", [0.1, 0.35])
def test_a_stop_takes_what_friction_gives_in_its_blow(slip: float) -> None:
    """The blow of an arm into its stop throws its base back, which slides the other way; friction holds that, with an
    impulse in the direction in which the base slid. What all impulses together take is what the motion loses."""
    plane = '<collision name="c"><geometry><plane/></geometry></collision>'
    sim = simulator.load(
        '<sdf version="1.11"><world name="w">'
        f'<model name="g"><static>true</static><link name="g">{plane}</link></model>'
        f'<model name="m">{BASE_WITH_ARM}</model></world></sdf>'
    )
    sim.set(velocity={"m::j": 6.0}, twist={"m::base": (0, 0, 0, slip, 0, 0)})
    run = sim.run(0.1)
    assert run["energy/dissipated"][-1] > 1.0
    # The step in which the blow falls is of second order, as sliding is: 4e-9 J at 1 ms.
    assert np.abs(run["energy/error"]).max() <= 1e-8
