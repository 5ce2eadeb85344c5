"""Builds take turns: who waits for another one's says how far that one is."""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Report = Callable[[str, float], None]

try:
    import fcntl
except ImportError:  # on Windows each build goes by itself
    fcntl = None  # type: ignore[assignment]

EVERY = 0.5
"""Seconds between looks at another build."""


@contextmanager
def taking_turns(folder: Path, report: Report) -> Iterator[Report]:
    """Inside, no other process builds to the same folder. Gives what hears how far it is, which is handed on to
    `report` and to those that wait. Raises OSError where nothing can be written, and ends this process where the one
    that asked for the build has gone."""
    parent, said = os.getppid(), folder / "building.json"
    with (folder / "building.lock").open("w") as lock:
        while fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                _repeat(said, report)
                _leave_with(parent)
                time.sleep(EVERY)

        def tell(part: str, fraction: float) -> None:
            _leave_with(parent)
            said.write_text(json.dumps([part, fraction]))
            report(part, fraction)

        yield tell
        said.unlink(missing_ok=True)


def _repeat(said: Path, report: Report) -> None:
    with suppress(OSError, ValueError):
        part, fraction = json.loads(said.read_text())
        report(part, min(fraction, 0.99))


def _leave_with(parent: int) -> None:
    if os.getppid() != parent:
        import multiprocessing

        for child in multiprocessing.active_children():
            child.kill()
        os._exit(1)
