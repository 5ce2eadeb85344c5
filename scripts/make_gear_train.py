"""Makes the example world of 1024 gears: a train wound up in a spiral, every gear a disc with a mark.

    python scripts/make_gear_train.py            writes worlds/gear_train_1024.sdf
    python scripts/make_gear_train.py --check    makes it again in memory and compares

The train grows outwards from its leader: 32 gears of 16 teeth, 32 of 17, and so on to 47. Each touches the one before
it and leaves a gap to all others; of the places that do, it takes the one nearest to the middle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from world_file import make

Array = NDArray[np.float64]

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "gear_train_1024.sdf"
MODULE = 0.001  # [m]
TEETH = [teeth for teeth in range(16, 48) for _ in range(32)]
GAP = 0.005  # [m] to gears that are not neighbours in the train
THICKNESS = 0.008  # [m]
MASS = 0.02  # [kg] of a gear of 16 teeth
DIRECTIONS = 720  # that are tried for the next gear
INERTIA = MASS * (8.0 * MODULE) ** 2 / 2.0  # [kg m^2] of a gear of 16 teeth
SEEN = INERTIA * 32 * sum(teeth**2 for teeth in range(16, 48)) / 16**2  # [kg m^2] of all, from the first gear

BLUE, RED, ORANGE, AMBER = "0.23 0.51 0.96 1", "0.88 0.24 0.32 1", "0.96 0.62 0.04 1", "0.98 0.78 0.36 1"
DARK, GREY, LIGHT = "0.21 0.23 0.26 1", "0.44 0.48 0.53 1", "0.84 0.86 0.89 1"


def radius(teeth: int) -> float:
    """Return the pitch radius [m]."""
    return MODULE * teeth / 2.0


def places() -> Array:
    """Return the centres of all gears [m], shape (n, 2), the first at the origin."""
    radii = np.array([radius(teeth) for teeth in TEETH])
    turns = np.linspace(0.0, 2.0 * math.pi, DIRECTIONS, endpoint=False)
    around = np.column_stack([np.cos(turns), np.sin(turns)])
    centres = np.zeros((len(radii), 2))
    for i in range(1, len(radii)):
        tried = centres[i - 1] + (radii[i - 1] + radii[i]) * around
        near = np.flatnonzero(np.linalg.norm(centres[: i - 1] - centres[i - 1], axis=1) < 4.0 * radii[i] + GAP)
        apart = np.linalg.norm(tried[:, None] - centres[None, near], axis=2) - radii[near] - radii[i]
        free = apart.min(axis=1, initial=math.inf) >= GAP
        onwards = (
            centres[i - 1, 0] * around[:, 1] - centres[i - 1, 1] * around[:, 0] >= -1e-12
        )  # always the same way round
        distance = np.where(free & onwards, np.linalg.norm(tried, axis=1), math.inf)
        centres[i] = np.round(tried[int(np.argmin(np.round(distance, 9)))], 6)
    return centres


def visual(name: str, shape: str, colour: str, pose: str = "") -> str:
    """Return a visual in one line."""
    material = f"<material><ambient>{colour}</ambient><diffuse>{colour}</diffuse></material>"
    placed = f"<pose>{pose}</pose>" if pose else ""
    return f'<visual name="{name}">{placed}<geometry>{shape}</geometry>{material}</visual>'


def box(*size: float) -> str:
    """Return a box [m]."""
    return f"<box><size>{' '.join(f'{side:.6g}' for side in size)}</size></box>"


def cylinder(r: float, length: float) -> str:
    """Return a cylinder [m] about z."""
    return f"<cylinder><radius>{r:.6g}</radius><length>{length:.6g}</length></cylinder>"


def gear(number: int, centre: Array) -> list[str]:
    """Return the link and the joint of a gear; all but the first follow the one before."""
    teeth = TEETH[number - 1]
    r, mass = radius(teeth), MASS * (teeth / 16) ** 2
    across, about = mass * (3.0 * r**2 + THICKNESS**2) / 12.0, mass * r**2 / 2.0
    colour = BLUE if number == 1 else (ORANGE, AMBER)[number % 2]
    lines = [
        f'      <link name="gear_{number}">',
        f"        <pose>{centre[0]:.6g} {centre[1]:.6g} 0 0 0 0</pose>",
        f"        <inertial><mass>{mass:.12g}</mass><inertia><ixx>{across:.12g}</ixx><iyy>{across:.12g}</iyy>"
        f"<izz>{about:.12g}</izz></inertia></inertial>",
        f"        {visual('disc', cylinder(r, THICKNESS), colour)}",
        f"        {visual('mark', box(1.5 * r, 0.26 * r, THICKNESS + 0.002), DARK)}",
    ]
    if number == 1:
        lines.append(f"        {visual('knob', cylinder(0.35 * r, 0.03), RED, '0 0 0.017 0 0 0')}")
    follows = ""
    if number > 1:
        ratio = -TEETH[number - 2] / teeth
        follows = (
            f'<mimic joint="gear_{number - 1}_joint"><multiplier>{ratio!r}</multiplier>'
            "<offset>0</offset><reference>0</reference></mimic>"
        )
    return [
        *lines,
        "      </link>",
        f'      <joint name="gear_{number}_joint" type="continuous">',
        f"        <parent>world</parent><child>gear_{number}</child><axis><xyz>0 0 1</xyz>{follows}</axis>",
        "      </joint>",
    ]


def stand(reach: float) -> list[str]:
    """Return the model that stands still: a round board behind the gears, on a foot."""
    height, deep = reach + 0.05, 0.03
    back = f"{deep:.6g} {height:.6g} 1.5708 0 0"
    return [
        '    <model name="stand">',
        "      <static>true</static>",
        '      <link name="board">',
        f"        {visual('face', cylinder(reach, 0.012), LIGHT, f'0 {back}')}",
        "        "
        f"{visual('rim', cylinder(reach + 0.012, 0.01), GREY, f'0 {deep + 0.007:.6g} {height:.6g} 1.5708 0 0')}",
        f"        {visual('foot', box(1.2 * reach, 0.3 * reach, 0.03), DARK, f'0 {deep:.6g} 0.015 0 0 0')}",
        f"        {visual('neck', box(0.5 * reach, 0.03, 0.2), GREY, f'0 {deep + 0.027:.6g} 0.11 0 0 0')}",
        "      </link>",
        "    </model>",
    ]


def head() -> list[str]:
    """Return everything up to the models."""
    return [
        '<?xml version="1.0"?>',
        "<!-- Gear train of 1024 gears: a spiral in which every gear follows the one before it. -->",
        "<!--",
        "  Made by scripts/make_gear_train.py. Module 1 mm; 32 gears of 16 teeth, then 32 of 17, and so on to 47, from "
        "the middle",
        "  outwards; they are drawn as discs of their pitch radius with a mark. Gears that mesh turn against each "
        "other, so each joint",
        "  follows the one before it with the multiplier -z(i) / z(i+1), and gear 1024 turns at -16/47 of the speed of "
        "gear 1. Angles",
        "  count counter-clockwise seen from the front. Each gear weighs 0.02 kg * (z / 16)^2 and is a disc, so its "
        "inertia is",
        "  6.4e-7 kg m^2 * (z / 16)^4, that is 6.4e-7 kg m^2 * (z / 16)^2 seen from gear 1. The sum of z^2 from 16 to "
        "47 is 34480, so",
        f"    J = 6.4e-7 * 32 * 34480 / 16^2 = {SEEN:.10g} kg m^2,",
        f"  and gear_1_joint=effort:{SEEN:.10g} gives 1 rad/s^2. 1023 couplings in one chain, no loops, mobility 1; "
        "nothing is singular.",
        "  At rest without a drive: every centre of mass lies on its axis. More joints than one of Bullet's "
        "multibodies can hold.",
        "  Drive: gear_1_joint=velocity:2",
        "-->",
        '<sdf version="1.12" xmlns:simulator="urn:simulator">',
        '  <world name="gear_train_1024">',
        '    <simulator:drive axis="gear_1_joint" kind="velocity" value="1.5"/>',
        "    <gravity>0 0 -9.8</gravity>",
        '    <physics name="1ms" type="bullet">',
        "      <max_step_size>0.001</max_step_size>",
        "      <real_time_factor>1</real_time_factor>",
        "    </physics>",
        "",
    ]


def document() -> str:
    """Return the world."""
    centres = places()
    reach = round(float((np.linalg.norm(centres, axis=1) + [radius(teeth) for teeth in TEETH]).max()) + 0.015, 3)
    train = [
        "",
        "    <!-- The model's origin is the first gear, in the middle; its x-y plane is the world's x-z plane. -->",
        '    <model name="train">',
        f"      <pose>0 0 {reach + 0.05:.6g} 1.5707963267948966 0 0</pose>",
    ]
    for number, centre in enumerate(centres, start=1):
        train += gear(number, centre)
    return "\n".join([*head(), *stand(reach), *train, "    </model>", "  </world>", "</sdf>", ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the world, or compare it with `--check`."""
    return make(document, WORLD, __doc__, arguments, f"{len(TEETH)} gears, ")


if __name__ == "__main__":
    raise SystemExit(main())
