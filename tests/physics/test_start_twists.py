"""Velocities of links that a document states: bodies that are thrown, and joints that follow from their links.

Figures are closed forms; 1e-12 is far above the round-off of the few operations between them and the state.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.diagnostics import Diagnostic
from simulator.session.batch.conversion import convert_document, write_conversion
from simulator.session.open.opening import open_document
from tests.physics.worlds import joint, link, model, world

EXACT = 1e-12
LOW = "0 0 -0.5 0 0 0"
LINEAR, ANGULAR = np.array([1.0, 2.0, 3.0]), np.array([0.4, -0.5, 0.6])


def thrown(name: str, *, linear: np.ndarray = LINEAR, angular: np.ndarray = ANGULAR) -> str:
    """A state that gives a link a velocity."""
    numbers = " ".join(map(str, (*linear, *angular)))
    return f'<model_state><link_state name="{name}"><velocity>{numbers}</velocity></link_state></model_state>'


def ball(*more: str) -> str:
    """A body whose centre is off its origin, in a model that is turned."""
    inside = (
        "<inertial><pose>0.1 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia>"
    )
    body = f'<link name="ball"><pose>0 0 1 0.2 0 0.5</pose>{inside}</inertial></link>'
    return world('<model name="m"><pose>0 0 5 0.3 0.2 0.1</pose>' + body + thrown("ball") + "".join(more) + "</model>")


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
def test_a_link_starts_with_the_velocity_of_its_state(solver: str) -> None:
    """World axes, about the link's origin; also after a reset."""
    with simulator.load(ball(), solver=solver) as sim:
        for _ in range(2):
            turned, moved = sim.pose("ball")[:3, :3], sim.moment.state.loose_twist[0]
            np.testing.assert_allclose((*(turned @ moved[:3]), *(turned @ moved[3:])), (*ANGULAR, *LINEAR), rtol=EXACT)
            sim.run(0.02)
            sim.reset()


def test_its_centre_flies_a_parabola() -> None:
    """c(t) = c₀ + (v + ω × r) t + g t²/2 with r from the origin to the centre; a ball's angular velocity does not
    change. 1e-9: the integrator's error over 500 steps is zero for the parabola, of fourth order for the turn."""
    sim = simulator.load(ball())
    X = sim.pose("ball")
    arm = X[:3, :3] @ np.array([0.1, 0.0, 0.0])
    centre, velocity = X[:3, 3] + arm, LINEAR + np.cross(ANGULAR, arm)
    t = 0.5
    sim.run(t)
    X = sim.pose("ball")
    wanted = centre + velocity * t + np.array([0.0, 0.0, -9.8]) * t**2 / 2.0
    np.testing.assert_allclose(X[:3, 3] + X[:3, :3] @ np.array([0.1, 0.0, 0.0]), wanted, atol=1e-9)


def test_what_hangs_on_it_is_carried_along_and_moves_beside_that_as_asked() -> None:
    """A flap without a velocity of its own keeps its angle at first; one with 0.7 rad/s has that, and the base is as
    asked."""
    for rate, said in ((0.0, ""), (0.7, "<axis_state><velocity>0.7</velocity></axis_state>")):
        flap = f'<model_state><joint_state name="j">{said}</joint_state></model_state>' if said else ""
        parts = (link("base"), link("flap"), joint("j", "revolute", "flap", parent="base"), thrown("base"), flap)
        sim = simulator.load(world(model(*parts)))
        assert sim.velocities["j"] == pytest.approx(rate, abs=EXACT)
        start = sim.moment.state.loose_twist[0]
        np.testing.assert_allclose(start, (*ANGULAR, *LINEAR), rtol=EXACT)


def open_text(text: str) -> list[Diagnostic]:
    """Findings about a document and its start."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.sdf")
        path.write_text(text)
        opened = open_document(path)
        return list(dict.fromkeys((*opened.diagnostics, *opened.start_diagnostics)))


def test_a_conversion_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    path.write_text(ball())
    write_conversion(tmp_path / "out.sdf", convert_document(path, tmp_path))
    written = open_document(tmp_path / "out.sdf").world.models[0].links[0].start_velocity
    assert written == open_document(path).world.models[0].links[0].start_velocity
    assert written is not None


def test_a_hinge_starts_as_its_link_moves() -> None:
    """The link's origin is off the hinge: v = ω × r. Another part, which the document has at rest, stays so, although
    the hinge alone would push it along."""
    rail = joint("rail", "prismatic", "cart", axis="1 0 0")
    parts = (link("cart"), link("arm"), rail, joint("hinge", "revolute", "arm", parent="cart", axis="0 1 0", pose=LOW))
    arm = thrown("arm", linear=np.array([1.0, 0.0, 0.0]), angular=np.array([0.0, 2.0, 0.0]))
    still = thrown("cart", linear=np.zeros(3), angular=np.zeros(3))
    text = world(model(*parts, arm, still))
    assert open_text(text) == []
    speeds = simulator.load(text).velocities
    assert (speeds["rail"], speeds["hinge"]) == pytest.approx((0.0, 2.0), abs=EXACT)


def test_a_ball_starts_as_its_link_turns() -> None:
    """On a base that is thrown: its own turning is added."""
    parts = (link("base"), link("top"), joint("b", "ball", "top", parent="base"))
    base, top = np.array([0.1, 0.2, -0.3]), np.array([3.0, -4.0, 5.0])
    at_rest = np.zeros(3)
    sim = simulator.load(
        world(model(*parts, thrown("base", linear=at_rest, angular=base), thrown("top", linear=at_rest, angular=top)))
    )
    for name, turning in (("base", base), ("top", top)):
        motion = np.asarray(sim.jacobian(name) @ sim.independent_velocities)
        np.testing.assert_allclose(motion, (*turning, *at_rest), atol=EXACT)


def test_a_loop_starts_with_the_velocity_of_its_middle_link() -> None:
    """A parallelogram with vertical cranks of 0.5 m: where the coupler goes at 1.5 m/s, both cranks turn at 3 rad/s."""
    cranks = (link("a"), link("b", pose="1 0 0 0 0 0"), link("bar", pose="0 0 0.5 0 0 0"))
    pins = (
        joint("ja", "revolute", "a", axis="0 1 0"),
        joint("jb", "revolute", "b", axis="0 1 0"),
        joint("jc", "revolute", "bar", parent="a", axis="0 1 0"),
        joint("closing", "revolute", "bar", parent="b", axis="0 1 0", pose="1 0 0 0 0 0"),
    )
    moving = thrown("bar", linear=np.array([1.5, 0.0, 0.0]), angular=np.zeros(3))
    text = world(model(*cranks, *pins, moving))
    assert open_text(text) == []
    speeds = simulator.load(text).velocities
    assert [speeds["ja"], speeds["jb"]] == pytest.approx([3.0, 3.0], abs=1e-9)  # loops close to round-off of rank


def test_a_velocity_that_joints_forbid_is_named() -> None:
    """The hinge takes the part of it that it can: the least squares of 0.6 rad/s about its axis."""
    text = world(model(link("arm"), joint("hinge", "revolute", "arm"), thrown("arm")))
    (finding,) = [item for item in open_text(text) if item.code == "LINK_STATE_INVALID"]
    assert "'m::arm' cannot start with the velocity that the document gives it" in finding.message
    assert simulator.load(text).velocities["hinge"] == pytest.approx(ANGULAR[2], abs=EXACT)


def test_a_link_that_does_not_move_is_named() -> None:
    text = world(model(link("arm"), joint("weld", "fixed", "arm", parent="world"), thrown("arm")))
    (finding,) = [item for item in open_text(text) if item.code == "LINK_STATE_INVALID"]
    assert "'m::arm': it does not move" in finding.message
