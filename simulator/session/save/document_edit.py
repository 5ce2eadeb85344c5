"""Reversible changes of a document's files: their contents before and after."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.files import read_regular
from simulator.records import dataclass
from simulator.session.open.examples import shared_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>)*<([\w.:-]+)", re.DOTALL)
"""What is before the root element, and the name of that."""
LARGEST = 64_000_000
"""Larger files are not changed [bytes]."""


@dataclass(frozen=True)
class DocumentEdit:
    """Contents of files `before` and `after` [bytes by path]."""

    before: Mapping[Path, bytes]
    after: Mapping[Path, bytes]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are changed."""
        return tuple(self.after)

    def take_back(self) -> None:
        """Restore the contents before. Raises UsageError if the files have been changed since, or cannot be
        written; they are then as they were."""
        exchange(self.after, self.before)

    def make_again(self) -> None:
        """The same in the other direction, with the same errors."""
        exchange(self.before, self.after)


def read_files(paths: tuple[Path, ...]) -> dict[Path, bytes]:
    """Contents of files. Raises UsageError for files that cannot be read."""
    try:
        return {path: read_regular(path, LARGEST) for path in paths}
    except OSError as error:
        raise UsageError(f"the document cannot be changed: {error}") from error


def is_urdf(file: Path) -> bool:
    """Whether a file is a URDF, by its root element: its name may end in anything. False for what cannot be read."""
    try:
        found = ROOT.match(read_regular(file, LARGEST))
    except OSError:
        return False
    return found is not None and found[1] == b"robot"


def is_ours(path: Path) -> bool:
    """Whether a file came with the program: all users share it."""
    folders = [folder.resolve() for name in ("worlds", "lessons") if (folder := shared_folder(name)) is not None]
    return any(path.resolve().is_relative_to(folder) for folder in folders)


def exchange(expected: Mapping[Path, bytes], wanted: Mapping[Path, bytes]) -> None:
    """Write `wanted` into files that contain `expected`. Raises UsageError if they contain something else, came
    with the program or cannot be written; nothing has changed then."""
    own = next((path for path in wanted if is_ours(path)), None)
    if own is not None:
        raise UsageError(f"{own.name} comes with the program; File ▸ Save document as… writes a copy with the changes")
    now = read_files(tuple(expected))
    changed = [path for path, content in expected.items() if now[path] != content]
    if changed:
        raise UsageError(f"{changed[0].name} has changed on disk since it was read; it is not overwritten")
    written: dict[Path, bytes] = {}
    try:
        for path, content in wanted.items():
            _write(path, content)
            written[path] = content
    except OSError as error:
        for path in written:
            _write(path, now[path])
        raise UsageError(f"the document cannot be written: {error}") from error


def _write(path: Path, content: bytes) -> None:
    """Atomically; a link stays a link."""
    target = path.resolve()
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        unfinished.write_bytes(content)
        unfinished.chmod(target.stat().st_mode)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
