"""Models: links, what they start with, and models inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.building.joints import pose_node
from simulator.building.links import LinkDraft
from simulator.building.schema import numbers, value_text
from simulator.building.scope import Named, ScopeDraft
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.sdf.names import MODEL_FRAME
from simulator.formats.writing.elements import element, flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.files import DraftFiles
    from simulator.building.joints import Place
    from simulator.building.shapes import PlacedShape
    from simulator.formats.editing.tree import EditableElement
    from simulator.formats.nodes import Node

PALETTE = ("blue", "orange", "green", "red", "violet", "brass")
"""Colours of links in their order, where their shapes have none."""


class ModelDraft(ScopeDraft):
    """A model of a draft."""

    frame_of_scope = MODEL_FRAME

    def __init__(self, item: EditableElement, files: DraftFiles) -> None:
        super().__init__(item)
        self.files = files

    @property
    def links(self) -> dict[str, LinkDraft]:
        """Its own links by name."""
        links = self.element.all("link")
        colors = [PALETTE[place % len(PALETTE)] for place in range(len(links))]
        return {item.get("name"): LinkDraft(item, self.files, color) for item, color in zip(links, colors, strict=True)}

    @property
    def models(self) -> dict[str, ModelDraft]:
        """The models inside by name."""
        return {item.get("name"): ModelDraft(item, self.files) for item in self.element.all("model")}

    def link(
        self,
        name: str,
        *shapes: PlacedShape,
        pose: Place | None = None,
        relative_to: str = "",
        mass: float | None = None,
        com: Sequence[float] = (0.0, 0.0, 0.0),
        moments: Sequence[float] | None = None,
        products: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> LinkDraft:
        """A link made of shapes, whose mass and inertia are the sum of theirs.

        `pose` places its frame, in that of the model or in `relative_to`; without it, the coordinates of its shapes are
        those of the model. With `mass` [kg] and `moments` [kg m^2] about `com` [m] these are taken instead of those of
        the shapes; `mass` alone scales the shapes. Raises UsageError for a name that is taken and for numbers that no
        body has, UnknownNameError for a frame that does not exist.
        """
        self.require_free(name, "link")
        _require_mass(name, shapes, mass, moments)
        frame = self._end(relative_to) if relative_to else ""
        node = element("link", None if pose is None and not frame else pose_node(pose or (0.0, 0.0, 0.0), frame))
        node.attributes["name"] = name
        made = LinkDraft(self.put_before(node, ("joint", "model_state", "plugin")), self.files, self._next_color())
        if moments is not None:
            made.inertia(mass or 0.0, com, moments, products)
        elif shapes:
            found = made.weigh(*shapes)
            if mass is not None and found is not None:
                _scale(made, mass, found.mass)
        made.add_shapes(*shapes)
        return made

    def _next_color(self) -> str:
        return PALETTE[(len(self.element.all("link")) - 1) % len(PALETTE)]

    def model(self, name: str, *, pose: Place | None = None, relative_to: str = "", static: bool = False) -> ModelDraft:
        """A model inside this one. Raises UsageError for a name that is taken."""
        self.require_free(name, "model")
        return ModelDraft(self.put(model_node(name, pose, relative_to, static=static)), self.files)

    def start(self, joint: Named, position: float = 0.0, velocity: float = 0.0, *, axis: str = "axis") -> None:
        """Where an axis starts [rad or m] and how fast [per second]: a `<model_state>`. Raises UnknownNameError for a
        joint that is not of this model."""
        name = str(joint)
        if name not in self.joints:
            raise UnknownNameError("joint", name, self.joints)
        state = f"model_state/joint_state[{name}]/{axis}_state"
        self._name_state()
        self.set(f"{state}/position", float(position))
        if velocity:
            self.set(f"{state}/velocity", float(velocity))

    def launch(
        self, link: Named, linear: Sequence[float] = (0.0, 0.0, 0.0), angular: Sequence[float] = (0.0, 0.0, 0.0)
    ) -> None:
        """How a link that floats starts: velocity of its origin [m/s] and angular velocity [rad/s], in world axes."""
        name = str(link)
        if name not in self.links:
            raise UnknownNameError("link", name, self.links)
        twist = (*numbers(linear, 3, "a velocity"), *numbers(angular, 3, "an angular velocity"))
        self._name_state()
        self.set(f"model_state/link_state[{name}]/velocity", value_text(twist))

    def _name_state(self) -> None:
        if self.element.child("model_state") is None:
            self.set("model_state@name", self.name)


def model_node(name: str, pose: Place | None, relative_to: str, *, static: bool) -> Node:
    """The element of an empty model."""
    return element(
        "model",
        None if pose is None else pose_node(pose, relative_to),
        flag("static", True) if static else None,
        name=name,
    )


def _require_mass(
    name: str, shapes: Sequence[PlacedShape], mass: float | None, moments: Sequence[float] | None
) -> None:
    """Raise UsageError where the mass of a link is said by half."""
    if moments is not None and mass is None:
        raise UsageError(f"link '{name}' has moments of inertia and no mass")
    if mass is not None and not 0.0 <= mass < 1e50:
        raise UsageError(f"the mass of link '{name}' is 0 or more [kg], not {mass!r}")
    if mass is not None and moments is None and not shapes:
        raise UsageError(f"link '{name}' has a mass and neither shapes nor moments of inertia")
    if mass is not None and moments is None and not sum(shape.volume * shape.density for shape in shapes) > 0.0:
        raise UsageError(f"the shapes of link '{name}' have no volume that could weigh {mass:g} kg")
    for shape in shapes:
        shape.weighted()


def _scale(link: LinkDraft, mass: float, before: float) -> None:
    """The same body with another mass."""
    link.set("inertial/mass", float(mass))
    for tag in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"):
        link.set(f"inertial/inertia/{tag}", float(link.get(f"inertial/inertia/{tag}")) * mass / before)
