"""Boxes and cylinders of FreeCAD's Part workbench: what they weigh, and how they look.

All other shapes are boundary representations, which take a CAD kernel to read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.asmt.items import AsmtItem
from simulator.formats.fcstd.saved import MILLIMETRE
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from simulator.formats.fcstd.saved import Saved
    from simulator.spatial.rotation import Vec3


Solid = tuple[float, "Vec3", Pose, AsmtItem]
WATER = 1000.0
"""Density [kg/m^3] where the document says nothing, as SDFormat has it."""


def solid_of(shape: Saved) -> Solid | None:
    """Mass [kg], moments about the centre [kg m^2], where the centre is, and the sketch to draw; None for all but
    boxes and cylinders."""
    if shape.kind == "Part::Box":
        a, b, c = (MILLIMETRE * shape.number(side) for side in ("Length", "Width", "Height"))
        mass = WATER * a * b * c
        moments = tuple(mass / 12.0 * (b * b + c * c + a * a - side * side) for side in (a, b, c))
        centre = (0.5 * a, 0.5 * b, 0.5 * c)
        graphic = _item("Rectangle", shape.line, Position2D="0 0", Angle="0", xLength=repr(a), yLength=repr(b))
        return _solid(mass, moments, centre, c, graphic) if min(a, b, c) > 0.0 else None
    if shape.kind == "Part::Cylinder":
        r, h = (MILLIMETRE * shape.number(side) for side in ("Radius", "Height"))
        mass = WATER * math.pi * r * r * h
        across = mass * (3.0 * r * r + h * h) / 12.0
        graphic = _item("Circle", shape.line, Position2D="0 0", Angle="0", Radius=repr(r))
        whole = shape.number("Angle") in (0.0, 360.0) and min(r, h) > 0.0
        return _solid(mass, (across, across, 0.5 * mass * r * r), (0.0, 0.0, 0.5 * h), h, graphic) if whole else None
    return None


def _solid(mass: float, moments: tuple[float, ...], centre: Vec3, height: float, graphic: AsmtItem) -> Solid:
    line = graphic.line
    sketch = _item("Sketch", line, Position3D="0 0 0", RotationMatrix="1 0 0 0 1 0 0 0 1")
    sketch.items.append(AsmtItem("Graphics", line, [graphic]))
    extrusion = _item("Extrusion", line, zStart="0", zEnd=repr(height))
    extrusion.items.append(sketch)
    ixx, iyy, izz = moments
    return mass, (ixx, iyy, izz), Pose(centre), extrusion


def _item(text: str, line: int, **values: str) -> AsmtItem:
    return AsmtItem(text, line, [AsmtItem(name, line, [AsmtItem(value, line)]) for name, value in values.items()])
