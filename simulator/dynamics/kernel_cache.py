"""Folders of compiled code, one for each version of its sources: those that nobody has used for a while are thrown
away.

A folder's own time tells when it was last used: it is set whenever a program starts to take code from it.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from simulator.dynamics.sealed import UNFINISHED

if TYPE_CHECKING:
    from pathlib import Path

UNUSED_DAYS = 30.0
_STAMP = re.compile("[0-9a-f]{16}")
_THROWN = ".unused"
_OURS = (".nbi", ".nbc", UNFINISHED)
_ABANDONED = 86400.0
"""Seconds after which nobody writes at a file any more."""


def use(folder: Path, now: float) -> None:
    """Mark a folder as used `now` [s, as time.time() has it], so that nobody throws it away. Never raises."""
    with suppress(OSError):
        os.utime(folder, (now, now))


def throw_away_unused(home: Path, now: float) -> None:
    """Throw away the folders of `home` that were not used for `UNUSED_DAYS` before `now`, and files that somebody did
    not finish.

    Never raises: a cache that cannot be tidied is as good as before. Several processes may do this at once, also while
    others load from what is thrown away: a folder gets another name first, in one go, so that they find it whole or not
    at all and compile anew.
    """
    with suppress(OSError):
        for folder in list(home.iterdir()):
            with suppress(OSError):
                _throw_away_if_unused(folder, now - 86400.0 * UNUSED_DAYS)
                _throw_away_unfinished(folder, now - _ABANDONED)


def _throw_away_unfinished(folder: Path, since: float) -> None:
    """Of processes that were ended while they wrote."""
    if _STAMP.fullmatch(folder.name):
        for left in list(folder.rglob(f".*{UNFINISHED}")):
            if left.stat().st_mtime < since:
                left.unlink()


def _throw_away_if_unused(folder: Path, since: float) -> None:
    if folder.name.endswith(_THROWN) and _STAMP.fullmatch(folder.stem):
        shutil.rmtree(folder, ignore_errors=True)  # of a process that was ended meanwhile
    elif _STAMP.fullmatch(folder.name) and folder.stat().st_mtime < since and _holds_compiled_code_only(folder):
        thrown = folder.with_name(folder.name + _THROWN)
        folder.rename(thrown)
        shutil.rmtree(thrown, ignore_errors=True)


def _holds_compiled_code_only(folder: Path) -> bool:
    """Else it is somebody else's, where the user has named the place (NUMBA_CACHE_DIR)."""
    inside = [path for path in folder.rglob("*") if not path.is_dir()]
    return folder.is_dir() and not folder.is_symlink() and all(path.suffix in _OURS for path in inside)
