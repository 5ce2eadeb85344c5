"""glTF files without their pictures: what is embedded is taken out, so that it is not decoded before it is drawn."""

from __future__ import annotations

import base64
import json
import struct
from typing import TYPE_CHECKING, Any, TypeAlias

from simulator.model.material import Texture

if TYPE_CHECKING:
    from simulator.formats.mesh.neighbours import Neighbours

Header: TypeAlias = "dict[str, Any]"
"""The JSON of a file, whatever it holds: what is broken in it raises KeyError, TypeError or IndexError where it is
used."""

GLB_MAGIC = 0x46546C67
JSON_CHUNK = 0x4E4F534A


def without_pictures(data: bytes, name: str, neighbours: Neighbours) -> bytes:
    """The same glTF 2.0 (text or GLB) with a stand-in for each embedded picture; `name` is that of the file.

    Bytes that are not glTF come back as they are: the reader reports what is wrong.
    """
    try:
        header, rest = _split(data)
    except (ValueError, struct.error, RecursionError):
        return data
    if not isinstance(header, dict) or not isinstance(pictures := header.get("images"), list):
        return data
    _note_undrawn(header, neighbours)
    header["images"] = [
        _placeholder(item, f"picture {i} of {name}", header, rest, neighbours) for i, item in enumerate(pictures)
    ]
    text = json.dumps(header).encode()
    if rest is None:
        return text
    text += b" " * (-len(text) % 4)
    chunk = struct.pack("<II", len(text), JSON_CHUNK) + text
    return struct.pack("<III", GLB_MAGIC, 2, 12 + len(chunk) + len(rest)) + chunk + rest


def _split(data: bytes) -> tuple[object, bytes | None]:
    """The JSON, and of a GLB the chunks behind it."""
    if len(data) < 20 or struct.unpack_from("<I", data)[0] != GLB_MAGIC:
        return json.loads(data), None
    length, _ = struct.unpack_from("<II", data, 12)
    return json.loads(data[20 : 20 + length]), data[20 + length :]


def _note_undrawn(header: Header, neighbours: Neighbours) -> None:
    if "KHR_texture_transform" in (header.get("extensionsUsed") or ()):
        neighbours.undrawn["texture transforms"] = None
    textures = header.get("textures")
    for texture in textures if isinstance(textures, list) else ():
        if "source" not in texture and "KHR_texture_basisu" in texture.get("extensions", ()):
            neighbours.undrawn[".ktx2 pictures"] = None


def _placeholder(item: object, name: str, header: Header, rest: bytes | None, neighbours: Neighbours) -> object:
    """What replaces an entry of `images`: a file beside stays one, bytes become a stand-in, and what is broken is
    nothing."""
    if not isinstance(item, dict) or item.get("mimeType") == "image/ktx2":
        return {}
    uri = item.get("uri")
    if isinstance(uri, str) and not uri.startswith("data:"):
        return item
    try:
        picture = _of_data_uri(uri) if isinstance(uri, str) else _of_view(item["bufferView"], header, rest, neighbours)
    except (KeyError, IndexError, TypeError, ValueError, OSError):
        return {}
    encoded = base64.b64encode(neighbours.placeholder(Texture(name, data=picture))).decode()
    return {"uri": f"data:image/png;base64,{encoded}"}


def _of_data_uri(uri: str) -> bytes:
    return base64.b64decode(uri.partition("base64,")[2])


def _of_view(number: int, header: Header, rest: bytes | None, neighbours: Neighbours) -> bytes:
    """A part of a buffer: of the binary chunk of a GLB, of a file beside, or written in the JSON."""
    view = header["bufferViews"][number]
    uri = header["buffers"][view["buffer"]].get("uri")
    if uri is None:
        buffer = b"" if rest is None else memoryview(rest)[8:]
    else:
        buffer = _of_data_uri(uri) if uri.startswith("data:") else neighbours.get(uri)
    start = max(0, int(view.get("byteOffset", 0)))
    return bytes(buffer[start : start + max(0, int(view["byteLength"]))])
