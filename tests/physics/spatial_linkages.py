"""Spatial linkages at their singular positions, as documents whose numbers have all digits."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tests.physics.worlds import joint, link, model, world

Array = NDArray[np.float64]

SHORT, LONG = 0.2, 0.2 * math.sin(math.radians(75.0)) / math.sin(math.radians(45.0))
"""Bars of Bennett's linkage [m], which are twisted by 45 and 75 degrees."""
BENNETT = math.sin(math.radians(60.0)) / math.sin(math.radians(15.0))
"""tan(t1/2) tan(t2/2), of neighbouring hinges."""
CUT = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"


def text(vector: Array) -> str:
    """Three numbers with all their digits."""
    return " ".join(repr(float(value)) for value in vector)


IN_LINE = {
    "folded": ((0.0, SHORT, SHORT - LONG, -LONG), (0.0, 45.0, -30.0, -75.0)),
    "stretched": ((0.0, -SHORT, -SHORT - LONG, -LONG), (0.0, -45.0, -120.0, -75.0)),
}
"""Places of the hinges on the line [m], and their turns about it [degrees]: neighbours are twisted by 45 along short
bars, by 75 along long ones, in the sense of the way along the bar."""


def bennett(pose: str) -> str:
    """Bennett's linkage (Engineering 76, 1903) with all bars in line, along x: thin rods of 1 kg/m, gravity along
    -y."""
    places, turns = IN_LINE[pose]
    axes = [f"0 {-math.sin(turn)!r} {math.cos(turn)!r}" for turn in np.radians(turns).tolist()]
    bars = (("crank", 0, 1), ("coupler", 1, 2), ("rocker", 3, 2))
    return world(
        model(
            *(_rod(name, places[first], places[end]) for name, first, end in bars),
            joint("t1", "revolute", "crank", axis=axes[0]),
            joint("t2", "revolute", "coupler", parent="crank", axis=axes[1]),
            joint("t4", "revolute", "rocker", axis=axes[3]),
            joint("t3", "revolute", "rocker", parent="coupler", axis=axes[2], extra=CUT,
                  pose=f"{places[2] - places[3]!r} 0 0 0 0 0"),
        ),
        gravity="0 -9.81 0",
    )  # fmt: skip


def _rod(name: str, first: float, end: float) -> str:
    length = abs(end - first)
    return link(name, mass=length, inertia=f"{1e-5 * length!r} {length**3 / 12!r} {length**3 / 12!r}",
                com=f"{0.5 * (end - first)!r} 0 0", pose=f"{first!r} 0 0 0 0 0")  # fmt: skip


FEET, SEATS, HEIGHT = 0.3, 0.18, 0.36
"""Radii of the circles of joints on base and platform, and how high the platform starts [m]."""


def legs(yaw: float) -> Iterator[tuple[Array, Array]]:
    """Lower and upper end of six legs of a platform that is turned by `yaw` [rad] about z."""
    for pair in range(3):
        for side in (1.0, -1.0):
            foot = math.radians(120.0 * pair + 12.0 * side)
            seat = math.radians(120.0 * pair + 48.0 * side) + yaw
            yield (
                np.array([FEET * math.cos(foot), FEET * math.sin(foot), 0.0]),
                np.array([SEATS * math.cos(seat), SEATS * math.sin(seat), HEIGHT]),
            )


def stewart(yaw: float) -> str:
    """A Stewart platform on six sprung legs, each on a universal joint, with a ball above; turned by 90 degrees the
    lengths of its legs do not tell how it moves (Fichter, International Journal of Robotics Research 5, 1986)."""
    parts = [link("platform", mass=3.0, inertia="0.02 0.02 0.04", pose=f"0 0 {HEIGHT} 0 0 0")]
    for i, (foot, seat) in enumerate(legs(yaw), 1):
        along = (seat - foot) / np.linalg.norm(seat - foot)
        first = np.cross((0.0, 0.0, 1.0), along)
        first /= np.linalg.norm(first)
        spring = "<dynamics><spring_stiffness>600</spring_stiffness><spring_reference>0</spring_reference></dynamics>"
        hinge = f"<axis><xyz>{text(first)}</xyz></axis><axis2><xyz>{text(np.cross(along, first))}</xyz></axis2>"
        parts += [
            link(f"lower_{i}", mass=0.25, inertia="1e-3 1e-3 1e-3", com=text(0.1 * along), pose=f"{text(foot)} 0 0 0"),
            link(f"upper_{i}", mass=0.15, inertia="1e-3 1e-3 1e-3", com=text(-0.1 * along), pose=f"{text(seat)} 0 0 0"),
            f'<joint name="foot_{i}" type="universal"><parent>world</parent><child>lower_{i}</child>{hinge}</joint>',
            joint(f"slide_{i}", "prismatic", f"upper_{i}", parent=f"lower_{i}", axis=text(along), inside_axis=spring),
            f'<joint name="seat_{i}" type="ball"><parent>upper_{i}</parent><child>platform</child>'
            f'<pose relative_to="upper_{i}">0 0 0 0 0 0</pose>{"" if i == 1 else CUT}</joint>',
        ]
    return world(model(*parts), gravity="0 0 -9.81")
