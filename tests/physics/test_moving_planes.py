"""Planes that bodies carry: half-spaces that lift, tilt and fall."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from tests.physics.solids import ball_shape, box_shape, solid, wall
from tests.physics.worlds import joint, model, record_steps, running, world

Write = Callable[..., Path]
PLANE = "<plane><normal>0 0 1</normal><size>1 1</size></plane>"
G = 9.8


def table(shape: str, kind: str, axis: str, *, at: str = "0 0 0 0 0 0", pose: str = "0 0 0 0 0 0") -> str:
    """A body on a joint of the world; `at` is the pose of its shape in it."""
    return model(solid("top", shape, pose=pose, at=at, mu=0.5), joint("j", kind, "top", axis=axis), name="table")


def crate(place: str) -> str:
    return model(solid("b", box_shape("0.2 0.2 0.1"), inertia="0.01 0.01 0.01", pose=place, mu=0.5), name="crate")


@pytest.mark.parametrize(
    ("drive", "steps"), [("table::j=velocity:sine(1.5,0.5)", 1500), ("table::j=position:ramp(0,1,0.8)", 800)]
)
def test_a_plane_that_tilts_is_the_face_of_a_large_box(write_document: Write, drive: str, steps: int) -> None:
    """A crate that rests and slides: corner by corner the same rows, found by other code."""
    runs = []
    for shape, at in ((PLANE, "0 0 0 0 0 0"), (box_shape("8 8 1"), "0 0 -0.5 0 0 0")):
        text = world(table(shape, "revolute", "0 1 0", at=at) + crate("0.3 0 0.05 0 0 0.4"))
        with running(write_document(text), drives=(drive,)) as engine:
            record_steps(engine, steps)
            runs.append(engine.snapshot().body_poses)
    assert np.abs(runs[0][2, :3] - [0.3, 0.0, 0.05]).max() > 0.1, "it has moved"
    # The same rows in another order, whose rounding the motion passes on some thousandfold.
    assert runs[0] == pytest.approx(runs[1], abs=1e-10)


def test_a_lift_presses_with_the_weight_and_what_it_accelerates(write_document: Write) -> None:
    """m (g + a), of a crate of 1 kg on a plane that is driven to v = 2 t; and it stays where it lies."""
    text = world(table(PLANE, "prismatic", "0 0 1") + crate("0.1 0.2 0.05 0 0 0"))
    with running(write_document(text), drives=("table::j=velocity:ramp(0,2,1)",)) as engine:
        record_steps(engine, 500)
        forces = [contact.force for contact in engine.contacts()]
        assert sum(forces) == pytest.approx(G + 2.0, rel=1e-9)
        (lift, box) = engine.snapshot().body_poses[1:, :3]
        assert box - lift == pytest.approx([0.1, 0.2, 0.05], abs=1e-12)


@pytest.mark.parametrize("shape", ["ball", "mesh"])
def test_a_plane_falls_on_what_is_fixed(write_document: Write, tmp_path: Path, shape: str) -> None:
    """Upside down, from 0.2 m over a ball, or over the tip of a pyramid that is a mesh: it lands after sqrt(2 h / g),
    and its weight, of 1 kg, is borne there."""
    tip = np.array([(1, 1, 0), (-1, 1, 0), (-1, -1, 0), (1, -1, 0), (0, 0, 0.5)], dtype=float)
    trimesh.convex.convex_hull(tip).export(tmp_path / "tip.obj")
    under = ball_shape(0.5) if shape == "ball" else "<mesh><uri>tip.obj</uri></mesh>"
    (tmp_path / "world.sdf").write_text(
        world(
            table(PLANE, "prismatic", "0 0 1", at=f"0 0 0 {math.pi!r} 0 0", pose="0 0 0.7 0 0 0")
            + wall(under, pose="0 0 0 0 0 0")
        ),
        "utf-8",
    )
    with running(tmp_path / "world.sdf") as engine:
        found = record_steps(engine, 400)
        fallen = math.sqrt(2.0 * 0.2 / G)
        free = found.time < fallen
        assert found.position[free, 0] == pytest.approx(-0.5 * G * found.time[free] ** 2, abs=1e-12)
        assert found.position[~free, 0] == pytest.approx(-0.2, abs=1e-9)
        assert sum(contact.force for contact in engine.contacts()) == pytest.approx(G, rel=1e-9)
        assert {contact.bodies for contact in engine.contacts()} <= {(0, 1), (1, 0)}


def test_a_plane_on_a_free_body_meets_no_other_plane(write_document: Write) -> None:
    """It and a fixed plane below: two half-spaces have no contact, and a box that lies on the one is carried by it."""
    ground = wall(PLANE, pose="0 0 -1 0 0 0", name="ground")
    raft = model(solid("top", PLANE, at="0 0 0.05 0 0 0", mass=5.0), name="raft")
    with running(write_document(world(ground + raft + crate("0 0 0.1 0 0 0"), gravity="0 0 0")), dt=1e-3) as engine:
        record_steps(engine, 100)
        assert np.abs(engine.snapshot().body_velocities).max() < 1e-12
