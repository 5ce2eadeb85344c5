"""A scene in the memory of the GPU: one batch per geometry, drawn with one call for all its instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.rendering.programs import Programs
from simulator.rendering.scene import Scene
from simulator.rendering.surface import Edges, Surface
from simulator.rendering.textures import GpuTexture, upload

if TYPE_CHECKING:
    from collections.abc import Sequence

    import moderngl
    from numpy.typing import NDArray

OPAQUE = 0.995
"""Parts at least this opaque are drawn without blending."""

SAME = 1e-9
"""Entries of two matrices closer than this are equal."""

INSTANCE = "16f4 4f4 4f4/i"
INSTANCE_NAMES = ("i_model", "i_colour", "i_state")
INSTANCE_FLOATS = 24


@dataclass
class Batch:
    """Drawables that share a geometry and a texture. `members` count in `Scene.drawables`; a translucent drawable is a
    batch of its own."""

    members: NDArray[np.int64]
    translucent: bool
    instances: moderngl.Buffer
    mesh: moderngl.VertexArray
    shadow: moderngl.VertexArray
    pick: moderngl.VertexArray
    edges: moderngl.VertexArray | None
    n_feature_edges: int
    texture: GpuTexture | None = None

    def draw_mesh(self) -> None:
        """All instances in their colours."""
        if self.texture is not None:
            self.texture.use()
        self.draw(self.mesh)

    def draw(self, array: moderngl.VertexArray) -> None:
        """All instances with one of the vertex arrays."""
        array.render(instances=len(self.members))

    def draw_edges(self, *, outlines: bool) -> None:
        """Feature edges of all instances, and their outlines if asked for."""
        if self.edges is None:
            return
        count = self.edges.vertices if outlines else 6 * self.n_feature_edges
        if count:
            self.edges.render(vertices=count, instances=len(self.members))


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
        self._ctx, self._programs, self._scene = ctx, programs, scene
        self._owned: list[moderngl.Buffer | moderngl.VertexArray | moderngl.Texture] = []
        self._data = np.zeros((len(scene.drawables), INSTANCE_FLOATS), dtype="f4")
        if scene.drawables:
            sizes = np.abs(np.linalg.det(np.array([d.matrix[:3, :3] for d in scene.drawables]))) ** (1 / 3)
            self._data[:, 16:20] = [d.colour for d in scene.drawables]
            self._data[:, 21] = [d.link for d in scene.drawables]
            self._data[:, 22] = sizes * [scene.surfaces[d.surface].edge_distance for d in scene.drawables]
        self._opacity = self._data[:, 19].copy()
        surfaces = [self._upload(surface) for surface in scene.surfaces]
        textures = upload(ctx, programs.textured, scene.pictures, anisotropy) if scene.pictures else []
        self._owned += [item.texture for item in textures]
        self._batches = [
            self._batch(surfaces[number], members, t, None if picture is None else textures[picture])
            for number, picture, members, t in _groups(scene)
        ]

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

    def update(self, link_poses: NDArray[np.float64], states: NDArray[np.float32]) -> NDArray[np.float64]:
        """Send this frame's poses (n_links, 7) and highlights (n_links,); gives the matrices (n_drawables, 4, 4)."""
        matrices = self._scene.world_matrices(link_poses)
        self._data[:, 20] = states[self._data[:, 21].astype(np.int64)]
        self._send(matrices, self._opacity)
        return matrices

    def update_ghost(self, link_poses: NDArray[np.float64], now: NDArray[np.float64], opacity: float) -> None:
        """Send other poses (n_links, 7), to be seen through; links that are where they are `now` shrink to nothing."""
        matrices = self._scene.world_matrices(link_poses)
        matrices[np.abs(matrices - self._scene.world_matrices(now)).max(axis=(1, 2), initial=0.0) < SAME] = 0.0
        self._data[:, 20] = 0.0
        self._send(matrices, (opacity * self._opacity).astype(np.float32))

    def _send(self, matrices: NDArray[np.float64], opacity: NDArray[np.float32]) -> None:
        self._data[:, :16] = matrices.transpose(0, 2, 1).reshape(-1, 16)
        self._data[:, 19] = opacity
        for batch in self._batches:
            batch.instances.write(self._data[batch.members].tobytes())

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
        return Batch(members, translucent, instances, mesh, shadow, pick, edges, surface.n_feature_edges, texture)

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
