"""Shapes as files for workshops: meshes as STL, outlines as DXF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.meshes import MeshData
from simulator.errors import MissingLibraryError, UsageError

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from simulator.building.shapes import PlacedShape

MILLIMETRES = 1000.0


def save_stl(shape: PlacedShape, path: str | os.PathLike[str], *, scale: float = MILLIMETRES) -> Path:
    """Write the generated meshes of a shape as one binary STL file, in millimetres by default, which is what printers
    take an STL to be in; scale=1 writes metres. Raises UsageError for a shape without a mesh."""
    faces = [
        np.array([[X.transform(tuple(corner)) for corner in face] for face in piece.faces.tolist()])
        for piece, X in shape.pieces
        if isinstance(piece, MeshData)
    ]
    if not faces:
        raise UsageError("only generated meshes are exported: gears, racks, plates, not boxes and cylinders")
    target = Path(path)
    _write(target, MeshData(target.stem, np.concatenate(faces) * scale).stl())
    return target


def save_dxf(
    outline: NDArray[np.float64], path: str | os.PathLike[str], *, bore: float = 0.0, scale: float = MILLIMETRES
) -> Path:
    """Write an outline (n, 2) [m] as a closed polyline of a DXF file (R2010), in millimetres by default, with a circle
    for its bore. Raises MissingLibraryError without ezdxf, and UsageError for what is no outline."""
    try:
        import ezdxf
        import ezdxf.filemanagement
    except ImportError as error:
        raise MissingLibraryError("DXF needs ezdxf: pip install simulator[dxf]") from error
    points = np.asarray(outline, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
        raise UsageError("an outline is three points or more, shape (n, 2)")
    drawing = ezdxf.filemanagement.new("R2010", units=ezdxf.units.MM)
    space = drawing.modelspace()
    space.add_lwpolyline([(x * scale, y * scale) for x, y in points.tolist()], close=True)
    if bore > 0.0:
        space.add_circle((0.0, 0.0), bore * scale)
    target = Path(path)
    try:
        drawing.saveas(target)
    except OSError as error:
        raise UsageError(f"'{target}' cannot be written: {error}") from error
    return target


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"'{path}' cannot be written: {error}") from error
