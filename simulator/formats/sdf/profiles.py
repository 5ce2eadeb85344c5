"""Profiles in attributes of our own elements: a number, a generator or a CSV file beside the document."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.formats.profile_text import parse_profile
from simulator.model.profiles import Table

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor
    from simulator.model.profiles import Profile


def read_profile(cursor: Cursor, text: str, *, expressions: bool = False) -> Profile:
    """The profile that `text` means; a file is looked for beside the document and counts as one of its files.
    `expressions`: see `parse_profile`. Raises UsageError."""
    folder = Path(cursor.source.file).parent
    profile = parse_profile(text, folder, expressions=expressions)
    if isinstance(profile, Table):
        cursor.reading.files[str(folder / profile.source.partition("#")[0])] = None
    return profile
