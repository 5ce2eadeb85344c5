"""Files beside a draft: meshes that are generated, and names of files from the folder of the document."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.building.meshes import MeshData
from simulator.formats.resources import Resources
from simulator.formats.writing.uris import Uris
from simulator.model.shape import Mesh

if TYPE_CHECKING:
    from simulator.model.shape import Shape

FOLDER = "meshes"
"""Folder of generated meshes, beside the document."""


class DraftFiles:
    """`folder`: of the document, the working directory as long as it is not saved. Generated meshes are in a folder of
    their own until then; their names hold a checksum, so that a file of the same name is the same."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: dict[str, bytes] = {}
        self._temporary: Path | None = None

    @property
    def uris(self) -> Uris:
        """Names of files, as the document writes them."""
        return Uris(self.folder, Resources.of())

    @property
    def places(self) -> tuple[Path, ...]:
        """Folders in which the files of the document are found before it is saved."""
        return (self.folder,) if self._temporary is None else (self._temporary, self.folder)

    def shape(self, shape: Shape | MeshData) -> Shape:
        """A shape of the model; a generated mesh gets its file."""
        if not isinstance(shape, MeshData):
            return shape
        data = shape.stl()
        name = f"{shape.name}-{hashlib.sha256(data).hexdigest()[:8]}.stl"
        uri = f"{FOLDER}/{name}"
        if uri not in self.made:
            self.made[uri] = data
            _write(self._folder() / uri, data)
        return Mesh(uri, "")

    def adopt(self, other: DraftFiles) -> None:
        """Take the generated meshes of another draft, too."""
        for uri, data in other.made.items():
            self.made[uri] = data
            _write(self._folder() / uri, data)

    def save(self, folder: Path) -> None:
        """Write the generated meshes beside the document in `folder`."""
        for uri, data in self.made.items():
            _write(folder / uri, data)

    def _folder(self) -> Path:
        if self._temporary is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="simulator-draft-"))
            atexit.register(shutil.rmtree, self._temporary, ignore_errors=True)
        return self._temporary


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
