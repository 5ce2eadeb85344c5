"""Contacts whose normals or levers turn: plates on hinges, boxes that tip, held to second order in the step; and
bounces."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.physics.solids import ball_shape, box_shape, ground, solid
from tests.physics.worlds import advance, joint, model, running, world

Write = Callable[..., Path]
START, HEIGHT, SPEED, MASS = math.radians(80.0), 0.2, 1.0, 2.0
LYING = f"0 0 0 0 {math.pi / 2!r} 0"
ROUND = {
    "ball": (ball_shape(0.05), "0 0 0 0 0 0"),
    "cylinder": ("<cylinder><radius>0.05</radius><length>0.04</length></cylinder>", "0 0 0 0 0 0"),
    "capsule": ("<capsule><radius>0.05</radius><length>0.04</length></capsule>", "0 0 0 0 0 0"),
    "longer than the plate is wide": ("<cylinder><radius>0.05</radius><length>0.4</length></cylinder>", "0 0 0 0 0 0"),
}


def place(angle: float, radius: float = 0.05) -> float:
    """x of the round one at the height h, over a plate through the origin at `angle`: x sin t - h cos t = r."""
    return (radius + HEIGHT * math.cos(angle)) / math.sin(angle)


def along_x(angle: float, radius: float = 0.05) -> float:
    """Force on the follower along x [N]: m x'', x'' = w^2 (r sin^2 t + 2 cos t (h + r cos t)) / sin^3 t."""
    s, c = math.sin(angle), math.cos(angle)
    return MASS * SPEED**2 * (radius * s * s + 2.0 * c * (HEIGHT + radius * c)) / s**3


def plate_and_follower(shape: str, at: str) -> str:
    """A plate on a hinge about z, its face through the axis, and what it pushes along x."""
    plate = solid("plate", box_shape("0.6 0.02 0.1"), pose=f"0 0 0 0 0 {START!r}", at="0.3 0.01 0 0 0 0", mu=0.0)
    pushed = solid("round", shape, mass=MASS, pose=f"{place(START)!r} {HEIGHT!r} 0 0 0 0", at=at, mu=0.0)
    return world(
        model(plate, joint("hinge", "revolute", "plate", axis="0 0 1"), name="arm")
        + model(pushed, joint("slide", "prismatic", "round", axis="1 0 0"), name="follower"),
        gravity="0 0 0",
    )


def errors(path: Path, dt: float) -> tuple[float, float]:
    """Largest relative error of the force and error of the place [m], from 74 to 46 degrees. The place is that of the
    end of a step; the force gives what the follower's acceleration in the middle of the step needs, along the normal
    there."""
    worst_force = worst_place = 0.0
    with running(path, drives=(f"hinge=velocity:{-SPEED}",), dt=dt) as engine:
        advance(engine, 0.1)
        for _ in range(round(0.5 / dt)):
            engine.step()
            angle, turned = START + float(engine.snapshot().position[0]), SPEED * dt
            total = sum(contact.force for contact in engine.contacts()) * math.sin(angle + 0.5 * turned)
            worst_force = max(worst_force, abs(total / along_x(angle + 0.5 * turned) - 1.0))
            there = place(START) + float(engine.snapshot().position[1])
            worst_place = max(worst_place, abs(there - place(angle)))
    return worst_force, worst_place


@pytest.mark.parametrize("shape", list(ROUND))
def test_a_turning_plate_pushes_with_the_force_of_the_closed_form(write_document: Write, shape: str) -> None:
    """At 1 rad/s and steps of 1 ms both are right to some 1e-6 of what changes as fast as the plate turns, and half the
    step gives a quarter of the error: second order."""
    path = write_document(plate_and_follower(*ROUND[shape]))
    coarse, fine = errors(path, 1e-3), errors(path, 5e-4)
    assert coarse[0] <= 2e-5
    assert coarse[1] <= 5e-7
    for one, half in zip(coarse, fine, strict=True):
        assert one / half == pytest.approx(4.0, abs=0.2)


# --- a box that tips about its edge -----------------------------------------------------------------------------------

HALF_WIDTH, HALF_HEIGHT, LEAN, G = 0.1, 0.3, 0.4, 9.8


def centre(lean: float) -> tuple[float, float]:
    """Of the box that leans on its edge at the origin."""
    s, c = math.sin(lean), math.cos(lean)
    return HALF_HEIGHT * s - HALF_WIDTH * c, HALF_WIDTH * s + HALF_HEIGHT * c


def tipped(duration: float) -> tuple[float, float]:
    """Lean and its rate after a time, by the pendulum's equation J t'' = m g x, integrated by steps that are a
    hundred times finer."""
    about_edge = MASS * (HALF_WIDTH**2 + HALF_HEIGHT**2) * 4.0 / 3.0

    def faster(lean: float) -> float:
        return MASS * G * centre(lean)[0] / about_edge

    lean, rate, h = LEAN, 0.0, 1e-5
    for _ in range(round(duration / h)):
        k1 = faster(lean)
        k2 = faster(lean + 0.5 * h * rate)
        k3 = faster(lean + 0.5 * h * rate + 0.25 * h * h * k1)
        k4 = faster(lean + h * rate + 0.5 * h * h * k2)
        lean, rate = lean + h * rate + h * h * (k1 + k2 + k3) / 6.0, rate + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
    return lean, rate


def tip(write: Write, dt: float) -> tuple[float, float, float]:
    """(error of the lean over what it grew by, slip of the edge [m], error of the energy [J]) after 0.4 s."""
    (x, z), moment = centre(LEAN), f"{MASS * 4.0 * (HALF_WIDTH**2 + HALF_HEIGHT**2) / 12.0!r}"
    shape = box_shape(f"{2.0 * HALF_WIDTH} 0.2 {2.0 * HALF_HEIGHT}")
    box = solid(
        "b", shape, mass=MASS, inertia=f"{moment} {moment} {moment}", pose=f"{x!r} 0 {z!r} 0 {LEAN!r} 0", mu=2.0
    )
    with running(write(world(ground(2.0) + model(box, name="box"))), dt=dt) as engine:
        advance(engine, 0.4)
        snapshot = engine.snapshot()
    pose, (wanted, _) = snapshot.body_poses[1], tipped(0.4)
    lean = 2.0 * math.asin(pose[4])
    return (lean - wanted) / (wanted - LEAN), math.dist((pose[0], pose[2]), centre(lean)), snapshot.energy.error


def test_a_box_tips_about_its_edge_as_a_pendulum(write_document: Write) -> None:
    """Friction holds the edge. At 1 ms the lean is right to 4e-6 of its way, the edge stays to 1e-7 m and the
    energy to 1e-7 J of a joule, and half the step leaves a quarter of each: second order."""
    coarse, fine = tip(write_document, 1e-3), tip(write_document, 5e-4)
    for one, half, most in zip(coarse, fine, (4e-6, 1e-7, 1e-6), strict=True):
        assert abs(one) <= most
        assert one / half == pytest.approx(4.0, abs=0.2)


@pytest.mark.parametrize(("restitution", "bounces"), [(0.3, 3), (0.8, 4), (1.0, 3)])
def test_a_ball_bounces_to_the_square_of_its_restitution(
    write_document: Write, restitution: float, bounces: int
) -> None:
    """Each height is e² times the last, wherever in its step it meets the ground: energies are exact, so round-off
    is all that is left. Heights are those of the parabola through the first state behind the peak."""
    ball = solid(
        "b", ball_shape(0.1), inertia="0.004 0.004 0.004", pose="0 0 1.1 0 0 0", mu=0.0, restitution=restitution
    )
    peaks: list[float] = []
    with running(write_document(world(ground(0.0, restitution) + model(ball, name="ball"))), dt=1e-3) as engine:
        rising = False
        while len(peaks) < bounces:
            engine.step()
            snapshot = engine.snapshot()
            if rising and snapshot.body_velocities[1, 5] <= 0.0:
                v = float(snapshot.body_velocities[1, 5])
                peaks.append(float(snapshot.body_poses[1, 2]) - 0.1 + v * v / (2.0 * G))
            rising = bool(snapshot.body_velocities[1, 5] > 0.0)
    for k, peak in enumerate(peaks):
        assert peak == pytest.approx(restitution ** (2 * k + 2), rel=1e-9)
