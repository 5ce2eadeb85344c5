"""Drives as they are typed: `crank=velocity:2`, `hip=position:@motion.csv`, `crank=velocity:sine(amplitude=2,frequency=0.5)`.

    AXIS=KIND:WHAT[,pid(p=…,i=…,d=…,limit=…)]

KIND is position, velocity or effort. WHAT is a number, a generator with its values in order or by name, or a CSV file, `@FILE` or
`@FILE#COLUMN`. With `pid(…)` a loop with these gains holds the drive, instead of a motor that is as strong as the effort limit allows.
"""

from __future__ import annotations

import math
import re
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from simulator.engine.drives import DriveKind
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

_DRIVE = re.compile(r"(?P<axis>.+?)=(?P<kind>[^=:()@,]*):(?P<what>.*)", re.DOTALL)
_CALL = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\((?P<values>.*)\)", re.DOTALL)


@dataclass(frozen=True)
class DriveText:
    """A drive as typed: `axis` is a name of an axis or `actuator/NAME`, `gains` those of a loop, None for the motor. `file` is the one that
    the profile was read from, "" where it was none."""

    axis: str
    kind: DriveKind
    profile: Profile
    gains: Gains | None = None
    file: str = field(default="", compare=False)

    @property
    def level(self) -> float | None:
        """The value of a drive that never changes, None for one that does."""
        return self.profile.level if isinstance(self.profile, Constant) else None


def parse_drive_text(text: str) -> DriveText:
    """What `--drive` is given. Raises UsageError, which names what is wrong and what could stand there."""
    match = _DRIVE.fullmatch(text)
    kinds = ", ".join(kind.value for kind in DriveKind)
    if match is None or match["kind"] not in {kind.value for kind in DriveKind}:
        raise UsageError(
            f"'{text}' is no drive: write AXIS=KIND:VALUE with KIND one of {kinds}, e.g. pinion_joint=effort:0.01 or "
            "crank_joint=velocity:sine(amplitude=2,frequency=0.5) or hip=position:@motion.csv"
        )
    what, gains = parse_command(match["what"])
    kind = DriveKind(match["kind"])
    if gains is not None and kind is DriveKind.EFFORT:
        raise UsageError(f"'{text}': an effort needs no loop; pid(…) is for position and velocity")
    if gains is not None and gains.derivative and kind is DriveKind.VELOCITY:
        raise UsageError(f"'{text}': a velocity loop has p and i; d would need the acceleration")
    file = _split(match["what"])[0][1:].partition("#")[0] if isinstance(what, Table) else ""
    return DriveText(match["axis"], kind, what, gains, file)


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
        return Table(*read_motion(path, column))
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
