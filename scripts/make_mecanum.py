"""Makes the example world of a mecanum platform: four wheels with eight rollers each, which go sideways.

python scripts/make_mecanum.py            writes worlds/mecanum.sdf
python scripts/make_mecanum.py --check    makes it again in memory and compares
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from world_file import make

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "mecanum.sdf"
RADIUS, THICKNESS, MASS = 0.05, 0.044, 0.5  # of a wheel [m], [kg]
LENGTH, WIDTH = 0.16, 0.16  # of a wheel from the middle of the platform, forwards and to the side [m]
ROLLERS, BULGE, HALF = 8, 0.0105, 0.0245  # of a wheel; radius in the middle and half length of each [m]
SPEED, PERIOD = 4.5, 4.0  # of the drives: the largest [rad/s], and how long they go there and back [s]
WAY = SPEED * RADIUS * PERIOD / math.pi  # of the platform to the side [m]
WHEELS = {
    "front_left": (LENGTH, WIDTH, -1),
    "front_right": (LENGTH, -WIDTH, 1),
    "rear_left": (-LENGTH, WIDTH, 1),
    "rear_right": (-LENGTH, -WIDTH, -1),
}
"""x and y in the platform, and to which side the roller on the ground points: (1, ±1)."""

BLUE, ORANGE, GREEN, BRASS = "0.23 0.51 0.96 1", "0.96 0.62 0.04 1", "0.06 0.62 0.55 1", "0.80 0.66 0.38 1"
DARK, SLATE, GREY, SILVER, LIGHT = (
    "0.21 0.23 0.26 1", "0.44 0.48 0.53 1", "0.54 0.58 0.64 1", "0.68 0.72 0.77 1", "0.84 0.86 0.89 1",
)  # fmt: skip
ACROSS = "1.5707963267948966 0 0"


def visual(name: str, shape: str, color: str, pose: str, shine: str = "0.12 0.12 0.12 1") -> str:
    """Return a visual in one line."""
    paint = f"<ambient>{color}</ambient><diffuse>{color}</diffuse><specular>{shine}</specular>"
    return (
        f'        <visual name="{name}"><pose>{pose}</pose><geometry>{shape}</geometry>'
        f"<material>{paint}</material></visual>"
    )


def box(*size: float) -> str:
    """Return a box [m]."""
    return f"<box><size>{' '.join(f'{edge:.6g}' for edge in size)}</size></box>"


def cylinder(radius: float, length: float) -> str:
    """Return a cylinder [m]."""
    return f"<cylinder><radius>{radius:.6g}</radius><length>{length:.6g}</length></cylinder>"


def inertial(mass: float, *moments: float) -> str:
    """Return mass [kg] and moments [kg m^2]."""
    tags = zip(("ixx", "iyy", "izz"), moments, strict=True)
    return (
        f"        <inertial><mass>{mass:.6g}</mass><inertia>"
        f"{''.join(f'<{tag}>{value:.6g}</{tag}>' for tag, value in tags)}"
        "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>"
    )


def roller_pose(number: int, side: int) -> str:
    """Return the pose of a roller in the wheel: z along its axis, which on the ground, at number 0, is (1, side, 0)."""
    angle = 2.0 * math.pi * number / ROLLERS
    out = RADIUS - BULGE
    place = (-out * math.sin(angle), 0.0, -out * math.cos(angle))
    # The one on the ground lies with its z axis along (1, side, 0): about y to x, then about z. Turned about y.
    yaw, (c, s) = side * math.pi / 4.0, (math.cos(angle), math.sin(angle))
    axis = (math.cos(yaw) * c, math.sin(yaw), -math.cos(yaw) * s)
    pitch, roll = math.atan2(math.hypot(axis[0], axis[1]), axis[2]), math.atan2(axis[1], axis[0])
    return " ".join(f"{value + 0.0:.9g}" for value in (*place, 0.0, pitch, roll))


def wheel(name: str) -> list[str]:
    """Return a wheel and its joint."""
    x, y, side = WHEELS[name]
    outside = math.copysign(THICKNESS / 2.0, y)
    flat = MASS * (3.0 * RADIUS**2 + THICKNESS**2) / 12.0
    friction = f'<mu>1</mu><mu2>0</mu2><fdir1 gz:expressed_in="platform">1 {side} 0</fdir1>'
    shape = f"<ellipsoid><radii>{BULGE:.6g} {BULGE:.6g} {HALF:.6g}</radii></ellipsoid>"
    return [
        f'      <link name="{name}">',
        f"        <pose>{x:.6g} {y:.6g} {RADIUS:.6g} 0 0 0</pose>",
        inertial(MASS, flat, MASS * RADIUS**2 / 2.0, flat),
        '        <collision name="rim">',
        f"          <geometry><sphere><radius>{RADIUS:.6g}</radius></sphere></geometry>",
        f"          <surface><friction><ode>{friction}</ode></friction></surface>",
        "        </collision>",
        *(visual(f"roller_{k}", shape, DARK, roller_pose(k, side)) for k in range(ROLLERS)),
        visual("drum", cylinder(0.031, 0.02), SILVER, f"0 0 0 {ACROSS}", "0.45 0.45 0.45 1"),
        visual("inner", cylinder(0.036, 0.003), BLUE, f"0 {-outside:.6g} 0 {ACROSS}"),
        visual("outer", cylinder(0.036, 0.003), BLUE, f"0 {outside:.6g} 0 {ACROSS}"),
        visual("cap", cylinder(0.011, 0.006), BRASS, f"0 {1.1 * outside:.6g} 0 {ACROSS}", "0.4 0.36 0.25 1"),
        visual("mark", box(0.006, 0.002, 0.014), LIGHT, f"0 {1.06 * outside:.6g} 0.023 0 0 0"),
        "      </link>",
        f'      <joint name="{name}_joint" type="continuous">',
        f"        <parent>platform</parent><child>{name}</child>",
        "        <axis><xyz>0 1 0</xyz><limit><effort>5</effort></limit></axis>",
        "      </joint>",
    ]


def platform() -> list[str]:
    """Return the body, with an arrow on its deck that points forwards."""
    return [
        '      <link name="platform">',
        "        <pose>0 0 0.05 0 0 0</pose>",
        inertial(8.0, 0.06, 0.09, 0.14),
        '        <collision name="body">',
        f"          <pose>0 0 0.025 0 0 0</pose><geometry>{box(0.42, 0.25, 0.06)}</geometry>",
        "        </collision>",
        visual("body", box(0.42, 0.25, 0.06), GREY, "0 0 0.025 0 0 0"),
        visual("deck", box(0.44, 0.27, 0.008), LIGHT, "0 0 0.059 0 0 0"),
        visual("bumper_front", box(0.012, 0.25, 0.03), DARK, "0.216 0 0.015 0 0 0"),
        visual("bumper_rear", box(0.012, 0.25, 0.03), DARK, "-0.216 0 0.015 0 0 0"),
        visual("axle_front", cylinder(0.008, 2.0 * WIDTH), SILVER, f"{LENGTH:.6g} 0 0 {ACROSS}", "0.45 0.45 0.45 1"),
        visual("axle_rear", cylinder(0.008, 2.0 * WIDTH), SILVER, f"{-LENGTH:.6g} 0 0 {ACROSS}", "0.45 0.45 0.45 1"),
        visual("shaft", box(0.15, 0.024, 0.0036), GREEN, "-0.03 0 0.065 0 0 0"),
        visual("tip_left", box(0.085, 0.024, 0.004), GREEN, "0.045 0.0216 0.065 0 0 -0.785398163"),
        visual("tip_right", box(0.085, 0.024, 0.0038), GREEN, "0.045 -0.0216 0.065 0 0 0.785398163"),
        visual("mast", cylinder(0.008, 0.05), SLATE, "-0.15 0 0.088 0 0 0"),
        visual("scanner", cylinder(0.028, 0.03), DARK, "-0.15 0 0.128 0 0 0"),
        visual("window", cylinder(0.0285, 0.01), ORANGE, "-0.15 0 0.128 0 0 0"),
        "      </link>",
    ]


def comment() -> list[str]:
    """Return title and figures."""
    return [
        "<!-- Mecanum platform: four wheels with rollers at 45 degrees, which go sideways as well. -->",
        "<!--",
        "  Made by scripts/make_mecanum.py. Rollers hold along their axes and roll freely across them. Here a wheel",
        "  is a ball whose friction says so: <mu> 1 along <fdir1>, <mu2> 0 across it, in the platform's frame, so",
        "  that the direction of the roller on the ground stays while the wheel turns. The rollers are only drawn.",
        f"  * Wheels of radius r = {RADIUS * 1000:g} mm, a = {LENGTH * 1000:g} mm forwards and b = {WIDTH * 1000:g} mm",
        "    to the side of the middle.",
        "    Forwards with u, to the left with v, turning left with w, they turn with (Muir and Neuman 1987)",
        "      front_left  (u - v - (a + b) w) / r      front_right  (u + v + (a + b) w) / r",
        "      rear_left   (u + v - (a + b) w) / r      rear_right   (u - v + (a + b) w) / r",
        f"  * The drives take it {WAY * 1000:.5g} mm to the left and back in {PERIOD:g} s. 10 kg; friction holds up to",
        "    g / sqrt 2 = 6.93 m/s^2 to the side.",
        "  Drives: front_left_joint, front_right_joint, rear_left_joint, rear_right_joint, at most 5 N m each.",
        "  Needs contacts: solver rows.",
        "-->",
    ]


def head() -> list[str]:
    """Return everything up to the platform: drives, the ground with a line to go along."""
    drives = (
        f'    <simulator:drive axis="{name}_joint" kind="velocity" '
        f'value="sine(amplitude={side * SPEED:g},frequency={1.0 / PERIOD:.6g})"/>'
        for name, (_, _, side) in WHEELS.items()
    )
    return [
        '<?xml version="1.0"?>',
        *comment(),
        '<sdf version="1.12" xmlns:simulator="urn:simulator" xmlns:gz="http://gazebosim.org/schema">',
        '  <world name="mecanum">',
        *drives,
        "    <gravity>0 0 -9.8</gravity>",
        '    <physics name="1ms" type="bullet">',
        "      <max_step_size>0.001</max_step_size>",
        "      <real_time_factor>1</real_time_factor>",
        "    </physics>",
        "",
        '    <model name="ground">',
        "      <static>true</static>",
        '      <link name="floor">',
        '        <collision name="plane"><geometry><plane><normal>0 0 1</normal><size>10 10</size></plane></geometry>'
        "</collision>",
        visual("plane", "<plane><normal>0 0 1</normal><size>10 10</size></plane>", LIGHT, "0 0 0 0 0 0"),
        *(
            visual(f"line_{k}", box(0.012, 0.06, 0.001), BLUE, f"0 {0.1 * k:.6g} 0.0005 0 0 0")
            for k in range(-2, round(10.0 * WAY) + 3)
        ),
        "      </link>",
        "    </model>",
        "",
        '    <model name="mecanum">',
    ]


def document() -> str:
    """Return the world."""
    wheels = [line for name in WHEELS for line in wheel(name)]
    return "\n".join([*head(), *platform(), *wheels, "    </model>", "  </world>", "</sdf>", ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the world, or compare it with `--check`."""
    return make(document, WORLD, __doc__, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
