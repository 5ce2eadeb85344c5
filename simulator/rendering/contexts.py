"""OpenGL contexts that somebody else made: how a window hands its own to this room."""

from __future__ import annotations

import moderngl

from simulator.errors import RenderingError


def current_context() -> moderngl.Context:
    """The context that is current in this thread, for a `Renderer`. Raises RenderingError where there is none of OpenGL 3.3."""
    try:
        return moderngl.create_context(require=330)
    except Exception as error:
        raise RenderingError(f"the window has no OpenGL 3.3 context ({error})") from error
