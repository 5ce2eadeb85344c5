"""Builds take turns. A build that waits reports the progress of the one at work."""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Report = Callable[[str, int], None]
    """Takes a part, and how much of it is done [%]."""

try:
    import fcntl
except ImportError:  # on Windows each build goes by itself
    fcntl = None  # type: ignore[assignment]

EVERY = 0.5
"""Seconds between looks at another build."""


@contextmanager
def taking_turns(folder: Path, report: Report) -> Iterator[Callable[[str, float], None]]:
    """Inside, no other process builds to the same folder. Gives what takes a part and how much of it is done, from 0 to
    1; each percent goes once to `report` and to those that wait. Raises OSError where nothing can be written, and ends
    this process where the one that asked for the build has gone."""
    parent = os.getppid()
    said = folder / "building.json"
    last = dict[str, int]()

    def report_once(part: str, percent: int) -> bool:
        is_new = last.get(part) != percent
        if is_new:
            last[part] = percent
            report(part, percent)
        return is_new

    with (folder / "building.lock").open("w") as lock:
        while fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                with suppress(OSError, ValueError):
                    part, percent = json.loads(said.read_text())
                    report_once(part, min(percent, 99))
                _leave_with(parent)
                time.sleep(EVERY)

        def tell(part: str, fraction: float) -> None:
            _leave_with(parent)
            percent = int(100 * fraction)
            if report_once(part, percent):
                said.write_text(json.dumps([part, percent]))

        yield tell
        said.unlink(missing_ok=True)


def _leave_with(parent: int) -> None:
    if os.getppid() != parent:
        import multiprocessing

        for child in multiprocessing.active_children():
            child.kill()
        os._exit(1)
