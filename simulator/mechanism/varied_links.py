"""Numbers of links: their inertial, and the length between the two joints on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.mechanism.parameters import PLACE, Allowed, in_place, with_item, with_parts
from simulator.mechanism.placed_loads import body_weights
from simulator.mechanism.varied_length import NO_LENGTH, length_of, pins_of, with_length
from simulator.mechanism.welding import composite
from simulator.model.altered import altered
from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Inertial

MOMENTS, PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")
LENGTH = "length"
ROUNDED = 1e-6
"""Part by which a document's moments may miss the triangle inequality."""
INERTIAL = {
    "mass": Allowed("kg", 0.0),
    **in_place("com", Allowed("m")),
    **{f"inertia.{entry}": Allowed("kg·m²", 0.0) for entry in MOMENTS},
    **{f"inertia.{entry}": Allowed("kg·m²") for entry in PRODUCTS},
}


class LinkNumbers:
    """The `<inertial>` of a link itself, whatever is welded to it, and its length."""

    owner = "link"
    fields = (*INERTIAL, LENGTH)

    def names(self, of: Numbered) -> Sequence[str]:
        """All links, the ground's, too."""
        return [link.name for _, _, link in of.links]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """The length only where two joints turn on the link."""
        if field != LENGTH:
            return INERTIAL[field]
        return None if pins_of(of, of.links[index][2].name)[0] is None else Allowed("m", NO_LENGTH)

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """Why it has no length."""
        return pins_of(of, of.links[index][2].name)[1]

    def read(self, of: Numbered, index: int, field: str) -> float:
        """Of the inertial, or the length."""
        link = of.links[index][2]
        (group, _, part) = field.rpartition(".")
        if field == LENGTH:
            return length_of(of, link.name)
        if group == "com":
            return link.inertial.X_LI.position[PLACE.index(part)]
        if part in MOMENTS:
            return link.inertial.moments[MOMENTS.index(part)]
        return link.inertial.products[PRODUCTS.index(part)] if part in PRODUCTS else link.inertial.mass

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """The inertial of the body that the link is part of, and its weight where gravity of a model acts on it."""
        mechanism = of.mechanism
        (i, k, link) = of.links[index]
        if LENGTH in values:
            mechanism = with_length(of, link.name, values[LENGTH])
        if not values.keys() - {LENGTH}:
            return mechanism
        if i > 0 and not values.get("mass", 1.0) > 0.0:
            raise UsageError(f"'{link.name}.mass': the mass of '{link.name}' must be more than 0")
        body = mechanism.bodies[i]
        changed = altered(link, inertial=_inertial(link.inertial, values))
        members = with_item(body.links, k, changed)
        if i == 0:
            body = altered(body, links=members)
        else:
            mass, com, inertia = composite((item.inertial, X) for item, X in zip(members, body.X_BL, strict=True))
            body = altered(body, links=members, mass=mass, com=com, inertia=inertia)
        bodies = with_item(mechanism.bodies, i, body)
        if not mechanism.loads.weights:
            return altered(mechanism, bodies=bodies)
        weights = body_weights(of.world, bodies, mechanism.gravity)
        return altered(mechanism, bodies=bodies, loads=altered(mechanism.loads, weights=weights))


def check_inertias(before: Mechanism, after: Mechanism) -> None:
    """Raise UsageError if a changed link has moments that no body has: each is at most the sum of the other two."""
    for old, body in zip(before.bodies, after.bodies, strict=True):
        for was, link in zip(old.links, body.links, strict=True) if body is not old else ():
            inertial = link.inertial
            if (inertial.moments, inertial.products) == (was.inertial.moments, was.inertial.products):
                continue
            moments = np.linalg.eigvalsh(inertia_matrix(*inertial.moments, *inertial.products))
            if moments[0] < 0.0 or 2.0 * moments[2] > moments.sum() * (1.0 + ROUNDED):
                listed = ", ".join(f"{moment:.6g}" for moment in moments)
                raise UsageError(
                    f"no body has the inertia that '{link.name}' would have: of its principal moments {listed} kg m² "
                    "none may be negative or more than the sum of the other two; vary several of its moments in one "
                    "call"
                )


def _inertial(inertial: Inertial, values: Mapping[str, float]) -> Inertial:
    entries = zip((*MOMENTS, *PRODUCTS), (*inertial.moments, *inertial.products), strict=True)
    xx, yy, zz, xy, xz, yz = (values.get(f"inertia.{entry}", before) for entry, before in entries)
    centre = Pose(with_parts(inertial.X_LI.position, values, "com"), inertial.X_LI.orientation)
    return altered(
        inertial,
        mass=values.get("mass", inertial.mass),
        X_LI=centre,
        moments=(xx, yy, zz),
        products=(xy, xz, yz),
    )
