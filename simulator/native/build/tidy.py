"""What no build has used for a month leaves the cache: functions and libraries of versions that have gone."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

MONTH = 30 * 86400.0
"""Seconds."""


def tidy(home: Path, now: float) -> None:
    """Remove what was written or used more than a month before `now` [s since the epoch], in the folder of libraries
    and in that of functions. What cannot be removed stays."""
    for path in (*home.glob("*"), *home.joinpath("functions").glob("*")):
        with suppress(OSError):
            if now - path.stat().st_mtime > MONTH:
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()
