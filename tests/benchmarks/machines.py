"""Machines that move by what touches, for `scripts/bench contacts`: two of the examples, and a pair of gears whose
teeth push each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.piles import write_hull
from tests.physics.axes import dynamics, without_visuals
from tests.physics.solids import surface
from tests.physics.worlds import example, joint, model, world

Array = NDArray[np.float64]
MODULE, TEETH, WIDTHS = 0.004, (24, 16), (0.01, 0.012)
PRESSURE_ANGLE = math.radians(20.0)
BACKLASH = 0.04
"""Of the module, along the pitch circle; each gear gives half."""
FLANK_POINTS = 12
SPEED, LOAD = 2.0, 0.01
"""Of the driving gear [rad/s], and damping of the driven one [N m s]."""


def example_document(name: str) -> Callable[[Path], str]:
    """An example world, without the meshes that are only seen."""
    return lambda _: without_visuals(example(name).read_text(encoding="utf-8"))


def tooth_outline(teeth: int) -> Array:
    """Corners of a tooth along +x, from the base circle on: involutes of the circle, as straight pieces; (n, 2) [m]."""
    pitch = 0.5 * MODULE * teeth
    base, tip = pitch * math.cos(PRESSURE_ANGLE), pitch + MODULE
    inner = max(base, pitch - 1.25 * MODULE)
    rolls = np.linspace(math.sqrt((inner / base) ** 2 - 1.0), math.sqrt((tip / base) ** 2 - 1.0), FLANK_POINTS)
    radii = base * np.sqrt(1.0 + rolls**2)
    at_pitch = (0.5 * math.pi - 0.5 * BACKLASH) / teeth + math.tan(PRESSURE_ANGLE) - PRESSURE_ANGLE
    angles = at_pitch - (rolls - np.arctan(rolls))
    flank = np.column_stack((radii * np.cos(angles), radii * np.sin(angles)))
    return np.vstack((flank, flank[::-1] * (1.0, -1.0)))


def gear_pair(folder: Path) -> str:
    """Two gears on hinges, each tooth a hull; the larger one is driven, the smaller one is braked. A tooth of the first
    points at a gap of the second."""
    distance, links = 0.5 * MODULE * sum(TEETH), ""
    for k, teeth in enumerate(TEETH):
        outline = tooth_outline(teeth)
        corners = np.vstack(
            [np.column_stack((outline, np.full(len(outline), z))) for z in (-0.5 * WIDTHS[k], 0.5 * WIDTHS[k])]
        )
        write_hull(folder / f"tooth{teeth}.obj", corners)
        first = 0.0 if k == 0 else math.pi + math.pi / teeth
        shapes = "".join(
            f'<collision name="t{n}"><pose>0 0 0 0 0 {first + 2.0 * math.pi * n / teeth!r}</pose><geometry><mesh>'
            f"<uri>{folder / f'tooth{teeth}.obj'}</uri></mesh></geometry>{surface(0.0)}</collision>"
            for n in range(teeth)
        )
        link = (
            f'<link name="gear"><pose>{k * distance!r} 0 0 0 0 0</pose><inertial><mass>0.5</mass><inertia>'
            f"<ixx>5e-4</ixx><iyy>5e-4</iyy><izz>5e-4</izz></inertia></inertial>{shapes}</link>"
        )
        brake = "" if k == 0 else dynamics(damping=LOAD)
        links += model(link, joint("hinge", "revolute", "gear", axis="0 0 1", inside_axis=brake), name=f"g{k}")
    return world(links, gravity="0 0 0")


MACHINES: dict[str, tuple[Callable[[Path], str], tuple[str, ...]]] = {
    "gripper": (example_document("gripper"), ("left_finger_joint=effort:20", "lift_joint=position:0.15")),
    "geneva": (example_document("geneva"), ("crank_joint=velocity:2",)),
    "gear pair by its teeth": (gear_pair, (f"g0::hinge=velocity:{SPEED}",)),
}
"""By name: documents, made in a folder that takes their files, and drives as on the command line."""
