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
_collections = 0
_has_kept = False


@contextmanager
def collector_paused() -> Iterator[None]:
    """No collections until the last that entered leaves, on any thread; then they are on or off as before the first.

    The collector belongs to the process: one thread that looked whether it is on while another had paused it would
    leave it off for good. What was made counts as old at the end (`freeze` and `unfreeze` move it, without looking), so
    that it is not walked over then either; not after `keep_all`, whose objects would thaw.
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
                if not _has_kept:
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()


def keep_all() -> None:
    """Look through nothing of what is there now until this is called once more: a large document on show is a million
    objects. What an earlier call has set aside and nothing uses any more goes first."""
    global _has_kept  # noqa: PLW0603 (one collector; `gc.get_freeze_count` would count a million objects)
    if _has_kept:
        gc.unfreeze()
        gc.collect()
    _has_kept = True
    gc.freeze()


def let_go() -> None:
    """Look through everything again."""
    global _has_kept  # noqa: PLW0603 (as above)
    _has_kept = False
    gc.unfreeze()


def collect_due() -> None:
    """Collect on this thread, as far as it is time to, where automatic collections are off: young objects when there
    are as many as Python's threshold says, older ones every tenth time, all every hundredth."""
    global _collections  # noqa: PLW0603 (one collector, one count)
    if _within or gc.get_count()[0] <= gc.get_threshold()[0]:
        return
    _collections += 1
    gc.collect(2 if _collections % 100 == 0 else 1 if _collections % 10 == 0 else 0)
