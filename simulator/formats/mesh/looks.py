"""What a mesh file says about the looks of its parts: colours, the texture, where it lies, and what is not drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.formats.mesh.neighbours import Neighbours
    from simulator.model.material import Texture

Scene: TypeAlias = Any
Geometry: TypeAlias = Scene
Visual: TypeAlias = Scene
Material: TypeAlias = Scene
"""Of trimesh, which has several kinds of each and asks users to look for attributes."""

NOT_DRAWN = {
    "normalTexture": "normal maps",
    "emissiveTexture": "emissive maps",
    "occlusionTexture": "occlusion maps",
    "metallicRoughnessTexture": "metalness and roughness maps",
}
"""Attributes of trimesh's PBR material."""
NOT_DRAWN_OF_MTL = {
    "map_bump": "normal maps",
    "bump": "normal maps",
    "norm": "normal maps",
    "map_ke": "emissive maps",
    "map_ks": "specular maps",
    "map_ns": "specular maps",
    "map_pr": "metalness and roughness maps",
    "map_pm": "metalness and roughness maps",
    "map_d": "opacity maps",
}
"""Keys of a material of an OBJ file."""


@dataclass(frozen=True, eq=False)
class Look:
    """Of one part with n vertices: `colors` (n, 4) in [0, 1], `uv` (n, 2) and the `texture` that needs them; see
    `TriangleMesh`."""

    colors: NDArray[np.float32] | None = None
    uv: NDArray[np.float32] | None = None
    texture: Texture | None = None
    unfound: tuple[str, ...] = ()
    undrawn: tuple[str, ...] = ()


class Looks:
    """Reads the looks of geometries that trimesh loaded with `neighbours` for its resolver."""

    def __init__(self, neighbours: Neighbours, kind: str) -> None:
        self.neighbours = neighbours
        self._is_gltf = kind in ("gltf", "glb")

    def of(self, geometry: Geometry) -> Look:
        """The look of one geometry. What the whole file lacks is reported with each of them."""
        visual = geometry.visual
        material = getattr(visual, "material", None) if visual.kind == "texture" else None
        image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
        texture = self.neighbours.texture_of(image)
        if texture is not None:
            texture = replace(texture, cutout=self._has_holes(material))
        undrawn = {**self.neighbours.undrawn, **dict.fromkeys(_undrawn(material))}
        uv = _uv(visual, len(geometry.vertices))
        if texture is not None and uv is None:
            undrawn["textures of parts that say nothing about their place"] = None
            texture = None
        colors = self._colors(geometry, is_textured=texture is not None)
        return Look(colors, uv, texture, tuple(self.neighbours.unfound), tuple(undrawn))

    def _has_holes(self, material: Material) -> bool:
        """Whether the opacity of a picture counts: glTF says so in `alphaMode`, of other files Gazebo takes it
        (SetAlphaFromTexture)."""
        return not self._is_gltf or material.alphaMode in ("MASK", "BLEND")

    def _colors(self, geometry: Geometry, *, is_textured: bool) -> NDArray[np.float32] | None:
        """One colour per vertex: its own, or the plain colour of the part's material."""
        visual = geometry.visual
        count = len(geometry.vertices)
        if visual.kind in ("vertex", "face"):
            colors: NDArray[np.float32] = np.divide(
                np.asarray(visual.vertex_colors, np.float32), 255.0, dtype=np.float32
            )
            return colors if len(colors) == count else None
        material = getattr(visual, "material", None) if visual.kind == "texture" else None
        color = _color_of_gltf(material) if self._is_gltf else _plain_color(material)
        if is_textured and (color is None or not color[:3].any()):  # exporters write black for "the picture alone"
            color = np.array([1.0, 1.0, 1.0, 1.0 if color is None else color[3]], np.float32)
        return None if color is None else np.tile(color, (count, 1))


def _undrawn(material: Material) -> list[str]:
    found = [kind for name, kind in NOT_DRAWN.items() if getattr(material, name, None) is not None]
    said = getattr(material, "kwargs", None) or {}
    return found + [kind for key, kind in NOT_DRAWN_OF_MTL.items() if key in said]


def _uv(visual: Visual, count: int) -> NDArray[np.float32] | None:
    uv = getattr(visual, "uv", None)
    if uv is None or np.shape(uv) != (count, 2):
        return None
    places = np.asarray(uv, np.float32)
    return np.where(np.isfinite(places), places, np.float32(0.0))


def _plain_color(material: Material) -> NDArray[np.float32] | None:
    """The colour that a material states, or None: trimesh makes one up where an OBJ file has no Kd."""
    color = getattr(material, "main_color", None)
    if color is None or (hasattr(material, "kwargs") and "kd" not in material.kwargs):
        return None
    plain: NDArray[np.float32] = np.divide(np.asarray(color, np.float32), 255.0, dtype=np.float32)
    return plain


def _color_of_gltf(material: Material) -> NDArray[np.float32] | None:
    """The base colour factor, white where there is none. glTF gives it as light (2.0, section 3.9.2), all others as
    sRGB."""
    if material is None:
        return None
    color = _plain_color(material) if material.baseColorFactor is not None else None
    if color is None:
        return np.ones(4, np.float32)
    light = color[:3].astype(np.float64)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.append(encoded, color[3]).astype(np.float32)


def objects_of(data: bytes, otherwise: str) -> Sequence[str]:
    """Names of the objects of an OBJ file, the longest first, and `otherwise` for what belongs to none."""
    names = {match.decode(errors="replace").strip() for match in re.findall(rb"^o[ \t]+(.*)$", data, re.MULTILINE)}
    return [*sorted(names, key=len, reverse=True), otherwise]


def object_of(name: str, objects: Sequence[str]) -> str:
    """The object that a piece belongs to: trimesh appends the material, and a number, to its name."""
    return next((item for item in objects if name == item or name.startswith(f"{item}_")), objects[-1])
