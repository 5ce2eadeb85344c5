"""A scene, and its motion, as a binary glTF file (Khronos glTF 2.0, GLB), which Blender, browsers and viewers open.

A node for each link, by its name, and below it one for each shape. glTF is y up, so everything stands below a node that
turns z up into y up; lengths are metres. Colours are linear there, and sRGB here. Of animations each link that moves
has two channels, position and orientation, which viewers interpolate.

A file is a JSON text and one buffer. Libraries for glTF (pygltflib, trimesh) leave making accessors, views and channels
to their users, or write no animations, so nothing would be saved by one.
"""

from __future__ import annotations

import io
import json
import struct
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.records import dataclass
from simulator.spatial.rotation import quat_from_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.rendering.pictures import Picture
    from simulator.rendering.scene import Drawable, Scene
    from simulator.rendering.surface import Surface
    from simulator.spatial.arrays import Array


MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
FLOAT, UNSIGNED = 5126, 5125
VERTICES, INDICES = 34962, 34963
"""What a buffer view is for."""
LINEAR, REPEAT = 9729, 10497
STILL = 1e-9
"""Changes of a pose [m or 1] below which a link stands."""
ORTHOGONAL = 1e-6
"""Cosine between axes from which on a shape is sheared, which nodes cannot hold: its corners are moved instead."""
Y_UP = (-0.7071067811865476, 0.0, 0.0, 0.7071067811865476)


def glb_of(scene: Scene, poses: Array, times: Array | None = None, *, generator: str = "", title: str = "") -> bytes:
    """The file. `poses` (n_links, 7) [m, quaternion x, y, z, w] of the links of the scene in the world; with `times`
    (n,) [s], which rise, (n, n_links, 7): an animation. Shapes for collisions are left out."""
    writer = _Writer(scene)
    first = poses if times is None else poses[0]
    links = [writer.link(number, first[number]) for number in range(len(scene.links))]
    if times is not None and len(times) > 1:
        writer.animate(times - times[0], poses, links)
    return writer.file(links, generator, title)


@dataclass
class _Writer:
    """Tables of one file, and its buffer."""

    scene: Scene
    buffer: bytearray = field(default_factory=bytearray)
    tables: dict[str, list[Any]] = field(default_factory=dict)
    meshes: dict[tuple[int, int, bytes], int] = field(default_factory=dict)
    vertices: dict[tuple[int, bytes], dict[str, Any]] = field(default_factory=dict)
    materials: dict[tuple[Any, ...], int] = field(default_factory=dict)
    textures: dict[int, int] = field(default_factory=dict)

    def add(self, table: str, item: dict[str, Any]) -> int:
        """Append to a table; returns its place there."""
        items = self.tables.setdefault(table, [])
        items.append(item)
        return len(items) - 1

    def link(self, number: int, pose: Array) -> int:
        """The node of a link, with its shapes."""
        drawn = [d for d in self.scene.drawables if d.link == number and not d.is_collision and not d.stands_in]
        node = {"name": self.scene.links[number], **_placed(pose)}
        children = [self._shape(drawable) for drawable in drawn]
        return self.add("nodes", {**node, "children": children} if children else node)

    def _shape(self, drawable: Drawable) -> int:
        scale, rotation, rest = _parts(drawable.matrix)
        node: dict[str, Any] = {"name": drawable.name, "mesh": self._mesh(drawable, rest)}
        pose = np.array([*drawable.matrix[:3, 3], *rotation])
        node |= _placed(pose)
        if not np.array_equal(scale, np.ones(3)):
            node["scale"] = scale.tolist()
        return self.add("nodes", node)

    def _mesh(self, drawable: Drawable, rest: Array) -> int:
        """Of a surface in a material; `rest` (3, 3): what a node cannot do to it."""
        material = self._material(drawable)
        key = (drawable.surface, material, rest.tobytes())
        if key not in self.meshes:
            surface = self.scene.surfaces[drawable.surface]
            primitive = {**self._vertices(drawable.surface, surface, rest), "material": material}
            self.meshes[key] = self.add("meshes", {"primitives": [primitive]})
        return self.meshes[key]

    def _vertices(self, number: int, surface: Surface, rest: Array) -> dict[str, Any]:
        """Attributes and indices of a surface, which meshes of several colours share."""
        key = (number, rest.tobytes())
        if key not in self.vertices:
            positions = surface.positions @ rest.T.astype(np.float32)
            normals = _unit(surface.normals @ np.linalg.inv(rest).astype(np.float32))
            attributes = {
                "POSITION": self._accessor(positions, "VEC3", VERTICES, bounds=True),
                "NORMAL": self._accessor(normals, "VEC3", VERTICES),
            }
            if surface.uv is not None:
                flipped = surface.uv * np.array([1.0, -1.0]) + np.array([0.0, 1.0])  # from the upper left corner
                attributes["TEXCOORD_0"] = self._accessor(flipped, "VEC2", VERTICES)
            corners = surface.triangles.astype("<u4").ravel()
            indices = self._accessor(corners, "SCALAR", INDICES)
            self.vertices[key] = {"attributes": attributes, "indices": indices}
        return self.vertices[key]

    def _material(self, drawable: Drawable) -> int:
        red, green, blue, opacity = drawable.colour
        key = (drawable.colour, drawable.picture)
        if key in self.materials:
            return self.materials[key]
        look: dict[str, Any] = {
            "baseColorFactor": [*_linear((red, green, blue)), opacity],
            "metallicFactor": 0.1,
            "roughnessFactor": 0.6,
        }
        material: dict[str, Any] = {"pbrMetallicRoughness": look, "doubleSided": True}
        if opacity < 1.0:
            material["alphaMode"] = "BLEND"
        if drawable.picture is not None:
            picture = self.scene.pictures[drawable.picture]
            look["baseColorTexture"] = {"index": self._texture(drawable.picture, picture)}
            if picture.cutout and opacity >= 1.0:
                material["alphaMode"] = "MASK"
        self.materials[key] = self.add("materials", material)
        return self.materials[key]

    def _texture(self, number: int, picture: Picture) -> int:
        if number not in self.textures:
            from PIL import Image

            stream = io.BytesIO()
            Image.fromarray(picture.pixels).save(stream, format="PNG")
            view = self._view(stream.getvalue())
            image = self.add("images", {"bufferView": view, "mimeType": "image/png"})
            if not self.tables.get("samplers"):
                self.add("samplers", {"magFilter": LINEAR, "minFilter": LINEAR, "wrapS": REPEAT, "wrapT": REPEAT})
            self.textures[number] = self.add("textures", {"source": image, "sampler": 0})
        return self.textures[number]

    def animate(self, times: Array, poses: Array, nodes: list[int]) -> None:
        """Channels of the links that move, over `times` (n,) from 0."""
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []
        for number, node in enumerate(nodes):
            places, turns = poses[:, number, :3], _continuous(poses[:, number, 3:])
            for path, values, kind in (("translation", places, "VEC3"), ("rotation", turns, "VEC4")):
                if float(np.ptp(values, axis=0).max()) < STILL:
                    continue
                if not samplers:
                    clock = self._accessor(times, "SCALAR", None, bounds=True)
                channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
                samplers.append({"input": clock, "output": self._accessor(values, kind, None)})
        if channels:
            self.add("animations", {"name": "motion", "channels": channels, "samplers": samplers})

    def _accessor(self, values: NDArray[Any], kind: str, target: int | None, *, bounds: bool = False) -> int:
        data = values if values.dtype == np.dtype("<u4") else np.ascontiguousarray(values, dtype="<f4")
        accessor: dict[str, Any] = {
            "bufferView": self._view(data.tobytes(), target),
            "componentType": UNSIGNED if data.dtype == np.dtype("<u4") else FLOAT,
            "count": len(data),
            "type": kind,
        }
        if bounds:
            rows = data.reshape(len(data), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        return self.add("accessors", accessor)

    def _view(self, data: bytes, target: int | None = None) -> int:
        view = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)}
        self.buffer += data
        self.buffer += bytes(-len(self.buffer) % 4)
        return self.add("bufferViews", view if target is None else {**view, "target": target})

    def file(self, links: list[int], generator: str, title: str) -> bytes:
        """All of it."""
        root = self.add("nodes", {"name": title or "world", "rotation": list(Y_UP), "children": links})
        content: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": generator},
            "scene": 0,
            "scenes": [{"nodes": [root]}],
            **self.tables,
        }
        if self.buffer:
            content["buffers"] = [{"byteLength": len(self.buffer)}]
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
        if self.buffer:
            chunks += struct.pack("<II", len(self.buffer), BINARY_CHUNK) + bytes(self.buffer)
        return struct.pack("<III", MAGIC, VERSION, 12 + len(chunks)) + chunks


def _placed(pose: Array) -> dict[str, Any]:
    """Translation and rotation of a node, without those that do nothing. A pose that is not finite is that of the
    origin."""
    if not np.isfinite(pose).all():
        return {}
    turn = pose[3:] / np.linalg.norm(pose[3:])
    found: dict[str, Any] = {}
    if pose[:3].any():
        found["translation"] = pose[:3].tolist()
    if turn[:3].any():
        found["rotation"] = turn.tolist()
    return found


def _parts(matrix: Array) -> tuple[Array, tuple[float, float, float, float], Array]:
    """Scale (3,), quaternion, and what of a matrix (4, 4) is neither: shear, mirroring."""
    linear = matrix[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    axes = linear / np.where(scale > 0.0, scale, 1.0)
    skewed = np.abs(axes.T @ axes - np.eye(3)).max() > ORTHOGONAL
    if skewed or np.linalg.det(axes) < 0.0:
        return np.ones(3), (0.0, 0.0, 0.0, 1.0), np.array(linear)
    return scale, quat_from_matrix(axes), np.eye(3)


def _unit(normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Normals (n, 3) of length 1; z where there is none."""
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    found = np.where(lengths > 0.0, normals / np.where(lengths > 0.0, lengths, 1.0), np.array([0.0, 0.0, 1.0]))
    return found.astype(np.float32)


def _continuous(turns: Array) -> Array:
    """Unit quaternions (n, 4), each with the sign that is nearer to the one before."""
    turns = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    signs = np.where(np.einsum("ni,ni->n", turns[1:], turns[:-1]) < 0.0, -1.0, 1.0)
    found: Array = turns * np.concatenate(([1.0], np.cumprod(signs)))[:, None]
    return found


def _linear(colour: tuple[float, float, float]) -> list[float]:
    """Of sRGB (IEC 61966-2-1)."""
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
