"""Checks of the arguments of a script: numbers of any kind, names with numbers. Errors name the expected kind."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, SupportsFloat, SupportsIndex, cast

from simulator.engine.drives import Drive
from simulator.errors import UsageError
from simulator.kinematics.named import NamedVector
from simulator.session.commands.driving import give_drive
from simulator.session.text.drive_text import parse_drive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.engine.engine import Engine


POSITION, DRIVE = '"crank_joint": 0.5', '"crank_joint": simulator.velocity(2.0)'
"""Examples of names with values, for messages."""


def as_number(value: object, what: str) -> float:
    """A Python or numpy number. Raises UsageError for anything else, including text."""
    if type(value) is float:  # checking a protocol takes four microseconds, as long as half a step
        return value
    if isinstance(value, SupportsFloat | SupportsIndex):
        with contextlib.suppress(TypeError, ValueError):
            return float(value)
    raise UsageError(f"{what} must be a number, not {value!r}")


def as_count(value: object, what: str) -> int:
    """A whole number, 0 or more. Raises UsageError for anything else."""
    if type(value) is int and value >= 0:
        return value
    try:
        count = operator.index(cast("SupportsIndex", value))
    except TypeError:
        count = -1
    if count < 0:
        raise UsageError(f"{what} must be a whole number, 0 or more, not {value!r}")
    return count


def as_numbers(values: object, what: str, example: str) -> dict[str, float]:
    """Numbers by name, from a mapping or a named vector; empty for None. `example`: a name and a number for the error
    message.

    Raises UsageError for anything else.
    """
    return {name: as_number(value, f"{what} of '{name}'") for name, value in as_named(values, what, example).items()}


def as_named(values: object, what: str, example: str) -> dict[str, object]:
    """Values of any kind by name, as `as_numbers`."""
    if values is None:
        return {}
    if isinstance(values, NamedVector):
        return dict(values.items())
    if not isinstance(values, Mapping):
        raise UsageError(f"{what} takes names and values, e.g. {{{example}}}, not {values!r}")
    for name in values:
        require_name(name, what)
    return dict(values)


def require_name(name: object, what: str) -> None:
    """Raise UsageError for a name that is not a string."""
    if not isinstance(name, str):
        raise UsageError(f"{what} is given by its name, a string, not by {name!r}")


def give(engine: Engine, name: str, drive: object) -> Drive | None:
    """Drive an axis or an actuator, or release it with None; returns the drive, which may be given as text, too. Raises
    UsageError for an argument that is not a drive, with an example of one, and the errors of `give_drive`."""
    require_name(name, "a drive")
    if isinstance(drive, str):
        _, drive = parse_drive(f"{name}={drive}")
    if drive is not None and not isinstance(drive, Drive):
        number = isinstance(drive, int | float)
        told = f"velocity({drive!r})" if number else "velocity(2.0) or simulator.position(simulator.sine(1.0, 0.5))"
        raise UsageError(f"'{name}' takes a drive, e.g. simulator.{told}, not {drive!r}")
    give_drive(engine, name, drive)
    return drive


@contextlib.contextmanager
def driven(engine: Engine, drives: Mapping[str, object], kept: Mapping[str, Drive]) -> Iterator[None]:
    """Drives for one run; `kept` drives return after it."""
    given = []
    try:
        for name, drive in drives.items():
            given.append(name)
            give(engine, name, drive)
        yield
    finally:
        for name in given:
            give(engine, name, None)
        for name, drive in kept.items() if given else ():
            give(engine, name, drive)
