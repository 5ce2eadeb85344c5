"""Friction with a direction (fdir1, mu, mu2): the ellipse of Coulomb friction with maximal dissipation.

What slips with the velocity (v1, v2) along the direction and across it is braked with g (mu1^2 v1, mu2^2 v2) /
sqrt(mu1^2 v1^2 + mu2^2 v2^2) (Goyal, Ruina and Papadopoulos, Planar sliding with dry friction, Wear 143, 1991: the
force is where the slip is normal to the limit curve, here an ellipse).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from simulator.engine.engine import Engine
from tests.physics.solids import ball_shape, box_shape, grain, ground, solid, surface, wall
from tests.physics.worlds import advance, joint, link, model, running, world

Array = NDArray[np.float64]
Write = Callable[..., Path]
G, ANGLE = 9.8, 0.4
C, S = math.cos(ANGLE), math.sin(ANGLE)
ALONG = f"{C!r} {S!r} 0"


def moving(velocity: tuple[float, float, float], rubs: str, shape: str = "", height: float = 0.05) -> str:
    """A free body over the plane z = 0, a flat block unless a shape is given, that starts with a velocity."""
    at, inertia = f"0 0 {height!r} 0 0 0", "0.01 0.01 0.02"
    start = f'<link_state name="b"><velocity>{" ".join(map(repr, velocity))} 0 0 0</velocity></link_state>'
    body = solid("b", shape or box_shape("0.2 0.2 0.1"), mass=2.0, inertia=inertia, pose=at, rubs=rubs)
    return model(body, f"<model_state>{start}</model_state>")


def pose_of(engine: Engine, name: str = "m::b") -> Array:
    pose: Array = engine.snapshot().body_poses[engine.mechanism.link_bodies()[name]]
    return pose


def braked(mu: float, mu2: float, v: Array) -> Array:
    """Acceleration [m/s^2] of what slips at v, shape (2,), in the world."""
    v1, v2 = C * v[0] + S * v[1], C * v[1] - S * v[0]
    a1, a2 = -G * np.array((mu * mu * v1, mu2 * mu2 * v2)) / math.hypot(mu * v1, mu2 * v2)
    return np.array((C * a1 - S * a2, S * a1 + C * a2))


@pytest.mark.parametrize(("mu", "mu2"), [(0.6, 0.2), (0.2, 0.6), (0.5, 0.05)])
def test_what_slides_askew_goes_as_the_ellipse_says(write_document: Write, mu: float, mu2: float) -> None:
    """The slip turns towards where there is less friction. Friction is against the slip at the end of each step, so
    that the place is right to the first order: half of the error is left with half the step, and what three such
    steps say of none is an independent integration's to 1e-8 m."""
    path = write_document(world(ground(2.0) + moving((1.5, 1.0, 0.0), surface(mu, across=mu2, grain=grain(ALONG)))))
    start = [0.0, 0.0, 1.5, 1.0]
    exact = solve_ivp(
        lambda _, y: [*y[2:], *braked(mu, mu2, y[2:])], (0.0, 0.25), start, rtol=1e-12, atol=1e-13, method="DOP853"
    ).y[:2, -1]
    ends = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        with running(path, dt=dt) as engine:
            advance(engine, 0.25)
            ends.append(pose_of(engine)[:2].copy())
            assert abs(engine.snapshot().energy.error) <= 1e-12
    assert ends[1] - exact == pytest.approx(0.5 * (ends[0] - exact), rel=0.02)
    first, second = 2.0 * ends[1] - ends[0], 2.0 * ends[2] - ends[1]
    assert np.abs((4.0 * second - first) / 3.0 - exact).max() <= 1e-8


@pytest.mark.parametrize("share", [0.999, 1.001])
@pytest.mark.parametrize("across", [0.0, 0.3, 1.1, math.pi / 2])
def test_a_block_on_an_incline_holds_as_far_as_the_ellipse_goes(
    write_document: Write, share: float, across: float
) -> None:
    """The weight pulls at the angle `across` to the direction, with a share of what the ellipse holds there. What
    holds stays to round-off; what slips has, once it is on its way, an acceleration along its slip, a = f - braked(a),
    which steps find exactly: 1e-9 relative."""
    mu, mu2 = 0.6, 0.25
    most = 1.0 / math.hypot(math.cos(across) / mu, math.sin(across) / mu2)
    pull = share * most * G * np.array((math.cos(ANGLE + across), math.sin(ANGLE + across)))
    text = world(
        ground(2.0) + moving((0.0, 0.0, 0.0), surface(mu, across=mu2, grain=grain(ALONG))),
        gravity=f"{float(pull[0])!r} {float(pull[1])!r} {-G!r}",
    )
    with running(write_document(text)) as engine:
        start = pose_of(engine)[:2].copy()
        advance(engine, 0.5)
        moved = pose_of(engine)[:2] - start
        assert abs(engine.snapshot().energy.error) <= 1e-12
    if share < 1.0:
        assert np.abs(moved).max() <= 1e-12
        return
    a = fsolve(lambda a: a - pull - braked(mu, mu2, a), 0.01 * pull, xtol=1e-12)
    assert moved == pytest.approx(0.5 * a * 0.25, rel=1e-9, abs=1e-12)


def test_across_a_direction_without_friction_nothing_brakes(write_document: Write) -> None:
    """mu2 = 0, as of a roller: along the direction the block stops with mu g, across it slides for ever; round-off
    of half a second of steps: 1e-11."""
    rubs = surface(0.5, across=0.0, grain=grain(ALONG))
    v1, v2 = 0.98, 0.7
    with running(write_document(world(ground() + moving((C * v1 - S * v2, S * v1 + C * v2, 0.0), rubs)))) as engine:
        advance(engine, 0.5)
        x, y = pose_of(engine)[:2]
        assert C * x + S * y == pytest.approx(0.5 * v1**2 / (0.5 * G), rel=1e-11)
        assert C * y - S * x == pytest.approx(0.5 * v2, rel=1e-11)
        assert abs(engine.snapshot().energy.error) <= 1e-12


def test_the_friction_that_is_reported_is_the_force_on_the_body(write_document: Write) -> None:
    """Forces of all points together are mass times acceleration, to round-off of the step."""
    rubs = surface(0.6, across=0.2, grain=grain(ALONG))
    with running(write_document(world(ground(2.0) + moving((1.5, 1.0, 0.0), rubs)))) as engine:
        engine.step()
        pushed = sum(np.array(contact.friction) for contact in engine.contacts())
        pressed = sum(contact.force for contact in engine.contacts())
    v = np.array((1.5, 1.0)) + pushed[:2] / 2.0 * 1e-3
    assert pressed == pytest.approx(2.0 * G, rel=1e-12)
    assert pushed[:2] == pytest.approx(2.0 * braked(0.6, 0.2, v), rel=1e-9)
    assert abs(pushed[2]) <= 1e-12


@pytest.mark.parametrize(
    ("floor", "rubs", "along", "across"),
    [
        (ground(0.3), surface(0.6, across=0.2, grain=grain("1 0 0")), 0.3, 0.2),
        (ground(rubs=surface(0.4, across=0.1, grain=grain("1 0 0"))), surface(0.3), 0.3, 0.1),
        (
            ground(rubs=surface(0.5, across=0.4, grain=grain("0 1 0"))),
            surface(0.3, across=0.2, grain=grain("1 0 0")),
            0.3,
            0.2,
        ),
        (ground(), surface(0.3, across=0.1, grain=grain("0 0 1")), 0.3, 0.3),
        (ground(), surface(0.3, across=0.1, grain=grain("0 0 0")), 0.3, 0.3),
        (ground(), surface(0.0, across=0.2, grain=grain("1 0 0")), 0.0, 0.2),
        (ground(), surface(0.3, across=0.1, grain=grain("2 0 5")), 0.3, 0.1),
    ],
    ids=["smaller", "of the floor", "of both", "upright", "none", "only across", "slanting"],
)
def test_what_two_surfaces_make_of_each_other(
    write_document: Write, floor: str, rubs: str, along: float, across: float
) -> None:
    """The smaller coefficient in each direction; the direction is that of the surface with the smaller mu. One that
    is upright tells none, and mu is for all. Straight slides are exact: 1e-11 relative."""
    for velocity, mu in (((1.0, 0.0, 0.0), along), ((0.0, 1.0, 0.0), across)):
        with running(write_document(world(floor + moving(velocity, rubs)))) as engine:
            advance(engine, 0.2)
            way = np.dot(pose_of(engine)[:3], velocity)
        assert way == pytest.approx(0.2 - 0.5 * mu * G * 0.04, rel=1e-11)


def test_a_ball_that_bounces_keeps_its_way_across(write_document: Write) -> None:
    """One bounce without gravity: p_n = m (1 + e) v, friction mu p_n along the direction and none across it; an impact
    is solved to round-off: 1e-11."""
    rubs = surface(0.2, 0.5, across=0.0, grain=grain(ALONG))
    ball = moving((2.0, 1.0, -1.0), rubs, ball_shape(0.05), 0.05 + 0.2)
    with running(write_document(world(ground(1.0, 0.5) + ball, gravity="0 0 0"))) as engine:
        advance(engine, 0.25)
        x, y = pose_of(engine)[:2]
        advance(engine, 0.05)
        velocity = (pose_of(engine)[:2] - (x, y)) / 0.05
    before = np.array((C * 2.0 + S * 1.0, C * 1.0 - S * 2.0))
    after = before - np.array((0.2 * 1.5, 0.0))
    along, side = C * velocity[0] + S * velocity[1], C * velocity[1] - S * velocity[0]
    assert np.array((along, side)) == pytest.approx(after, rel=1e-11)
    assert C * y - S * x == pytest.approx(0.25 * before[1], rel=1e-11)


SLOPE, TURN = math.radians(20.0), 3.0


def skate_error(path: Path, dt: float) -> tuple[float, float]:
    """How far the knife edge is from its cycloid after half a second [m], and the error of the balance [J]."""
    t, reach = 0.5, G * math.sin(SLOPE) / (2.0 * TURN * TURN)
    exact = (reach * math.sin(TURN * t) ** 2, reach * (TURN * t - 0.5 * math.sin(2.0 * TURN * t)))
    with running(path, dt=dt, drives=(f"turn=velocity:{TURN}",), velocity=(f"turn={TURN}",)) as engine:
        advance(engine, t)
        return math.dist(pose_of(engine)[:2], exact), engine.snapshot().energy.error


def test_a_direction_that_another_link_carries_turns_with_it(write_document: Write) -> None:
    """A knife edge on an incline, which goes along an edge that turns steadily and not across it, draws a cycloid
    (Bloch, Nonholonomic Mechanics and Control, 1.6): x = g sin(a) sin^2(wt) / (2 w^2), y = g sin(a) (wt - sin(2wt) / 2)
    / (2 w^2). The edge is a pointer beside the block. The force acts along the direction in the middle of the step, so
    that a quarter of the error, 2.1e-6 m, is left with half the step."""
    pointer = link("pointer", inertia="0.1 0.1 0.1", pose="0 0 2 0 0 0") + joint("turn", "revolute", "pointer")
    block = moving((0.0, 0.0, 0.0), surface(50.0, across=0.0, grain=grain("0 1 0", "pointer")))
    text = world(
        ground(50.0) + block.replace("</model>", f"{pointer}</model>"),
        gravity=f"{G * math.sin(SLOPE)!r} 0 {-G * math.cos(SLOPE)!r}",
    )
    path = write_document(text)
    coarse, fine = skate_error(path, 1e-3), skate_error(path, 5e-4)
    assert coarse[0] <= 2.5e-6
    assert fine[0] == pytest.approx(0.25 * coarse[0], rel=0.05)
    assert abs(coarse[1]) <= 1e-5


# --- friction that yields
# ----------------------------------------------------------------------

POINTS = 4
"""Of a block on the ground: each takes a fourth of the force, so that the block slips a fourth as fast."""


def yielding(mu: float, mu2: float, slip: float, slip2: float) -> str:
    """A surface whose friction yields; what it says of slips comes with the direction."""
    return surface(mu, across=mu2, grain=f"<slip1>{slip!r}</slip1><slip2>{slip2!r}</slip2>{grain(ALONG)}")


def pushed(rubs: str, pull: tuple[float, float], start: tuple[float, float] = (0.0, 0.0)) -> str:
    """A block of 2 kg that is pushed with so many newtons along its direction and across it."""
    fx, fy = C * pull[0] - S * pull[1], S * pull[0] + C * pull[1]
    vx, vy = C * start[0] - S * start[1], S * start[0] + C * start[1]
    return world(ground(2.0) + moving((vx, vy, 0.0), rubs), gravity=f"{0.5 * fx!r} {0.5 * fy!r} {-G!r}")


def velocity_of(engine: Engine) -> Array:
    """Along the direction and across it, over the last step [m/s]."""
    before = pose_of(engine)[:2].copy()
    engine.step()
    x, y = (pose_of(engine)[:2] - before) / engine.dt
    return np.array((C * x + S * y, C * y - S * x))


@pytest.mark.parametrize(("mu", "mu2"), [(0.9, 0.9), (0.9, 0.6), (0.6, 0.9), (0.9, 0.0)])
@pytest.mark.parametrize(("slip", "slip2"), [(0.004, 0.02), (0.02, 0.0), (0.0, 0.02), (0.05, 0.05), (4.0, 5.0)])
def test_a_pushed_block_slips_in_proportion(
    write_document: Write, mu: float, mu2: float, slip: float, slip2: float
) -> None:
    """Below the bound of friction u = s f at each of four points, in either direction; where there is no friction
    across, nothing is pushed across. From the second step on as exact as the forces: 1e-9 relative. Started at that
    velocity, it keeps it."""
    pull = (5.0, 3.0 if mu2 else 0.0)
    steady = (slip * pull[0] / POINTS, slip2 * pull[1] / POINTS)
    with running(write_document(pushed(yielding(mu, mu2, slip, slip2), pull, steady))) as engine:
        advance(engine, 0.1)
        assert velocity_of(engine) == pytest.approx(np.array(steady), rel=1e-9, abs=1e-12)
        assert abs(engine.snapshot().energy.error) <= 1e-9


def test_what_yields_is_held_no_longer_beyond_the_ellipse(write_document: Write) -> None:
    """Pushed with twice what friction gives, along its direction: what it lacks accelerates. At that the slip is far
    above what yields, and the block slides as if nothing did; a hundred steps leave 1e-9 of it: 1e-8 relative."""
    with running(write_document(pushed(yielding(0.5, 0.2, 0.01, 0.05), (2.0 * 0.5 * 2.0 * G, 0.0)))) as engine:
        advance(engine, 0.2)
        before = velocity_of(engine)[0]
        advance(engine, 0.1)
        gained = velocity_of(engine)[0] - before
    assert gained == pytest.approx(0.5 * G * (0.1 + 1e-3), rel=1e-8)


@pytest.mark.parametrize("mu2", [0.9, 0.5])
def test_a_block_comes_to_rest_as_in_honey(write_document: Write, mu2: float) -> None:
    """m v' = -4 v / s in each direction. Friction is that of the end of each step, right to the first order: half of
    the error is left with half the step, and what three such steps say of none is exp(-4 t / (m s)) to 1e-6."""
    slip, slip2, t = 0.2, 0.5, 0.2
    path = write_document(pushed(yielding(0.9, mu2, slip, slip2), (0.0, 0.0), (0.3, 0.2)))
    rates = POINTS / 2.0 / np.array((slip, slip2))
    exact = np.array((0.3, 0.2)) / rates * (1.0 - np.exp(-rates * t))
    ends = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        with running(path, dt=dt) as engine:
            advance(engine, t)
            x, y = pose_of(engine)[:2]
            ends.append(np.array((C * x + S * y, C * y - S * x)))
            assert abs(engine.snapshot().energy.error) <= 1e-12
    assert ends[1] - exact == pytest.approx(0.5 * (ends[0] - exact), rel=0.02)
    first, second = 2.0 * ends[1] - ends[0], 2.0 * ends[2] - ends[1]
    assert (4.0 * second - first) / 3.0 == pytest.approx(exact, rel=1e-6)


def test_on_the_rim_of_the_ellipse_both_laws_hold(write_document: Write) -> None:
    """A block that slides askew over a floor whose friction yields, and begins to turn: the force of each point is on
    the ellipse of its load, and of its slip at the end of the step what yielding leaves is normal to the ellipse there
    (maximal dissipation of that part); to 1e-9, and 1e-7 where levers count, which are foreseen."""
    mu, mu2, slip, slip2 = 0.6, 0.3, 0.05, 0.01
    start = (C * 1.5 - S * 1.0, S * 1.5 + C * 1.0, 0.0)
    text = world(ground(rubs=yielding(mu, mu2, slip, slip2)) + moving(start, surface(2.0)))
    with running(write_document(text)) as engine:
        body = engine.mechanism.link_bodies()["m::b"]
        for _ in range(50):
            centre = pose_of(engine)[:3].copy()
            engine.step()
            moving_at = engine.snapshot().body_velocities[body]
            assert len(engine.contacts()) == POINTS
            for contact in engine.contacts():
                x, y, _ = moving_at[3:] + np.cross(moving_at[:3], contact.point - centre)
                v = np.array((C * x + S * y, C * y - S * x))
                x, y, _ = contact.friction
                f = -np.array((C * x + S * y, C * y - S * x))
                assert math.hypot(f[0] / mu, f[1] / mu2) == pytest.approx(contact.force, rel=1e-9)
                left, normal = v - f * (slip, slip2), f / (mu**2, mu2**2)
                assert left @ normal > 0.0
                assert abs(left[0] * normal[1] - left[1] * normal[0]) <= 1e-7 * (left @ normal)


def linkage() -> str:
    """A four-bar linkage far away that moves nothing else: with a loop in the world, all rows are solved together, by
    sweeps."""
    ends = {"a": (-1.0, 0.0), "b": (0.0, 0.0)}
    bars = [link(name, inertia="0.1 0.1 0.1", pose=f"{x} 5 1 0 0 0") for name, (x, _) in ends.items()]
    bars += [joint(f"to_{name}", "revolute", name, axis="0 1 0") for name in ends]
    bars.append(link("c", inertia="0.1 0.1 0.1", pose="-0.5 5 2 0 0 0"))
    bars += [
        joint(f"c_{name}", "revolute", "c", parent=name, axis="0 1 0", pose=f"{x + 0.5} 0 0 0 0 0")
        for name, (x, _) in ends.items()
    ]
    return model(*bars, name="linkage")


def tripod(velocity: tuple[float, float, float], rubs: str) -> str:
    """As `moving`, on three feet, whose loads are determined."""
    body = moving(velocity, rubs, ball_shape(0.01))
    foot = body[body.index("<collision") : body.index("</collision>") + len("</collision>")]
    feet = (
        foot.replace('name="c"', f'name="c{k}"').replace(
            "<pose>0 0 0 0 0 0</pose>", f"<pose>{place} -0.04 0 0 0</pose>"
        )
        for k, place in enumerate(("0.1 0", "-0.1 0.1", "-0.05 -0.1"))
    )
    return body.replace(foot, "".join(feet))


@pytest.mark.parametrize("yields", [False, True])
@pytest.mark.parametrize(("mu", "mu2"), [(0.6, 0.2), (0.2, 0.6), (0.5, 0.0)])
def test_beside_a_loop_it_is_the_same(write_document: Write, mu: float, mu2: float, yields: bool) -> None:
    """Both solvers find the motion of what slides askew, and comes to rest, to the residual of the sweeps, 1e-12 m/s in
    each of 300 steps. Where friction yields, its points rub in different directions and the body turns: by rows of the
    start of each step instead of its middle, beside a loop, which differ by 3e-7 m in steps of 1 ms."""
    rubs = yielding(mu, mu2, 0.02, 0.005) if yields else surface(mu, across=mu2, grain=grain(ALONG))
    body, ends = tripod((0.6, 0.4, 0.0), rubs), []
    for more in ("", linkage()):
        with running(write_document(world(ground(2.0) + body + more))) as engine:
            advance(engine, 0.3)
            ends.append(pose_of(engine).copy())
    assert ends[1] == pytest.approx(ends[0], abs=5e-7 if yields else 1e-11)


def test_what_rests_is_woken_when_its_direction_turns(write_document: Write) -> None:
    """A block on an incline is held by a direction that points downhill, and rests. A ball strikes the pointer that
    carries the direction, far away on smooth ground: from then on it turns, and the block slides."""
    pointer = solid("pointer", box_shape("1 0.1 0.1"), inertia="0.1 0.1 0.1", pose="0 0 0.05 0 0 0", mu=0.0)
    rubs = surface(50.0, across=0.0, grain=grain("1 0 0", "pointer"))
    height = (5.0 + 0.1 * math.sin(SLOPE), 1.0 + 0.1 * math.cos(SLOPE))
    place = f"{height[0]!r} 0 {height[1]!r} 0 {SLOPE!r} 0"
    block = solid("b", box_shape("0.2 0.2 0.1"), mass=2.0, inertia="0.01 0.01 0.02", pose=place, rubs=rubs)
    ball = solid("ball", ball_shape(0.05), inertia="1e-3 1e-3 1e-3", pose="0.45 -0.2 0.05 0 0 0", mu=0.0)
    struck = '<model_state><link_state name="ball"><velocity>0 1 0 0 0 0</velocity></link_state></model_state>'
    incline = wall(box_shape("2 2 0.1"), pose=f"5 0 1 0 {SLOPE!r} 0", mu=50.0)
    text = world(ground() + incline + model(pointer, block) + model(ball, struck, name="far"))
    with running(write_document(text)) as engine:
        start = pose_of(engine)[:3].copy()
        advance(engine, 0.09)
        assert np.abs(pose_of(engine)[:3] - start).max() <= 1e-9
        advance(engine, 0.91)
        assert math.dist(pose_of(engine)[:3], start) > 0.1
