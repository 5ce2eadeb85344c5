"""Documents with cables."""

from __future__ import annotations

import math

G = 9.81


def link(name: str, place: str = "0 0 0", mass: float = 1.0, moment: float = 0.01) -> str:
    moments = f"<ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz>"
    return (
        f'<link name="{name}"><pose>{place} 0 0 0</pose>'
        f"<inertial><mass>{mass}</mass><inertia>{moments}</inertia></inertial></link>"
    )


def joint(name: str, child: str, axis: str, parent: str = "world", kind: str = "prismatic", inside: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>{axis}</xyz>{inside}</axis></joint>"
    )


def cable(length: float, parts: str, numbers: str = "") -> str:
    return f'<simulator:cable name="rope" length="{length!r}" {numbers}>{parts}</simulator:cable>'


def point(of: str, at: str = "0 0 0") -> str:
    return f'<simulator:point link="{of}" at="{at}"/>'


def pulley(of: str, at: str, radius: float, more: str = "", tag: str = "pulley", wrap: str = "counterclockwise") -> str:
    where = f'link="{of}" at="{at}" radius="{radius!r}" axis="0 1 0" wrap="{wrap}"'
    return f"<simulator:{tag} {where} {more}/>"


def world(inside: str, gravity: float = G) -> str:
    return (
        '<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w">'
        f'<gravity>0 0 {-gravity}</gravity><model name="m">{inside}</model></world></sdf>'
    )


UP = "0 0 1"
LENGTH, TENSION = "cable/m::rope/length", "cable/m::rope/tension"


def atwood(length: float = 2.0 + 0.1 * math.pi, numbers: str = "", more: str = "", tag: str = "pulley") -> str:
    """Weights of 2 and 3 kg on slides below a pulley of 10 cm, a metre of rope to each."""
    over = point("a") + pulley("world", "0 0 0", 0.1, more, tag) + point("b")
    bodies = link("a", "-0.1 0 -1", 2.0) + link("b", "0.1 0 -1", 3.0)
    return world(bodies + joint("ja", "a", UP) + joint("jb", "b", UP) + cable(length, over, numbers))
