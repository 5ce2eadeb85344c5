"""A Watt I six-bar after the published dimensions and masses of PMKS-Web/PMKS_Verification (reference-data/v1, case
`watt_i`)."""

from __future__ import annotations

import numpy as np

from tests.helpers.documents import joint, world

PINS = {
    "A": (-3.74, -2.41), "B": (-2.72, 0.91), "C": (1.58, 0.43), "D": (-0.24, 4.01), "E": (5.08, 5.31),
    "F": (8.14, 3.35),
    "G": (7.32, -3.51),
}  # fmt: skip
"""Where the pins are at the start [m]."""
LINKS = {
    "AB": ("AB", 5.0, 0.1),
    "BCD": ("BCD", 10.0, 0.2),
    "DE": ("DE", 5.0, 0.1),
    "EF": ("EF", 10.0, 0.2),
    "CFG": ("CFG", 5.0, 0.1),
}
"""Pins, mass [kg] and moment of inertia about the centre of mass [kg m²]; the centre of mass is the mean of the
pins."""
JOINTS = {
    "A": ("world", "AB"),
    "B": ("AB", "BCD"),
    "C": ("BCD", "CFG"),
    "D": ("BCD", "DE"),
    "E": ("DE", "EF"),
    "F": ("EF", "CFG"),
    "G": ("CFG", "world"),
}
"""Parent and child of every pin, both in the order of the published table of links."""
SPEED = 1.0471975511965976
"""Of AB [rad/s]: 10 turns a minute."""


def watt_i(*, gravity: float, elements: str = "") -> str:
    """The document, in the plane of x and y, gravity along -y; `elements` go into the model. Link frames are the
    world's at the start."""
    parts = []
    for name, (pins, mass, inertia) in LINKS.items():
        x, y = np.mean([PINS[pin] for pin in pins], axis=0).tolist()
        moments = f"<inertia><ixx>{inertia}</ixx><iyy>{inertia}</iyy><izz>{inertia}</izz></inertia>"
        parts.append(
            f'<link name="{name}"><inertial><pose>{x!r} {y!r} 0 0 0 0</pose>'
            f"<mass>{mass}</mass>{moments}</inertial></link>"
        )
    for pin, (first, second) in JOINTS.items():
        parent, child = (second, first) if second == "world" else (first, second)
        place = f"{PINS[pin][0]!r} {PINS[pin][1]!r} 0 0 0 0"
        pose = f'<pose relative_to="__model__">{place}</pose>'
        parts.append(joint(pin, "revolute", parent=parent, child=child).replace("<parent>", f"{pose}<parent>", 1))
    space = 'xmlns:simulator="urn:simulator"'
    text = world(f"<gravity>0 {-gravity!r} 0</gravity>", f'<model name="watt">{"".join(parts)}{elements}</model>')
    return text.replace("<sdf ", f"<sdf {space} ", 1) if elements else text
