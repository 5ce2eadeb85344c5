"""Joints of an `.asmt` by what they leave free, and how far two markers are from what a joint demands.

Each joint is between marker I and marker J, and demands something of the pose of J in I. It is written as a chain of
joints of SDFormat from I to J: parts move along and about axes of I, of J, or of a bar between both. A chain has links
without mass between its parts.

Source: OndselSolver's classes …Joint and the constraints that they create: TranslationConstraintIJ is on the
coordinates of J in I, DirectionCosineConstraintIJ on the angles between their axes, DistxyConstraintIJ on the distance
of J from z of I.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.records import dataclass
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import IDENTITY_QUAT, Quat, Vec3, quat_from_axis_angle, quat_from_matrix, twist_about

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
AT_I, AT_J, AT_BAR, AT_BEND = "I", "J", "bar", "bend"
PARALLEL = 1e-9
"""Sine between axes below which they are parallel, and length [m] below which a bar has no direction."""


@dataclass(frozen=True)
class Part:
    """One joint of a chain: its type in SDFormat, its axis, the frame that has the axis, and what its name ends in."""

    kind: str
    axis: Vec3 = Z
    at: str = AT_I
    suffix: str = "turn"


FIXED, TURN, SLIDE = Part("fixed"), Part("revolute"), Part("prismatic", suffix="slide")
TURN_J, SLIDE_J = Part("revolute", at=AT_J, suffix="turn_2"), Part("prismatic", at=AT_J, suffix="slide")
ALONG_X, ALONG_Y = Part("prismatic", X, suffix="x"), Part("prismatic", Y, suffix="y")
BALL = Part("ball", at=AT_J, suffix="ball")
SWING = (Part("revolute", Z, AT_BAR, "turn"), Part("revolute", Y, AT_BAR, "swing"))
CONSTANT_VELOCITY, GENERAL = "ConstantVelocityJoint", "GeneralMotion"
CHAINS: dict[str, tuple[Part, ...]] = {
    "FixedJoint": (FIXED,),
    "RevoluteJoint": (TURN,),
    "TranslationalJoint": (SLIDE,),
    "CylindricalJoint": (SLIDE, TURN),
    "SphericalJoint": (BALL,),
    "UniversalJoint": (TURN, TURN_J),
    "PlanarJoint": (ALONG_X, ALONG_Y, TURN),
    "PointInPlaneJoint": (ALONG_X, ALONG_Y, BALL),
    "PointInLineJoint": (SLIDE, BALL),
    "LineInPlaneJoint": (ALONG_X, ALONG_Y, TURN, TURN_J),
    "ParallelAxesJoint": (ALONG_X, ALONG_Y, SLIDE, TURN),
    "NoRotationJoint": (ALONG_X, ALONG_Y, SLIDE),
    "PerpendicularJoint": (ALONG_X, ALONG_Y, SLIDE, TURN, TURN_J),
    "AngleJoint": (ALONG_X, ALONG_Y, SLIDE, TURN, TURN_J),
    CONSTANT_VELOCITY: (TURN, Part("revolute", Y, AT_BEND, "bend"), TURN_J),
    GENERAL: (ALONG_X, ALONG_Y, SLIDE),
    "RevRevJoint": (TURN, TURN_J),
    "RevCylJoint": (TURN, SLIDE_J, TURN_J),
    "CylSphJoint": (SLIDE, TURN, BALL),
    "SphSphJoint": (*SWING, BALL),
}
BARS = {"RevRevJoint": False, "RevCylJoint": True, "CylSphJoint": True, "SphSphJoint": False}
"""Joints that hold their markers at `distanceIJ`, by a bar that is no part; whether J slides along z besides."""
ACROSS = ("RevRevJoint", "RevCylJoint", "CylSphJoint")
"""Those whose bar is across z of I."""


ANGLE = "theIzJz"
"""The angle between both z axes that an AngleJoint holds [rad]."""


def nearest(kind: str, X_IJ: Pose, bar: float = 0.0) -> Pose:
    """The pose of J in I that a joint of this kind allows, next to the one in which the document has it. `bar`: the
    distance of a joint that holds one [m], or the angle of an AngleJoint [rad]."""
    x, y, z = X_IJ.position
    if kind in BARS:
        along = bar_of(kind, X_IJ.position)
        at = along * bar + np.array(Z) * (z if BARS[kind] else 0.0)
        free = kind in ("CylSphJoint", "SphSphJoint")
        return Pose((float(at[0]), float(at[1]), float(at[2])), X_IJ.orientation if free else _about_z(X_IJ))
    position = {
        "TranslationalJoint": (0.0, 0.0, z),
        "CylindricalJoint": (0.0, 0.0, z),
        "PlanarJoint": (x, y, 0.0),
        "PointInPlaneJoint": (x, y, 0.0),
        "PointInLineJoint": (0.0, 0.0, z),
        "LineInPlaneJoint": (x, y, 0.0),
        "ParallelAxesJoint": (x, y, z),
        "NoRotationJoint": (x, y, z),
        "PerpendicularJoint": (x, y, z),
        "AngleJoint": (x, y, z),
        GENERAL: (x, y, z),
    }.get(kind, (0.0, 0.0, 0.0))
    return Pose(position, _orientation(kind, X_IJ, bar))


def _orientation(kind: str, X_IJ: Pose, angle: float) -> Quat:
    """That of J in I which a joint without a bar allows, next to the one that it has."""
    if kind in ("FixedJoint", "TranslationalJoint", "NoRotationJoint", GENERAL):
        return _half_turned(X_IJ)
    if kind in ("SphericalJoint", "PointInPlaneJoint", "PointInLineJoint"):
        return X_IJ.orientation
    if kind in ("UniversalJoint", "LineInPlaneJoint", "PerpendicularJoint"):
        return _tilted(X_IJ, (1.0, 0.0)).orientation
    if kind == "AngleJoint":
        return _tilted(X_IJ, (math.sin(angle), math.cos(angle))).orientation
    if kind == CONSTANT_VELOCITY:
        return _turned_alike(X_IJ)
    return _about_z(X_IJ)


def _half_turned(X_IJ: Pose) -> Quat:
    """The nearest of the orientations whose axes are those of I, or against them: DirectionCosineConstraintIJ makes
    axes of J perpendicular to others of I, and leaves open which way they point."""
    x, y, z = np.diag(X_IJ.rotation())
    traces = {IDENTITY_QUAT: x + y + z, (*X, 0.0): x - y - z, (*Y, 0.0): y - x - z, (*Z, 0.0): z - x - y}
    return max(traces, key=lambda way: float(traces[way]))


def _about_z(X_IJ: Pose) -> Quat:
    """With z of J along z of I, or against it where that is nearer."""
    R = X_IJ.rotation()
    if R[2, 2] >= 0.0:
        return quat_from_axis_angle(Z, twist_about(np.array(Z), R))
    over = Pose(orientation=(*X, 0.0))
    angle = twist_about(np.array(Z), R @ over.rotation())
    return (Pose(orientation=quat_from_axis_angle(Z, angle)) @ over).orientation


def _bend(X_IJ: Pose) -> float:
    """The angle about z of I from y to the axis across both z, about which a joint bends; 0 where they are parallel."""
    x, y, _ = X_IJ.rotate(Z)
    return math.atan2(y, x) if math.hypot(x, y) > PARALLEL else 0.0


def _turned_alike(X_IJ: Pose) -> Quat:
    """The orientation with the same z of J at which the joint is one of constant velocity.

    With J in I as Rz(a) Ry(b) Rz(c), the constraint of OndselSolver, x_I · y_J + y_I · x_J = (cos b - 1) sin(a - c),
    is zero at c = a and, on another branch, at c = a + pi: the nearer of both. As c goes with a, J turns against its
    z as far as I turns about its own (K. Hunt, Constant-velocity shaft couplings, J. Eng. Ind. 95, 1973).
    """
    a = _bend(X_IJ)
    _, _, cosine = X_IJ.rotate(Z)
    bent = quat_from_axis_angle(Y, math.acos(max(-1.0, min(1.0, cosine))))
    first = Pose(orientation=quat_from_axis_angle(Z, a)) @ Pose(orientation=bent)
    ways = [first @ Pose(orientation=quat_from_axis_angle(Z, c)) for c in (a, a + math.pi)]
    return max(ways, key=lambda way: float(np.trace(way.rotation().T @ X_IJ.rotation()))).orientation


def _tilted(X_IJ: Pose, wanted: tuple[float, float]) -> Pose:
    """Turned by the least angle until z of J is away from z of I by the angle of this sine and cosine."""
    z = X_IJ.rotate(Z)
    flat = np.array((z[0], z[1], 0.0))
    length = float(np.linalg.norm(flat))
    if length < PARALLEL:
        return _tilted(Pose(orientation=quat_from_axis_angle(X, math.pi / 4.0)) @ X_IJ, wanted)
    target = wanted[0] * flat / length + wanted[1] * np.array(Z)
    axis = np.cross(z, target)
    sine = float(np.linalg.norm(axis))
    if sine < PARALLEL:
        return X_IJ
    unit = axis / sine
    angle = math.atan2(sine, float(np.dot(z, target)))
    return Pose(orientation=quat_from_axis_angle((unit[0], unit[1], unit[2]), angle)) @ X_IJ


def bar_of(kind: str, to_j: Vec3) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The direction of the bar from I (or its z) to J, a unit vector in I; x where both are at one place."""
    way = np.array(to_j)
    if kind in ACROSS:
        way[2] = 0.0
    length = float(np.linalg.norm(way))
    return np.array(X) if length < PARALLEL else way / length


def frame_of(part: Part, kind: str, X_IJ: Pose) -> Pose:
    """Where a part of a chain is in I, for J at an allowed `X_IJ`: its axes are those of the frame that has the
    part's axis."""
    if part.at == AT_J:
        return X_IJ
    if part.at == AT_BEND:
        return Pose(X_IJ.position, quat_from_axis_angle(Z, _bend(X_IJ)))
    if part.at == AT_BAR:
        return Pose(orientation=_bar_orientation(bar_of(kind, X_IJ.position)))
    if kind in BARS:
        return Pose((0.0, 0.0, X_IJ.position[2] if BARS[kind] else 0.0))
    return Pose(X_IJ.position)


def _bar_orientation(x: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float, float, float]:
    """x along the bar, z as near to that of I as it can be."""
    z = np.array(Z) - x[2] * x
    if float(np.linalg.norm(z)) < PARALLEL:
        z = np.array(X) - x[0] * x
    z = z / np.linalg.norm(z)
    return quat_from_matrix(np.column_stack([x, np.cross(z, x), z]))
