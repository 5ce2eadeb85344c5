"""SDFormat from numbers: links at their centres of mass, joints at places and in directions of the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Vector = Sequence[float] | Array

STILL = Rotation.identity()
NOTHING = 1e-9
"""Mass [kg] and moments [kg m²] of what other programs take for massless: a rod between two joints, the middle of a
cylindrical joint."""


def numbers(values: Vector) -> str:
    """To the last digit."""
    return " ".join(repr(float(value)) for value in values)


def pose(place: Vector, turn: Rotation = STILL) -> str:
    """`<pose>`."""
    x, y, z, w = turn.as_quat()
    values = numbers(place)
    return f"<pose rotation_format='quat_xyzw'>{values} {numbers((x, y, z, w))}</pose>"


def link(
    name: str, place: Vector, moments: Vector, mass: float = 1.0, turn: Rotation = STILL, centre: Vector = (0, 0, 0)
) -> str:
    """A link with principal moments about its centre of mass."""
    x, y, z = moments
    return (
        f"<link name='{name}'>{pose(place, turn)}<inertial>{pose(centre)}<mass>{mass!r}</mass><inertia><ixx>{x!r}</ixx>"
        f"<iyy>{y!r}</iyy><izz>{z!r}</izz></inertia></inertial></link>"
    )


def rod(name: str, place: Vector) -> str:
    """A link that weighs nothing."""
    return link(name, place, (NOTHING, NOTHING, NOTHING), NOTHING)


def joint(
    name: str, kind: str, parent: str, child: str, at: Vector, *axes: Vector, inside: str = "", axis_inside: str = ""
) -> str:
    """A joint at a place of the world, its axes in the world's directions at the start."""
    said = "".join(
        f"<{tag}><xyz expressed_in='__model__'>{numbers(np.asarray(axis, dtype=float))}</xyz>{axis_inside}</{tag}>"
        for tag, axis in zip(("axis", "axis2"), axes, strict=False)
    )
    place = pose(at).replace("<pose ", "<pose relative_to='__model__' ")
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f"<joint name='{name}' type='{kind}'>{place}{ends}{said}{inside}</joint>"


def document(*parts: str, gravity: Vector = (0.0, 0.0, -9.80665)) -> str:
    """A world with one model `m`."""
    return (
        "<sdf version='1.12' xmlns:simulator='urn:simulator'><world name='w'>"
        f"<gravity>{numbers(gravity)}</gravity><model name='m'>{''.join(parts)}</model></world></sdf>"
    )
