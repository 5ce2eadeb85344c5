"""Cams from a law of their follower: profile, curvature, undercut.

A law gives the lift s over the turn of the cam in segments. The profile of a translating follower in line with the
axis: for a knife, the polar curve R = r0 + s; for a roller of radius rr, the curve at that distance inside the pitch
curve R = r0 + rr + s, whose radius of curvature is to be above rr where it is convex; for a flat face the curve with
the support function h = r0 + s, whose radius of curvature h + h'' is to be above zero (R. Norton, Cam Design and
Manufacturing Handbook, 2nd ed., ch. 7). Lengths [m], angles [rad].
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UnknownNameError, UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.spatial.arrays import Array


TURN = 2.0 * math.pi


def _cycloidal(t: Array) -> tuple[Array, Array, Array]:
    return t - np.sin(TURN * t) / TURN, 1.0 - np.cos(TURN * t), TURN * np.sin(TURN * t)


def _harmonic(t: Array) -> tuple[Array, Array, Array]:
    a = math.pi
    return (1.0 - np.cos(a * t)) / 2.0, a * np.sin(a * t) / 2.0, a * a * np.cos(a * t) / 2.0


def _polynomial(t: Array) -> tuple[Array, Array, Array]:
    return t**3 * (10.0 - 15.0 * t + 6.0 * t * t), 30.0 * t**2 * (1.0 - t) ** 2, 60.0 * t * (1.0 - t) * (1.0 - 2.0 * t)


LAWS: dict[str, Callable[[Array], tuple[Array, Array, Array]]] = {
    "cycloidal": _cycloidal,
    "harmonic": _harmonic,
    "345": _polynomial,
}
"""A rise from 0 to 1 over t from 0 to 1, with its first and second derivatives."""


@dataclass(frozen=True)
class CamLaw:
    """Segments one after the other, which make a full turn: (angle [rad], lift at their end [m])."""

    segments: tuple[tuple[float, float], ...]
    law: str = "cycloidal"

    def __post_init__(self) -> None:
        """Refuse what is no turn, or does not come back."""
        if self.law not in LAWS:
            raise UnknownNameError("law of a cam", self.law, LAWS)
        if not math.isclose(sum(angle for angle, _ in self.segments), TURN, rel_tol=1e-9):
            total = math.degrees(sum(angle for angle, _ in self.segments))
            raise UsageError(f"the segments of a cam make a turn of 360 degrees, not {total:g}")
        if any(angle <= 0.0 for angle, _ in self.segments):
            raise UsageError("each segment of a cam has an angle above 0")

    def lift(self, angle: Array | float) -> tuple[Array, Array, Array]:
        """Lift [m] and its first two derivatives by the angle [m/rad, m/rad^2]."""
        turn = np.mod(np.asarray(angle, dtype=float), TURN)
        found = np.zeros((3, *turn.shape))
        begin = 0.0
        before = self.segments[-1][1]
        for span, lift in self.segments:
            inside = (turn >= begin) & (turn < begin + span + 1e-12)
            t = np.clip((turn - begin) / span, 0.0, 1.0)
            values = LAWS[self.law](t)
            rise = lift - before
            for row, (value, scale) in enumerate(zip(values, (1.0, 1.0 / span, 1.0 / span**2), strict=True)):
                found[row] = np.where(inside, value * rise * scale + (before if row == 0 else 0.0), found[row])
            begin += span
            before = lift
        return found[0], found[1], found[2]


FOLLOWERS = ("roller", "flat", "knife")


@dataclass(frozen=True)
class CamProfile:
    """A cam's outline `points` (n, 2) with the follower above its axis at lift 0 when it has not turned, the smallest
    radius of curvature where it is convex, and the largest pressure angle [rad]."""

    points: Array
    smallest_curvature: float
    pressure_angle: float


def cam_profile(
    law: CamLaw, base_radius: float, *, follower: str = "roller", roller: float = 0.0, count: int = 720
) -> CamProfile:
    """The outline of a cam that turns counter-clockwise under a follower which moves along +y above its axis.

    Raises UsageError where the follower would cut the cam under, with the base radius that avoids it.
    """
    if follower not in FOLLOWERS:
        raise UnknownNameError("follower", follower, FOLLOWERS)
    if not base_radius > 0.0 or (follower == "roller" and not roller > 0.0):
        raise UsageError("a cam has a base radius, and a roller a radius, above 0 [m]")
    angle = np.linspace(0.0, TURN, count, endpoint=False, dtype=np.float64)
    s, ds, dds = law.lift(angle)
    # The cam turns by `angle`: what is then above the axis has the polar angle pi/2 - angle in the cam.
    polar = math.pi / 2.0 - angle
    if follower == "flat":
        h = base_radius + s
        curvature = h + dds
        if float(curvature.min()) <= 0.0:
            least = base_radius - float(curvature.min())
            raise UsageError(f"a flat follower cuts this cam under; a base radius above {least:.4g} m avoids it")
        # The support function over the polar angle has the derivative -ds.
        n = np.column_stack([np.cos(polar), np.sin(polar)])
        t = np.column_stack([-np.sin(polar), np.cos(polar)])
        points = h[:, None] * n - ds[:, None] * t
        return CamProfile(points[::-1], float(curvature.min()), 0.0)
    pitch = base_radius + s + (roller if follower == "roller" else 0.0)
    bend = pitch**2 + 2.0 * ds**2 - pitch * dds
    curvature = (pitch**2 + ds**2) ** 1.5 / np.where(np.abs(bend) < 1e-300, 1e-300, bend)
    convex = curvature[curvature > 0.0]
    smallest = float(convex.min()) if len(convex) else math.inf
    r = roller if follower == "roller" else 0.0
    if smallest <= r:
        raise UsageError(
            f"a roller of radius {r:g} m cuts this cam under, whose pitch curve bends to {smallest:.4g} m: take a "
            "smaller roller or a larger base radius"
        )
    centre = np.column_stack([pitch * np.cos(polar), pitch * np.sin(polar)])
    tangent = np.column_stack([ds * np.cos(polar) + pitch * np.sin(polar), ds * np.sin(polar) - pitch * np.cos(polar)])
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    inward = np.column_stack([tangent[:, 1], -tangent[:, 0]])
    pressure = float(np.abs(np.arctan2(ds, pitch)).max())
    return CamProfile((centre + r * inward)[::-1], smallest - r, pressure)


def rise_and_fall(lift: float, rise: float, dwell: float, fall: float, law: str) -> CamLaw:
    """Up, stay, down, stay. Raises UsageError where these angles are more than a turn."""
    rest = TURN - rise - dwell - fall
    if rest < -1e-9 or min(rise, fall) <= 0.0 or dwell < 0.0:
        total = math.degrees(rise + dwell + fall)
        raise UsageError(f"rise, dwell and fall are above 0 and at most 360 degrees together, not {total:g}")
    segments: Sequence[tuple[float, float]] = ((rise, lift), (dwell, lift), (fall, 0.0), (rest, 0.0))
    return CamLaw(tuple((angle, end) for angle, end in segments if angle > 1e-9), law)
