"""Impacts: momentum is conserved, energy never grows, nothing goes through thin plates."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.engine import Engine
from tests.physics.axes import moving
from tests.physics.solids import ball_shape, box_shape, ground, solid, wall
from tests.physics.worlds import make_steps, model, running, world

Write = Callable[..., Path]
Array = NDArray[np.float64]
SIZES = ((0.1, 0.16, 0.12), (0.2, 0.1, 0.14))
MASSES = (1.0, 2.5)


def moments(k: int) -> tuple[float, float, float]:
    a, b, c = SIZES[k]
    m = MASSES[k] / 12.0
    return m * (b * b + c * c), m * (a * a + c * c), m * (a * a + b * b)


def two_boxes(chance: random.Random, restitution: float, mu: float, aside: float = 0.0) -> str:
    """Turned at random, the second in the way of the first; their middles are `aside` [m] of their links' origins."""
    parts = ""
    for k in range(2):
        pose = [0.3 * k + chance.uniform(-0.02, 0.02), *(chance.uniform(-0.06, 0.06) for _ in range(2))]
        pose += [chance.uniform(-3.0, 3.0) for _ in range(3)]
        size, inertia = " ".join(map(repr, SIZES[k])), " ".join(map(repr, moments(k)))
        shape = solid(
            "b", box_shape(size), mass=MASSES[k], inertia=inertia, pose=" ".join(map(repr, pose)), mu=mu,
            restitution=restitution, at=f"0 {aside!r} 0 0 0 0",
        ).replace("<inertial>", f"<inertial><pose>0 {aside!r} 0 0 0 0</pose>")  # fmt: skip
        parts += model(shape, name=f"b{k}")
    return world(parts, gravity="0 0 0")


def momenta(engine: Engine, aside: float = 0.0) -> tuple[Array, float]:
    """(momentum, moment of momentum about the origin), shape (6,), and kinetic energy, by the states of both boxes."""
    snapshot, total = engine.snapshot(), np.zeros(6)
    for k in range(2):
        x, y, z, qx, qy, qz, qw = snapshot.body_poses[k + 1]
        turn = np.array([
            [1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy - qw * qz), 2 * (qx * qz + qw * qy)],
            [2 * (qx * qy + qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz - qw * qx)],
            [2 * (qx * qz - qw * qy), 2 * (qy * qz + qw * qx), 1 - 2 * (qx * qx + qy * qy)],
        ])  # fmt: skip
        w, v = snapshot.body_velocities[k + 1, :3], snapshot.body_velocities[k + 1, 3:]
        spin = turn @ (np.array(moments(k)) * (turn.T @ w))
        middle = np.array((x, y, z)) + aside * turn[:, 1]
        total += np.concatenate((MASSES[k] * v, spin + np.cross(middle, MASSES[k] * v)))
    return total, snapshot.energy.kinetic


@pytest.mark.parametrize("aside", [0.0, 0.03])
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("seed", [0, 6])
def test_an_impact_keeps_momentum_and_makes_no_energy(
    write_document: Write, seed: int, restitution: float, aside: float
) -> None:
    """Boxes that meet askew, with friction, whatever restitution says: a step with an impact changes momentum and
    moment of momentum by round-off, 1e-12 of some 3 kg m/s, and leaves no more kinetic energy than there was. Without
    restitution they still touch while they turn: what they push each other with keeps both, too. (In one case of
    these the second blow leaves them 2 micrometres inside each other: moving them apart keeps momentum, and gives it
    another lever.)"""
    kept = slice(0, 3) if (seed, restitution, aside) == (6, 0.0, 0.03) else slice(0, 6)
    chance = random.Random(seed)
    with running(write_document(two_boxes(chance, restitution, 0.4, aside)), dt=1e-4) as engine:
        twist = [chance.uniform(-1.0, 1.0) for _ in range(3)]
        moving(engine, (*twist, 3.0, 0.0, 0.0))
        (before, energy), hits = momenta(engine, aside), 0
        for _ in range(800):
            engine.step()
            after, kinetic = momenta(engine, aside)
            hits += 1 if engine.contacts() else 0
            assert after[kept] == pytest.approx(before[kept], abs=1e-12)
            assert kinetic <= energy + 1e-13
            before, energy = after, kinetic
        assert hits > 0


PLATE = wall(box_shape("1 1 0.001"), pose="0 0 0 0 0 0", mu=0.3)
FAST = {
    "ball": (ball_shape(0.01), 0.01),
    "box": (box_shape("0.02 0.02 0.02"), 0.01),
    "cylinder": ("<cylinder><radius>0.01</radius><length>0.02</length></cylinder>", 0.01),
    "capsule": ("<capsule><radius>0.01</radius><length>0.02</length></capsule>", 0.02),
}


@pytest.mark.parametrize("speed", [10.0, 45.0, 200.0])
@pytest.mark.parametrize("kind", list(FAST))
def test_nothing_flies_through_a_thin_plate(write_document: Write, kind: str, speed: float) -> None:
    """A plate of 1 mm; in a step the bodies of 20 mm move by up to ten times their size. They stop on it, to the
    micrometre."""
    shape, half = FAST[kind]
    flying = solid("b", shape, inertia="0.0001 0.0001 0.0001", pose="0 0 0.1234 0 0 0", mu=0.3)
    with running(write_document(world(PLATE + model(flying, name="fast"), gravity="0 0 0")), dt=1e-3) as engine:
        moving(engine, (0.0, 0.0, 0.0, 0.0, 0.0, -speed))
        for _ in range(20):
            engine.step()
            assert engine.snapshot().body_poses[1, 2] >= 0.0005 + half - 1e-6
        assert np.abs(engine.snapshot().body_velocities[1]).max() <= 1e-9


def octahedron(path: Path, reach: float) -> None:
    """An STL file of six corners on the axes, `reach` [m] from the middle; each face turned outwards."""
    lines = ["solid o"]
    for x, y, z in product((1.0, -1.0), repeat=3):
        corners = [(x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)]
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex " + " ".join(repr(reach * c) for c in corner) for corner in corners[:: int(x * y * z)]]
        lines += ["endloop", "endfacet"]
    path.write_text("\n".join([*lines, "endsolid o", ""]), encoding="ascii")


@pytest.mark.parametrize("speed", [1.0, 10.0, 200.0])
def test_no_hull_flies_through_a_thin_plate(write_document: Write, tmp_path: Path, speed: float) -> None:
    """The hull of a mesh that falls on one of its corners: it is found before it touches, and stops on the plate. STL
    files have numbers in single precision: 1e-9 m of a centimetre."""
    octahedron(tmp_path / "hull.stl", 0.01)
    shape = f"<mesh><uri>{tmp_path / 'hull.stl'}</uri></mesh>"
    flying = solid("b", shape, inertia="0.0001 0.0001 0.0001", pose="0 0 0.0234 0 0 0", mu=0.3)
    with running(write_document(world(PLATE + model(flying, name="fast"), gravity="0 0 0")), dt=1e-3) as engine:
        moving(engine, (0.0, 0.0, 0.0, 0.0, 0.0, -speed))
        for _ in range(20):
            engine.step()
            assert engine.snapshot().body_poses[1, 2] >= 0.0105 - 1e-9
        assert engine.snapshot().body_poses[1, 2] == pytest.approx(0.0105, abs=1e-9)
        assert np.abs(engine.snapshot().body_velocities[1]).max() <= 1e-9


@pytest.mark.parametrize("ratio", [10.0, 100.0, 1000.0])
@pytest.mark.parametrize("heavy", ["below", "above"])
def test_unlike_masses_come_to_rest_on_each_other(write_document: Write, ratio: float, heavy: str) -> None:
    """Dropped by a millimetre with a spin about the vertical, both ways round: at rest after half a second, and
    from then on quiet."""
    masses = (ratio, 1.0) if heavy == "below" else (1.0, ratio)
    parts = ""
    for k, mass in enumerate(masses):
        moment = f"{mass / 600.0!r}"
        body = solid(
            "b",
            box_shape("0.1 0.1 0.1"),
            mass=mass,
            inertia=f"{moment} {moment} {moment}",
            pose=f"0 0 {0.05 + 0.101 * k} 0 0 {0.2 * k}",
        )
        parts += model(body, name=f"c{k}")
    with running(write_document(world(ground() + parts)), dt=1e-3) as engine:
        make_steps(engine, 500)
        for _ in range(20):
            engine.step()
            assert np.abs(engine.snapshot().body_velocities).max() <= 1e-11
        forces = [c.force for c in engine.contacts() if 0 in c.bodies]
        assert sum(forces) == pytest.approx(9.8 * sum(masses), rel=1e-9)


@pytest.mark.parametrize("speed", [1.0, 10.0, 200.0])
def test_no_hull_flies_through_a_thin_hull(write_document: Write, tmp_path: Path, speed: float) -> None:
    """A plate of 1 mm that is a hull, too, heavy and at rest, and an octahedron that falls on it with a corner: they
    continue with the velocity that momentum leaves them, and the corner stays on the plate."""
    octahedron(tmp_path / "hull.stl", 0.01)
    corners = [" ".join(map(repr, corner)) for corner in product((-0.5, 0.5), (-0.5, 0.5), (-0.0005, 0.0005))]
    faces = [f"f 1 {k} {k + 1}" for k in range(2, 8)]
    (tmp_path / "plate.obj").write_text("\n".join([*(f"v {corner}" for corner in corners), *faces, ""]))
    shapes = [f"<mesh><uri>{tmp_path / name}</uri></mesh>" for name in ("plate.obj", "hull.stl")]
    plate = model(solid("p", shapes[0], mass=1e3, inertia="1e3 1e3 1e3"), name="plate")
    flying = model(solid("b", shapes[1], inertia="0.0001 0.0001 0.0001", pose="0 0 0.0234 0 0 0"), name="fast")
    with running(write_document(world(plate + flying, gravity="0 0 0")), dt=1e-3) as engine:
        moving(engine, (0.0,) * 6, (0.0, 0.0, 0.0, 0.0, 0.0, -speed))
        for _ in range(20):
            engine.step()
            poses = engine.snapshot().body_poses
            assert poses[2, 2] - poses[1, 2] >= 0.0105 - 1e-6
        velocities = engine.snapshot().body_velocities
        assert velocities[:, 5] == pytest.approx([0.0, -speed / 1001.0, -speed / 1001.0], rel=1e-9, abs=1e-9)
