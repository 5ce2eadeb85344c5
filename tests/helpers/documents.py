"""Small SDFormat documents for tests, put together from as few words as possible.

text = world(model("arm", link("base"), link("tip"), joint("elbow", "revolute", parent="base", child="tip")))
"""

from __future__ import annotations

UNIT_INERTIA = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>"


def document(*elements: str, version: str = "1.12") -> str:
    """A whole document around its elements; each element starts a line of its own, the first one line 2."""
    return "\n".join([f'<sdf version="{version}">', *elements, "</sdf>", ""])


def world(*elements: str, name: str = "default", version: str = "1.12") -> str:
    """A document with one world; its first element stands on line 3."""
    return document(f'<world name="{name}">', *elements, "</world>", version=version)


def model(name: str, *elements: str, attributes: str = "") -> str:
    """A model of these links, joints and frames."""
    return "\n".join([f'<model name="{name}" {attributes}>'.replace(" >", ">"), *elements, "</model>"])


def link(name: str, *elements: str, mass: float = 1.0, pose: str = "") -> str:
    """A link with a mass and an inertia of 1 kg m² about each axis."""
    inertial = f"<inertial><mass>{mass!r}</mass>{UNIT_INERTIA}</inertial>"
    return f'<link name="{name}">{_pose(pose)}{inertial}{"".join(elements)}</link>'


def joint(name: str, kind: str, *elements: str, parent: str, child: str, axis: str = "0 0 1", pose: str = "") -> str:
    """A joint about or along `axis`; further elements go into the axis, for example a `mimic`."""
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return (
        f'<joint name="{name}" type="{kind}">{_pose(pose)}{ends}<axis>'
        f"<xyz>{axis}</xyz>{''.join(elements)}</axis></joint>"
    )


def mimic(leader: str, multiplier: float = 1.0, offset: float = 0.0, reference: float = 0.0) -> str:
    """The mimic element of an axis that follows the first axis of the joint `leader`."""
    law = f"<multiplier>{multiplier!r}</multiplier><offset>{offset!r}</offset><reference>{reference!r}</reference>"
    return f'<mimic joint="{leader}">{law}</mimic>'


def gears(count: int) -> str:
    """A world with so many gears side by side, each turning against the one before."""
    parts = [link(f"g{i}") for i in range(count)]
    for i in range(count):
        law = mimic(f"j{i - 1}", multiplier=-1.0) if i else ""
        parts.append(joint(f"j{i}", "revolute", law, parent="world", child=f"g{i}"))
    return world(model("m", *parts))


def _pose(values: str) -> str:
    return f"<pose>{values}</pose>" if values else ""
