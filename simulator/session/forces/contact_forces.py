"""Contacts of a step as forces between pairs of bodies, and on the touching links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.fixed_joints import LinkContact
from simulator.analysis.wrenches import COMPONENTS
from simulator.formats.mesh.loader import mesh_of
from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Box, Capsule, Ellipsoid, Mesh, Plane, Sphere
from simulator.physics.shapes.distances import distance_to_hull, distance_to_triangles
from simulator.physics.shapes.hulls import hull_points
from simulator.recording.channels import Channel
from simulator.spatial.rotation import matrix_from_quat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.engine.port import Contact
    from simulator.mechanism.types import Mechanism
    from simulator.model.shape import Shape
    from simulator.spatial.arrays import Array


MOST_PAIRS = 64
"""Most pairs of bodies with their own columns; beyond, every body gets the sum over all its contacts."""
MOST_LINK_PAIRS = 100_000
"""Most pairs of links that are listed to find them."""


class ContactColumns:
    """Columns of contact forces. `channels`: six of every pair of bodies that may touch,
    `reaction/contact/FIRST/SECOND/force_x`, by the first on the second: by the world, else by the first in the
    alphabet; where there are too many pairs, of every body, `reaction/contact/BODY/force_x`, by all that it touches.
    World axes, moments about the origin of the body's first link."""

    def __init__(self, mechanism: Mechanism, *, act: bool) -> None:
        """`act`: whether contacts do."""
        names = [body.name for body in mechanism.bodies]
        self._pairs = _pairs(mechanism) if act else ()
        self.is_whole = self._pairs is None
        if self._pairs is None:
            touching = {link.body for link in mechanism.non_colliding.links} - {WORLD_BODY}
            self._row = {(-1, body): row for row, body in enumerate(sorted(touching))}
        else:
            self._row = {pair: row for row, pair in enumerate(self._pairs)}
        self.channels = tuple(
            Channel(f"reaction/contact/{_label(names, *pair)}/{part}", "contact", _unit(part), row)
            for pair, row in self._row.items()
            for part in COMPONENTS
        )

    @property
    def remark(self) -> str:
        """Why the columns are of bodies; empty if they are of pairs."""
        if not self.is_whole:
            return ""
        return f"more than {MOST_PAIRS} pairs of bodies could touch: contact forces are summed for each body"

    def of(self, contacts: Iterable[Contact], body_poses: Array) -> Array:
        """The values of the channels, shape (n_channels,), for bodies at X_WB, `body_poses` of shape (n_bodies, 7)."""
        result = np.zeros((len(self._row), 6))
        for contact in contacts:
            first, second = contact.bodies
            force, moment = force_on_first(contact), moment_on_first(contact)
            for other, body, sign in ((second, first, 1.0), (first, second, -1.0)):
                row = self._row.get((-1 if self.is_whole else other, body))
                if row is not None:
                    arm = np.array(contact.point) - body_poses[body, :3]
                    result[row, :3] += sign * force
                    result[row, 3:] += sign * (np.cross(arm, force) + moment)
        return result.ravel()


def force_on_first(contact: Contact) -> Array:
    """Force on the first body of a contact, shape (3,) [N]."""
    force: Array = contact.force * np.array(contact.normal) + np.array(contact.friction)
    return force


def moment_on_first(contact: Contact) -> Array:
    """Moment of friction about the normal on the first body of a contact, shape (3,) [N m]."""
    moment: Array = contact.twist * np.array(contact.normal)
    return moment


def _unit(part: str) -> str:
    return "N" if part.startswith("force") else "N·m"


def _label(names: list[str], first: int, second: int) -> str:
    return names[second] if first < 0 else f"{names[first]}/{names[second]}"


def _pairs(mechanism: Mechanism) -> tuple[tuple[int, int], ...] | None:
    """Bodies that may touch, first and second of their columns; None if there are too many."""
    if mechanism.non_colliding.count_meeting() > MOST_LINK_PAIRS:
        return None
    body = {link.name: link.body for link in mechanism.non_colliding.links}

    def place(number: int) -> tuple[bool, str]:
        return number != WORLD_BODY, mechanism.bodies[number].name

    found = {tuple(sorted((body[a], body[b]), key=place)) for a, b in mechanism.non_colliding.meeting()}
    return tuple((first, second) for first, second in sorted(found)) if len(found) <= MOST_PAIRS else None


def contacts_on_links(mechanism: Mechanism, contacts: Iterable[Contact], body_poses: Array) -> tuple[LinkContact, ...]:
    """Contacts as forces on both touching links, for bodies at X_WB, `body_poses` of shape (n_bodies, 7)."""
    found = []
    for contact in contacts:
        point = np.array(contact.point)
        force = force_on_first(contact)
        moment = moment_on_first(contact)
        for body, sign in zip(contact.bodies, (1.0, -1.0), strict=True):
            pose = body_poses[body]
            inside = matrix_from_quat(tuple(pose[3:].tolist())).T @ (point - pose[:3])
            link = touched_link(mechanism, body, inside)
            found.append(LinkContact(body, link, point, sign * force, sign * moment))
    return tuple(found)


def touched_link(mechanism: Mechanism, body: int, point: Array) -> str:
    """The link whose collisions are nearest to a point of a body's frame, shape (3,); "" if the body has none."""
    collisions = mechanism.bodies[body].collisions()
    links = {name for name, _, _ in collisions}
    if len(links) == 1:
        return links.pop()
    near = []
    for name, X_BC, collision in collisions:
        inside = X_BC.inverse().matrix()[:3] @ np.append(point, 1.0)
        near.append((_distance(collision.shape, inside, moves=body != WORLD_BODY), name))
    return min(near)[1] if near else ""


def _distance(shape: Shape, p: Array, *, moves: bool) -> float:
    """Distance from a shape's surface to a point of its frame [m]; round shapes except balls count as their bounding
    box, meshes that move as their hull; 0 inside."""
    if isinstance(shape, Mesh):
        if moves or shape.hull:
            return distance_to_hull(hull_points(shape), p)
        mesh = mesh_of(shape)
        return distance_to_triangles(mesh.vertices[mesh.triangles], p)
    if isinstance(shape, Plane):
        return abs(float(np.dot(shape.normal, p)))
    if isinstance(shape, Sphere):
        return abs(float(np.linalg.norm(p)) - shape.radius)
    if isinstance(shape, Box):
        half = 0.5 * np.array(shape.size)
    elif isinstance(shape, Ellipsoid):
        half = np.array(shape.radii)
    else:
        caps = shape.radius if isinstance(shape, Capsule) else 0.0
        half = np.array([shape.radius, shape.radius, 0.5 * shape.length + caps])
    beyond = np.abs(p) - half
    return abs(float(np.linalg.norm(np.maximum(beyond, 0.0)) + min(float(beyond.max()), 0.0)))
