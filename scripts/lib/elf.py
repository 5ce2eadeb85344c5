"""What is read of ELF files (System V ABI, chapters 4 and 5; 64 bits, little-endian): what one is linked to, where what
is loaded ends."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

MAGIC = b"\x7fELF\x02\x01"
HEADER = 64
PT_LOAD, PT_DYNAMIC = 1, 2
DT_NULL, DT_NEEDED, DT_STRTAB = 0, 1, 5


class Segment(NamedTuple):
    """A row of the program header: what is loaded from where in the file to which address."""

    kind: int
    offset: int
    address: int
    size: int


def is_elf(content: bytes) -> bool:
    """Whether these are the first bytes of such a file."""
    return content[: len(MAGIC)] == MAGIC and len(content) >= HEADER


def segments(content: bytes) -> list[Segment]:
    """The rows of the program header."""
    start, size, count = *struct.unpack_from("<Q", content, 32), *struct.unpack_from("<HH", content, 54)
    rows = [struct.unpack_from("<IIQQQQ", content, start + size * index) for index in range(count)]
    return [Segment(kind, offset, address, length) for kind, _, offset, address, _, length in rows]


def needed(path: Path) -> set[str]:
    """The names of the libraries that a library or plugin is linked to; nothing for other files."""
    with path.open("rb") as file:
        if not is_elf(file.read(HEADER)):
            return set()
    content = path.read_bytes()
    rows = segments(content)
    entries = [
        entry
        for row in rows
        if row.kind == PT_DYNAMIC
        for entry in struct.iter_unpack("<qQ", content[row.offset : row.offset + row.size // 16 * 16])
    ]
    names = next((_offset(rows, value) for tag, value in entries if tag == DT_STRTAB), 0)
    starts = [names + value for tag, value in entries if tag == DT_NEEDED]
    return {content[start : content.index(b"\0", start)].decode() for start in starts}


def loaded_part(content: bytes) -> bytes:
    """The file up to the end of what is loaded into memory: without debug information, symbols for debuggers and the
    table of sections, none of which the dynamic loader reads."""
    end = max(row.offset + row.size for row in segments(content))
    header = bytearray(content[:HEADER])
    struct.pack_into("<Q", header, 40, 0)  # e_shoff: there is no table of sections
    struct.pack_into("<HHH", header, 58, 64, 0, 0)  # e_shentsize, e_shnum, e_shstrndx
    return bytes(header) + content[HEADER:end]


def _offset(rows: list[Segment], address: int) -> int:
    for row in rows:
        if row.kind == PT_LOAD and row.address <= address < row.address + row.size:
            return address - row.address + row.offset
    raise ValueError(f"address {address:#x} is in no segment")
