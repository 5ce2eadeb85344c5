"""A scene in the memory of the GPU: one batch per geometry, drawn with one call for all its instances."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import moderngl
import numpy as np

from simulator.records import dataclass
from simulator.rendering.build import MANY_TRIANGLES
from simulator.rendering.programs import ALBEDO_UNIT, ALIGNMENT, Programs, set_uniforms
from simulator.rendering.scene import Scene
from simulator.rendering.surface import Edges, Surface

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from simulator.rendering.pictures import Picture
    from simulator.rendering.scene import Coarser
    from simulator.rendering.uniforms import FrameView


OPAQUE = 0.995
"""Parts at least this opaque are drawn without blending."""

SAME = 1e-9
"""Entries of two matrices closer than this are equal."""

INSTANCE = "16f4 4f4 4f4/i"
INSTANCE_NAMES = ("i_model", "i_colour", "i_state")
INSTANCE_FLOATS = 24


FINE = 0.25
"""A round part has so many facets that its outline is nowhere further than this from a circle [px]."""
APART, APART_OF_GHOSTS = 1.5, 4.0
"""In a large scene edges that are nearer to each other than that [px] are left out; they would be a faint grey."""


@dataclass
class Batch:
    """Drawables that share a geometry and a texture. `members` count in `Scene.drawables`; a translucent drawable is a
    batch of its own. `shown`: those that are drawn now, of which the first `edged` have edges. `stands_in`: for missing
    meshes, of which nothing but outlines is drawn."""

    members: NDArray[np.int64]
    translucent: bool
    instances: moderngl.Buffer
    mesh: moderngl.VertexArray
    shadow: moderngl.VertexArray
    pick: moderngl.VertexArray
    edges: moderngl.VertexArray | None
    n_feature_edges: int
    texture: GpuTexture | None = None
    stands_in: bool = False
    make_array: Callable[[moderngl.Program], moderngl.VertexArray] = field(kw_only=True)

    def __post_init__(self) -> None:
        self.shown, self.edged = self.members, len(self.members)
        self._arrays: dict[int, moderngl.VertexArray] = {}

    def array_of(self, program: moderngl.Program) -> moderngl.VertexArray:
        """The vertex array of a program that is seldom needed, made when it is."""
        if program.glo not in self._arrays:
            self._arrays[program.glo] = self.make_array(program)
        return self._arrays[program.glo]

    def show(self, data: NDArray[np.float32], chosen: NDArray[np.int64], edged: NDArray[np.bool_]) -> None:
        """Draw some of the members from now on, shape (k,), those that have edges first."""
        self.shown, self.edged = np.concatenate((chosen[edged], chosen[~edged])), int(edged.sum())
        if len(chosen):
            self.instances.write(data[self.shown].tobytes())

    def draw_mesh(self) -> None:
        """All instances in their colours."""
        if self.texture is not None:
            self.texture.use()
        self.draw(self.mesh)

    def draw(self, array: moderngl.VertexArray) -> None:
        """All instances with one of the vertex arrays."""
        if len(self.shown):
            array.render(instances=len(self.shown))

    def draw_edges(self, *, outlines: bool) -> None:
        """Feature edges of all instances, and their outlines if asked for."""
        if self.edges is None or not self.edged:
            return
        count = self.edges.vertices if outlines else 6 * self.n_feature_edges
        if count:
            self.edges.render(vertices=count, instances=self.edged)


@dataclass
class _GpuSurface:
    vertices: moderngl.Buffer
    triangles: moderngl.Buffer
    edge_vertices: moderngl.Buffer | None
    edge_indices: moderngl.Buffer | None
    n_feature_edges: int
    uv: moderngl.Buffer | None = None


class Batches:
    """All batches of a scene, and the state of every instance."""

    def __init__(self, ctx: moderngl.Context, programs: Programs, scene: Scene, anisotropy: float = 1.0) -> None:
        self._ctx = ctx
        self._programs = programs
        self._scene = scene
        self._owned: list[moderngl.Buffer | moderngl.VertexArray | moderngl.Texture] = []
        self._data = np.zeros((len(scene.drawables), INSTANCE_FLOATS), dtype="f4")
        if scene.drawables:
            sizes = np.abs(np.linalg.det(np.array([d.matrix[:3, :3] for d in scene.drawables]))) ** (1 / 3)
            self._data[:, 16:20] = [d.colour for d in scene.drawables]
            self._data[:, 21] = [d.link for d in scene.drawables]
            self._data[:, 23] = [d.stands_in for d in scene.drawables]
            self._data[:, 22] = sizes * [scene.surfaces[d.surface].edge_distance for d in scene.drawables]
        self._opacity = self._data[:, 19].copy()
        surfaces = [self._upload(surface) for surface in scene.surfaces]
        textures = upload(ctx, programs.textured, scene.pictures, anisotropy) if scene.pictures else []
        self._owned += [item.texture for item in textures]
        self._batches: list[Batch] = []
        self._levels: list[_Levels] = []
        for number, picture, members, t in _groups(scene):
            self._batches.append(
                self._batch(surfaces[number], members, t, None if picture is None else textures[picture])
            )
            coarser = None if t or picture is not None else scene.coarser.get(number)
            if coarser is not None:
                more = [self._batch(self._upload(surface), members, t, None) for surface in coarser.surfaces]
                self._levels.append(_Levels.of(coarser, (self._batches[-1], *more)))
                self._batches += more
        leveled = {id(batch) for levels in self._levels for batch in levels.batches}
        self._alone = [batch for batch in self._batches if id(batch) not in leveled]

    @property
    def opaque(self) -> list[Batch]:
        """Batches without transparency."""
        return [batch for batch in self._batches if not batch.translucent]

    def translucent(self, eye: NDArray[np.float64]) -> list[Batch]:
        """Batches to blend, the one farthest from `eye` [m] first."""
        found = [batch for batch in self._batches if batch.translucent]
        positions = self._data[:, 12:15]
        return sorted(found, key=lambda batch: -float(np.linalg.norm(positions[batch.members[0]] - eye)))

    @property
    def all(self) -> list[Batch]:
        """Every batch."""
        return self._batches

    def update(self, link_poses: NDArray[np.float64], states: NDArray[np.float32], view: FrameView) -> None:
        """Send this frame's poses (n_links, 7) and highlights (n_links,)."""
        matrices = self._scene.world_matrices(link_poses)
        self._data[:, 20] = states[self._data[:, 21].astype(np.int64)]
        self._send(matrices, self._opacity, view, APART)

    def update_ghost(
        self, link_poses: NDArray[np.float64], now: NDArray[np.float64], opacity: float, view: FrameView
    ) -> None:
        """Send other poses (n_links, 7), to be seen through; links that are where they are `now` shrink to nothing."""
        matrices = self._scene.world_matrices(link_poses)
        matrices[np.abs(matrices - self._scene.world_matrices(now)).max(axis=(1, 2), initial=0.0) < SAME] = 0.0
        self._data[:, 20] = 0.0
        self._send(matrices, (opacity * self._opacity).astype(np.float32), view, APART_OF_GHOSTS)

    def _send(self, matrices: NDArray[np.float64], opacity: NDArray[np.float32], view: FrameView, apart: float) -> None:
        data = self._data
        data[:, :16] = matrices.transpose(0, 2, 1).reshape(-1, 16)
        data[:, 19] = opacity
        edged = np.ones(len(data), dtype=bool)
        pixels = np.zeros(len(data))
        if self._scene.coarser or self._scene.triangles > MANY_TRIANGLES:
            pixels = pixels_per_metre(view, matrices[:, :3, 3])
            edged = (data[:, 22] * pixels >= apart * max(view.pixel_ratio, 1.0)) | (data[:, 20] > 0.0)
        for batch in self._alone:
            batch.show(data, batch.members, edged[batch.members])
        for levels in self._levels:
            members = levels.batches[0].members
            number = levels.numbers(pixels[members])
            for i, batch in enumerate(levels.batches):
                chosen = members[number == i]
                batch.show(data, chosen, edged[chosen])

    def release(self) -> None:
        """Give all memory back to the driver."""
        for thing in reversed(self._owned):
            thing.release()
        self._owned.clear()
        self._batches = []

    def _upload(self, surface: Surface) -> _GpuSurface:
        vertices = self._buffer(np.hstack([surface.positions, surface.normals]).astype("f4"))
        triangles = self._buffer(surface.triangles.astype("i4"))
        uv = None if surface.uv is None else self._buffer(surface.uv.astype("f4"))
        if len(surface.edges.segments) == 0:
            return _GpuSurface(vertices, triangles, None, None, 0, uv)
        corners, indices = edge_rectangles(surface.edges)
        edges = self._buffer(corners), self._buffer(indices)
        return _GpuSurface(vertices, triangles, *edges, surface.edges.n_features, uv)

    def _batch(
        self, surface: _GpuSurface, members: NDArray[np.int64], translucent: bool, texture: GpuTexture | None
    ) -> Batch:
        instances = self._ctx.buffer(reserve=len(members) * INSTANCE_FLOATS * 4, dynamic=True)
        self._owned.append(instances)
        per_instance = (instances, INSTANCE, *INSTANCE_NAMES)
        content: list[tuple[object, ...]] = [(surface.vertices, "3f4 3f4", "in_position", "in_normal"), per_instance]
        shadow = self._array(self._programs.shadow, content, surface.triangles)
        pick = self._array(self._programs.pick, content, surface.triangles)
        if texture is None:
            mesh = self._array(self._programs.mesh, content, surface.triangles)
        else:
            mesh = self._array(texture.program, [*content, (surface.uv, "2f4", "in_uv")], surface.triangles)
        edges = None
        if surface.edge_vertices is not None and not (texture is not None and texture.picture.cutout):
            names = ("in_start", "in_end", "in_normal_a", "in_normal_b", "in_corner")
            lines = [(surface.edge_vertices, "3f4 3f4 3f4 3f4 3f4", *names), per_instance]
            edges = self._array(self._programs.edge, lines, surface.edge_indices)
        stands_in = self._scene.drawables[int(members[0])].stands_in
        count = surface.n_feature_edges
        return Batch(
            members, translucent, instances, mesh, shadow, pick, edges, count, texture, stands_in,
            make_array=lambda program: self._array(program, content, surface.triangles),
        )  # fmt: skip

    def _array(
        self, program: moderngl.Program, content: Sequence[tuple[object, ...]], indices: moderngl.Buffer | None
    ) -> moderngl.VertexArray:
        array = self._ctx.vertex_array(program, content, indices, skip_errors=True)
        self._owned.append(array)
        return array

    def _buffer(self, data: NDArray[np.generic]) -> moderngl.Buffer:
        buffer = self._ctx.buffer(np.ascontiguousarray(data).tobytes())
        self._owned.append(buffer)
        return buffer


@dataclass(frozen=True, eq=False)
class _Levels:
    """The same drawables with ever fewer facets around. `sizes` [m] of their circles, shape (n,); `reach`: up to which
    radius [px] each level but the first does."""

    batches: tuple[Batch, ...]
    sizes: NDArray[np.float64]
    reach: NDArray[np.float64]

    @staticmethod
    def of(coarser: Coarser, batches: tuple[Batch, ...]) -> _Levels:
        """A chord of n facets is r (1 - cos(π / n)) ≈ r π² / 2 n² away from its arc."""
        sizes = np.array([coarser.sizes[number] for number in batches[0].members.tolist()])
        facets = np.array(coarser.facets[1:], dtype=float)
        return _Levels(batches, sizes, 2.0 * FINE * facets**2 / np.pi**2)

    def numbers(self, pixels: NDArray[np.float64]) -> NDArray[np.intp]:
        """Which level each of them needs, where a metre is so many pixels, shape (n,)."""
        number: NDArray[np.intp] = ((self.sizes * pixels)[:, None] <= self.reach).sum(axis=1)
        return number


def pixels_per_metre(view: FrameView, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """How large things are in the picture at points of the world (n, 3); as large as they can be where they are not
    before the eye."""
    camera = view.camera
    depth = np.maximum((camera.eye - points) @ camera.backward, view.clip_range[0])
    tangent = camera.half_height(1.0)
    return np.full(len(points), view.height / (2.0 * tangent)) / (1.0 if camera.orthographic else depth)


def edge_rectangles(edges: Edges) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Four corners per edge (4 k, 15) and the indices of two triangles each (6 k,), in the order of the edges.

    A corner: start, end, two normals, then (0 start or 1 end, side -1 or 1, 1 for a feature edge).
    """
    count = len(edges.segments)
    rows = np.hstack([edges.segments.reshape(count, 6), edges.normals.reshape(count, 6)])
    corners = np.repeat(rows, 4, axis=0)
    place = np.tile(np.array([[0, -1], [0, 1], [1, -1], [1, 1]], dtype="f4"), (count, 1))
    feature = np.repeat((np.arange(count) < edges.n_features).astype("f4"), 4)[:, None]
    indices = 4 * np.arange(count, dtype="i4")[:, None] + np.array([0, 1, 2, 2, 1, 3], dtype="i4")
    return np.hstack([corners, place, feature]).astype("f4"), indices.reshape(-1)


def _groups(scene: Scene) -> list[tuple[int, int | None, NDArray[np.int64], bool]]:
    """Surface, picture, drawables and transparency of every batch."""
    together: dict[tuple[int, int | None], list[int]] = {}
    alone: list[tuple[int, int | None, NDArray[np.int64], bool]] = []
    for i, drawable in enumerate(scene.drawables):
        if drawable.colour[3] < OPAQUE:
            alone.append((drawable.surface, drawable.picture, np.array([i]), True))
        else:
            together.setdefault((drawable.surface, drawable.picture), []).append(i)
    return [(*looks, np.array(members), False) for looks, members in together.items()] + alone


SRGB8_ALPHA8 = 0x8C43
"""OpenGL's name of the format whose texels are averaged as light, not as numbers."""


@dataclass(frozen=True)
class GpuTexture:
    """A picture, ready to be drawn with the program for textured surfaces."""

    texture: moderngl.Texture
    program: moderngl.Program
    picture: Picture

    def use(self) -> None:
        """Draw with it from now on."""
        self.texture.use(ALBEDO_UNIT)
        u, v = self.picture.size
        set_uniforms(self.program, u_place=(1.0 / u, 1.0 / v, 1.0 if self.picture.cutout else 0.0))


def upload(
    ctx: moderngl.Context, program: moderngl.Program, pictures: Sequence[Picture], anisotropy: float
) -> list[GpuTexture]:
    """All pictures of a scene, with smaller copies for the distance; `anisotropy` as in `RenderOptions`."""
    curve = _transfer_curve()
    textures = []
    for picture in pictures:
        height, width = picture.pixels.shape[:2]
        texels = curve[picture.pixels[::-1]]
        texels[:, :, 3] = picture.pixels[::-1, :, 3]
        texture = ctx.texture((width, height), 4, texels.tobytes(), alignment=ALIGNMENT, internal_format=SRGB8_ALPHA8)
        texture.build_mipmaps()
        texture.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        texture.anisotropy = min(anisotropy, ctx.max_anisotropy)
        textures.append(GpuTexture(texture, program, picture))
    return textures


def _transfer_curve() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """The texel (256,) that OpenGL's sRGB curve makes the square of each value: the gamma of 2 of the shaders (see
    frame.glsl)."""
    light = np.square(np.arange(256) / 255.0)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255.0 * encoded).astype(np.uint8)
