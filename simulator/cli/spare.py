"""The process of the physics, started before this process loads what a window needs."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simulator.session.run.physics_process import Spare

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def spare_process() -> Iterator[Spare | None]:
    """A process that waits for a document, and ends with this one; None where there is no screen for a window."""
    spare = Spare() if has_window_system() else None
    try:
        yield spare
    finally:
        if spare is not None:
            spare.close()


def has_window_system() -> bool:
    """Whether a window can be shown, as far as the surroundings say."""
    if sys.platform in ("darwin", "win32"):
        return True  # a desktop of their own
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
