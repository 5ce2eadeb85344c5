"""OpenGL contexts made elsewhere: how a window lends its own to the renderer; and whether there is OpenGL for Python at
all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import RenderingError

if TYPE_CHECKING:
    import moderngl

    Context = moderngl.Context

WITHOUT_OPENGL = "moderngl is not installed: drawn without OpenGL, so without shadows and textures"


def opengl_is_missing() -> bool:
    """Whether moderngl cannot be loaded; it has no wheel for Linux on ARM."""
    try:
        import moderngl  # noqa: F401  # whether it can be loaded is the question
    except ImportError:
        return True
    return False


def current_context() -> moderngl.Context:
    """The context that is current in this thread, for a `Renderer`. Raises RenderingError if there is none of OpenGL
    3.3."""
    import moderngl

    try:
        return moderngl.create_context(require=330)
    except Exception as error:
        raise RenderingError(f"the window has no OpenGL 3.3 context ({error})") from error
