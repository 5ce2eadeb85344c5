"""Small URDF+ robots for tests."""

from __future__ import annotations

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'


def robot(*elements: str) -> str:
    """A robot; its first element stands on line 2."""
    return "\n".join(['<robot name="r">', *elements, "</robot>", ""])


def link(name: str) -> str:
    """A link of 1 kg."""
    return f'<link name="{name}">{INERTIAL}</link>'


def hinge(
    name: str,
    parent: str,
    child: str,
    *,
    at: str = "0 0 0",
    rpy: str = "0 0 0",
    axis: str = "0 0 1",
    independent: str = "",
) -> str:
    """A continuous joint."""
    mark = f' independent="{independent}"' if independent else ""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return (
        f'<joint name="{name}" type="continuous"{mark}>{ends}<origin xyz="{at}" rpy="{rpy}"/>'
        f'<axis xyz="{axis}"/></joint>'
    )


def fixed(name: str, parent: str, child: str, *, at: str = "0 0 0") -> str:
    """A fixed joint."""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="fixed">{ends}<origin xyz="{at}" rpy="0 0 0"/></joint>'


def coupling(name: str, predecessor: str, successor: str, ratio: float) -> str:
    """A `<coupling>`."""
    ends = f'<predecessor link="{predecessor}"/><successor link="{successor}"/>'
    return f'<coupling name="{name}">{ends}<ratio value="{ratio!r}"/></coupling>'


def loop(
    name: str, predecessor: tuple[str, str], successor: tuple[str, str], *, kind: str = "revolute", axis: str = "0 0 1"
) -> str:
    """A `<loop>` between points of two links, each (link, "x y z")."""
    ends = "".join(
        f'<{tag} link="{link}"><origin xyz="{at}" rpy="0 0 0"/></{tag}>'
        for tag, (link, at) in (("predecessor", predecessor), ("successor", successor))
    )
    return f'<loop name="{name}" type="{kind}">{ends}<axis xyz="{axis}"/></loop>'


def knee_and_ankle() -> str:
    """A leg of two links with both rotors on the thigh, by belts of 12 (the humanoid's, arXiv 2411.19753)."""
    return robot(
        '<link name="world"/>',
        *(link(name) for name in ("thigh", "shin", "foot", "knee_rotor", "ankle_rotor")),
        fixed("hip", "world", "thigh"),
        hinge("knee", "thigh", "shin", at="0 0 -1", axis="0 1 0"),
        hinge("ankle", "shin", "foot", at="0 0 -1", axis="0 1 0"),
        hinge("knee_motor", "thigh", "knee_rotor", axis="0 1 0", independent="false"),
        hinge("ankle_motor", "thigh", "ankle_rotor", axis="0 1 0", independent="false"),
        coupling("knee_belt", "shin", "knee_rotor", 12.0),
        coupling("ankle_belt", "foot", "ankle_rotor", 12.0),
    )


def six_links() -> str:
    """6 links, 5 joints, 1 loop and 1 coupling: a parallelogram four-bar and a geared pair on one base."""
    return robot(
        *(link(name) for name in ("base", "crank", "coupler", "rocker", "arm", "rotor")),
        hinge("crank_joint", "base", "crank", rpy="0 0 1"),
        hinge("coupler_joint", "crank", "coupler", at="0.5 0 0", rpy="0 0 -1", independent="false"),
        hinge("rocker_joint", "base", "rocker", at="1 0 0", rpy="0 0 1", independent="false"),
        hinge("arm_joint", "base", "arm", at="0 0 1"),
        hinge("rotor_joint", "base", "rotor", at="0 1 1", independent="false"),
        loop("closing", ("coupler", "1 0 0"), ("rocker", "0.5 0 0")),
        coupling("belt", "arm", "rotor", 6.0),
    )
