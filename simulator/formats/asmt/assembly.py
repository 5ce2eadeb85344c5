"""What an `.asmt` says: bodies with mass, markers on them, joints, motions, springs, as plain values."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

from simulator.formats.asmt.items import AsmtError, AsmtItem
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from simulator.spatial.rotation import Vec3

GROUND = ""
"""The body of markers that belong to the assembly itself."""


@dataclass
class AsmtBody:
    """A part: `X_WB` as the document has it, mass [kg], principal moments [kg m^2] in the frame of the mass marker.
    `velocity` of its origin [m/s] and `omega` [rad/s], in world axes."""

    name: str
    X_WB: Pose
    mass: float
    moments: Vec3
    X_BM: Pose
    velocity: Vec3
    omega: Vec3
    item: AsmtItem


MASS_MARKER = "MassMarker"
"""The name by which motions and forces call the principal frame of a part's mass."""


@dataclass(frozen=True)
class Marker:
    """A frame on a body."""

    body: str
    X_BK: Pose


@dataclass
class AsmtAssembly:
    """All of it. `markers` by the path by which joints name them."""

    name: str
    item: AsmtItem
    gravity: Vec3
    bodies: dict[str, AsmtBody] = field(default_factory=dict)
    markers: dict[str, Marker] = field(default_factory=dict)
    joints: list[AsmtItem] = field(default_factory=list)
    motions: list[AsmtItem] = field(default_factory=list)
    limits: list[AsmtItem] = field(default_factory=list)
    forces: list[AsmtItem] = field(default_factory=list)
    others: list[AsmtItem] = field(default_factory=list)

    def marker(self, item: AsmtItem, name: str) -> Marker:
        """The marker that a joint names. Raises AsmtError where there is none."""
        path = item.value(name)
        if path not in self.markers:
            raise AsmtError(item.line, f"{name} of '{item.name}' is '{path}', which does not exist")
        return self.markers[path]


def read_assembly(item: AsmtItem) -> AsmtAssembly:
    """Raises AsmtError for what cannot be used."""
    name = item.name
    gravity = item.numbers("ConstantGravity", 3) if item.child("ConstantGravity") else [0.0, 0.0, 0.0]
    found = AsmtAssembly(name, item, (gravity[0], gravity[1], gravity[2]))
    _markers(found, item, GROUND, item.pose())
    for part in item.all("Parts"):
        body = _body(part, item.pose())
        if body.name in found.bodies:
            raise AsmtError(part.line, f"two parts are named '{body.name}'")
        found.bodies[body.name] = body
        found.markers[f"/{name}/{body.name}/{MASS_MARKER}"] = Marker(body.name, body.X_BM)
        _markers(found, part, body.name, IDENTITY)
    constraints = item.child("ConstraintSets") or AsmtItem("ConstraintSets", item.line)
    found.joints, found.motions, found.limits = (constraints.all(tag) for tag in ("Joints", "Motions", "Limits"))
    found.forces = item.all("ForceTorques")
    found.others = [*constraints.all("GeneralConstraintSets"), *item.all("KinematicIJs")]
    return found


def _body(part: AsmtItem, X_WA: Pose) -> AsmtBody:
    inertia = part.child("PrincipalMassMarker")
    if inertia is None:
        raise AsmtError(part.line, f"part '{part.name}' has no PrincipalMassMarker")
    ixx, iyy, izz = inertia.numbers("MomentOfInertias", 3)
    speed, turning = ([*part.numbers(tag, 3)] if part.child(tag) else [0.0] * 3 for tag in ("Velocity3D", "Omega3D"))
    return AsmtBody(
        part.name,
        X_WA @ part.pose(),
        inertia.number("Mass"),
        (ixx, iyy, izz),
        inertia.pose(),
        X_WA.rotate((speed[0], speed[1], speed[2])),
        X_WA.rotate((turning[0], turning[1], turning[2])),
        part,
    )


def _markers(found: AsmtAssembly, owner: AsmtItem, body: str, X_BO: Pose) -> None:
    prefix = f"/{found.name}/{body}" if body else f"/{found.name}"
    for point in owner.all("RefPoints"):
        X_BR = X_BO @ point.pose()
        for marker in point.all("Markers"):
            found.markers[f"{prefix}/{marker.name}"] = Marker(body, X_BR @ marker.pose())


def is_without_mass(found: AsmtAssembly) -> bool:
    """Whether all parts have the mass and the moments that FreeCAD writes where it knows none."""
    return bool(found.bodies) and all(
        math.isclose(body.mass, 1.0) and body.moments == (1.0, 1.0, 1.0) for body in found.bodies.values()
    )
