"""Mesh files → triangles. The only file that imports trimesh.

What a file says about the axis that points up counts in glTF alone. A `<up_axis>` of COLLADA is not followed, as in
Gazebo and RViz, for which the files are made; its `<unit>` is.
"""

from __future__ import annotations

import functools
import io
import logging
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import SimulatorError
from simulator.formats.files import (
    MAX_ELEMENTS,
    Budget,
    BudgetError,
    RefusedError,
    read_regular,
    regular_size,
    size_text,
)
from simulator.formats.mesh.gltf import without_pictures
from simulator.formats.mesh.looks import Geometry, Looks, Scene, object_of, objects_of
from simulator.formats.mesh.neighbours import Neighbours, changed
from simulator.formats.mesh.stl import read_stl
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.formats.mesh.dae import DaeFile
    from simulator.model.material import Texture
    from simulator.model.shape import Mesh
    from simulator.spatial.rotation import Vec3

FORMATS = ("stl", "obj", "ply", "gltf", "glb", "dae")
MAX_BYTES = 80 * 2**20
"""The largest mesh file that is read: about the triangles in binary that a document may have."""
MAX_TEXT_BYTES = 16 * 2**20
"""The largest one that is text, which takes ten times as much time and memory as numbers do."""
LIGHTER = "export it with fewer triangles, or as binary STL"
"""What to do about a mesh that is too large."""
ASSET_BYTES = 65536
"""Length of a DAE file's beginning that contains its unit."""
HEAD_BYTES = 300
"""Length of a PLY file's beginning that contains its format."""
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

    `vertices` float64 (n, 3) [m]; `triangles` int32 (m, 3), counter-clockwise seen from outside; `colors` float32 (n,
    4) in [0, 1], one per vertex, or None where the file has none. `uv` float32 (n, 2): the place of each vertex in the
    picture, (0, 0) its lower left and (1, 1) its upper right corner, or None. `textures`: the pictures; `texture_of`
    int32 (m,): the number of the one that each triangle has, -1 for none. `unfound` names files of the looks that could
    not be used, `undrawn` kinds of looks that are not drawn.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    colors: NDArray[np.float32] | None = None
    uv: NDArray[np.float32] | None = None
    textures: tuple[Texture, ...] = ()
    texture_of: NDArray[np.int32] | None = None
    unfound: tuple[str, ...] = ()
    undrawn: tuple[str, ...] = ()
    neighbours: tuple[int, ...] = ()
    """Sizes of the files that were read beside the mesh file [bytes]."""


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a mesh file with its names, those that count first before the others; all of a file have as many."""

    mesh: TriangleMesh
    labels: tuple[str, ...]


def mesh_of(shape: Mesh, budget: Budget | None = None) -> TriangleMesh:
    """The triangles of a mesh shape in the shape's frame. Cached; raises MeshError."""
    submesh = shape.submesh
    center = shape.center
    up = shape.up
    return load_mesh(shape.path, scale=shape.scale, submesh=submesh, center=center, up=up, budget=budget)


def load_mesh(
    path: str | Path,
    *,
    scale: Vec3 = _UNIT,
    submesh: str = "",
    center: bool = False,
    up: str = "",
    budget: Budget | None = None,
) -> TriangleMesh:
    """The triangles of a file, each axis times `scale`. Cached by path, time of change and arguments; raises MeshError.

    `submesh` picks one named part (all where it is empty), `center` moves its bounding box' centre to the origin before
    scaling. `up` is the axis of the file that becomes z, as in `Mesh`. `budget`: of the document that the file belongs
    to.
    """
    file = Path(path)
    try:
        size = regular_size(file, MAX_BYTES)
    except (OSError, ValueError) as error:
        raise _refused(file, error) from error
    turned = (up or usual_up(file)) == "y"
    stamp = changed(file)
    budget = Budget() if budget is None else budget
    try:
        if budget.is_new(file):
            budget.take_file(size)
        mesh = _load(file, stamp, scale, submesh, center, turned)
        if budget.is_new((file, scale, submesh, center, turned)):
            budget.take_triangles(len(mesh.triangles))
            for beside in mesh.neighbours:
                budget.take_file(beside)
    except BudgetError as error:
        raise MeshError(f"the mesh file '{file.name}' is one too many: {error.strerror}", LIGHTER) from error
    return mesh


def _refused(file: Path, error: Exception) -> MeshError:
    """What is wrong with a file that cannot be opened."""
    if not isinstance(error, (RefusedError, IsADirectoryError)):
        return MeshError(f"the mesh file '{file}' cannot be read", "check the path")
    hint = LIGHTER if "larger" in str(error.strerror) else "name a file"
    return MeshError(f"the mesh file '{file}' is not read: {error.strerror}", hint)


def usual_up(file: str | Path) -> str:
    """The axis that points up in files of this kind: "y" in glTF by its standard (section 3.4), "z" in all others by
    use."""
    return "y" if is_gltf(file) else "z"


def is_gltf(file: str | Path) -> bool:
    """Whether a path or URI names a glTF file."""
    return _kind(Path(file)) in GLTF


def _kind(file: Path) -> str:
    return file.suffix.lower().lstrip(".")


@functools.lru_cache(maxsize=256)
def _load(file: Path, _changed: int, scale: Vec3, submesh: str, center: bool, turned: bool) -> TriangleMesh:
    parts = _parts(file, _changed)
    if isinstance(parts, MeshError):
        raise MeshError(str(parts), parts.hint)
    meshes = [part.mesh for part in (_named(file, submesh, parts) if submesh else parts)]
    if len(meshes) == 1 and scale == _UNIT and not center and not turned:
        return meshes[0]
    whole = joined(meshes)
    points, faces = whole.vertices, whole.triangles
    if turned:
        points = points @ Y_UP_TO_Z_UP.T
    if center:
        points = points - (points.min(axis=0) + points.max(axis=0)) / 2.0
    if scale[0] * scale[1] * scale[2] < 0.0:
        faces = faces[:, ::-1]
    return _frozen(replace(whole, vertices=points * np.array(scale), triangles=faces))


def _named(file: Path, submesh: str, parts: Sequence[Part]) -> list[Part]:
    """The parts of that name, by the first kind of name that any of them has. Raises MeshError if there are none."""
    for kind in range(max(len(part.labels) for part in parts)):
        found = [part for part in parts if submesh == part.labels[kind]]
        if found:
            return found
    names = {next(filter(None, part.labels), "") for part in parts}
    raise MeshError(
        f"the mesh file '{file.name}' has no part named '{submesh}'", f"parts in it: {', '.join(sorted(names))}"
    )


@functools.lru_cache(maxsize=64)
def _parts(file: Path, _changed: int) -> Sequence[Part] | MeshError:
    """All named parts of a file in metres, in its own axes; or what is wrong with it, which takes as long to find
    out."""
    try:
        return _read_parts(file)
    except MeshError as error:
        return error


def _read_parts(file: Path) -> Sequence[Part]:
    kind = _kind(file)
    if kind not in FORMATS:
        raise MeshError(f"'{file.name}' is of a kind that is not read", f"meshes may be {', '.join(FORMATS)}")
    try:
        data = read_regular(file, MAX_BYTES)
        _refuse(file, data)
        parts = _of_stl(file, data) if kind == "stl" else _of_file(file, kind, data)
    except MeshError:
        raise
    except FileNotFoundError as error:
        raise MeshError(
            f"the mesh file '{file.name}' needs '{error}', which is not beside it", "put it there"
        ) from error
    except Exception as error:  # every reader of trimesh fails in its own way
        said = str(error).partition(" (<string>")[0]  # lxml repeats the line of what it calls a string
        reason = said if type(error) is ValueError else f"{type(error).__name__}: {said}"
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
    kind = _kind(file)
    if kind == "dae" and b"<!ENTITY" in data.replace(b"\0", b""):
        raise MeshError(f"the mesh file '{file.name}' declares an entity, which is not expanded")
    if len(data) > MAX_TEXT_BYTES and _is_text(kind, data):
        raise MeshError(f"the mesh file '{file.name}' is text, and larger than {size_text(MAX_TEXT_BYTES)}", LIGHTER)
    words = data.count(b"<") if kind == "dae" else data.count(b"{") + data.count(b"[") if kind == "gltf" else 0
    if words > MAX_ELEMENTS:
        raise MeshError(f"the mesh file '{file.name}' has more than {MAX_ELEMENTS:,} elements", LIGHTER)


def _is_text(kind: str, data: bytes) -> bool:
    """Whether numbers are written in digits."""
    if kind in ("stl", "ply"):
        return b"\0" not in data[:ASSET_BYTES] if kind == "stl" else b"format ascii" in data[:HEAD_BYTES]
    return kind != "glb"


def _of_stl(file: Path, data: bytes) -> Sequence[Part]:
    corners = read_stl(data).reshape(-1, 3)
    _check_finite(corners)
    if not len(corners):
        return ()
    triangles = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
    return (Part(_frozen(TriangleMesh(corners, triangles)), (file.stem,)),)


def _of_file(file: Path, kind: str, data: bytes) -> Sequence[Part]:
    """What trimesh reads. Files that the mesh names are opened by `Neighbours` alone."""
    import trimesh

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    neighbours = Neighbours(file)
    dae = None
    options: dict[str, Any] = {"resolver": neighbours} | ({"split_objects": True} if kind == "obj" else {})
    if kind == "obj":
        data = _as_utf8(data)
    elif kind == "dae":
        dae = _dae(data)
        data = dae.data
    elif kind in GLTF:
        data = without_pictures(data, file.name, neighbours)
    loaded = trimesh.load(io.BytesIO(data), file_type=kind, process=False, **options)
    scene = loaded if isinstance(loaded, trimesh.Scene) else trimesh.Scene({file.stem: loaded})
    names = objects_of(data, file.name) if kind == "obj" else ()
    pieces = _of_scene(scene, _metres(kind, data), Looks(neighbours, kind), names)
    labels = {name: (name,) for name in pieces} if dae is None else dae.labels(scene.geometry)
    return [Part(piece, labels[name]) for name, piece in pieces.items()]


def _dae(data: bytes) -> DaeFile:
    from simulator.formats.mesh.dae import DaeFile

    return DaeFile(data)


def _as_utf8(text: bytes) -> bytes:
    """Names and comments of what is not UTF-8 are read as Latin-1, which is never wrong about numbers."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1").encode()
    return text


def _metres(kind: str, data: bytes) -> float:
    """The unit of a file [m]: DAE says it, all others are taken to be in metres."""
    unit = re.search(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']+)[\"']", data[:ASSET_BYTES]) if kind == "dae" else None
    return float(unit.group(1)) if unit else 1.0


def _of_scene(scene: Scene, metres: float, looks: Looks, objects: Sequence[str]) -> dict[str, TriangleMesh]:
    """The parts by name. An OBJ file is split at its materials, too: what belongs to one of its `objects` becomes one
    part again."""
    pieces: dict[str, list[TriangleMesh]] = {}
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        geometry = scene.geometry[name]
        if not hasattr(geometry, "faces") or len(geometry.faces) == 0:
            continue
        points = np.asarray(geometry.vertices, float) @ transform[:3, :3].T + transform[:3, 3]
        _check_finite(points)
        key = name if name not in pieces else f"{name}_{len(pieces)}"
        if objects:
            key = object_of(name, objects)
        pieces.setdefault(key, []).append(_piece(points * metres, geometry, looks))
    return {name: joined(found) for name, found in pieces.items()}


def _check_finite(points: NDArray[np.float64]) -> None:
    if not np.isfinite(points).all():
        raise ValueError("a vertex is not a finite point")


def _piece(points: NDArray[np.float64], geometry: Geometry, looks: Looks) -> TriangleMesh:
    look = looks.of(geometry)
    faces = np.asarray(geometry.faces)
    return TriangleMesh(
        points,
        faces,
        look.colors,
        look.uv,
        () if look.texture is None else (look.texture,),
        None if look.texture is None else np.zeros(len(faces), np.int32),
        look.unfound,
        look.undrawn,
        looks.neighbours.read,
    )


def joined(parts: Sequence[TriangleMesh]) -> TriangleMesh:
    """Several parts as one. Vertices without a colour or a place in a picture have NaN there, if others have one."""
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    textures = tuple(dict.fromkeys(texture for part in parts for texture in part.textures))
    return _frozen(
        TriangleMesh(
            np.concatenate([part.vertices for part in parts]),
            np.concatenate([part.triangles + start for part, start in zip(parts, first, strict=False)]),
            _stacked([(part.colors, len(part.vertices)) for part in parts], 4),
            _stacked([(part.uv, len(part.vertices)) for part in parts], 2),
            textures,
            np.concatenate([_numbers(part, textures) for part in parts]) if textures else None,
            tuple(dict.fromkeys(name for part in parts for name in part.unfound)),
            tuple(dict.fromkeys(kind for part in parts for kind in part.undrawn)),
            max((part.neighbours for part in parts), key=len),
        )
    )


def _stacked(rows: Sequence[tuple[NDArray[np.float32] | None, int]], width: int) -> NDArray[np.float32] | None:
    if all(part is None for part, _ in rows):
        return None
    return np.concatenate([np.full((n, width), np.nan, np.float32) if part is None else part for part, n in rows])


def _numbers(part: TriangleMesh, textures: tuple[Texture, ...]) -> NDArray[np.int32]:
    """Numbers in `textures` of the textures of a part's triangles."""
    if part.texture_of is None:
        return np.full(len(part.triangles), -1, np.int32)
    own = np.array([*(textures.index(texture) for texture in part.textures), -1], np.int32)
    return np.asarray(own[part.texture_of])


def _frozen(mesh: TriangleMesh) -> TriangleMesh:
    result = replace(
        mesh,
        vertices=np.ascontiguousarray(mesh.vertices, np.float64),
        triangles=np.ascontiguousarray(mesh.triangles, np.int32),
    )
    for array in (result.vertices, result.triangles, result.colors, result.uv, result.texture_of):
        if array is not None:
            array.setflags(write=False)
    return result
