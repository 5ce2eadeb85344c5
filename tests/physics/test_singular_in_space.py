"""Spatial linkages where they look or are singular, released, driven through such positions and pushed: ten seconds
each. Bennett's, with its bars in line, is regular there (`test_branches`); of the Stewart platform the map from lengths
of legs is singular.

Tolerances: loops 1e-12 m at every step, and radians that are as much at the end of the shortest bar (where the rows
that are solved depend on each other for an instant, and others take their place, both are nearly used up); the energy
to 1e-6 of the largest kinetic energy, which is the error of the fourth-order method.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.engine import Engine
from tests.physics.spatial_linkages import BENNETT, HEIGHT, SEATS, SHORT, bennett, legs, stewart
from tests.physics.worlds import make_steps, running

Array = NDArray[np.float64]
CLOSED, KEPT = 1e-12, 1e-6
CLOSED_TURN = CLOSED / SHORT
WAYS = {
    "released": (),
    "driven through": ("t1=velocity:2",),
    "pushed": ("t1=effort:sine(0.2,0.7)",),
}


def ten_seconds(engine: Engine, look: Callable[[Array], None]) -> None:
    """Loops stay closed, the ledger closes; `look` sees the positions every hundredth of a second."""
    worst, largest = np.zeros(2), 0.0
    while engine.time < 10.0 - 0.5 * engine.dt:
        most = make_steps(engine, 10)
        worst, largest = np.maximum(worst, most.loop), max(largest, most.kinetic)
        look(engine.snapshot().position)
    assert worst[0] <= CLOSED
    assert worst[1] <= CLOSED_TURN
    assert abs(engine.snapshot().energy.error) <= KEPT * largest


@pytest.mark.parametrize("solver", ["rows", "reduced"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("pose", ["folded", "stretched"])
def test_bennetts_linkage_with_its_bars_in_line(pose: str, way: str, solver: str, tmp_path: Path) -> None:
    """Through both such positions it obeys sin(t1/2) sin(t2/2) = k cos(t1/2) cos(t2/2), and t3 = -t1, t4 = t2 (of the
    rocker against the ground): to 1e-11, the loop's residual over the sine of its twist."""
    path = tmp_path / "bennett.sdf"
    path.write_text(bennett(pose))
    zero = np.array((0.0, math.pi) if pose == "folded" else (math.pi, 0.0))
    seen: list[float] = []
    with running(path, solver=solver, drives=WAYS[way]) as engine:
        axes = [engine.mechanism.axis_index(name) for name in ("t1", "t2", "t3", "t4")]

        def obeys(position: Array) -> None:
            one, two = 0.5 * (position[axes[:2]] + zero)
            assert math.sin(one) * math.sin(two) == pytest.approx(BENNETT * math.cos(one) * math.cos(two), abs=1e-11)
            assert position[axes[2]] == pytest.approx(-position[axes[0]], abs=1e-11)
            assert position[axes[3]] == pytest.approx(position[axes[1]], abs=1e-11)
            seen.append(float(position[axes[0]]))

        ten_seconds(engine, obeys)
    assert max(seen) - min(seen) > 1.0


def turned_at(yaw: float, rate: float) -> tuple[str, ...]:
    """Rates of the slides of a platform that turns about z [rad/s]."""
    found = []
    for i, (foot, seat) in enumerate(legs(yaw), 1):
        along = (seat - foot) / np.linalg.norm(seat - foot)
        moves = rate * np.array([-seat[1], seat[0], 0.0])
        found.append(f"slide_{i}={float(along @ moves)!r}")
    return tuple(found)


PLATFORMS = {
    "released": (90.0, 0.0, ()),
    "thrown through": (80.0, 3.0, ()),
    "driven": (90.0, 0.0, ("slide_1=velocity:sine(0.1,0.5)", "slide_4=velocity:sine(0.1,0.8)")),
    "pushed": (90.0, 0.0, ("slide_1=effort:20", "slide_3=effort:20", "slide_5=effort:20")),
}


@pytest.mark.parametrize("solver", ["rows", "reduced"])
@pytest.mark.parametrize("name", PLATFORMS)
def test_a_stewart_platform_turned_by_ninety_degrees(name: str, solver: str, tmp_path: Path) -> None:
    """Its legs are lines of one linear complex then: six lengths do not tell six velocities (Fichter 1986), and one
    twist changes none."""
    degrees, rate, drives = PLATFORMS[name]
    assert singular_value(90.0) < 1e-15
    assert singular_value(80.0) > 0.1
    path = tmp_path / "stewart.sdf"
    path.write_text(stewart(math.radians(degrees)))
    velocity = turned_at(math.radians(degrees), rate) if rate else ()
    yaws: list[float] = []
    with running(path, solver=solver, drives=drives, velocity=velocity) as engine:
        platform = next(i for i, body in enumerate(engine.mechanism.bodies) if body.name.endswith("platform"))

        def look(_: Array) -> None:
            z, w = engine.snapshot().body_poses[platform, 5:]
            yaws.append(degrees + math.degrees(2.0 * math.atan2(z, w)))

        ten_seconds(engine, look)
    if name == "thrown through":
        assert min(yaws[:20]) < 90.0
        assert max(yaws[:20]) > 95.0


def singular_value(degrees: float) -> float:
    """The least of the matrix that tells lengths of legs from a twist of the platform, lengths in units of its
    radius."""
    rows = []
    for foot, seat in legs(math.radians(degrees)):
        along = (seat - foot) / np.linalg.norm(seat - foot)
        arm = seat - np.array([0.0, 0.0, HEIGHT])
        rows.append(np.concatenate((along, np.cross(arm, along) / SEATS)))
    return float(np.linalg.svd(np.array(rows), compute_uv=False)[-1])
