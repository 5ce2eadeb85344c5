"""Lengths of links by names: `b` is 2.5 times `a`."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

from simulator.errors import UnknownNameError, UsageError
from simulator.model.expressions import CONSTANTS, FUNCTIONS, OF_TWO, parse_expression
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simulator.diagnostics import Source
    from simulator.model.tape import Tape

RESERVED = frozenset({*FUNCTIONS, *OF_TWO, *CONSTANTS})
"""Words of expressions, which no length can have as its name."""


@dataclass(frozen=True)
class LengthParameter:
    """`<simulator:parameter name="b" value="2.5*a" link="bar_2"/>`: the length of a link, between its frames bar_2_a
    and bar_2_b, or the pitch radius of a wheel, is `value`: metres, or an expression over other names. `link` is ""
    for a name that no link has; `name` is "" for a length that is locked, or has only its expression."""

    name: str
    value: str
    link: str = ""
    source: Source | None = field(default=None, compare=False)

    @property
    def number(self) -> float | None:
        """The value, if it is a number [m]."""
        try:
            found = float(self.value)
        except ValueError:
            return None
        return found if math.isfinite(found) else None


def require_name(name: str) -> None:
    """Raises UsageError for what cannot be the name of a length."""
    if not (name.isascii() and name.isidentifier()) or name in RESERVED:
        raise UsageError(f"'{name}' is no name for a length: use letters, digits and '_', and no name of a function")


class LengthValues:
    """What the values of parameters come to [m]. `of` and iteration raise UsageError for names that do not exist, rings
    of names, and lengths that are not above zero."""

    def __init__(self, parameters: Sequence[LengthParameter]) -> None:
        self.parameters = parameters
        self._by_name = {item.name: item for item in parameters if item.name}
        self._open: list[str] = []

    def __iter__(self) -> Iterator[tuple[LengthParameter, float]]:
        return ((item, self.of(item)) for item in self.parameters)

    def of(self, parameter: LengthParameter) -> float:
        """The length [m]."""
        number = parameter.number
        value = self._worked_out(parameter) if number is None else number
        if not 0.0 < value < math.inf:
            what = f"'{parameter.name}'" if parameter.name else f"the length of '{parameter.link}'"
            raise UsageError(f"{what} is {parameter.value} = {value:g} m; a length is above zero")
        return value

    def _worked_out(self, parameter: LengthParameter) -> float:
        if parameter.name and parameter.name in self._open:
            ring = " = ".join([*self._open[self._open.index(parameter.name) :], parameter.name])
            raise UsageError(f"names of lengths follow each other in a ring: {ring}")
        self._open.append(parameter.name)
        try:
            known = {name: self.of(self._named(name)) for name in names_in(parameter.value)}
        finally:
            self._open.pop()
        return expression_value(parameter.value, known)

    def _named(self, name: str) -> LengthParameter:
        if name not in self._by_name:
            raise UnknownNameError("length", name, tuple(self._by_name))
        return self._by_name[name]


def names_in(text: str) -> tuple[str, ...]:
    """The names that an expression uses. Raises UsageError for what is none."""
    return _tape_of(text)[1]


def expression_value(text: str, values: Mapping[str, float]) -> float:
    """The value of an expression with those of its names. Raises UsageError."""
    tape, names = _tape_of(text)
    return tape.value([values[name] for name in names] or [0.0])


def _tape_of(text: str) -> tuple[Tape, tuple[str, ...]]:
    """An expression, and its names in the order of its variables."""
    names: list[str] = []

    def variable(name: str) -> int:
        if name not in names:
            names.append(name)
        return names.index(name)

    return parse_expression(text, variable, constant=True), tuple(names)
