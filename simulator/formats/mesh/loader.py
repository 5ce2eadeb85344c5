"""Mesh files → triangles. The only file that imports trimesh.

What a file says about the axis that points up counts in glTF alone. A `<up_axis>` of COLLADA is not followed, as in Gazebo and RViz,
for which the files are made; its `<unit>` is.
"""

from __future__ import annotations

import functools
import io
import logging
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import SimulatorError
from simulator.formats.mesh.stl import read_stl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.model.shape import Mesh
    from simulator.spatial.rotation import Vec3

FORMATS = ("stl", "obj", "ply", "gltf", "glb", "dae")
MAX_BYTES = 512 * 2**20
"""The largest mesh file that is read."""
ASSET_BYTES = 65536
"""Length of a DAE file's beginning in which its unit stands."""
GLTF = ("gltf", "glb")
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
Y_UP_TO_Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""A quarter turn about x, shape (3, 3)."""
_UNIT: Vec3 = (1.0, 1.0, 1.0)


class MeshError(SimulatorError):
    """A mesh file cannot be used; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles in metres, z up. Compared by identity; the arrays are read-only.

    `vertices` float64 (n, 3) [m]; `triangles` int32 (m, 3), counter-clockwise seen from outside; `colors` float32 (n, 4) in
    [0, 1], one per vertex, or None where the file has none.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    colors: NDArray[np.float32] | None = None


def mesh_of(shape: Mesh) -> TriangleMesh:
    """The triangles of a mesh shape in the shape's frame. Cached; raises MeshError."""
    return load_mesh(shape.path, scale=shape.scale, submesh=shape.submesh, center=shape.center, up=shape.up)


def load_mesh(
    path: str | Path, *, scale: Vec3 = _UNIT, submesh: str = "", center: bool = False, up: str = ""
) -> TriangleMesh:
    """The triangles of a file, each axis times `scale`. Cached by path, time of change and arguments; raises MeshError.

    `submesh` picks one named part (all where it is empty), `center` moves its bounding box' centre to the origin before scaling. `up` is
    the axis of the file that becomes z, as in `Mesh`.
    """
    file = Path(path)
    try:
        found = file.stat()
    except (OSError, ValueError) as error:
        raise MeshError(f"the mesh file '{file}' cannot be read", "check the path") from error
    if not stat.S_ISREG(found.st_mode):
        raise MeshError(f"'{file}' is a folder, a device or a pipe and no mesh file", "name a file")
    if found.st_size > MAX_BYTES:
        raise MeshError(f"the mesh file '{file}' is larger than {MAX_BYTES // 2**20} MiB", "reduce its triangles")
    turned = (up or usual_up(file)) == "y"
    return _load(file, found.st_mtime_ns, scale, submesh, center, turned)


def usual_up(file: str | Path) -> str:
    """The axis that points up in files of this kind: "y" in glTF by its standard (section 3.4), "z" in all others by use."""
    return "y" if is_gltf(file) else "z"


def is_gltf(file: str | Path) -> bool:
    """Whether a path or URI names a glTF file."""
    return _kind(Path(file)) in GLTF


def _kind(file: Path) -> str:
    return file.suffix.lower().lstrip(".")


@functools.lru_cache(maxsize=256)
def _load(file: Path, _changed: int, scale: Vec3, submesh: str, center: bool, turned: bool) -> TriangleMesh:
    parts = _parts(file, _changed)
    if submesh:
        parts = {name: part for name, part in parts.items() if name == submesh} or _unknown(file, submesh, parts)
    if len(parts) == 1 and scale == _UNIT and not center and not turned:
        return next(iter(parts.values()))
    offset, vertices, triangles, colors = 0, [], [], []
    for part in parts.values():
        vertices.append(part.vertices)
        triangles.append(part.triangles + offset)
        colors.append(part.colors if part.colors is not None else np.full((len(part.vertices), 4), np.nan, np.float32))
        offset += len(part.vertices)
    points = np.concatenate(vertices)
    if turned:
        points = points @ Y_UP_TO_Z_UP.T
    if center:
        points = points - (points.min(axis=0) + points.max(axis=0)) / 2.0
    faces = np.concatenate(triangles)
    if scale[0] * scale[1] * scale[2] < 0.0:
        faces = faces[:, ::-1]
    shades = np.concatenate(colors)
    return _frozen(points * np.array(scale), faces, None if np.isnan(shades).any() else shades)


def _unknown(file: Path, submesh: str, parts: dict[str, TriangleMesh]) -> dict[str, TriangleMesh]:
    raise MeshError(
        f"the mesh file '{file.name}' has no part named '{submesh}'", f"parts in it: {', '.join(sorted(parts))}"
    )


@functools.lru_cache(maxsize=64)
def _parts(file: Path, _changed: int) -> dict[str, TriangleMesh]:
    """All named parts of a file in metres, in its own axes."""
    kind = _kind(file)
    if kind not in FORMATS:
        raise MeshError(f"'{file.name}' is of a kind that is not read", f"meshes may be {', '.join(FORMATS)}")
    try:
        data = file.read_bytes()
        _refuse(file, data)
        parts = _of_stl(file, data) if kind == "stl" else _of_scene(_scene(file, kind, data), _metres(kind, data))
    except MeshError:
        raise
    except FileNotFoundError as error:
        raise MeshError(
            f"the mesh file '{file.name}' needs '{error}', which is not beside it", "put it there"
        ) from error
    except Exception as error:  # every reader of trimesh fails in its own way
        reason = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
        raise MeshError(f"the mesh file '{file.name}' is broken: {reason}", "fetch or export it again") from error
    if not parts:
        raise MeshError(
            f"the mesh file '{file.name}' holds no triangles", "it may be empty, cut off or of another format"
        )
    return parts


def _refuse(file: Path, data: bytes) -> None:
    if data.startswith(LFS_POINTER):
        raise MeshError(
            f"the mesh file '{file.name}' is a pointer of Git LFS, not the mesh itself", "run: git lfs pull"
        )
    if _kind(file) == "dae" and b"<!ENTITY" in data:
        raise MeshError(f"the mesh file '{file.name}' declares an entity, which is not expanded")


def _of_stl(file: Path, data: bytes) -> dict[str, TriangleMesh]:
    corners = read_stl(data).reshape(-1, 3)
    _check_finite(corners)
    return {file.stem: _frozen(corners, np.arange(len(corners)).reshape(-1, 3), None)} if len(corners) else {}


def _scene(file: Path, kind: str, data: bytes) -> Any:
    import trimesh

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    options: dict[str, Any] = {"split_objects": True, "group_material": False} if kind == "obj" else {}
    if kind == "obj":
        data = _as_utf8(data)
    elif kind == "dae":
        data = _whole_dae(data)
    resolver = trimesh.resolvers.FilePathResolver(str(file))
    loaded: Any = trimesh.load(io.BytesIO(data), file_type=kind, resolver=resolver, process=False, **options)
    return loaded if isinstance(loaded, trimesh.Scene) else trimesh.Scene({file.stem: loaded})


def _whole_dae(data: bytes) -> bytes:
    from simulator.formats.mesh.dae import without_broken_materials

    return without_broken_materials(data)


def _as_utf8(text: bytes) -> bytes:
    """Names and comments of what is no UTF-8 are read as Latin-1, which is never wrong about numbers."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1").encode()
    return text


def _metres(kind: str, data: bytes) -> float:
    """The unit of a file [m]: DAE says it, all others are taken to be in metres."""
    unit = re.search(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']+)[\"']", data[:ASSET_BYTES]) if kind == "dae" else None
    return float(unit.group(1)) if unit else 1.0


def _of_scene(scene: Any, metres: float) -> dict[str, TriangleMesh]:
    parts: dict[str, TriangleMesh] = {}
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        geometry = scene.geometry[name]
        if not hasattr(geometry, "faces") or len(geometry.faces) == 0:
            continue
        points = np.asarray(geometry.vertices, float) @ transform[:3, :3].T + transform[:3, 3]
        _check_finite(points)
        key = name if name not in parts else f"{name}_{len(parts)}"
        parts[key] = _frozen(points * metres, np.asarray(geometry.faces), _colors(geometry))
    return parts


def _check_finite(points: NDArray[np.float64]) -> None:
    if not np.isfinite(points).all():
        raise ValueError("a vertex is not a finite point")


def _colors(geometry: Any) -> NDArray[np.float32] | None:
    """One colour per vertex: its own, or the plain colour of the part's material."""
    visual, count = geometry.visual, len(geometry.vertices)
    if visual.kind in ("vertex", "face"):
        colors = np.asarray(visual.vertex_colors, np.float32) / np.float32(255.0)
        return colors if len(colors) == count else None
    color = getattr(getattr(visual, "material", None), "main_color", None)
    if visual.kind != "texture" or color is None:
        return None
    return np.tile(np.asarray(color, np.float32) / np.float32(255.0), (count, 1))


def _frozen(vertices: NDArray[np.float64], triangles: NDArray[Any], colors: NDArray[np.float32] | None) -> TriangleMesh:
    result = TriangleMesh(np.ascontiguousarray(vertices, np.float64), np.ascontiguousarray(triangles, np.int32), colors)
    for array in (result.vertices, result.triangles, result.colors):
        if array is not None:
            array.setflags(write=False)
    return result
