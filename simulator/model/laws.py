"""Laws of couplings that are not straight lines, q_follower = f(q_leader), and equations between joints, φ(q) = 0."""

from __future__ import annotations

import math
import re
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.model import tape as t
from simulator.model.coupling import IDEAL, RealCoupling
from simulator.model.curves import Interpolation, curve_through
from simulator.model.expressions import parse_expression
from simulator.model.tape import Tape
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.diagnostics import Source

LEADER = "q"
"""What an expression calls the leader's position."""
MOST_ROWS = 20_000
"""Samples of a table."""
HIGHEST = 64
"""Degree of a polynomial."""


class LawKind(str, Enum):
    """How a law is written."""

    POLYNOMIAL = "polynomial"
    TABLE = "table"
    EXPRESSION = "expression"


@dataclass(frozen=True)
class MimicLaw:
    """q_follower = f(q_leader) [rad or m], by `tape` with the one variable q_leader.

    `text`: the coefficients a0 a1 a2 …, the rows of the table, or the expression over q, as written; `interpolation`
    and `periodic` of a table, see `curves.curve_through`.
    """

    kind: LawKind
    text: str
    tape: Tape = field(compare=False, repr=False)
    interpolation: Interpolation = Interpolation.HERMITE
    periodic: bool = False
    source: Source | None = field(default=None, compare=False)

    @property
    def coefficients(self) -> tuple[float, ...]:
        """Of a polynomial, the constant first; empty for other laws."""
        return tuple(_numbers(self.text)) if self.kind is LawKind.POLYNOMIAL else ()

    @property
    def span(self) -> tuple[float, float]:
        """From the first to the last sample of a table, or one period of it; from -∞ to ∞ for other laws."""
        if self.kind is not LawKind.TABLE:
            return -math.inf, math.inf
        knots = self.tape.curves[0].knots
        return knots[0], knots[-1]

    @property
    def breaks(self) -> tuple[float, ...]:
        """Positions of the leader at which pieces of a table meet."""
        return self.tape.curves[0].knots if self.kind is LawKind.TABLE else ()

    def value(self, leader: float) -> float:
        """f; nan where the law has no value."""
        return self.tape.value((leader,))

    def slope(self, leader: float) -> float:
        """f'."""
        return float(self.tape.gradient((leader,))[0])


def read_law(
    kind: LawKind,
    text: str,
    *,
    interpolation: str = Interpolation.HERMITE.value,
    periodic: bool = False,
    source: Source | None = None,
) -> MimicLaw:
    """The law that a text says. Raises UsageError that says what is wrong with it."""
    if kind is LawKind.TABLE:
        return _table(text, interpolation, periodic=periodic, source=source)
    tape = _polynomial(text) if kind is LawKind.POLYNOMIAL else parse_expression(text, _leader, 1)
    return MimicLaw(kind, " ".join(text.split()), tape, source=source)


def _leader(name: str) -> int:
    if name != LEADER:
        raise UsageError(f"'{name}' means nothing in a law: the leader's position is called {LEADER}")
    return 0


def _polynomial(text: str) -> Tape:
    numbers = _numbers(text)
    if not numbers:
        raise UsageError("a polynomial has its coefficients a0 a1 a2 …, the constant first")
    if len(numbers) > HIGHEST + 1:
        raise UsageError(f"a polynomial has a degree of {HIGHEST} at most, not {len(numbers) - 1}")
    code: list[t.Instruction] = [(t.VARIABLE, 0, 0, 0), (t.NUMBER, len(numbers) - 1, 0, 0)]
    for place in range(len(numbers) - 2, -1, -1):
        code.append((t.MULTIPLY, len(code) - 1, 0, 0))
        code.append((t.NUMBER, place, 0, 0))
        code.append((t.ADD, len(code) - 2, len(code) - 1, 0))
    return Tape(tuple(code), tuple(numbers))


def _table(text: str, interpolation: str, *, periodic: bool, source: Source | None) -> MimicLaw:
    try:
        kind = Interpolation(interpolation)
    except ValueError:
        raise UsageError(
            f"interpolation is {', '.join(one.value for one in Interpolation)}, not '{interpolation}'"
        ) from None
    rows = table_rows(text)
    curve = curve_through(rows, kind, periodic=periodic)
    shown = "; ".join(" ".join(map(_shortest, row)) for row in rows)
    tape = Tape(((t.VARIABLE, 0, 0, 0), (t.CURVE, 0, 0, 0)), (), (curve,))
    return MimicLaw(LawKind.TABLE, shown, tape, kind, periodic, source)


def table_rows(text: str) -> list[list[float]]:
    """Rows of a table: lines, or parts between semicolons; numbers without either are pairs. Raises UsageError."""
    lines = [line for line in re.split(r"[;\n]", text) if line.strip()]
    rows = [_numbers(line) for line in lines]
    if len(rows) == 1:
        (numbers,) = rows
        if len(numbers) % 2:
            raise UsageError(f"a table is pairs x y, or one row x y or x y dy/dx a line; it has {len(numbers)} numbers")
        rows = [numbers[i : i + 2] for i in range(0, len(numbers), 2)]
    if len(rows) > MOST_ROWS:
        raise UsageError(f"a table has {MOST_ROWS} rows at most, not {len(rows)}")
    return rows


def _shortest(number: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(number)).removesuffix(".0")


def _numbers(text: str) -> list[float]:
    found = []
    for word in text.replace(",", " ").split():
        try:
            value = float(word)
        except ValueError:
            raise UsageError(f"'{word}' is not a number") from None
        if not math.isfinite(value):
            raise UsageError(f"'{word}' is not a finite number")
        found.append(value)
    return found


@dataclass(frozen=True)
class JointConstraint:
    """φ(q) = 0 over positions of axes [rad or m], or |φ| at most half the width of the backlash of its `coupling`,
    which says what of it gives way.

    `text`: φ as written; `joints`: its variables as written, a joint's name, behind which `:axis2` means its second
    axis; `axes`: the scoped names of these axes once the joints are looked up; `follower`: as written, that of the
    joints whose position is to follow from the others, or empty.
    """

    name: str
    text: str
    tape: Tape = field(compare=False, repr=False)
    joints: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    follower: str = ""
    source: Source | None = field(default=None, compare=False)
    coupling: RealCoupling = IDEAL


def read_constraint(
    name: str, text: str, follower: str = "", source: Source | None = None, coupling: RealCoupling = IDEAL
) -> JointConstraint:
    """The constraint that a text says. Raises UsageError that says what is wrong with it."""
    joints: dict[str, int] = {}
    tape = parse_expression(text, lambda joint: joints.setdefault(joint, len(joints)))
    if follower and follower not in joints:
        raise UsageError(f"the follower '{follower}' is none of its joints {', '.join(joints)}")
    return JointConstraint(name, " ".join(text.split()), tape, tuple(joints), (), follower, source, coupling)
