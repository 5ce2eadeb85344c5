"""Profiles as they are typed and written in documents: `2.5`, `ramp(-10,-5,2)`, `sine(amplitude=2,frequency=0.5)`,
`@motion.csv#hip`.

A number, a generator with its values in order or by name, of a drive `expression(…)` over the time t, or a CSV file,
`@FILE` or `@FILE#COLUMN`, with `,spline` behind it for a smooth curve instead of straight lines. `parse_profile` reads
such a text, `format_profile` writes it.
"""

from __future__ import annotations

import math
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from simulator.errors import UsageError, closest
from simulator.formats.motion_file import read_curve, read_motion
from simulator.model.profiles import TIME, Chirp, Constant, Expression, Ramp, Sine, Step, Table
from simulator.model.splines import Spline

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from simulator.model.profiles import Profile

    Values = TypeVar("Values", bound=DataclassInstance)

GENERATORS: dict[str, type[Constant | Sine | Ramp | Step | Chirp]] = {
    "constant": Constant,
    "sine": Sine,
    "ramp": Ramp,
    "step": Step,
    "chirp": Chirp,
}
"""What can be written before the parentheses; the fields of the class are the names of the values."""
SPELLINGS = {
    "from": "start",
    "to": "end",
    "f0": "start",
    "f1": "end",
    "p": "proportional",
    "i": "integral",
    "d": "derivative",
}
"""Short names of values, as they are shown (`from` is not a name that a field can have)."""
SHOWN = {
    "constant": ("level",),
    "sine": ("amplitude", "frequency", "offset", "phase"),
    "ramp": ("from", "to", "duration"),
    "step": ("from", "to", "time"),
    "chirp": ("amplitude", "f0", "f1", "duration", "offset"),
    "pid": ("p", "i", "d", "limit"),
}
"""The names of the values in order, as users know them."""

SPLINE = "spline"
"""Behind a comma after a file: a smooth curve through its samples."""
EXPRESSION = "expression"
"""Before the parentheses of a formula."""
_FORMULA = re.compile(rf"\b{TIME}\b")
CALL = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\((?P<values>.*)\)", re.DOTALL)


def parse_profile(text: str, folder: Path | None = None, *, expressions: bool = False) -> Profile:
    """A number, a generator or a file; the name of a file is relative to `folder`, without one to the working
    directory. `expressions`: whether a formula may be there, too: drives follow one, loads and clutches do not.

    Raises UsageError, which names what is wrong and what is possible there.
    """
    if text.startswith("@"):
        return _from_file(text, folder)
    call = CALL.fullmatch(text)
    if call is None:
        if expressions and _FORMULA.search(text):
            raise UsageError(f"'{text}' is not a number; a formula over the time is written {EXPRESSION}({text})")
        return Constant(finite_number(text, text))
    if call["name"] == EXPRESSION:
        if not expressions:
            raise UsageError(f"'{text}': drives alone follow an expression; write {generators()}, a number or @FILE")
        return Expression(call["values"].strip())
    if call["name"] not in GENERATORS:
        close = closest(call["name"], GENERATORS)
        guess = f"did you mean {_signature(close)}? Write" if close else "write"
        raise UsageError(f"there is no generator '{call['name']}'; {guess} {generators()}, a number or @FILE")
    profile: Profile = made(GENERATORS[call["name"]], call["name"], call["values"])
    return profile


def _from_file(text: str, folder: Path | None) -> Table:
    parts = split(text[1:])
    smooth = len(parts) > 1 and parts[-1] == SPLINE
    source = ",".join(parts[:-1] if smooth else parts)
    path, _, column = source.partition("#")
    if not path:
        raise UsageError("'@' needs the name of a CSV file behind it, e.g. @motion.csv or @motion.csv#hip/position")
    file = path if folder is None else folder / path
    if smooth:
        times, values, rates = read_curve(file, column)
        return Spline(times, values, source, rates)
    return Table(*read_motion(file, column), source=source)


def format_profile(profile: Profile) -> str:
    """A text that `parse_profile` reads back to the last bit.

    A profile that no text can have (a table that was read from no file, a class from a script) is named in angle
    brackets.
    """
    if isinstance(profile, Constant):
        return format_number(profile.level)
    if isinstance(profile, Table) and profile.source:
        return f"@{profile.source},{SPLINE}" if isinstance(profile, Spline) else f"@{profile.source}"
    if isinstance(profile, Expression):
        return f"{EXPRESSION}({profile.text})"
    for name, kind in GENERATORS.items():
        if type(profile) is kind:
            return written(name, profile)
    return f"<{type(profile).__name__}>"


def format_number(value: float) -> str:
    """The fewest digits that distinguish it from every other number, without a decimal point where there is nothing
    behind it."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def written(name: str, what: DataclassInstance) -> str:
    """A generator or gains with the names of the values; those that are left out by default are left out."""
    defaults = {item.name: item.default for item in fields(what)}
    values = {shown: (field := SPELLINGS.get(shown, shown), getattr(what, field)) for shown in SHOWN[name]}
    parts = [f"{shown}={format_number(value)}" for shown, (field, value) in values.items() if value != defaults[field]]
    return f"{name}({','.join(parts)})"


def generators() -> str:
    """All of them with the names of their values, for messages."""
    return ", ".join(_signature(name) for name in GENERATORS)


def _signature(name: str) -> str:
    return f"{name}({','.join(SHOWN[name])})"


def made(kind: type[Values], name: str, values: str) -> Values:
    """An instance of `kind` from `2,frequency=0.5`. Raises UsageError."""
    names = [SPELLINGS.get(shown, shown) for shown in SHOWN[name]]
    given: dict[str, float] = {}
    named = False
    for position, part in enumerate(split(values) if values.strip() else []):
        key, equals, number = (item.strip() for item in part.rpartition("="))
        field = SPELLINGS.get(key, key) if equals else (names[position] if position < len(names) else "")
        if field not in names:
            wrong = f"no value '{key}'" if equals else f"no more than {len(names)} values"
            raise UsageError(f"{name} has {wrong}; write {_signature(name)}")
        named = named or bool(equals)
        if named and not equals:
            raise UsageError(
                f"'{part}' in {name}({values}) needs its name, as one before it has one; write {_signature(name)}"
            )
        if field in given:
            raise UsageError(
                f"{name}({values}) gives {SHOWN[name][names.index(field)]} twice; write {_signature(name)}"
            )
        given[field] = finite_number(number, f"{name}({values})")
    needed = [item.name for item in fields(kind) if item.default is MISSING]
    lacking = [shown for shown, field in zip(SHOWN[name], names, strict=True) if field in needed and field not in given]
    if lacking:
        raise UsageError(f"{name}({values}) lacks {' and '.join(lacking)}; write {_signature(name)}")
    return kind(**given)


def split(text: str) -> list[str]:
    """At commas outside of parentheses, trimmed."""
    return [part.strip() for part in _parted(text, ",")]


def split_profiles(text: str) -> list[str]:
    """As `split`, where `,spline` stays with its file."""
    found: list[str] = []
    for part in split(text):
        if part == SPLINE and found and found[-1].startswith("@"):
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def words(text: str) -> list[str]:
    """At white space outside of parentheses: `0 ramp(0, 1, 2) 3` is three words."""
    return [part for part in _parted(" ".join(text.split()), " ") if part]


def _parted(text: str, at: str) -> list[str]:
    parts = [""]
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def finite_number(text: str, whole: str) -> float:
    """The number; UsageError, which quotes the `whole` text that contains it, where it is none, or infinite."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        where = f" in '{whole}'" if whole != text else ""
        raise UsageError(f"'{text}'{where} is not a finite number")
    return value
