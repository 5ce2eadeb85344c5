"""Where files named by URIs are looked up."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Sequence

ENVIRONMENT = ("SDF_PATH", "GZ_SIM_RESOURCE_PATH", "ROS_PACKAGE_PATH")
"""Environment variables that hold folders, separated as in PATH."""


@dataclass(frozen=True)
class Resources:
    """Folders for `model://`, `package://` and relative URIs, searched in order after the document's own folder."""

    folders: tuple[Path, ...] = ()

    @staticmethod
    def of(folders: Sequence[Path] = ()) -> Resources:
        """The given folders, then those of the environment."""
        found = [Path(folder) for folder in folders]
        for variable in ENVIRONMENT:
            found += [Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part]
        return Resources(tuple(found))

    def find(self, uri: str, beside: Path) -> Path | None:
        """The file or folder that `uri` names; `beside` is the folder of the document that names it. None: not found."""
        scheme, separator, rest = uri.strip().partition("://")
        if not separator:
            scheme, rest = "", uri.strip()
        if scheme in ("http", "https") or not rest or "\0" in rest:
            return None
        for candidate in self._candidates(unquote(rest) if scheme else rest, scheme, beside):
            try:
                if candidate.exists():
                    return candidate
            except OSError:
                continue
        return None

    def searched(self, beside: Path) -> str:
        """The folders, for a message."""
        return ", ".join(str(folder) for folder in (beside, *self.folders))

    def _candidates(self, name: str, scheme: str, beside: Path) -> list[Path]:
        if Path(name).is_absolute():
            return [Path(name)]
        roots = [beside]
        if scheme in ("model", "package"):
            roots += [beside.parent, *beside.parents[1:3]]
        return [root / name for root in (*roots, *self.folders)]
