"""Contacts whose normals turn with a hinge: flat and round against each other, held to second order in the step."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.physics.solids import ball_shape, box_shape, solid
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
    end of a step; the force gives what the follower's acceleration in the middle of the step needs, along the normal of
    its beginning."""
    worst_force = worst_place = 0.0
    with running(path, drives=(f"hinge=velocity:{-SPEED}",), dt=dt) as engine:
        advance(engine, 0.1)
        for _ in range(round(0.5 / dt)):
            engine.step()
            angle, turned = START + float(engine.snapshot().position[0]), SPEED * dt
            total = sum(contact.force for contact in engine.contacts()) * math.sin(angle + turned)
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
