"""Extruded sketches of parts as shapes to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.asmt.elements import pose
from simulator.formats.asmt.items import AsmtError
from simulator.formats.nodes import Node
from simulator.formats.values import number_text, numbers_text
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_from_axis_angle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.asmt.assembly import AsmtBody
    from simulator.formats.asmt.items import AsmtItem


def shapes_of(body: AsmtBody, source: Source, log: DiagnosticLog) -> Iterator[Node]:
    """Rectangles become boxes, circles cylinders; a finding names the rest."""
    number = 0
    for extrusion in body.item.all("FeatureOrder"):
        sketch = extrusion.child("Sketch")
        for graphic in () if sketch is None else sketch.all("Graphics"):
            try:
                made = _shape(extrusion, graphic, source)
            except AsmtError:
                made = None
            if made is None:
                message = f"a {graphic.text} of part '{body.name}' is not drawn"
                log.info("GEOMETRY_NOT_SIMULATED", source, message, fold=f"drawn {graphic.text}", about=body.name)
                continue
            assert sketch is not None
            shape, X = made
            geometry = Node("geometry", source, children=[shape])
            place = pose(sketch.pose() @ X, source)
            yield Node("visual", source, {"name": f"sketch_{number}"}, children=[place, geometry])
            number += 1


def _shape(extrusion: AsmtItem, graphic: AsmtItem, source: Source) -> tuple[Node, Pose] | None:
    low, high = extrusion.number("zStart"), extrusion.number("zEnd")
    x, y = graphic.numbers("Position2D", 2)
    angle = graphic.number("Angle")
    depth = abs(high - low)
    turned = Pose((x, y, 0.5 * (low + high)), quat_from_axis_angle((0.0, 0.0, 1.0), angle))
    if graphic.text == "Rectangle":
        width, height = graphic.number("xLength"), graphic.number("yLength")
        size = Node("size", source, text=numbers_text((width, height, depth)))
        return Node("box", source, children=[size]), turned @ Pose((0.5 * width, 0.5 * height, 0.0))
    if graphic.text == "Circle":
        sizes = {"radius": graphic.number("Radius"), "length": depth}
        values = [Node(tag, source, text=number_text(value)) for tag, value in sizes.items()]
        return Node("cylinder", source, children=values), turned
    return None
