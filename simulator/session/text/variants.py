"""Other numbers for a document, as text: `coupler.mass=0.2`, or several of them separated by commas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import UsageError, closest
from simulator.mechanism.varied import number_of, parameters_of, varied

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.session.open.opening import Opened

    Numbers = tuple[tuple[str, float], ...]


def parse_numbers(texts: Iterable[str]) -> Numbers:
    """(parameter, value) pairs of `PARAMETER=VALUE[,PARAMETER=VALUE]`. Raises UsageError for other text."""
    return tuple(_parsed(part.strip(), text) for text in texts for part in text.split(","))


def _parsed(part: str, text: str) -> tuple[str, float]:
    name, equals, value = (item.strip() for item in part.rpartition("="))
    if not (name and equals):
        raise UsageError(f"'{text}' sets no parameter: write PARAMETER=VALUE, e.g. coupler.mass=0.2")
    try:
        return name, float(value)
    except ValueError:
        raise UsageError(f"'{value}' in '{text}' is not a number") from None


def with_numbers(opened: Opened, numbers: Numbers) -> Opened:
    """The document with these numbers.

    Raises UsageError for a parameter that does not exist, with similar names and the command that lists all, and for a
    value that it cannot have.
    """
    if not numbers:
        return opened
    for name, _ in numbers:
        _require_parameter(opened, name)
    return opened.with_mechanism(varied(opened.mechanism, opened.world, dict(numbers)))


def _require_parameter(opened: Opened, name: str) -> None:
    try:
        number_of(opened.mechanism, opened.world, name)
    except UsageError as error:
        known = [row.name for row in parameters_of(opened.mechanism, opened.world)]
        is_lacking = str(error).startswith(f"'{name}': ")  # its owner exists, and the message says what it lacks
        if is_lacking or any(row.endswith(f"::{name}") for row in known):  # or the name is ambiguous
            raise
        guess = closest(name, known)
        short = guess if "::" in name else guess.rpartition("::")[2]
        meant = f"; did you mean '{short}'?" if guess else ""
        raise UsageError(
            f"no parameter is named '{name}'{meant} (`simulator describe FILE --parameters` lists them)"
        ) from None
