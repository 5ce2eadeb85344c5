"""The shapes of a scene for a page: one block of numbers, and the shaders of the window in WebGL's language."""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.rendering.lighting import LIGHT_DIRECTION, SOFTNESS
from simulator.rendering.shader_text import EDGE_WIDTH, OUTLINE_WIDTH, source
from simulator.rendering.theme import THEMES
from simulator.session.share.content import packed
from simulator.session.share.thinning import thinned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.rendering.pictures import Picture
    from simulator.rendering.scene import Scene
    from simulator.rendering.surface import Surface
    from simulator.session.look.link_poses import LinkPoses

    Plain = dict[str, Any]

PROGRAMS = {
    "mesh": ("mesh.vert", "mesh.frag"),
    "edge": ("edge.vert", "line.frag"),
    "shadow": ("shadow.vert", "shadow.frag"),
    "background": ("background.vert", "background.frag"),
    "floor": ("floor.vert", "floor.frag"),
}
TEXTURED = ("mesh.vert", "mesh.frag")
"""Drawn with a picture laid over them."""
LARGEST_SIDE = 256
"""Pictures with a longer side are scaled down to this [px]."""
MOMENTS = 40
"""Of a motion that are looked at to find how far it reaches."""
FARTHEST = 3.0
"""A motion beyond so many sizes of the start is not seen as a whole."""
QUALITY = 85
"""Of JPEG: what Pillow's documentation calls high, at a tenth of the size of PNG."""
IN_PERSPECTIVE = "gl_Position = vec4(point / half_size * here.w, here.z, here.w);"
IN_THE_PLANE = "gl_Position = vec4(point / half_size, here.z / here.w, 1.0);"
"""WebGL has no `noperspective`: what is divided by w beforehand is interpolated in the plane of the picture."""


def shaders() -> Plain:
    """Vertex and fragment shader of each program."""
    found = {name: [_for_webgl(source(part)) for part in parts] for name, parts in PROGRAMS.items()}
    return {**found, "textured": [f"#define TEXTURED\n{_for_webgl(source(part))}" for part in TEXTURED]}


def _for_webgl(text: str) -> str:
    """A shader of OpenGL 3.3 in GLSL ES 3.00, which has no clip distances."""
    text = re.sub(r"^\s*gl_ClipDistance.*\n", "", text, flags=re.MULTILINE)
    return text.replace("noperspective ", "").replace(IN_PERSPECTIVE, IN_THE_PLANE)


def scene_content(scene: Scene, poses: LinkPoses) -> Plain:
    """Drawables, surfaces and the floor; `triangles` of the shapes that are drawn, which were `given` ones before they
    were thinned. A picture is the mean colour of it on a shape that was thinned, whose places in it are lost."""
    block = _Block()
    shown = thinned(scene.surfaces)
    surfaces = [_surface(surface, block) for surface in shown]
    laid = [drawable.picture is not None and shown[drawable.surface].uv is not None for drawable in scene.drawables]
    drawables = [
        {
            "surface": drawable.surface,
            "body": int(poses.body_of_link[drawable.link]),
            "link": scene.links[drawable.link].rpartition("::")[2],
            "matrix": (poses.in_bodies[drawable.link] @ drawable.matrix).T.ravel().round(9).tolist(),
            "colour": drawable.colour if has_picture else scene.plain_colour(drawable),
            "picture": drawable.picture if has_picture else None,
            "stands_in": drawable.stands_in,
            "apart": scene.surfaces[drawable.surface].edge_distance
            * float(abs(np.linalg.det(drawable.matrix[:3, :3])) ** (1 / 3)),
        }
        for drawable, has_picture in zip(scene.drawables, laid, strict=True)
    ]
    pictured = {drawable["picture"] for drawable in drawables}
    bounds = scene.start_bounds
    return {
        "data": packed(block.data()),
        "surfaces": surfaces,
        "triangles": sum(len(shown[drawable.surface].triangles) for drawable in scene.drawables),
        "given": scene.triangles,
        "drawables": drawables,
        "pictures": [_picture(one) if i in pictured else None for i, one in enumerate(scene.pictures)],
        "floor": {"z": scene.floor.z, "ground": scene.floor.is_ground},
        "grid": scene.grid_spacing,
        "centre": bounds.centre,
        "radius": scene.radius,
        "corners": scene.corner_points(scene.start_poses).round(6).tolist()[:4000],
        "light": LIGHT_DIRECTION.tolist(),
        "softness": SOFTNESS,
        "widths": [EDGE_WIDTH, OUTLINE_WIDTH],
        "themes": {name: vars(theme) for name, theme in THEMES.items()},
    }


def motion_corners(scene: Scene, links: LinkPoses, bodies: NDArray[np.float64]) -> list[list[float]]:
    """Points that a camera has to see so that it sees the scene with all these poses of bodies, shape (n, n_bodies, 7);
    none where the motion goes so far that the scene would be small in the picture."""
    moments = bodies[np.unique(np.linspace(0, len(bodies) - 1, MOMENTS).round().astype(int))]
    start, *later = (scene.corner_points(links.at(poses)) for poses in moments)
    points = np.concatenate((start, *later))
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points) or np.linalg.norm(np.ptp(points, axis=0)) > FARTHEST * np.linalg.norm(np.ptp(start, axis=0)):
        return []
    ways = np.stack(np.meshgrid(*[np.arange(-2.0, 3.0)] * 3), axis=-1).reshape(-1, 3)
    outer = np.unique((points @ ways.T).argmax(axis=0))
    found: list[list[float]] = points[outer].round(6).tolist()
    return found


def _surface(surface: Surface, block: _Block) -> Plain:
    edges = surface.edges
    return {
        "positions": block.add(surface.positions.astype("<f4")),
        "normals": block.add(_bytes_of(surface.normals)),
        "triangles": block.add(surface.triangles.astype("<u4")),
        "segments": block.add(edges.segments.reshape(-1, 6).astype("<f4")),
        "sides": block.add(_bytes_of(edges.normals.reshape(-1, 6))),
        "features": edges.n_features,
        "uv": None if surface.uv is None else block.add(surface.uv.astype("<f4")),
    }


def _picture(picture: Picture) -> Plain:
    """A picture as an address that holds it, PNG where parts of it are transparent, else JPEG; its copies per unit of u
    and of v, and whether it has holes."""
    from PIL import Image

    image = Image.fromarray(picture.pixels)
    image.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    kind = "png" if picture.pixels[..., 3].min() < 255 else "jpeg"
    stream = io.BytesIO()
    if kind == "png":
        image.save(stream, format="PNG", optimize=True)
    else:
        image.convert("RGB").save(stream, format="JPEG", quality=QUALITY)
    u, v = picture.size
    return {
        "image": f"data:image/{kind};base64,{base64.b64encode(stream.getvalue()).decode()}",
        "place": [1.0 / u, 1.0 / v, float(picture.cutout)],
    }


def _bytes_of(normals: NDArray[np.float32]) -> NDArray[np.int8]:
    return np.round(127.0 * normals).astype(np.int8)


class _Block:
    """Arrays one behind the other, each at a multiple of four bytes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, array: NDArray[Any]) -> list[int]:
        """Its first byte, and how many numbers it has."""
        content = np.ascontiguousarray(array).tobytes()
        padded = content + bytes(-len(content) % 4)
        begin = self._size
        self._parts.append(padded)
        self._size += len(padded)
        return [begin, array.size]

    def data(self) -> bytes:
        """All of them."""
        return b"".join(self._parts)
