"""Draws a scene into any framebuffer of an OpenGL 3.3 context.

A frame: shadow map, opaque parts, sky and floor where the parts do not hide them, edges, translucent parts, lines;
then, where it was drawn multisampled or larger, averaged into the target. The caller makes the context current and owns
the target; framebuffer 0 is never touched by number.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import moderngl
import numpy as np
from numpy.typing import NDArray

from simulator.rendering.batches import Batch, Batches
from simulator.rendering.camera import Camera
from simulator.rendering.canvas import Canvas
from simulator.rendering.caps import Caps
from simulator.rendering.lighting import ShadowView, shadow_view
from simulator.rendering.options import RenderOptions
from simulator.rendering.overlays import Polyline
from simulator.rendering.picking import Picker
from simulator.rendering.programs import ALIGNMENT, FRAME_BINDING, SHADOW_UNIT, Programs, set_uniforms
from simulator.rendering.scene import Hit, Scene
from simulator.rendering.section import Section, clipped
from simulator.rendering.shader_text import EDGE_WIDTH, OUTLINE_WIDTH
from simulator.rendering.theme import LIGHT, Theme
from simulator.rendering.uniforms import FRAME_BYTES, FrameView, frame_block

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


HOVERED, SELECTED = 1.0, 2.0
GHOST = 0.16
"""Opacity of a ghost."""
NO_GHOSTS: NDArray[np.float64] = np.zeros((0, 0, 7))
FLOOR_REACH = 4.5
"""Half size of the floor that is drawn, in radii of the scene or distances of the eye, whichever is more."""


class Renderer:
    """Draws one scene at a time. All methods need the context to be current; `release` ends its use. `section` cuts the
    parts; `ghosts`, shape (n, n_links, 7), are poses of the links in which they are drawn as well, to be seen through.
    """

    def __init__(self, ctx: moderngl.Context, scene: Scene, options: RenderOptions | None = None) -> None:
        self.options = options or RenderOptions.automatic(ctx)
        self._ctx = ctx
        self._programs = Programs(ctx, self.options.shadow_taps if self.options.shadows else 0)
        self._frame = ctx.buffer(reserve=FRAME_BYTES, dynamic=True)
        self._whole = ctx.vertex_array(self._programs.background, [])
        self._floor = ctx.vertex_array(self._programs.floor, [])
        self._lines = LineDrawer(ctx, self._programs)
        self._canvas, self._backdrop = Canvas(ctx, self._programs), Backdrop(ctx)
        self._picker = Picker(ctx, self._programs)
        size = self.options.shadow_resolution if self.options.shadows else 1
        self._shadow_map = ctx.depth_texture((size, size), alignment=ALIGNMENT)
        self._shadow_map.compare_func = "<="
        self._shadow_map.repeat_x = self._shadow_map.repeat_y = False
        self._shadow_target = ctx.framebuffer(depth_attachment=self._shadow_map)
        self.section: Section | None = None
        self._caps = Caps(ctx, self._programs)
        self.ghosts: NDArray[np.float64] = NO_GHOSTS
        self._show(scene)

    def set_scene(self, scene: Scene) -> None:
        """Draw another scene from now on; nothing is highlighted in it."""
        self._batches.release()
        self._show(scene)

    def _show(self, scene: Scene) -> None:
        self.scene = scene
        self._batches = Batches(self._ctx, self._programs, scene, self.options.anisotropy)
        self._states = np.zeros(max(len(scene.links), 1), dtype="f4")
        self._view: FrameView | None = None

    @property
    def context(self) -> moderngl.Context:
        """The context that this renderer draws with."""
        return self._ctx

    def highlight(self, selected: Collection[str] = (), hovered: str | None = None) -> None:
        """Mark links by name from the next frame on; names that the scene does not have are ignored."""
        self._states[:] = 0.0
        numbers = self.scene.link_numbers
        if hovered in numbers:
            self._states[numbers[hovered]] = HOVERED
        for name in selected:
            if name in numbers:
                self._states[numbers[name]] = SELECTED

    def draw(
        self,
        target: moderngl.Framebuffer,
        width: int,
        height: int,
        camera: Camera,
        link_poses: NDArray[np.float64],
        theme: Theme = LIGHT,
        overlays: Sequence[Polyline] = (),
        pixel_ratio: float = 1.0,
    ) -> None:
        """Draw a frame into `target`, `width` x `height` in device pixels, of which `pixel_ratio` make one pixel of
        line width.

        `link_poses` (n_links, 7) [x, y, z, qx, qy, qz, qw] in the order of `scene.links`. Afterwards `target` is bound,
        and depth test, blending and face culling are off.
        """
        if width < 1 or height < 1:
            return
        options = self.options
        scale = options.supersample
        reach = FLOOR_REACH * max(self.scene.radius, camera.distance)
        self._view = FrameView(camera, width, height, camera.clip_range(reach), pixel_ratio)
        drawn = FrameView(camera, width * scale, height * scale, self._view.clip_range, pixel_ratio * scale)

        self._batches.update(link_poses, self._states, drawn)
        light = self._light(link_poses)
        self._frame.write(frame_block(drawn, theme, light, options.shadow_resolution, self.section))
        self._frame.bind_to_uniform_block(FRAME_BINDING)
        self._draw_shadow_map()

        buffer = self._canvas.begin(target, drawn.width, drawn.height, options)
        self._draw_scene(buffer, drawn, theme, reach)
        self._draw_ghosts(buffer, link_poses, drawn)
        self._lines.draw(buffer, overlays)
        self._canvas.end(target, width, height)
        self._ctx.enable_only(moderngl.NOTHING)

    def pick(self, x: float, y: float) -> str | None:
        """The link seen at (`x`, `y`) [device px from the upper left corner] in the last frame, or None.

        Leaves a framebuffer of its own bound: bind yours again before drawing.
        """
        hit = self.hit(x, y)
        return hit.link if hit else None

    def hit(self, x: float, y: float) -> Hit | None:
        """The link and the point of the world [m] seen at (`x`, `y`) [device px from the upper left corner]; see
        `pick`."""
        if self._view is None:
            return None
        found = self._picker.hit(self._view, x, y, self._batches.all, self.section)
        return None if found is None else Hit(self.scene.links[found[0]], found[1])

    def release(self) -> None:
        """Give everything back to the driver; the renderer cannot be used afterwards."""
        self._batches.release()
        for thing in (self._picker, self._backdrop, self._canvas, self._lines, self._caps):
            thing.release()
        for resource in (self._shadow_target, self._shadow_map, self._floor, self._whole, self._frame):
            resource.release()
        self._programs.release()

    def _draw_scene(self, buffer: moderngl.Framebuffer, view: FrameView, theme: Theme, reach: float) -> None:
        """Parts, sky and floor; only opaque parts and the document's own ground write depth."""
        floor = self.scene.floor
        camera = view.camera
        is_laid = self._lay_backdrop(buffer, view, theme, reach)
        self._draw_opaque()
        if self.section is not None:
            self._caps.draw(buffer, (view.width, view.height), self._batches.opaque, self.section)
        if not is_laid:
            buffer.depth_mask = False
            self._draw_background()
            buffer.depth_mask = floor.is_ground and float(camera.eye[2]) > floor.z
            self._draw_floor(camera, theme, reach)
        buffer.depth_mask = False
        self._draw_edges_and_translucent(camera)
        buffer.depth_mask = True

    def _lay_backdrop(self, buffer: moderngl.Framebuffer, view: FrameView, theme: Theme, reach: float) -> bool:
        """Sky and floor from the frame before, where they are as they were."""
        options = self.options
        floor = self.scene.floor
        if options.shadows or options.samples > 0 or (options.floor and floor.is_ground):
            return False

        def draw() -> None:
            self._draw_background()
            self._draw_floor(view.camera, theme, reach)

        key = view, theme, options.floor, floor, self.scene.grid_spacing
        return self._backdrop.lay(buffer, (view.width, view.height), key, draw)

    def _light(self, link_poses: NDArray[np.float64]) -> ShadowView:
        """The lit region: the parts where they are now, but not more than three times their size at the start. Its size
        is unused without shadows."""
        bounds = self.scene.bounds(link_poses) if self.options.shadows else self.scene.start_bounds
        radius = min(1.05 * bounds.radius, 3.0 * self.scene.radius)
        return shadow_view(np.asarray(bounds.centre), radius, self.options.shadow_resolution)

    def _draw_shadow_map(self) -> None:
        if not self.options.shadows:
            return
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._shadow_target.use()
        self._shadow_target.clear(depth=1.0)
        self._ctx.polygon_offset = 1.5, 2.0
        with clipped(self._ctx, self.section):
            for batch in self._batches.opaque:
                batch.draw(batch.shadow)
        self._ctx.polygon_offset = 0.0, 0.0

    def _draw_background(self) -> None:
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._whole.render(moderngl.TRIANGLES, vertices=3)

    def _draw_floor(self, camera: Camera, theme: Theme, reach: float) -> None:
        """The ground; where the document has none, it only colours the picture and hides nothing."""
        if not self.options.floor:
            return
        floor, program = self.scene.floor, self._programs.floor
        minor, major = self.scene.grid_spacing
        below = camera.eye[2] < floor.z
        gap = 2e-4 * self.scene.radius
        set_uniforms(
            program,
            u_place=(camera.target[0], camera.target[1], floor.z - gap, reach),
            u_floor=(*theme.floor, 0.25 if below else 1.0),
            u_minor=(*theme.grid_minor, minor),
            u_major=(*theme.grid_major, major),
            u_axis_x=theme.axis_x,
            u_axis_y=theme.axis_y,
            u_behind=0.0 if floor.is_ground else 1.0,
        )
        self._ctx.enable_only(moderngl.BLEND | moderngl.DEPTH_TEST)
        self._ctx.polygon_offset = (
            (4.0, 4.0) if floor.is_covered else (0.0, 0.0)
        )  # behind what lies on it, see _draw_opaque
        self._floor.render(moderngl.TRIANGLE_STRIP, vertices=4)
        self._ctx.polygon_offset = 0.0, 0.0

    def _draw_opaque(self) -> None:
        self._shadow_map.use(SHADOW_UNIT)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.polygon_offset = 1.0, 1.0
        with clipped(self._ctx, self.section):
            for batch in self._batches.opaque:
                batch.draw_mesh()
        self._ctx.polygon_offset = 0.0, 0.0

    def _draw_edges_and_translucent(self, camera: Camera) -> None:
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.BLEND)
        with clipped(self._ctx, self.section):
            for batch in self._batches.opaque:
                self._draw_edges(batch)
            for batch in self._batches.translucent(camera.eye):
                self._draw_translucent(batch)

    def _draw_ghosts(self, buffer: moderngl.Framebuffer, link_poses: NDArray[np.float64], view: FrameView) -> None:
        """Behind what is there; nothing hides behind them, and they cannot be picked."""
        if not len(self.ghosts) or self.ghosts.shape[1:] != link_poses.shape:
            return
        buffer.depth_mask = False
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.BLEND | moderngl.CULL_FACE)
        self._ctx.cull_face = "back"
        with clipped(self._ctx, self.section):
            for poses in self.ghosts:
                self._batches.update_ghost(poses, link_poses, GHOST, view)
                for batch in self._batches.all:
                    batch.draw_mesh()
                self._ctx.disable(moderngl.CULL_FACE)
                for batch in self._batches.all:
                    self._draw_edges(batch)
                self._ctx.enable(moderngl.CULL_FACE)
        self._batches.update(link_poses, self._states, view)
        buffer.depth_mask = True

    def _draw_translucent(self, batch: Batch) -> None:
        """First what shows its back, then what faces the eye."""
        self._ctx.enable(moderngl.CULL_FACE)
        for hidden in ("front", "back"):
            self._ctx.cull_face = hidden
            batch.draw_mesh()
        self._ctx.disable(moderngl.CULL_FACE)
        self._draw_edges(batch)

    def _draw_edges(self, batch: Batch) -> None:
        highlighted = bool(np.any(self._states > 0.0))
        edges, outlines = self.options.edges or batch.stands_in, self.options.outlines or batch.stands_in
        if edges:
            set_uniforms(self._programs.edge, u_widths=(EDGE_WIDTH, OUTLINE_WIDTH), u_only_lit=0.0)
            batch.draw_edges(outlines=outlines)
        if highlighted and not (edges and outlines):
            set_uniforms(self._programs.edge, u_widths=(EDGE_WIDTH, OUTLINE_WIDTH), u_only_lit=1.0)
            batch.draw_edges(outlines=True)


class Backdrop:
    """One `picture` of sky and floor, none before it is worth it, and what it was drawn for."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._seen: Hashable = None  # what the frame before was of
        self._kept: Hashable = None  # what the picture is of
        self.picture: moderngl.Framebuffer | None = None

    def lay(self, buffer: moderngl.Framebuffer, size: tuple[int, int], key: Hashable, draw: Callable[[], None]) -> bool:
        """Copy what `draw` draws for `key` into the cleared and bound `buffer` of that size [px]; returns whether that
        was done.

        The first frame of a view is not stored: a turning camera shows each view once, and the floor behind
        parts would be shaded in vain. `buffer` is not multisampled.
        """
        again = key == self._seen
        self._seen = key
        if not again:
            return False
        if self._kept != key or self.picture is None:
            self._prepare(size).use()
            draw()
            self._kept = key
        assert self.picture is not None
        self._ctx.copy_framebuffer(buffer, self.picture)
        buffer.use()
        return True

    def _prepare(self, size: tuple[int, int]) -> moderngl.Framebuffer:
        """The kept picture, of that size."""
        if self.picture is not None and self.picture.size == size:
            return self.picture
        self.release()
        self.picture = self._ctx.framebuffer([self._ctx.texture(size, 4, alignment=ALIGNMENT)])
        return self.picture

    def release(self) -> None:
        """Give everything back to the driver."""
        if self.picture is not None:
            attached = self.picture.color_attachments
            self.picture.release()
            for texture in attached:
                texture.release()
        self.picture = self._kept = self._seen = None


SEGMENT_FLOATS = 11
"""Start (3), end (3), colour (4), width (1)."""


class LineDrawer:
    """Draws polylines that may change with every frame."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._program = programs.line
        self._buffer = ctx.buffer(reserve=256 * SEGMENT_FLOATS * 4, dynamic=True)
        layout = (self._buffer, "3f4 3f4 4f4 1f4/i", "i_start", "i_end", "i_colour", "i_width")
        self._array = ctx.vertex_array(programs.line, [layout])

    def draw(self, target: moderngl.Framebuffer, lines: Sequence[Polyline]) -> None:
        """Draw into the bound `target`: hidden parts faintly first, then the visible ones."""
        lines = [line for line in lines if len(line.points) > 1]
        if not lines:
            return
        target.depth_mask = False
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.BLEND)
        shining = [line for line in lines if line.hidden > 0.0]
        self._ctx.depth_func = ">"
        self._pass(segments(shining, faded=True))
        self._ctx.depth_func = "<="
        self._pass(segments(lines, faded=False))
        target.depth_mask = True

    def _pass(self, data: NDArray[np.float32]) -> None:
        if len(data) == 0:
            return
        if data.nbytes > self._buffer.size:
            self._buffer.orphan(2 * data.nbytes)
        self._buffer.write(data.tobytes())
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=len(data))

    def release(self) -> None:
        """Give everything back to the driver."""
        self._array.release()
        self._buffer.release()


def segments(lines: Sequence[Polyline], *, faded: bool) -> NDArray[np.float32]:
    """The segments of all lines (n, 11); `faded` multiplies the opacity by that of hidden parts."""
    points = np.concatenate([np.zeros((0, 3)), *(line.points for line in lines)]).astype("f4")
    lengths = np.array([len(line.points) for line in lines], dtype=np.intp)
    begins = ~np.isnan(points).any(axis=1)  # nothing begins at the end of a piece, nor where a line is parted
    begins[:-1] &= begins[1:]
    begins[np.cumsum(lengths) - 1] = False
    starts = np.flatnonzero(begins)
    looks = [(*line.colour[:3], line.colour[3] * (line.hidden if faded else 1.0), line.width) for line in lines]
    of_lines = np.array(looks, dtype="f4").reshape(-1, SEGMENT_FLOATS - 6)
    of_points = np.repeat(np.arange(len(lines)), lengths)
    return np.concatenate((points[starts], points[starts + 1], of_lines[of_points[starts]]), axis=1)
