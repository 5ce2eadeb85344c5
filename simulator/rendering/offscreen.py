"""Pictures without a window: a context of its own through EGL, which needs no display."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import RenderingError
from simulator.rendering.camera import Camera
from simulator.rendering.contexts import opengl_is_missing
from simulator.rendering.options import RenderOptions
from simulator.rendering.overlays import Polyline
from simulator.rendering.scene import Scene
from simulator.rendering.theme import LIGHT, Theme

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray

    from simulator.rendering.renderer import Renderer

NO_CONTEXT = (
    "No OpenGL 3.3 context could be made, so no picture can be drawn ({reason}). "
    "On Debian and Ubuntu `apt install libegl1 libgl1 libgl1-mesa-dri` brings a software renderer."
)


class PictureMaker:
    """Draws many pictures of one scene with one context; a context manager, or call `close`."""

    def __init__(self, scene: Scene, options: RenderOptions | None = None) -> None:
        from simulator.rendering.renderer import Renderer

        self._ctx = _standalone_context()
        try:
            self.renderer = Renderer(self._ctx, scene, options or RenderOptions.best())
        except BaseException:
            _give_back(self._ctx)
            raise

    def picture(
        self,
        link_poses: NDArray[np.float64],
        *,
        size: tuple[int, int],
        camera: Camera | None = None,
        theme: Theme = LIGHT,
        overlays: Sequence[Polyline] = (),
        pixel_ratio: float = 1.0,
    ) -> NDArray[np.uint8]:
        """A picture (height, width, 3); see `render_picture`."""
        return read_picture(
            self.renderer, link_poses, size=size, camera=camera, theme=theme, overlays=overlays, pixel_ratio=pixel_ratio
        )

    def close(self) -> None:
        """Give the context back."""
        self.renderer.release()
        _give_back(self._ctx)

    def __enter__(self) -> PictureMaker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def render_picture(
    scene: Scene,
    link_poses: NDArray[np.float64] | None = None,
    *,
    size: tuple[int, int] = (1280, 720),
    camera: Camera | None = None,
    theme: Theme = LIGHT,
    options: RenderOptions | None = None,
    overlays: Sequence[Polyline] = (),
    selected: Collection[str] = (),
) -> NDArray[np.uint8]:
    """A picture (height, width, 3) of a scene, first row on top; `size` is (width, height) [px].

    Without `link_poses` the links are where the document puts them; without a `camera` the whole is seen from a good
    side. Where moderngl is not installed, it is painted (`painted`), without `options` and `overlays`. Raises
    RenderingError if no context can be made.
    """
    poses = scene.initial_link_poses() if link_poses is None else link_poses
    if opengl_is_missing():
        from simulator.rendering.painted import paint_picture

        camera = camera or fitted_camera(scene, poses, size[0] / max(size[1], 1))
        return paint_picture(scene, poses, size=size, camera=camera, theme=theme, selected=selected)
    with PictureMaker(scene, options) as maker:
        maker.renderer.highlight(selected)
        return maker.picture(poses, size=size, camera=camera, theme=theme, overlays=overlays)


def read_picture(
    renderer: Renderer,
    link_poses: NDArray[np.float64],
    *,
    size: tuple[int, int],
    camera: Camera | None = None,
    theme: Theme = LIGHT,
    overlays: Sequence[Polyline] = (),
    pixel_ratio: float = 1.0,
) -> NDArray[np.uint8]:
    """A picture (height, width, 3) with a renderer whose context is current, in a buffer of its own."""
    from simulator.rendering.programs import ALIGNMENT

    width, height = size
    if width < 1 or height < 1:
        raise RenderingError(f"a picture of {width} x {height} pixels cannot be drawn")
    camera = camera or fitted_camera(renderer.scene, link_poses, width / height)
    ctx = renderer.context
    colour = ctx.renderbuffer(size, 4)
    depth = ctx.depth_renderbuffer(size)
    target = ctx.framebuffer([colour], depth)
    try:
        renderer.draw(target, width, height, camera, link_poses, theme, overlays, pixel_ratio)
        data = target.read(components=4, alignment=ALIGNMENT)
    finally:
        for resource in (target, colour, depth):
            resource.release()
    return np.array(np.frombuffer(data, dtype=np.uint8).reshape(height, width, 4)[::-1, :, :3])


def fitted_camera(scene: Scene, link_poses: NDArray[np.float64], aspect: float, view: str = "iso") -> Camera:
    """A camera that sees the whole scene from a standard view (a key of `camera.STANDARD_VIEWS`)."""
    return camera_for(scene, [link_poses], aspect, view)


def camera_for(scene: Scene, link_poses: Sequence[NDArray[np.float64]], aspect: float, view: str = "iso") -> Camera:
    """As `fitted_camera`, for a scene that is shown in several poses of its links one after the other."""
    points = np.concatenate([scene.corner_points(poses) for poses in link_poses])
    camera = Camera(target=scene.start_bounds.centre, distance=4.0 * scene.radius).with_view(view)
    return camera.fit(points[np.isfinite(points).all(axis=1)], aspect)


def write_png(path: str | Path, pixels: NDArray[np.uint8]) -> None:
    """Write a picture (height, width, 3 or 4) as a PNG file, whole or not at all. Raises RenderingError."""
    from PIL import Image

    path = Path(path)
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".png", delete=False) as file:
            temporary = file.name
            Image.fromarray(pixels).save(file, format="PNG", optimize=True)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except (OSError, ValueError, TypeError) as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise RenderingError(f"the picture {path} cannot be written: {error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _standalone_context() -> moderngl.Context:
    import moderngl

    try:
        backend = {"backend": "egl"} if sys.platform == "linux" else {}  # which alone needs no display; others have one
        return moderngl.create_context(standalone=True, require=330, **backend)  # type: ignore[arg-type]  # wrong stub
    except Exception as error:  # the backend raises bare Exceptions
        raise RenderingError(NO_CONTEXT.format(reason=error)) from error


def _give_back(context: moderngl.Context) -> None:
    """Destroy a context of our own, made not current before: destroyed alone it would stay current in this thread, and
    none of a window could become so (libglvnd lets a thread have a context of EGL or of GLX, not of both)."""
    with context:
        pass
    context.release()
