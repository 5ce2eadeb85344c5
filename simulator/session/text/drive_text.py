"""Drives as text: `crank_joint=velocity:2`, `lift_joint=position:@motion.csv`,
`crank_joint=velocity:sine(2,0.5)`.

    AXIS=KIND:WHAT[,pid(p=…,i=…,d=…,limit=…)]

KIND is position, velocity or effort. WHAT is a profile as `formats.profile_text` has them: a number, a generator with
its values in order or by name, or a CSV file, `@FILE` or `@FILE#COLUMN`, with `,spline` for a smooth curve. With
`pid(…)` a loop with these gains holds the drive, instead of a motor that is as strong as the effort limit allows.
`parse_drive` reads such a text, `format_drive` writes the part after the first '='.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.pid import Gains
from simulator.errors import UsageError
from simulator.formats.profile_text import (
    CALL,
    format_profile,
    generators,
    made,
    parse_profile,
    split_profiles,
    written,
)

if TYPE_CHECKING:
    from simulator.model.profiles import Profile

_DRIVE = re.compile(r"(?P<target>.+?)=(?P<kind>[^=:()@,]*):(?P<what>.*)", re.DOTALL)


def parse_drive(text: str) -> tuple[str, Drive]:
    """Target, an axis or `actuator/NAME`, and drive of the argument of `--drive`.

    Raises UsageError with the error and the valid forms.
    """
    match = _DRIVE.fullmatch(text)
    kinds = ", ".join(kind.value for kind in DriveKind)
    if match is None or match["kind"] not in {kind.value for kind in DriveKind}:
        raise UsageError(
            f"'{text}' is not a drive: write AXIS=KIND:VALUE with KIND one of {kinds}, e.g. pinion_joint=effort:0.01 "
            "or crank_joint=velocity:sine(amplitude=2,frequency=0.5) or lift_joint=position:@motion.csv"
        )
    profile, gains = parse_command(match["what"])
    try:
        return match["target"], Drive(DriveKind(match["kind"]), profile, gains)
    except UsageError as error:
        raise UsageError(f"'{text}': {error}") from None


def format_drive(drive: Drive) -> str:
    """`KIND:WHAT[,pid(…)]`, which `parse_drive` reads back to the last bit behind a target and '='.

    A profile without a text (a table that was not read from a file, a class from a script) is
    named in angle brackets.
    """
    loop = f",{written('pid', drive.gains)}" if drive.gains is not None else ""
    return f"{drive.kind.value}:{format_profile(drive.profile)}{loop}"


def parse_command(text: str) -> tuple[Profile, Gains | None]:
    """`WHAT[,pid(…)]`: the text of the window's fields. Raises UsageError."""
    parts = split_profiles(text)
    gains = None
    if len(parts) > 1 and (last := CALL.fullmatch(parts[-1])) and last["name"] == "pid":
        gains = _gains(last["values"])
        parts = parts[:-1]
    if len(parts) != 1 or not parts[0]:
        raise UsageError(
            f"'{text}' is not a command: write a number, {generators()}, @FILE or @FILE,spline, optionally ,pid(…) "
            "at the end"
        )
    return parse_profile(parts[0], expressions=True), gains


def _gains(values: str) -> Gains:
    gains: Gains = made(Gains, "pid", values)
    return gains
