"""Names of mesh files that are still right in the folder of the written document."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.formats.resources import Resources
    from simulator.model.shape import Mesh


@dataclass(frozen=True)
class Uris:
    """`folder`: where the result will be saved. `resources`: where its reader will look for files."""

    folder: Path
    resources: Resources

    def of_mesh(self, mesh: Mesh) -> str:
        """The mesh's URI as written where it finds the same file from `folder`, else a relative or absolute path."""
        return self.of_file(mesh.uri, mesh.path)

    def of_file(self, uri: str, path: str) -> str:
        """As `of_mesh`, for a URI and the file that it was found at ("": nowhere; such a URI stays as it is)."""
        if not path:
            return uri
        file = Path(os.path.abspath(path))
        candidates = (uri, Path(os.path.relpath(file, self.folder)).as_posix())
        return next((text for text in candidates if self._finds(text, file)), str(file))

    def _finds(self, text: str, file: Path) -> bool:
        found = self.resources.find(text, self.folder)
        try:
            return found is not None and found.samefile(file)
        except OSError:
            return False
