"""The common part of OpenGL widgets: the renderer, picking, and the fallback when a driver
fails. An exception in here must not end the program."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, pyqtSignal
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QWidget

from simulator.errors import RenderingError
from simulator.gui.viewport.painter_view import colour_of
from simulator.gui.viewport.state import ViewState
from simulator.rendering.contexts import current_context
from simulator.rendering.options import RenderOptions

if TYPE_CHECKING:
    from simulator.rendering.contexts import Context
    from simulator.rendering.readable_frame import Framebuffer
    from simulator.rendering.renderer import Renderer
    from simulator.rendering.scene import Hit

    class _Widget(QWidget):
        failed = pyqtSignal(str)
        ready = pyqtSignal(str, bool)

else:
    _Widget = object  # Qt finds signals only in the first of several classes


class GLDrawing(_Widget):
    """Draws the state with OpenGL, in a widget with two signals: `failed` is emitted once, with the reason, when OpenGL
    cannot do it; `ready` says what draws, and whether with shadows."""

    def _begin(self, state: ViewState) -> None:
        self._state = state
        self._renderer: Renderer | None = None
        self._shadows: bool | None = None
        self._broken = False
        self.setAccessibleName(self.tr("3-D view of the mechanism"))
        self.setMinimumSize(200, 150)

    @property
    def renderer_name(self) -> str:
        """What draws, in OpenGL's words."""
        return str(self._renderer.context.info.get("GL_RENDERER", "")) if self._renderer is not None else ""

    @abstractmethod
    def _take_context(self) -> bool:
        """Make the context of this widget current; whether that could be done."""

    @abstractmethod
    def _leave_context(self) -> None: ...

    def _drawing_context(self) -> Context:
        """How the current context is drawn with."""
        return current_context()

    @abstractmethod
    def _target(self, renderer: Renderer, size: tuple[int, int]) -> Framebuffer:
        """What is drawn into, of that size [device px]."""

    def scene_changed(self) -> None:
        """The state has another scene."""
        if self._renderer is not None and self._state.scene is not None:
            with self._context():
                self._renderer.set_scene(self._state.scene)
        self.update()

    def pick(self, at: QPointF) -> str | None:
        """The link seen at a point of the widget in the last frame."""
        hit = self.hit(at)
        return hit.link if hit is not None else None

    def hit(self, at: QPointF) -> Hit | None:
        """That link, and the point of it that is seen [m]."""
        if self._renderer is None or self._broken:
            return None
        ratio = self.devicePixelRatioF()
        with self._context() as current:
            try:
                return self._renderer.hit(at.x() * ratio, at.y() * ratio) if current else None
            except Exception as error:
                self._fail(error)
        return None

    def picture(self, state: ViewState, size: tuple[int, int], ratio: float) -> QImage:
        """What a state looks like at a size [px] of which `ratio` make one pixel of line width, without labels.

        Raises RenderingError where OpenGL cannot do that.
        """
        from simulator.rendering.readable_frame import ReadableFrame

        image = QImage(*size, QImage.Format.Format_RGB32)
        image.fill(colour_of(state.theme.floor))
        if state.scene is None or self._broken:
            return image
        with self._context():
            try:
                renderer = self._ready_renderer()
                frame = ReadableFrame(renderer.context)
                try:
                    self._draw_state(renderer, frame.target(size), size, state, ratio)
                    frame.read()
                finally:
                    frame.release()
            except Exception as error:  # whatever a driver does
                raise RenderingError(f"a picture of {size[0]} x {size[1]} pixels cannot be drawn: {error}") from error
        self.update()
        pixels = frame.picture
        return QImage(pixels.data, *size, 4 * size[0], QImage.Format.Format_RGBX8888).convertToFormat(image.format())

    def draw_frame(self) -> None:
        """Draw the state; the context is current."""
        if self._broken or self._state.scene is None:
            return
        try:
            self._draw()
        except Exception as error:
            self._fail(error)

    @contextmanager
    def _context(self) -> Iterator[bool]:
        current = self._take_context()
        try:
            yield current
        finally:
            self._leave_context()

    def _draw(self) -> None:
        renderer = self._ready_renderer()
        state = self._state
        ratio = self.devicePixelRatioF()
        size = round(self.width() * ratio), round(self.height() * ratio)
        self._draw_state(renderer, self._target(renderer, size), size, state, ratio)

    @staticmethod
    def _draw_state(
        renderer: Renderer, target: Framebuffer, size: tuple[int, int], state: ViewState, ratio: float
    ) -> None:
        if renderer.options.floor != state.grid:
            renderer.options = replace(renderer.options, floor=state.grid)
        renderer.ghosts, renderer.section = state.ghosts, state.section
        renderer.highlight(state.selected, state.hovered)
        renderer.draw(target, *size, state.camera, state.poses, state.theme, state.lines, ratio)

    def _ready_renderer(self) -> Renderer:
        from simulator.rendering.renderer import Renderer

        state = self._state
        assert state.scene is not None
        if self._renderer is not None and self._shadows == state.shadows:
            return self._renderer
        context = self._drawing_context() if self._renderer is None else self._renderer.context
        if self._renderer is not None:
            self._renderer.release()
        options = RenderOptions.automatic(context)
        if state.shadows is not None:
            options = RenderOptions() if state.shadows else RenderOptions.fast()
        self._renderer = Renderer(context, state.scene, options)
        self._shadows = state.shadows
        self.ready.emit(self.renderer_name, options.shadows)
        return self._renderer

    def _fail(self, error: Exception) -> None:
        self._broken = True
        self.failed.emit(f"{type(error).__name__}: {error}")
