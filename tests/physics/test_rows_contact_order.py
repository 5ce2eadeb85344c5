"""Rolling on what turns, and sliding on a curve: held to second order in the step."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.physics.axes import moving
from tests.physics.solids import ball_shape, box_shape, ground, solid, wall
from tests.physics.worlds import advance, joint, link, model, running, world

Write = Callable[..., Path]
Array = NDArray[np.float64]
G, RADIUS, MASS = 9.8, 0.1, 1.0
MOMENT = 0.4 * MASS * RADIUS**2
TURNS = 2.0
"""Of the turntable [rad/s]."""
BEGIN, PUSHED = (0.5, 0.0), (0.3, 0.2)
"""Where the ball is at first [m], and how fast [m/s]."""
SIDES = 16


def prism(path: Path) -> str:
    """A slab with sixteen sides as a mesh; the ball begins over an edge between two triangles of its face."""
    ring = [
        (2.0 * math.cos(2.0 * math.pi * k / SIDES), 2.0 * math.sin(2.0 * math.pi * k / SIDES)) for k in range(SIDES)
    ]
    lines = [f"v {x!r} {y!r} {z!r}" for z in (-0.05, 0.05) for x, y in ring]
    for k in range(SIDES):
        a, b = k + 1, (k + 1) % SIDES + 1
        lines += [f"f {a} {b} {b + SIDES}", f"f {a} {b + SIDES} {a + SIDES}"]
        if 0 < k < SIDES - 1:
            lines += [f"f 1 {k + 2} {k + 1}", f"f {SIDES + 1} {SIDES + k + 1} {SIDES + k + 2}"]
    path.write_text("\n".join(lines) + "\n")
    return f"<mesh><uri>{path}</uri></mesh>"


def table(shape: str, mu: float, tmp_path: Path) -> str:
    """A ball on a turntable that is driven."""
    shapes = {
        "box": box_shape("4 4 0.1"),
        "cylinder": "<cylinder><radius>2</radius><length>0.1</length></cylinder>",
        "mesh": prism(tmp_path / "prism.obj"),
    }
    moment = f"{MOMENT!r} {MOMENT!r} {MOMENT!r}"
    turning = solid("table", shapes[shape], pose="0 0 -0.05 0 0 0", mass=10.0, mu=mu)
    ball = solid("ball", ball_shape(RADIUS), inertia=moment, pose=f"{BEGIN[0]} {BEGIN[1]} {RADIUS} 0 0 0", mu=mu)
    hinge = joint("hinge", "continuous", "table", axis="0 0 1")
    return world(model(ball, name="b") + model(turning, hinge, name="t"))


def place_after(path: Path, dt: float, seconds: float, spin: Array) -> tuple[Array, float]:
    """Where the ball is after a time, and the work of contacts until then [J]."""
    with running(path, dt=dt, drives=(f"hinge=velocity:{TURNS}",), velocity=(f"hinge={TURNS}",)) as engine:
        moving(engine, (*spin.tolist(), *PUSHED, 0.0))
        advance(engine, seconds)
        snapshot = engine.snapshot()
        body = engine.mechanism.link_bodies()["b::ball"]
        return snapshot.body_poses[body, :2].copy(), snapshot.energy.contact


def assert_second_order(errors: list[float], most: float) -> None:
    """The first error is within its bound, and each half of a step leaves a quarter."""
    assert errors[0] <= most
    for one, half in pairwise(errors):
        assert one / half == pytest.approx(4.0, abs=0.25)


@pytest.mark.parametrize("shape", ["box", "cylinder", "mesh"])
def test_a_ball_rolls_on_a_turntable_in_a_circle(write_document: Write, tmp_path: Path, shape: str) -> None:
    """A solid ball that rolls on a turntable goes in a circle at 2/7 of its rate (Weckesser, American Journal of
    Physics 65, 736, 1997). Where the foreseen point of contact and the friction turn with the table, what is left after
    2 s and 0.8 m at 1 ms is 1e-7 m, and nothing slips: contacts do no work. The material velocity of the point instead
    of that of the contact gave 2 mm, and -0.09 J."""
    path, rate, across = write_document(table(shape, 1.0, tmp_path)), 2.0 / 7.0 * TURNS, np.array([-BEGIN[1], BEGIN[0]])
    (ux, uy), s, c = PUSHED, math.sin(2.0 * rate), math.cos(2.0 * rate)
    wanted = np.array(BEGIN) + np.array([s * ux - (1.0 - c) * uy, (1.0 - c) * ux + s * uy]) / rate
    # Nothing slips: v - r w x z = W x x.
    x, y = (np.array(PUSHED) - TURNS * across) / RADIUS
    ends = [place_after(path, dt, 2.0, np.array([-y, x, 0.0])) for dt in (2e-3, 1e-3, 5e-4)]
    assert_second_order([float(np.linalg.norm(place - wanted)) for place, _ in ends], 5e-7)
    for _, work in ends:
        assert abs(work) <= 1e-9


def slipping(seconds: float, mu: float, spin: Array) -> Array:
    """Where a ball is then that slips on the turntable, by its equations: m v' = f, J w' = -r z x f, with the force
    f = -mu m g u / |u| and the slip u = v + w x (-r z) - W x x; in steps of the classical Runge-Kutta method that are
    short enough."""

    def rates(state: Array) -> Array:
        x, v, w = state[:2], state[2:4], state[4:]
        slip = v + RADIUS * np.array([-w[1], w[0]]) - TURNS * np.array([-x[1], x[0]])
        force = -mu * MASS * G * slip / np.linalg.norm(slip)
        return np.concatenate((v, force / MASS, RADIUS / MOMENT * np.array([force[1], -force[0]])))

    state, h = np.array([*BEGIN, *PUSHED, *spin[:2]]), 1e-4
    for _ in range(round(seconds / h)):
        k1 = rates(state)
        k2 = rates(state + 0.5 * h * k1)
        k3 = rates(state + 0.5 * h * k2)
        k4 = rates(state + h * k3)
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    place: Array = state[:2]
    return place


@pytest.mark.parametrize("shape", ["box", "cylinder", "mesh"])
def test_a_ball_slips_on_a_turntable_as_its_equations_say(write_document: Write, tmp_path: Path, shape: str) -> None:
    """The slip turns all the while. Friction against the slip of a step's end, which is the implicit Euler method, gave
    2e-5 m after 0.2 s at 2 ms, and half of it with half the step. The first step does not know what friction gave
    before it, so that ratios are a little off."""
    spin = np.array([8.0, -5.0, 0.0])
    path, wanted = write_document(table(shape, 0.1, tmp_path)), slipping(0.2, 0.1, spin)
    ends = [place_after(path, dt, 0.2, spin)[0] for dt in (2e-3, 1e-3, 5e-4)]
    assert_second_order([float(np.linalg.norm(place - wanted)) for place in ends], 2e-6)


# --- a tip that is dragged in a circle --------------------------------------------------------------------------------

ARM, MU, TIP, SPUN = 0.5, 0.3, 0.8, 6.0


def dragged(dt: float, write: Write) -> float:
    """Error of the angle [rad], after 0.3 s, of an arm on an upright hinge with a tip that slides on the ground."""
    moment = 0.02
    arm = link("arm", mass=1.0, inertia=f"1 1 {moment}", pose="0 0 0.5 0 0 0")
    tip = solid("tip", ball_shape(0.05), mass=TIP, inertia="0.01 0.01 0.01", pose=f"{ARM} 0 0.05 0 0 0", mu=MU)
    joints = (
        joint("hinge", "continuous", "arm", axis="0 0 1"),
        joint("slide", "prismatic", "tip", parent="arm", axis="0 0 1"),
    )
    path = write(world(ground(MU) + model(arm, tip, *joints)))
    with running(path, dt=dt, velocity=(f"hinge={SPUN}",)) as engine:
        advance(engine, 0.3)
        angle = float(engine.snapshot().position[0])
    slower = MU * TIP * G * ARM / (moment + 0.01 + TIP * ARM**2)
    return angle - (SPUN * 0.3 - 0.5 * slower * 0.3**2)


def test_a_tip_is_dragged_in_a_circle(write_document: Write) -> None:
    """Friction mu m g at the arm R brakes the hinge evenly, J w' = -mu m g R: the closed form is a parabola. Steps of
    2 ms turn by 12 mrad; friction along the mean of the slips errs by the square of that."""
    errors = [abs(dragged(dt, write_document)) for dt in (2e-3, 1e-3, 5e-4)]
    assert_second_order(errors, 2e-5)


# --- down the outside of a ball ---------------------------------------------------------------------------------------


def rolled(start: float, seconds: float) -> float:
    """Angle from the top after a time of a ball that rolls down another, from rest: t'' = 5/7 g sin t / (R + r)."""
    angle, rate, h = start, 0.0, 1e-4

    def faster(t: float) -> float:
        return 5.0 / 7.0 * G * math.sin(t) / (0.5 + RADIUS)

    for _ in range(round(seconds / h)):
        k1 = faster(angle)
        k2 = faster(angle + 0.5 * h * rate)
        k3 = faster(angle + 0.5 * h * rate + 0.25 * h * h * k1)
        k4 = faster(angle + h * rate + 0.5 * h * h * k2)
        angle, rate = angle + h * rate + h * h * (k1 + k2 + k3) / 6.0, rate + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
    return angle


def test_a_ball_rolls_down_a_ball(write_document: Write) -> None:
    """From 0.3 rad, for 0.4 s, before it takes off. Normal and lever are those of the middle of each step."""
    moment = f"{MOMENT!r} {MOMENT!r} {MOMENT!r}"
    pose = f"{0.6 * math.sin(0.3)!r} 0 {0.6 * math.cos(0.3)!r} 0 0 0"
    ball = model(solid("ball", ball_shape(RADIUS), inertia=moment, pose=pose, mu=5.0), name="b")
    path, wanted, errors = (
        write_document(world(wall(ball_shape(0.5), pose="0 0 0 0 0 0", mu=5.0) + ball)),
        rolled(0.3, 0.4),
        [],
    )
    for dt in (2e-3, 1e-3, 5e-4):
        with running(path, dt=dt) as engine:
            advance(engine, 0.4)
            x, _, z = engine.snapshot().body_poses[engine.mechanism.link_bodies()["b::ball"], :3]
        errors.append(abs(math.atan2(x, z) - wanted))
    assert_second_order(errors, 2e-6)
