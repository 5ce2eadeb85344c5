"""Scenes of loose boxes and hulls for `scripts/bench contacts`, as documents and for peers."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.physics.solids import box_shape, ground, solid
from tests.physics.worlds import model, world

MU, EDGE, MASS, GRAVITY = 0.5, 0.1, 1.0, 9.8


@dataclass(frozen=True)
class Cube:
    """Where a cube of 10 cm starts: its middle [m], roll, pitch and yaw [rad]; or a hull of `corners` in its place,
    with the moments of a cube of its mass [kg]."""

    at: tuple[float, float, float]
    turned: tuple[float, float, float] = (0.0, 0.0, 0.0)
    corners: tuple[tuple[float, float, float], ...] = ()
    mass: float = MASS

    @property
    def moment(self) -> float:
        """Of inertia, about any axis through the middle [kg m²]."""
        return self.mass * EDGE * EDGE / 6.0


Scene = tuple[Cube, ...]


def document(scene: Scene, folder: Path) -> str:
    """The cubes on a plane, as SDFormat; hulls get a file in the folder."""
    parts = []
    for number, cube in enumerate(scene):
        pose = " ".join(repr(value) for value in (*cube.at, *cube.turned))
        inertia = " ".join(3 * [repr(cube.moment)])
        shape = box_shape(f"{EDGE} {EDGE} {EDGE}")
        if cube.corners:
            path = folder / f"hull{number}.obj"
            write_hull(path, cube.corners)
            shape = f"<mesh><uri>{path}</uri></mesh>"
        parts.append(model(solid("b", shape, mass=cube.mass, inertia=inertia, pose=pose, mu=MU), name=f"c{number}"))
    return world(ground(MU) + "".join(parts))


def stack(count: int) -> Scene:
    """One on the other."""
    return tuple(Cube((0.0, 0.0, EDGE * (k + 0.5))) for k in range(count))


def unlike(lower: float, upper: float) -> Scene:
    """Two, one on the other, of these masses [kg]."""
    return Cube((0.0, 0.0, 0.5 * EDGE), mass=lower), Cube((0.0, 0.0, 1.5 * EDGE), mass=upper)


def floor(count: int) -> Scene:
    """Side by side, apart from each other."""
    side = math.ceil(math.sqrt(count))
    return tuple(Cube((0.2 * (k % side), 0.2 * (k // side), 0.5 * EDGE)) for k in range(count))


def wall(rows: int, columns: int) -> Scene:
    """Bricks in bond, a tenth of a millimetre between neighbours."""
    return tuple(
        Cube((1.001 * EDGE * k + (0.5 * EDGE if row % 2 else 0.0), 0.0, EDGE * (row + 0.5)))
        for row in range(rows)
        for k in range(columns)
    )


def falling(count: int) -> Scene:
    """In the air, apart from each other."""
    return tuple(Cube((0.3 * (k % 6), 0.3 * (k // 6), 50.0 + 0.3 * k), (0.1, 0.2, 0.3)) for k in range(count))


def pile(count: int, corners: int = 0) -> Scene:
    """Dropped onto each other, turned at random; the same each time. Hulls of so many corners, or cubes."""
    chance = random.Random(1)
    return tuple(
        Cube(
            (chance.uniform(-0.15, 0.15), chance.uniform(-0.15, 0.15), 0.1 + 0.15 * k),
            (chance.uniform(-3.0, 3.0), chance.uniform(-1.5, 1.5), chance.uniform(-3.0, 3.0)),
            on_a_ball(chance, corners),
        )
        for k in range(count)
    )


def on_a_ball(chance: random.Random, corners: int) -> tuple[tuple[float, float, float], ...]:
    """Places on a ball that is as high as a cube is wide, at random but for the middle, which is theirs, too: each has
    an opposite one."""
    found = []
    for _ in range(corners // 2):
        x, y, z = (chance.gauss(0.0, 1.0) for _ in range(3))
        scale = 0.6 * EDGE / math.sqrt(x * x + y * y + z * z)
        found += [(scale * x, scale * y, scale * z), (-scale * x, -scale * y, -scale * z)]
    return tuple(found)


def write_hull(path: Path, corners: Iterable[Iterable[float]]) -> None:
    """An OBJ file whose hull counts: corners [m]."""
    lines = ["v " + " ".join(repr(float(x)) for x in corner) for corner in corners]
    faces = [f"f 1 {k} {k + 1}" for k in range(2, len(lines))]
    path.write_text("\n".join([*lines, *faces, ""]), encoding="ascii")


SCENES: dict[str, Callable[[], Scene]] = {
    "stack of 3": partial(stack, 3),
    "stack of 10": partial(stack, 10),
    "stack of 30": partial(stack, 30),
    "1000 kg on 1 kg": partial(unlike, 1.0, 1000.0),
    "1 kg on 1000 kg": partial(unlike, 1000.0, 1.0),
    "wall 8 x 8": partial(wall, 8, 8),
    "floor of 10": partial(floor, 10),
    "floor of 100": partial(floor, 100),
    "floor of 1000": partial(floor, 1000),
    "30 falling": partial(falling, 30),
    "pile of 30": partial(pile, 30),
    "pile of 30 hulls": partial(pile, 30, 20),
}
"""By name. Stacks, walls, floors and pairs of unlike mass rest from the start."""
