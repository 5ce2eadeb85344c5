"""Strategy `rows`: contacts that are felt through closed loops, by virtual work and by kinematics."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.spatial.pose_arrays import matrices
from tests.physics.axes import body, pressed, without_visuals
from tests.physics.solids import ball_shape, box_shape, ground, solid, surface, wall
from tests.physics.worlds import advance, example, joint, link, model, running, world

Write = Callable[..., Path]
G = 9.8


def with_collision(text: str, link_name: str, geometry: str, at: str = "0 0 0 0 0 0") -> str:
    end = text.index("</link>", text.index(f'<link name="{link_name}">'))
    shape = f'<collision name="c"><pose>{at}</pose><geometry>{geometry}</geometry>{surface(0.0)}</collision>'
    return text[:end] + shape + text[end:]


def test_a_slider_crank_presses_its_piston_on_a_wall(write_document: Write) -> None:
    """Virtual work over the loop: F dx = T dt + weight of crank and rod times their rise, by differences of the
    potential energy."""
    text = with_collision(without_visuals(example("slider_crank").read_text()), "piston", box_shape("0.02 0.02 0.02"))
    with running(example("slider_crank")) as engine:
        piston = next(i for name, i in engine.mechanism.link_bodies().items() if name.endswith("piston"))
        start = engine.snapshot().body_poses[piston]
    block = wall(box_shape("0.1 0.2 0.2"), pose=f"{float(start[0]) + 0.065!r} 0 {float(start[2])!r} 0 0 0")
    document = write_document(text.replace("</world>", block + "</world>"))
    with running(document, drives=("crank_joint=effort:-0.5",)) as engine:
        worst = 0.0
        for _ in range(500):
            engine.step()
            worst = max(worst, engine.snapshot().worst_loop_residual()[0])
        crank, slide = (engine.mechanism.axis_index(name) for name in ("crank_joint", "piston_joint"))
        assert crank is not None
        assert slide is not None
        force = sum(contact.force for contact in engine.contacts())
        angle, travel = (float(engine.snapshot().position[axis]) for axis in (crank, slide))
        assert travel == pytest.approx(0.005, abs=2e-6)
        assert np.abs(engine.snapshot().velocity).max() <= 1e-9
        h, ends = 1e-4, []
        for step in (h, -h):
            engine.place(crank, angle + step)
            ends.append((float(engine.snapshot().position[slide]), engine.snapshot().energy.potential))
        dx, dw = ends[0][0] - ends[1][0], -0.5 * 2 * h - (ends[0][1] - ends[1][1])
        assert force == pytest.approx(dw / dx, rel=1e-6), "central differences are good to h^2 = 1e-8"
        assert worst <= 1e-12


def test_a_rocker_pushes_a_block_over_the_ground(write_document: Write) -> None:
    """Crank-rocker, driven at constant speed: while the ball at the rocker's end pushes the block, the block's speed is
    that of the ball along the plane, and the crank retains its speed. Efforts are those of the middle of each step,
    as far as its start foresees it, which leaves 2e-7 m/s and 5e-6 rad/s, less by four with half the step; by those of
    the start, the load would be 1e-5 m/s behind, and the crank 2e-4 rad/s."""
    text = with_collision(without_visuals(example("four_bar").read_text()), "rocker", ball_shape(0.02), "0.3 0 0 0 0 0")
    with running(example("four_bar"), drives=("crank_joint=velocity:3",)) as engine:
        rocker = next(i for name, i in engine.mechanism.link_bodies().items() if name.endswith("rocker"))
        tip = (matrices(engine.snapshot().body_poses)[rocker] @ (0.3, 0.0, 0.0, 1.0))[:3]
        advance(engine, 0.05)
        later = (matrices(engine.snapshot().body_poses)[rocker] @ (0.3, 0.0, 0.0, 1.0))[:3]
    side = math.copysign(1.0, later[0] - tip[0])
    block = model(
        solid(
            "b",
            box_shape("0.1 0.4 0.6"),
            mass=0.5,
            mu=0.0,
            pose=f"{float(tip[0]) + side * 0.075!r} 0 {float(tip[2])!r} 0 0 0",
        ),
        joint("rail", "prismatic", "b", axis="1 0 0"),
        name="block",
    )
    with running(
        write_document(text.replace("</world>", block + "</world>")), drives=("crank_joint=velocity:3",)
    ) as engine:
        rail, crank = (engine.mechanism.axis_index(name) for name in ("block::rail", "crank_joint"))
        rocker = body(engine, next(name for name in engine.mechanism.link_bodies() if name.endswith("rocker")))
        touched = 0
        for _ in range(200):
            engine.step()
            snapshot = engine.snapshot()
            if sum(contact.force for contact in engine.contacts()) > 0.0 and touched < 80:
                touched += 1
                pose, turning = matrices(snapshot.body_poses)[rocker], snapshot.body_velocities[rocker]
                centre = pose[:3, :3] @ np.array(engine.mechanism.bodies[rocker].com)
                arm = pose[:3, :3] @ np.array((0.3, 0.0, 0.0)) - centre
                tip_speed = turning[3:] + np.cross(turning[:3], arm)
                if touched > 5:
                    assert snapshot.velocity[rail] == pytest.approx(tip_speed[0], abs=1e-6)
                    assert snapshot.velocity[crank] == pytest.approx(3.0, abs=2e-5)
            assert snapshot.worst_loop_residual()[0] <= 1e-12
        assert touched >= 50


def test_a_floating_base_with_a_loop_stands_on_the_ground(write_document: Write) -> None:
    """A free base on four feet that carries a closed four-bar, held by its drive: the ground carries the weight of all
    of it."""
    base = solid("base", box_shape("0.6 0.4 0.1"), mass=4.0, inertia="0.1 0.1 0.1", pose="0 0 0.05 0 0 0")
    bars = (
        base,
        link("a", mass=0.3, inertia="0.001 0.001 0.001", pose="-0.1 0 0.1 0 0 0", com="0 0 0.1"),
        link("b", mass=0.3, inertia="0.001 0.001 0.001", pose="0.1 0 0.1 0 0 0", com="0 0 0.1"),
        link("c", mass=0.3, inertia="0.001 0.001 0.001", pose="-0.1 0 0.3 0 0 0", com="0.1 0 0"),
        joint("ja", "revolute", "a", parent="base", axis="0 1 0"),
        joint("jb", "revolute", "b", parent="base", axis="0 1 0"),
        joint("jc", "revolute", "c", parent="a", axis="0 1 0"),
        '<joint name="close" type="revolute"><parent>c</parent><child>b</child><pose>0 0 0.2 0 0 0</pose>'
        "<axis><xyz>0 1 0</xyz></axis></joint>",
    )
    with running(write_document(world(ground() + model(*bars))), drives=("ja=position:0.3",)) as engine:
        advance(engine, 1.5)
        snapshot = engine.snapshot()
        assert snapshot.position[engine.mechanism.axis_index("ja")] == pytest.approx(0.3, abs=1e-6)
        assert pressed(engine, "m::base") == pytest.approx(4.9 * G, rel=1e-6)
        assert np.abs(snapshot.body_velocities).max() <= 1e-6
        assert snapshot.worst_loop_residual()[0] <= 1e-12
        advance(engine, 0.5)
        assert np.abs(engine.snapshot().body_poses - snapshot.body_poses).max() <= 1e-6


FLOATING = """
<link name="a"><pose>0 0 0.25 0 0 0</pose>
<inertial><mass>2</mass><inertia><ixx>.02</ixx><iyy>.03</iyy><izz>.025</izz></inertia></inertial>
<collision name="c"><pose>-0.15 0 0 0 0 0</pose><geometry><sphere><radius>0.05</radius></sphere></geometry>{surface}
</collision></link>
<link name="b"><pose>0.3 0 0.3 0 0 0</pose>
<inertial><mass>0.8</mass><inertia><ixx>.01</ixx><iyy>.008</iyy><izz>.009</izz></inertia></inertial>
<collision name="c"><pose>0.1 0 0 0 0 0</pose><geometry><sphere><radius>0.05</radius></sphere></geometry>{surface}
</collision></link>
<link name="d"><pose>0.1 0 0.5 0 0 0</pose>
<inertial><mass>0.5</mass><inertia><ixx>.006</ixx><iyy>.008</iyy><izz>.004</izz></inertia></inertial></link>
<joint name="ab" type="revolute"><pose>-0.15 0 0 0 0 0</pose><parent>a</parent><child>b</child>
<axis><xyz>0.2 1 0.1</xyz><dynamics><spring_stiffness>20</spring_stiffness></dynamics></axis></joint>
<joint name="ad" type="universal"><pose>0 0 -0.15 0 0 0</pose><parent>a</parent><child>d</child>
<axis><xyz>0 1 0</xyz></axis><axis2><xyz>1 0 0</xyz></axis2></joint>
<link name="e"><pose>0.25 0 0.5 0 0 0</pose>
<inertial><mass>0.4</mass><inertia><ixx>.004</ixx><iyy>.003</iyy><izz>.005</izz></inertia></inertial></link>
<joint name="de" type="revolute"><pose>-0.1 0 0.05 0 0 0</pose><parent>d</parent><child>e</child>
<axis><xyz>0 1 0.3</xyz></axis></joint>
<joint name="eb" type="ball"><pose>0.1 0 -0.05 0 0 0</pose><parent>e</parent><child>b</child></joint>"""


def energy_error_of_a_floating_loop(step: float, mu: float) -> float:
    """Largest error of the energy balance [J] over 0.4 s in which a floating linkage falls on its feet."""
    surfaces = f"<surface><friction><ode><mu>{mu}</mu></ode></friction></surface>"
    plane = '<collision name="c"><geometry><plane/></geometry></collision>'
    document = (
        '<sdf version="1.11"><world name="w">'
        f'<model name="g"><static>true</static><link name="g">{plane}</link></model>'
        f'<model name="m">{FLOATING.format(surface=surfaces)}</model></world></sdf>'
    )
    run = simulator.load(document, dt=step).run(0.4)
    assert np.any(run["energy/contact"] != 0.0)
    return float(np.abs(run["energy/error"]).max())


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_a_floating_loop_lands_to_second_order(mu: float) -> None:
    """What contacts do is in proportion to the way along their normal of the middle of the step, and so exact to second
    order; along that of its start the error would halve with the step."""
    errors = [energy_error_of_a_floating_loop(step, mu) for step in (5e-4, 1.25e-4)]
    assert errors[0] <= 5e-4, "of 9 J that fall"
    assert errors[1] <= errors[0] / 12.0, "16 by second order"
