"""Links: what they weigh, how they look, and what touches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.building.part import PartDraft
from simulator.building.schema import numbers
from simulator.building.shapes import color_of
from simulator.errors import UsageError
from simulator.formats.sdf.solids import total_inertial
from simulator.formats.writing.elements import element, number, pose
from simulator.formats.writing.links import inertial_node, material_node, shape_node, surface_node
from simulator.model.link import Inertial
from simulator.model.material import Material, Surface
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.files import DraftFiles
    from simulator.building.meshes import MeshData
    from simulator.building.shapes import PlacedShape
    from simulator.formats.editing.tree import EditableElement
    from simulator.model.shape import Shape

STANDARD = Surface()
SPECULAR = (0.12, 0.12, 0.12, 1.0)


class LinkDraft(PartDraft):
    """A link of a draft."""

    def __init__(self, item: EditableElement, files: DraftFiles, color: str = "grey") -> None:
        super().__init__(item)
        self._files = files
        self._color = color

    def add_shapes(self, *shapes: PlacedShape) -> None:
        """Draw shapes, and let bodies touch those that collide. The mass stays as it is: see `weigh`."""
        for shape in shapes:
            color = color_of(shape.color or self._color)
            looks = Material(color, color, SPECULAR, None)
            for piece, X in shape.pieces:
                self.visual(piece, X, looks, name=shape.name)
            for piece, X in (shape.touched or shape.pieces) if shape.collides else ():
                self.collision(piece, X, name=shape.name)

    def weigh(self, *shapes: PlacedShape) -> Inertial | None:
        """Give the link the mass and inertia of shapes; None, and nothing is changed, where they have no mass."""
        inertial = total_inertial(part for shape in shapes for part in shape.weighted())
        if inertial is None:
            return None
        found = _without_noise(inertial)
        self.inertia(found.mass, found.X_LI, found.moments, found.products)
        return found

    def inertia(
        self,
        mass: float,
        com: Pose | Sequence[float] = (0.0, 0.0, 0.0),
        moments: Sequence[float] = (1.0, 1.0, 1.0),
        products: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Mass [kg], centre of mass [m] (or the pose of the inertial frame), moments (ixx, iyy, izz) and products (ixy,
        ixz, iyz) about it [kg m^2]. Raises UsageError for what no body has."""
        xx, yy, zz = numbers(moments, 3, "moments of inertia")
        xy, xz, yz = numbers(products, 3, "products of inertia")
        least = float(np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))[0])
        if not float(mass) >= 0.0 or least < -1e-9 * max(abs(xx), abs(yy), abs(zz), 1e-300):
            raise UsageError(f"no body has the mass {mass!r} and moments whose least is {least:.3g}")
        X = com
        if not isinstance(X, Pose):
            x, y, z = numbers(X, 3, "a centre of mass")
            X = Pose((x, y, z), IDENTITY.orientation)
        node = inertial_node(Inertial(float(mass), X, (xx, yy, zz), (xy, xz, yz)))
        old = self.element.child("inertial")
        if old is not None:
            self.element.remove(old)
        self.put_before(node, ("visual", "collision", "sensor"))

    def visual(
        self,
        shape: Shape | MeshData,
        X: Pose = IDENTITY,
        material: Material | None = None,
        *,
        name: str = "",
        transparency: float = 0.0,
    ) -> PartDraft:
        """Draw a shape at a pose in the link."""
        node = element(
            "visual",
            pose(X),
            element("geometry", shape_node(self._files.shape(shape), self._files.uris)),
            None if material is None else material_node(material, self._files.uris),
            number("transparency", transparency) if transparency else None,
            name=self._free_name("visual", name),
        )
        return PartDraft(self.put(node))

    def collision(
        self, shape: Shape | MeshData, X: Pose = IDENTITY, surface: Surface = STANDARD, *, name: str = ""
    ) -> PartDraft:
        """Let bodies touch a shape at a pose in the link."""
        node = element(
            "collision",
            pose(X),
            element("geometry", shape_node(self._files.shape(shape), self._files.uris)),
            surface_node(surface) if surface != STANDARD else None,
            name=self._free_name("collision", name),
        )
        return PartDraft(self.put(node))

    def _free_name(self, tag: str, name: str) -> str:
        taken = {child.get("name") for child in self.element.all(tag)}
        wanted = name or tag
        number = 2
        found = wanted
        while found in taken:
            found = f"{wanted}_{number}"
            number += 1
        return found


def _without_noise(inertial: Inertial) -> Inertial:
    """Without round-off: products and coordinates that are nothing else are zero, and figures have 15 digits."""
    least = 1e-13 * max(inertial.moments)
    a, b, c = (0.0 if abs(value) < least else _short(value) for value in inertial.products)
    far = 1e-13 * max(1e-3, *map(abs, inertial.X_LI.position))
    x, y, z = (0.0 if abs(value) < far else _short(value) for value in inertial.X_LI.position)
    xx, yy, zz = map(_short, inertial.moments)
    return Inertial(_short(inertial.mass), Pose((x, y, z), inertial.X_LI.orientation), (xx, yy, zz), (a, b, c))


def _short(value: float) -> float:
    return float(f"{value:.15g}")
