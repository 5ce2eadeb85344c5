"""Mecanum platforms: four wheels whose friction has a direction in the base, as worlds for Gazebo have them, and the
example."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from simulator.engine.engine import Engine
from simulator.session.commands.factory import remark_on
from simulator.session.open.opening import open_document
from tests.physics.solids import ball_shape, grain, ground, solid, surface
from tests.physics.worlds import advance, example, joint, link, model, running, world

Array = NDArray[np.float64]
Write = Callable[..., Path]
RADIUS, LENGTH, WIDTH = 0.05, 0.2, 0.15
WHEELS = {
    "front_left": (LENGTH, WIDTH, -1), "front_right": (LENGTH, -WIDTH, 1),
    "rear_left": (-LENGTH, WIDTH, 1), "rear_right": (-LENGTH, -WIDTH, -1),
}  # fmt: skip
"""x and y in the base, and to which side the roller on the ground points: (1, ±1)."""
SPEED, PERIOD = 4.5, 4.0
"""Of the drives of the example: the largest [rad/s], and how long they go there and back [s]."""


def pose_of(engine: Engine, name: str) -> Array:
    pose: Array = engine.snapshot().body_poses[engine.mechanism.link_bodies()[name]]
    return pose


def platform() -> str:
    """As worlds for Gazebo have it: balls for wheels, whose friction has a direction in the base and none across."""
    parts = [link("base", mass=8.0, inertia="0.1 0.15 0.2", pose=f"0 0 {RADIUS} 0 0 0")]
    for name, (x, y, side) in WHEELS.items():
        rubs = surface(1.0, across=0.0, grain=grain(f"1 {side} 0", "base"))
        at, inertia = f"{x} {y} {RADIUS} 0 0 0", "5e-4 6e-4 5e-4"
        parts.append(solid(name, ball_shape(RADIUS), mass=0.5, inertia=inertia, pose=at, rubs=rubs))
        parts.append(joint(f"{name}_joint", "revolute", name, parent="base", axis="0 1 0"))
    return world(ground() + model(*parts))


def wheel_drives(vx: float, vy: float, turn: float) -> tuple[str, ...]:
    """Drives that bring the wheels in half a second to their speeds for a velocity of the platform: what touches the
    ground has none along the axis of its roller, vx - w y - r q' + side (vy + w x) = 0 (Muir and Neuman, Kinematic
    modeling for feedback control of an omnidirectional wheeled mobile robot, IEEE ICRA 1987)."""
    speeds = {name: (vx - turn * y + side * (vy + turn * x)) / RADIUS for name, (x, y, side) in WHEELS.items()}
    return tuple(f"{name}_joint=velocity:ramp(0,{speed!r},0.5)" for name, speed in speeds.items())


def travelled(path: Path, velocity: tuple[float, float, float], dt: float) -> tuple[Array, float]:
    """How much the second second of a drive takes the platform further than its velocity in its own axes does:
    (x, y, yaw) [m, rad]; and the error of the balance [J]."""
    (vx, vy, w), poses = velocity, []
    with running(path, dt=dt, drives=wheel_drives(*velocity)) as engine:
        for _ in range(2):
            advance(engine, 1.0)
            poses.append(pose_of(engine, "m::base"))
        error = engine.snapshot().energy.error
    (x0, y0, yaw0), (x1, y1, yaw1) = ((p[0], p[1], 2.0 * math.atan2(p[5], p[6])) for p in poses)
    # The integral of exp(i (yaw0 + w t)) (vx + i vy).
    turned = (np.exp(1j * w) - 1.0) / (1j * w) if w else 1.0
    way = np.exp(1j * yaw0) * turned * (vx + 1j * vy)
    return np.array((x1 - x0 - way.real, y1 - y0 - way.imag, yaw1 - yaw0 - w)), error


@pytest.mark.parametrize("velocity", [(0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, -0.2, 0.0), (0.2, 0.2, 0.0)])
def test_a_mecanum_platform_goes_where_its_wheels_say(write_document: Write, velocity: tuple[float, ...]) -> None:
    """Forwards, sideways and askew: no wheel slips along its roller, to round-off."""
    vx, vy, turn = velocity
    off, error = travelled(write_document(platform()), (vx, vy, turn), 1e-3)
    assert np.abs(off).max() <= 1e-12
    assert abs(error) <= 1e-9


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.5), (0.2, -0.1, 0.5), (-0.146, 0.481, 0.924)])
def test_a_mecanum_platform_that_turns(write_document: Write, velocity: tuple[float, float, float]) -> None:
    """Directions turn with the base: the rows of the middle of the step hold them to the second order, 1e-6 of a way
    in steps of 1 ms, a quarter of it in half the step. All four wheels still carry a share of the weight. What wheels
    and motors ask for contradicts each other by as much, 2e-7 m in the second: which wheel slips by it, against 25 N,
    changes from step to step, and 2e-6 J of its work are not booked."""
    path = write_document(platform())
    (coarse, error), (fine, left) = travelled(path, velocity, 1e-3), travelled(path, velocity, 5e-4)
    assert np.abs(coarse).max() <= 5e-7
    assert np.abs(fine - 0.25 * coarse).max() <= 0.1 * np.abs(coarse).max()
    assert abs(error) <= 4e-6  # J; of second order, too
    assert abs(left) <= 1e-6


def test_on_a_mesh_it_goes_as_on_a_plane(tmp_path: Path) -> None:
    """Contacts with fixed meshes are Bullet's, which finds them to some 1e-7 m at best: to the side it goes as far to
    2e-6 m."""
    corners = np.array(((-2.0, -2.0, 0.0), (2.0, -2.0, 0.0), (2.0, 2.0, 0.0), (-2.0, 2.0, 0.0)))
    trimesh.Trimesh(corners, [(0, 1, 2), (0, 2, 3)], process=False).export(tmp_path / "floor.stl")
    plane = "<plane><normal>0 0 1</normal><size>20 20</size></plane>"
    path = tmp_path / "world.sdf"
    path.write_text(platform().replace(plane, "<mesh><uri>floor.stl</uri></mesh>"), encoding="utf-8")
    off, _ = travelled(path, (0.0, 0.3, 0.0), 1e-3)
    assert np.abs(off).max() <= 1e-5


# --- the example
# ----------------------------------------------------------------------


def test_it_goes_to_the_left_and_back() -> None:
    """r A / (2 pi f) (1 - cos(2 pi f t)): the speed is exact at the end of each step and goes evenly between, so that
    the way is right to (2 pi f h)^2 / 12 = 2e-7 of itself. It neither turns nor goes forwards, and no wheel is without
    load."""
    rate = 2.0 * math.pi / PERIOD
    reach = RADIUS * SPEED / rate
    with running(example("mecanum"), drives=sideways()) as engine:
        for t in (1.0, 2.0, 4.0):
            advance(engine, t - engine.time)
            pose = pose_of(engine, "mecanum::platform")
            assert pose[1] == pytest.approx(reach * (1.0 - math.cos(rate * t)), abs=1e-6)
            assert np.abs(pose[[0, 3, 4, 5]]).max() <= 1e-9
            assert min(contact.force for contact in engine.contacts()) > 5.0
        assert abs(engine.snapshot().energy.error) <= 1e-9


def sideways() -> tuple[str, ...]:
    """The drives of the document, as on the command line."""
    wave = f"frequency={1.0 / PERIOD!r}"
    return tuple(
        f"{name}_joint=velocity:sine(amplitude={side * SPEED!r},{wave})" for name, (_, _, side) in WHEELS.items()
    )


def test_gear_says_that_it_knows_no_direction() -> None:
    opened = open_document(example("mecanum"))
    said = "without a moment about the normal: of 'mecanum::front_left' (and 3 more collisions) only mu counts"
    assert said in remark_on(opened, "gear")
    assert remark_on(opened, "rows") == ""
