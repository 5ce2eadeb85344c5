"""Which functions a shared library of any system shows and needs, read from its own tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Symbols:
    """Names of functions that a library shows, and of those that it needs, from the `libraries` that it names."""

    shown: set[str] = field(default_factory=set)
    needed: set[str] = field(default_factory=set)
    libraries: set[str] = field(default_factory=set)


def symbols_of(path: Path) -> Symbols:
    """ELF, Mach-O or PE, of 64 bits, least significant byte first."""
    data = path.read_bytes()
    read = {b"\x7fELF": _elf, b"\xcf\xfa\xed\xfe": _mach_o}.get(data[:4], _portable_executable)
    return read(data)


def _number(data: bytes, at: int, size: int = 4) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(0, at)].decode()


def _elf(data: bytes) -> Symbols:
    """The section .dynsym (System V ABI, "Symbol Table") and the libraries of .dynamic."""
    found = Symbols()
    table, size, count = _number(data, 0x28, 8), _number(data, 0x3A, 2), _number(data, 0x3C, 2)
    sections = [table + size * k for k in range(count)]

    def entries(kind: int, width: int) -> tuple[range, int]:
        """Where the entries of a section of this kind are, and the names that it refers to."""
        section = next(at for at in sections if _number(data, at + 4) == kind)
        start, length = _number(data, section + 24, 8), _number(data, section + 32, 8)
        names = sections[_number(data, section + 40)]
        return range(start, start + length, width), _number(data, names + 24, 8)

    places, names = entries(11, 24)  # SHT_DYNSYM
    for at in [*places][1:]:
        is_shown = _number(data, at + 6, 2) != 0
        (found.shown if is_shown else found.needed).add(_text(data, names + _number(data, at)))
    places, names = entries(6, 16)  # SHT_DYNAMIC
    for at in places:
        if _number(data, at, 8) == 1:  # DT_NEEDED
            found.libraries.add(_text(data, names + _number(data, at + 8, 8)))
    return found


def _mach_o(data: bytes) -> Symbols:
    """The load commands LC_SYMTAB and LC_LOAD_DYLIB (mach-o/loader.h, mach-o/nlist.h); names begin with a line."""
    found = Symbols()
    at = 32
    for _ in range(_number(data, 16)):
        command = _number(data, at)
        if command == 0xC:
            found.libraries.add(_text(data, at + _number(data, at + 8)))
        if command == 0x2:
            first, count, names = (_number(data, at + place) for place in (8, 12, 16))
            for entry in (first + 16 * k for k in range(count)):
                kind = data[entry + 4]
                if kind & 0x01 and not kind & 0xF0:  # N_EXT without N_PEXT, and nothing for a debugger
                    is_shown = bool(kind & 0x0E)
                    (found.shown if is_shown else found.needed).add(
                        _text(data, names + _number(data, entry)).lstrip("_")
                    )
        at += _number(data, at + 4)
    return found


def _portable_executable(data: bytes) -> Symbols:
    """The table of exports (PE format, sections 3.4 and 6.3); libraries are what has a name that ends in .dll."""
    header = _number(data, 0x3C)
    sections = header + 24 + _number(data, header + 20, 2)
    count = _number(data, header + 6, 2)

    def place(address: int) -> int:
        """In the file, of what is at this address in memory."""
        starts = (sections + 40 * k for k in range(count))
        start = next(at for at in starts if 0 <= address - _number(data, at + 12) < _number(data, at + 8))
        return address - _number(data, start + 12) + _number(data, start + 20)

    table = place(_number(data, header + 24 + 112))
    names = place(_number(data, table + 32))
    shown = {_text(data, place(_number(data, names + 4 * k))) for k in range(_number(data, table + 24))}
    libraries = {name.decode() for name in re.findall(rb"[\w-]+\.dll", data, re.IGNORECASE)}
    return Symbols(shown, set(), libraries)
