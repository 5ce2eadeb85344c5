"""Worlds built in code: an involute pinion on a rack, one of every shape, a four-bar linkage of any size."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.formats.mesh.loader import TriangleMesh as Triangles
from simulator.model.link import Collision, Link, Visual
from simulator.model.material import Material, Rgba
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from simulator.model.world import Model, World
from simulator.spatial.pose import IDENTITY, Pose

PRESSURE_ANGLE = math.radians(20.0)
TEETH, RACK_TEETH, MODULE, WIDTH = 22, 26, 0.1, 0.32
PITCH_RADIUS = MODULE * TEETH / 2
HEIGHT = 1.72


def involute(angle: float) -> float:
    return math.tan(angle) - angle


def gear_outline(teeth: int = TEETH, module: float = MODULE, steps: int = 7) -> NDArray[np.float64]:
    """Outline (n, 2) of a spur gear with involute flanks, counter-clockwise, a tooth centred on +x."""
    pitch = module * teeth / 2
    base, tip, root = pitch * math.cos(PRESSURE_ANGLE), pitch + module, pitch - 1.25 * module
    half_tooth = math.pi / (2 * teeth) + involute(PRESSURE_ANGLE) - 0.01
    start = max(base, root + 0.15 * module)
    radii = np.linspace(start, tip, steps)
    flank = [(r, half_tooth - involute(math.acos(min(base / r, 1.0)))) for r in radii]
    root_angle = flank[0][1] + 0.35 * module / root
    side = [(root, root_angle), *flank]
    points = []
    for tooth in range(teeth):
        middle = math.tau * tooth / teeth
        points += [(r, middle - a) for r, a in side] + [(r, middle + a) for r, a in reversed(side)]
    return np.array([(r * math.cos(a), r * math.sin(a)) for r, a in points])


def rack_outline(teeth: int = RACK_TEETH, module: float = MODULE) -> NDArray[np.float64]:
    """Outline (n, 2) of a rack along x with its pitch line at y = 0, a gap centred on x = 0."""
    pitch = math.pi * module
    lean = math.tan(PRESSURE_ANGLE)
    profile = []
    for k in range(teeth):
        x = (k - teeth / 2 + 0.5) * pitch
        low, high = pitch / 4 + 1.25 * module * lean, pitch / 4 - module * lean
        profile += [(x - low, -1.25 * module), (x - high, module), (x + high, module), (x + low, -1.25 * module)]
    end = teeth / 2 * pitch
    return np.array([(-end, -1.25 * module), (-end, -0.35), (end, -0.35), (end, -1.25 * module), *reversed(profile)])


def extrude(outline: NDArray[np.float64], width: float, hub: tuple[float, float] | None) -> Triangles:
    """A prism about z. `hub`: the cap is a fan around that point; None: the outline is cut into trapezia from its first
    edge."""
    n = len(outline)
    here, ahead = np.arange(n), (np.arange(n) + 1) % n
    low = np.column_stack([outline, np.full(n, -width / 2)])
    high = np.column_stack([outline, np.full(n, width / 2)])
    sides = [np.stack([here, ahead, ahead + n], axis=1), np.stack([here, ahead + n, here + n], axis=1)]
    vertices = [low, high]
    if hub is not None:
        vertices += [np.array([[*hub, -width / 2], [*hub, width / 2]])]
        caps = [
            np.stack([np.full(n, 2 * n), ahead, here], axis=1),
            np.stack([np.full(n, 2 * n + 1), here + n, ahead + n], axis=1),
        ]
    else:
        flat = ear_clip(outline)
        caps = [flat[:, ::-1], flat + n]
    return Triangles(np.concatenate(vertices), np.concatenate([*sides, *caps]).astype(np.int32))


def ear_clip(outline: NDArray[np.float64]) -> NDArray[np.int64]:
    """Triangles of a simple counter-clockwise polygon."""
    left, found = list(range(len(outline))), []
    while len(left) > 3:
        for i in range(len(left)):
            a, b, c = left[i - 1], left[i], left[(i + 1) % len(left)]
            p, q, r = outline[a], outline[b], outline[c]
            if _turn(p, q, r) <= 1e-12:
                continue
            others = outline[[k for k in left if k not in (a, b, c)]]
            inside = np.ones(len(others), dtype=bool)
            for u, v in ((p, q), (q, r), (r, p)):
                inside &= (v[0] - u[0]) * (others[:, 1] - u[1]) - (v[1] - u[1]) * (others[:, 0] - u[0]) >= -1e-12
            if not inside.any():
                found.append((a, b, c))
                left.pop(i)
                break
        else:
            raise ValueError("the outline is not simple")
    return np.array([*found, tuple(left)])


def _turn(p: NDArray[np.float64], q: NDArray[np.float64], r: NDArray[np.float64]) -> float:
    return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))


GEAR = Mesh("gear", "gear")
RACK = Mesh("rack", "rack")


def load(shape: Mesh) -> Triangles:
    """Stands for the mesh reader."""
    if shape.uri == "gear":
        return extrude(gear_outline(), WIDTH, (0.0, 0.0))
    return extrude(rack_outline(), WIDTH, None)


def part(name: str, shape: Shape, X_LV: Pose = IDENTITY, colour: Rgba | None = None) -> Visual:
    return Visual(name, shape, X_LV, None if colour is None else Material(diffuse=colour))


STEEL: Rgba = (0.62, 0.65, 0.69, 1.0)
IRON: Rgba = (0.33, 0.36, 0.41, 1.0)
UPRIGHT = Pose.from_rpy((0.0, 0.0, 0.0), (math.pi / 2, 0.0, 0.0))


def gear_world(turn: float = 0.62) -> World:
    """Rack and pinion on a rail, over a ground plane; `turn` [rad] of the pinion."""
    travel = PITCH_RADIUS * turn
    start = -math.pi / 2 + (math.pi / TEETH if TEETH % 2 else 0.0)
    pinion_pose = Pose((0, 0, HEIGHT), UPRIGHT.orientation) @ Pose.from_rpy((0, 0, 0), (0, 0, start + turn))
    rack_z = HEIGHT - PITCH_RADIUS
    pinion = Link(
        "gears::pinion",
        pinion_pose,
        visuals=(
            part("teeth", GEAR, colour=(0.235, 0.451, 0.718, 1.0)),
            part("hub", Cylinder(0.26, WIDTH + 0.12), colour=(0.20, 0.38, 0.61, 1.0)),
            part("shaft", Cylinder(0.12, 1.1), Pose((0, 0, -0.2)), STEEL),
            part("crank", Box((0.9, 0.17, 0.09)), Pose((0.36, 0, 0.36)), (0.78, 0.28, 0.30, 1.0)),
            part("knob", Cylinder(0.07, 0.34), Pose((0.72, 0, 0.55)), (0.16, 0.17, 0.19, 1.0)),
        ),
    )
    rack = Link(
        "gears::rack",
        Pose((travel, 0, rack_z), UPRIGHT.orientation),
        visuals=(part("teeth", RACK, colour=(0.925, 0.620, 0.180, 1.0)),),
    )
    frame = Link(
        "gears::frame",
        visuals=(
            part("rail", Box((9.0, 0.6, 0.12)), Pose((0, 0, rack_z - 0.41)), STEEL),
            part("foot_a", Box((0.3, 0.6, rack_z - 0.47)), Pose((-3.4, 0, (rack_z - 0.47) / 2)), IRON),
            part("foot_b", Box((0.3, 0.6, rack_z - 0.47)), Pose((3.4, 0, (rack_z - 0.47) / 2)), IRON),
            part("bracket", Box((0.5, 0.2, HEIGHT + 0.3)), Pose((0, 0.75, (HEIGHT + 0.3) / 2)), IRON),
        ),
    )
    ground = Link("ground::link", visuals=(part("floor", Plane((0, 0, 1), (100, 100))),))
    return World(models=(Model("ground", static=True, links=(ground,)), Model("gears", links=(pinion, rack, frame))))


def shapes_world() -> World:
    """One of every shape, without materials, standing on a plane."""
    tall = Pose((0, 0, 0.5))
    shapes: list[tuple[Shape, Pose]] = [
        (Box((0.8, 0.8, 1.0)), tall),
        (Cylinder(0.4, 1.0), tall),
        (Cone(0.45, 1.0), tall),
        (Sphere(0.5), tall),
        (Ellipsoid((0.55, 0.35, 0.5)), tall),
        (Capsule(0.25, 0.6), Pose((0, 0, 0.55))),
    ]
    links = tuple(
        Link(
            f"shapes::{type(shape).__name__.lower()}",
            Pose((1.4 * (i % 3), 1.5 * (i // 3), 0)),
            visuals=(Visual("v", shape, pose),),
        )
        for i, (shape, pose) in enumerate(shapes)
    )
    ground = Link("ground::link", visuals=(part("floor", Plane((0, 0, 1), (20, 20))),))
    return World(models=(Model("ground", static=True, links=(ground,)), Model("shapes", links=links)))


def four_bar_world(size: float = 1.0) -> World:
    """A planar four-bar linkage standing upright, `size` [m] wide, without materials, visuals or ground: collisions
    only."""
    s = size
    a, b, c, d = (0.0, 0.0), (0.15 * s, 0.26 * s), (0.86 * s, 0.62 * s), (1.0 * s, 0.0)

    def bar(name: str, p: tuple[float, float], q: tuple[float, float], layer: float) -> Link:
        length = math.dist(p, q)
        angle = math.atan2(q[1] - p[1], q[0] - p[0])
        X_WL = Pose((p[0], 0.045 * layer * s, p[1] + 0.1 * s)) @ Pose.from_rpy((0, 0, 0), (0, -angle, 0))
        along = Pose((length / 2, 0, 0))
        pin = Pose.from_rpy((0, 0, 0), (math.pi / 2, 0, 0))
        shapes = (
            Collision("bar", Box((length, 0.04 * s, 0.06 * s)), along),
            Collision("eye_a", Cylinder(0.045 * s, 0.04 * s), pin),
            Collision("eye_b", Cylinder(0.045 * s, 0.04 * s), Pose((length, 0, 0)) @ pin),
        )
        return Link(f"four_bar::{name}", X_WL, collisions=shapes)

    links = (bar("base", a, d, 0), bar("crank", a, b, -1), bar("coupler", b, c, -2), bar("rocker", d, c, -1))
    return World(models=(Model("four_bar", links=links),))
