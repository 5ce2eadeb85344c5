"""Loads as lines over a scene: forces as arrows from where they act, moments as turns about their axis, springs as
coils, cables as they lie.

The longest arrow belongs to the largest value that any force of the world reaches in its profile, so that arrows grow
and shrink with their forces and can be compared; moments likewise among each other.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.model.profiles import Chirp, Constant, Ramp, Sine, Step, Table
from simulator.physics.tree.cable_tables import cable_paths
from simulator.rendering.overlays import Polyline, arrow, normal_plane, turning_axis
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.loads import BodyForce, BodyLoads, BodySpring
    from simulator.model.loads import Profiles3
    from simulator.model.material import Rgba
    from simulator.model.profiles import Profile
    from simulator.spatial.arrays import Array


COLOUR: Rgba = (0.85, 0.16, 0.12, 1.0)
CABLE: Rgba = (0.80, 0.42, 0.05, 1.0)
CABLE_WIDTH = 3.0
LONGEST = 0.7
"""Of the radius of the scene: the arrow of the largest force."""
SHORTEST = 0.06
"""Of that arrow: one that is shorter is not drawn, it would be all head."""
COILS, COIL_POINTS, COIL_RADIUS = 8, 12, 0.025


def load_lines(
    loads: BodyLoads, body_poses: Array, time: float, radius: float, lengths: Array | Sequence[float] = ()
) -> tuple[Polyline, ...]:
    """Lines for all loads at a time [s]; `body_poses`: X_WB, shape (n_bodies, 7); `radius` of the scene [m]; `lengths`
    of cables [m], where they are known."""
    if not loads:
        return ()
    placed = matrices(body_poses)
    longest = LONGEST * radius
    largest = max((_peak(load.force) for load in loads.forces), default=0.0)
    strongest = max((_peak(load.moment) for load in loads.forces), default=0.0)
    lines: list[Polyline] = []
    for load in loads.forces:
        X = placed[load.body]
        (force, moment) = (_now(load, part, placed, time) for part in (load.force, load.moment))
        place = X[:3, 3] + X[:3, :3] @ np.array(load.point)
        lines += _straight(place, force, longest / largest if largest > 0.0 else 0.0, longest)
        lines += _turning(place, moment, longest / strongest if strongest > 0.0 else 0.0, longest)
    for spring in loads.springs:
        lines.append(_coil(spring, placed, COIL_RADIUS * radius))
    if loads.cables:
        for path in cable_paths(loads.cables, placed, lengths):
            lines += [Polyline(line, CABLE, CABLE_WIDTH, 0.35) for line in path.lines]
    return tuple(lines)


def _now(load: BodyForce, profiles: Profiles3, placed: Array, time: float) -> Array:
    """A force or moment in world axes."""
    vector = np.array([profile.value(time) for profile in profiles])
    if load.turn is None:
        return vector
    turned: Array = placed[load.body, :3, :3] @ np.array(load.turn) @ vector
    return turned


def _peak(profiles: Profiles3) -> float:
    """Length of the vector of the largest magnitudes that the components reach."""
    return math.hypot(*(largest_of(profile) for profile in profiles))


def largest_of(profile: Profile) -> float:
    """The largest magnitude that a profile reaches; of one that is not known its value at 0."""
    if isinstance(profile, Constant):
        return abs(profile.level)
    if isinstance(profile, Sine | Chirp):
        return abs(profile.offset) + abs(profile.amplitude)
    if isinstance(profile, Ramp | Step):
        return max(abs(profile.start), abs(profile.end))
    if isinstance(profile, Table):
        return max(map(abs, profile.values))
    return abs(profile.value(0.0))


def _straight(place: Array, force: Array, scale: float, longest: float) -> Sequence[Polyline]:
    if float(np.linalg.norm(force)) * scale < SHORTEST * longest:
        return ()
    tip = place + scale * force
    return arrow((place[0], place[1], place[2]), (tip[0], tip[1], tip[2]), COLOUR, width=3.0, hidden=0.5)


def _turning(place: Array, moment: Array, scale: float, longest: float) -> Sequence[Polyline]:
    size = float(np.linalg.norm(moment)) * scale
    if size < SHORTEST * longest:
        return ()
    along = moment / np.linalg.norm(moment)
    return turning_axis((place[0], place[1], place[2]), (along[0], along[1], along[2]), size, COLOUR)


def _coil(spring: BodySpring, placed: Array, radius: float) -> Polyline:
    """A helix between both ends, with straight ends."""
    start, end = (
        placed[body, :3, 3] + placed[body, :3, :3] @ np.array(point)
        for body, point in zip(spring.bodies, spring.points, strict=True)
    )
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return Polyline(np.stack([start, end]), COLOUR, 2.0, 0.5)
    u, v = normal_plane(along / length)
    share = np.linspace(0.15, 0.85, COILS * COIL_POINTS + 1)[:, None]
    angle = 2.0 * math.pi * np.linspace(0.0, COILS, len(share))[:, None]
    coil = start + share * along + radius * (np.cos(angle) * u + np.sin(angle) * v)
    straight = (start, start + 0.15 * along), (start + 0.85 * along, end)
    return Polyline(np.concatenate([np.stack(straight[0]), coil, np.stack(straight[1])]), COLOUR, 2.0, 0.5)
