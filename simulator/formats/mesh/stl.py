"""STL files → triangles, binary and ASCII.

What distinguishes them is the length that a binary file must have, and the zeros in the number of its triangles: many a
binary file begins with `solid`, as only ASCII ones should.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEADER = 84
"""Bytes of a binary file before its triangles: 80 of free text, and their number as a little-endian uint32."""
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""A triangle of a binary file."""
_NAME = re.compile(rb"solid[^\r\n]*")
_VERTEX = re.compile(rb"vertex\s([^\r\n]*)")


def read_stl(data: bytes) -> NDArray[np.float64]:
    """The corners of the triangles of an STL file, shape (n, 3, 3), in its own unit. Raises ValueError that says what
    is wrong.

    Names of solids may be in any encoding; all solids of an ASCII file are taken together.
    """
    count = int.from_bytes(data[HEADER - 4 : HEADER], "little") if len(data) >= HEADER else 0
    needed = HEADER + count * RECORD.itemsize
    if data.lstrip()[:5].lower() == b"solid" and len(data) != needed and b"\0" not in data[:HEADER]:
        return _ascii(data)
    if len(data) < HEADER:
        raise ValueError("it is neither a binary STL file, which has 84 bytes before its triangles, nor one in ASCII")
    if len(data) < needed:
        whole = (len(data) - HEADER) // RECORD.itemsize
        raise ValueError(f"it is cut off, or no STL file: it announces {count} triangles and holds {whole}")
    return np.frombuffer(data, RECORD, count, HEADER)["corners"].astype(np.float64)


def stl_bytes(corners: NDArray[np.float64], title: str) -> bytes:
    """A binary STL file of triangles (n, 3, 3); those without an area are left out."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    kept = lengths > 0.0
    data = np.zeros(int(kept.sum()), dtype=RECORD)
    data["normal"] = normals[kept] / lengths[kept, None] + 0.0  # turns -0 into 0
    data["corners"] = corners[kept] + 0.0
    head = title.encode("ascii", errors="replace").ljust(80)[:80]
    return head + len(data).to_bytes(4, "little") + data.tobytes()


def _ascii(data: bytes) -> NDArray[np.float64]:
    text = _NAME.sub(b"", data.lower())
    numbers = b" ".join(_VERTEX.findall(text)).split()
    whole = text.count(b"endfacet")
    if text.count(b"facet") != 2 * whole or len(numbers) != 9 * whole:
        raise ValueError(f"it is cut off, or holds other things than triangles: {whole} of them are whole")
    return np.array(numbers, dtype=np.float64).reshape(-1, 3, 3)
