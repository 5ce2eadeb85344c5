"""Bodies and mechanisms that are put onto a place of another body: see `features`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.features import FACE
from simulator.building.meshes import MeshData
from simulator.building.outlines import corners_of
from simulator.errors import UsageError
from simulator.formats.sdf.names import MODEL_FRAME, SCOPE
from simulator.model.joint import WORLD
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import matrix_from_quat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.building.features import Feature
    from simulator.building.model import ModelDraft
    from simulator.formats.editing.tree import EditableElement
    from simulator.model.shape import Shape
    from simulator.model.world import World
    from simulator.spatial.arrays import Array

ENDS = ("parent", "child", "gearbox_reference_body")
"""Elements of a joint whose text names a link."""
DIGITS = 13
"""Decimals of places [m] and quaternions: what is behind them is round-off."""
OVER = Pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
"""Half a turn about x."""


def on_model(world: World, model: str, feature: Feature) -> tuple[str, Feature]:
    """The link of a model that has a feature, by its name there, and the feature in the frame of that link; "world",
    and in the frame of the model, for what does not move. Raises UsageError for a link of another model that moves."""
    own = next(item for item in world.models if item.name == model)
    if not own.static and any(link.name == feature.link for link in own.links):
        return feature.link.removeprefix(f"{model}{SCOPE}"), feature
    still = {link.name: link.X_WL for item in world.models if item.static for link in item.links}
    if feature.link != WORLD and feature.link not in still:
        raise UsageError(f"'{feature.link}' is of another model than '{model}', which is changed here")
    return WORLD, feature.moved(own.X_WM.inverse() @ still.get(feature.link, IDENTITY))


def hang(part: ModelDraft, stem: str, link: str) -> Iterator[EditableElement]:
    """Links, joints and frames of another draft, taken out of it: their names get `stem` in front, their places are in
    the frame of that name, and what hung on the ground hangs on `link`."""
    for name in list(part.named("link", "joint", "frame")):
        part.rename(name, f"{stem}_{name}")
    for item in part.element.elements:
        if item.tag not in ("link", "joint", "frame"):
            continue
        for end in item.elements if item.tag == "joint" else ():
            if end.tag in ENDS and end.text == WORLD:
                end.text = link
        if item.tag == "link" and item.child("pose") is None:
            item.add("pose", "0 0 0 0 0 0", {"relative_to": stem}, before=next(iter(item.elements), None))
        if item.tag == "frame" and not item.get("attached_to"):
            item.set("attached_to", stem)
        for inner in item.walk():
            _refer(inner, stem, is_place=inner.parent is item and item.tag == "link")
        part.element.remove(item)
        yield item


def _refer(item: EditableElement, stem: str, *, is_place: bool) -> None:
    """Places and directions that were in the frame of the model."""
    for attribute in ("relative_to", "expressed_in"):
        if item.get(attribute) == MODEL_FRAME:
            item.set(attribute, stem)
    if is_place and item.tag == "pose" and not item.get("relative_to"):
        item.set("relative_to", stem)


def seat(feature: Feature, shapes: Iterable[tuple[Shape | MeshData, Pose]], *, turn: float, over: bool) -> Pose:
    """Where a body is on a feature, in the frame of the link of that: upright, or `over`, upside down; it stands on a
    face with its lowest point, elsewhere its own frame is at the place, with z along the direction. `turn` [rad] about
    that."""
    X = OVER if over else IDENTITY
    low = [float(_heights(shape, X @ place).min()) for shape, place in shapes if feature.kind == FACE]
    found = _frame(feature, turn) @ Pose((0.0, 0.0, -min(low, default=0.0)), X.orientation)
    x, y, z = (round(value, DIGITS) + 0.0 for value in found.position)
    qx, qy, qz, qw = (round(value, DIGITS) + 0.0 for value in found.orientation)
    size = math.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
    return Pose((x, y, z), (qx / size, qy / size, qz / size, qw / size))


def _frame(feature: Feature, turn: float) -> Pose:
    """The frame at a feature, in that of its link: z along its direction."""
    z = np.array(feature.direction if feature.has_axis else (0.0, 0.0, 1.0))
    up = np.eye(3)[1 if abs(z[2]) > 0.999 else 2]
    y = up - z * float(up @ z)
    y /= np.linalg.norm(y)
    x = np.cross(y, z)
    matrix = np.eye(4)
    c, s = math.cos(turn), math.sin(turn)
    matrix[:3] = np.column_stack([c * x + s * y, c * y - s * x, z, feature.at])
    return Pose.from_matrix(matrix)


def _heights(shape: Shape | MeshData, X: Pose) -> Array:
    points = shape.faces.reshape(-1, 3) if isinstance(shape, MeshData) else corners_of(shape)
    return np.asarray(points @ matrix_from_quat(X.orientation)[2] + X.position[2])
