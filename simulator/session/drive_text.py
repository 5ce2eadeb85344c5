"""Drives as they are typed: `crank=velocity:2`, `hip=position:@motion.csv`, `crank=velocity:sine(amplitude=2,frequency=0.5)`.

    AXIS=KIND:WHAT[,pid(p=…,i=…,d=…,limit=…)]

KIND is position, velocity or effort. WHAT is a number, a generator with its values in order or by name, or a CSV file, `@FILE` or
`@FILE#COLUMN`. With `pid(…)` a loop with these gains holds the drive, instead of a motor that is as strong as the effort limit allows.
`parse_drive` reads such a text, `format_drive` writes what stands behind the first '='.
"""

from __future__ import annotations

import math
import re
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.pid import Gains
from simulator.engine.profiles import Chirp, Constant, Ramp, Sine, Step, Table
from simulator.errors import UsageError, closest
from simulator.recording.motion_file import read_motion

if TYPE_CHECKING:
    from simulator.engine.profiles import Profile

GENERATORS: dict[str, type[Any]] = {
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
"""Short names of values, as they are shown (`from` is no name that a field can have)."""
SHOWN = {
    "constant": ("level",),
    "sine": ("amplitude", "frequency", "offset", "phase"),
    "ramp": ("from", "to", "duration"),
    "step": ("from", "to", "time"),
    "chirp": ("amplitude", "f0", "f1", "duration", "offset"),
    "pid": ("p", "i", "d", "limit"),
}
"""The names of the values in order, as users know them."""

_DRIVE = re.compile(r"(?P<target>.+?)=(?P<kind>[^=:()@,]*):(?P<what>.*)", re.DOTALL)
_CALL = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\((?P<values>.*)\)", re.DOTALL)


def parse_drive(text: str) -> tuple[str, Drive]:
    """Target, an axis or `actuator/NAME`, and drive of what `--drive` is given.

    Raises UsageError, which names what is wrong and what could stand there.
    """
    match = _DRIVE.fullmatch(text)
    kinds = ", ".join(kind.value for kind in DriveKind)
    if match is None or match["kind"] not in {kind.value for kind in DriveKind}:
        raise UsageError(
            f"'{text}' is no drive: write AXIS=KIND:VALUE with KIND one of {kinds}, e.g. pinion_joint=effort:0.01 or "
            "crank_joint=velocity:sine(amplitude=2,frequency=0.5) or hip=position:@motion.csv"
        )
    profile, gains = parse_command(match["what"])
    try:
        return match["target"], Drive(DriveKind(match["kind"]), profile, gains)
    except UsageError as error:
        raise UsageError(f"'{text}': {error}") from None


def format_drive(drive: Drive) -> str:
    """`KIND:WHAT[,pid(…)]`, which `parse_drive` reads back to the last bit behind a target and '='.

    A profile that the command line cannot have (a table that was read from no file, a class of somebody else's) is named in angle brackets.
    """
    loop = f",{_written('pid', drive.gains)}" if drive.gains is not None else ""
    return f"{drive.kind.value}:{_format_profile(drive.profile)}{loop}"


def format_number(value: float) -> str:
    """The fewest digits that tell it from every other number, without a decimal point where there is nothing behind it."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _format_profile(profile: Profile) -> str:
    if isinstance(profile, Constant):
        return format_number(profile.level)
    if isinstance(profile, Table) and profile.source:
        return f"@{profile.source}"
    name = next((name for name, kind in GENERATORS.items() if type(profile) is kind), None)
    return f"<{type(profile).__name__}>" if name is None else _written(name, profile)


def _written(name: str, what: Any) -> str:
    """A generator or gains with the names of the values; those that are left out by default are left out."""
    defaults = {item.name: item.default for item in fields(what)}
    values = {shown: (field := SPELLINGS.get(shown, shown), getattr(what, field)) for shown in SHOWN[name]}
    parts = [f"{shown}={format_number(value)}" for shown, (field, value) in values.items() if value != defaults[field]]
    return f"{name}({','.join(parts)})"


def parse_command(text: str) -> tuple[Profile, Gains | None]:
    """`WHAT[,pid(…)]`: what the window's fields take too. Raises UsageError."""
    parts = _split(text)
    gains = None
    if len(parts) > 1 and (last := _CALL.fullmatch(parts[-1])) and last["name"] == "pid":
        gains = _gains(last["values"])
        parts = parts[:-1]
    if len(parts) != 1 or not parts[0]:
        raise UsageError(
            f"'{text}' is no command: write a number, {_generators()} or @FILE, and behind it ,pid(…) at most"
        )
    return parse_profile(parts[0]), gains


def parse_profile(text: str) -> Profile:
    """A number, a generator or a file. Raises UsageError."""
    if text.startswith("@"):
        path, _, column = text[1:].partition("#")
        if not path:
            raise UsageError("'@' needs the name of a CSV file behind it, e.g. @motion.csv or @motion.csv#hip/position")
        return Table(*read_motion(path, column), source=text[1:])
    call = _CALL.fullmatch(text)
    if call is None:
        return Constant(finite_number(text, text))
    if call["name"] not in GENERATORS:
        close = closest(call["name"], GENERATORS)
        guess = f"did you mean {_signature(close)}? Write" if close else "write"
        raise UsageError(f"there is no generator '{call['name']}'; {guess} {_generators()}, a number or @FILE")
    profile: Profile = _made(GENERATORS[call["name"]], call["name"], call["values"])
    return profile


def _generators() -> str:
    return ", ".join(_signature(name) for name in GENERATORS)


def _signature(name: str) -> str:
    return f"{name}({','.join(SHOWN[name])})"


def _gains(values: str) -> Gains:
    gains: Gains = _made(Gains, "pid", values)
    return gains


def _made(kind: type[Any], name: str, values: str) -> Any:
    """An instance of `kind` from `2,frequency=0.5`."""
    names = [SPELLINGS.get(shown, shown) for shown in SHOWN[name]]
    given: dict[str, float] = {}
    named = False
    for position, part in enumerate(_split(values) if values.strip() else []):
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


def _split(text: str) -> list[str]:
    """At commas outside of parentheses, trimmed."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def finite_number(text: str, whole: str) -> float:
    """The number; UsageError, which tells the `whole` text that it stands in, where it is none, or infinite."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        where = f" in '{whole}'" if whole != text else ""
        raise UsageError(f"'{text}'{where} is no finite number")
    return value
