"""Python's cycle collector, held back while much is made that stays."""

from __future__ import annotations

import gc
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_lock = threading.Lock()
_within = 0
_was_enabled = False


@contextmanager
def collector_paused() -> Iterator[None]:
    """No collections until the last that entered leaves, on any thread; then they are on or off as before the first.

    The collector belongs to the process: one thread that looked whether it is on while another had paused it would
    leave it off for good. What was made counts as old at the end (`freeze` and `unfreeze` move it, without looking), so
    that it is not walked over then either; not where the program has frozen objects of its own, which would thaw.
    """
    global _within, _was_enabled  # noqa: PLW0603 (one collector, one count)
    with _lock:
        if not _within:
            _was_enabled = gc.isenabled()
            gc.disable()
        _within += 1
    try:
        yield
    finally:
        with _lock:
            _within -= 1
            if not _within and _was_enabled:
                if not gc.get_freeze_count():
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()


def collect_due() -> None:
    """Collect on this thread what an automatic collection would look through now, where automatic ones are off."""
    if _within:
        return
    for generation in (2, 1, 0):
        if gc.get_count()[generation] > gc.get_threshold()[generation] > 0:
            gc.collect(generation)
            return
