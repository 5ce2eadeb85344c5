"""Forces and springs for scripts: `simulator.force("rod", (0, 0, -10), at=(0, 0, 0.5))`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.api.drives import Value, profile_of
from simulator.errors import UsageError
from simulator.model.joint import WORLD
from simulator.model.loads import LINK_AXES, WORLD_AXES, Load, PointSpring

if TYPE_CHECKING:
    from simulator.model.loads import Profiles3
    from simulator.spatial.rotation import Vec3

ORIGIN = (0.0, 0.0, 0.0)


def force(
    link: str,
    force: Sequence[Value] = ORIGIN,
    *,
    moment: Sequence[Value] = ORIGIN,
    at: Sequence[float] = ORIGIN,
    frame: str = WORLD_AXES,
) -> Load:
    """A force [N] and a moment [N m] on a link, for `Simulation.run(…, forces=[…])`; components are numbers or
    profiles.

    The force acts at the point `at` of the link's frame [m]. Components are in the axes of the world, or with
    `frame="link"` in those of the link. Raises UsageError for anything but three components and for a frame that does
    not exist.
    """
    if frame not in (WORLD_AXES, LINK_AXES):
        raise UsageError(f"the frame of a force must be '{WORLD_AXES}' or '{LINK_AXES}', not '{frame}'")
    return Load(link, _point(at), _three(force, "force"), _three(moment, "moment"), frame)


def spring(
    link: str,
    other: str = WORLD,
    *,
    at: Sequence[float] = ORIGIN,
    other_at: Sequence[float] = ORIGIN,
    stiffness: float = 0.0,
    damping: float = 0.0,
    free_length: float = 0.0,
) -> PointSpring:
    """A spring and damper between a point of one link and a point of another, or of the world, for `forces` of
    `Simulation.run`.

    Points in the frames of their links [m], stiffness [N/m], damping [N s/m], free length [m]. Raises UsageError for
    negative ones.
    """
    for name, value in (("stiffness", stiffness), ("damping", damping), ("free_length", free_length)):
        if not value >= 0.0:
            raise UsageError(f"{name} of a spring must be 0 or more, not {value:g}")
    return PointSpring(link, other, _point(at), _point(other_at), float(stiffness), float(damping), float(free_length))


def _point(at: Sequence[float]) -> Vec3:
    if len(at) != 3:
        raise UsageError(f"a point must have three numbers x, y, z, not {len(at)}")
    return (float(at[0]), float(at[1]), float(at[2]))


def _three(values: Sequence[Value], what: str) -> Profiles3:
    if len(values) != 3:
        raise UsageError(f"a {what} must have three components, not {len(values)}")
    x, y, z = (profile_of(value) for value in values)
    return (x, y, z)
