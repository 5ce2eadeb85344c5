"""The files that a mesh file names: materials, buffers, pictures. trimesh opens none itself, it asks here."""

from __future__ import annotations

import os
import re
import struct
import zlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from simulator.formats.files import Budget, is_regular, read_regular
from simulator.formats.resources import OUTER
from simulator.model.material import Texture

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 80 * 2**20
"""The largest buffer or material file that is read, and the largest picture that is looked at."""
PICTURES = frozenset(
    {".png", ".jpg", ".jpeg", ".tga", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".dds", ".ppm", ".psd"}
)
"""Suffixes of pictures that can be drawn."""
NOT_DRAWN = frozenset({".ktx", ".ktx2", ".basis", ".hdr", ".exr"})
"""Suffixes of pictures that cannot."""
FOLDERS = ("../materials/textures", "../textures", "textures", "../materials/scripts")
"""Where a picture lies that is not where its name says, seen from the folder of what names it; the first of them is
Gazebo's rule (gz-common, `Material::SetTextureImage`)."""
OPTIONS = re.compile(r"(?:-\w+(?:\s+(?:on|off|[-+.\d]+))*\s+)+")
"""What may precede the name of a picture in a material of an OBJ file."""
KEY = "Texture"
"""Key of the text in a stand-in."""


class Neighbours:
    """Files beside `file`, for trimesh: a resolver in its sense.

    For a picture it gets a stand-in, a PNG of one pixel with the number of the texture in it, so that nothing of a
    picture is read before it is drawn; `texture_of` finds the texture again. `unfound` are names of files that could
    not be used, `undrawn` kinds of looks that are not drawn, both in the order in which they were met.
    """

    def __init__(self, file: Path) -> None:
        self.file_name = file.name
        self._folder = file.parent
        self._textures: list[Texture] = []
        self.unfound: dict[str, None] = {}
        self.undrawn: dict[str, None] = {}
        self.read: tuple[int, ...] = ()
        """Sizes of the files that were read [bytes]."""
        self._budget = Budget()

    def get(self, name: str) -> bytes:
        """The content of a file, or a stand-in for a picture. Raises OSError if there is none that may be opened."""
        wanted = PurePosixPath(plain_name(name))
        suffix = wanted.suffix.lower()
        if suffix in NOT_DRAWN:
            self.undrawn[f"{suffix} pictures"] = None
            raise FileNotFoundError(name)
        found = find_beside(name, self._folder, FOLDERS if suffix in PICTURES else ())
        if found is None:
            self.unfound[wanted.name or name] = None
            raise FileNotFoundError(name)
        if suffix not in PICTURES:
            data = read_regular(found, MAX_BYTES, self._budget)
            self.read = (*self.read, len(data))
            return data
        return self.placeholder(Texture(wanted.name, path=str(found)))

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def placeholder(self, texture: Texture) -> bytes:
        """What trimesh gets instead of a picture."""
        self._textures.append(texture)
        return _png_with_text(str(len(self._textures) - 1))

    def texture_of(self, image: object) -> Texture | None:
        """The texture that an image, which trimesh opened, stands for."""
        number = getattr(image, "info", {}).get(KEY, "")
        return self._textures[int(number)] if number else None


def changed(file: Path) -> int:
    """A number that is another one when a mesh file has changed, or what it may name: its materials, the folders of its
    pictures."""
    places = (file, file.with_suffix(".mtl"), file.parent, *(file.parent / place for place in FOLDERS))
    times = []
    for place in places:
        try:
            times.append(os.stat(place).st_mtime_ns)
        except (OSError, ValueError):
            times.append(0)
    return hash(tuple(times))


def plain_name(name: str) -> str:
    """A file's name without the options, scheme, escapes and backslashes that exporters write."""
    options = OPTIONS.match(name.strip())
    bare = name.strip()[options.end() if options else 0 :]
    return unquote(bare.removeprefix("file://")).replace("\\", "/")


def find_beside(name: str, folder: Path, folders: tuple[str, ...] = ()) -> Path | None:
    """The regular file that `name` means, seen from `folder`; else one of the same last name there or in `folders`.

    A name may climb as far as a document's packages are looked for, and no further; an absolute one is a path of
    another machine.
    """
    wanted = PurePosixPath(plain_name(name))
    candidates = [] if wanted.is_absolute() or _height(wanted) > OUTER else [folder / wanted]
    candidates += [folder / place / wanted.name for place in (".", *folders)]
    return next((path for path in candidates if wanted.name and is_regular(path, MAX_BYTES)), None)


def _height(path: PurePosixPath) -> int:
    """How many folders a relative path climbs above its start."""
    depth = height = 0
    for part in path.parts:
        depth += -1 if part == ".." else 1
        height = max(height, -depth)
    return height


def _png_with_text(text: str) -> bytes:
    """A grey pixel that carries a text (PNG 1.2, section 4)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"tEXt", f"{KEY}\0{text}".encode("latin-1"))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")
