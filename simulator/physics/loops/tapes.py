"""Formulas φ(q) of couplings with curves, evaluated from their tapes (`simulator.model.tape`) with derivatives.

One pass forward finds for every instruction its value x, and along the motion its rate ẋ and bend, the part of ẍ that
does not depend on accelerations. For f(x, y) they are

    ḟ = f_x ẋ + f_y ẏ,   bend = f_xx ẋ² + 2 f_xy ẋ ẏ + f_yy ẏ² + f_x bend_x + f_y bend_y,

so that at the result the bend is q̇ᵀ φ'' q̇. One pass back finds ∂φ/∂q: the slope of the result by an instruction is the
sum of the slopes by those that use it, times f_x (Griewank and Walther, Evaluating Derivatives, 2008, 3.2).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.model import tape as t
from simulator.native.kernels import compiled, opener, view
from simulator.physics.layout import buffers as at
from simulator.physics.layout.buffers import int_start, size, start

if TYPE_CHECKING:
    Slopes = tuple[float, float, float]
    SlopesOfTwo = tuple[float, float, float, float, float, float]
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.kinematics.arrays import Floats, Floats2, Ints, Ints2
    from simulator.model.tape import Instruction, Tape
    from simulator.spatial.arrays import Array


@compiled
def run_tape(tape: TapeViews, row: int) -> tuple[float, float]:
    """φ and q̇ᵀ φ'' q̇ of a row whose variables have their values and rates in `tape.variable`; afterwards ∂φ/∂q of the
    k-th variable is `tape.variable[k, SLOPE]`."""
    first, count = tape.begin[row], tape.begin[row + 1] - tape.begin[row]
    for i in range(count):
        _step(tape, first, i)
    last = count - 1
    for i in range(count):
        tape.work[i, SLOPE] = 0.0
    for k in range(tape.variable.shape[0]):
        tape.variable[k, SLOPE] = 0.0
    tape.work[last, SLOPE] = 1.0
    for i in range(last, -1, -1):
        _step_back(tape, first, i)
    return tape.work[last, VALUE], tape.work[last, BEND]


@compiled
def _step(tape: TapeViews, first: int, i: int) -> None:
    """Value, rate and bend of instruction i, and its slopes by what it is of."""
    op, a, b = tape.code[first + i, 0], tape.code[first + i, 1], tape.code[first + i, 2]
    w = tape.work
    if op == t.NUMBER:
        w[i, VALUE], w[i, RATE], w[i, BEND] = tape.number[a], 0.0, 0.0
    elif op == t.VARIABLE:
        w[i, VALUE], w[i, RATE], w[i, BEND] = tape.variable[a, VALUE], tape.variable[a, RATE], 0.0
    elif op <= t.MODULO:
        x, y = w[a, RATE], w[b, RATE]
        f, fx, fy, fxx, fxy, fyy = _of_two(op, w[a, VALUE], w[b, VALUE])
        bend = fxx * x * x + 2.0 * fxy * x * y + fyy * y * y
        w[i, VALUE], w[i, RATE], w[i, BEND] = f, fx * x + fy * y, bend + fx * w[a, BEND] + fy * w[b, BEND]
        w[i, BY_FIRST], w[i, BY_SECOND] = fx, fy
    elif op == t.CHOOSE:
        chosen = b if w[a, VALUE] >= 0.0 else tape.code[first + i, 3]
        w[i, VALUE], w[i, RATE], w[i, BEND] = w[chosen, VALUE], w[chosen, RATE], w[chosen, BEND]
        w[i, BY_FIRST] = chosen
    else:
        f, f1, f2 = _of_one(tape, op, b, w[a, VALUE])
        w[i, VALUE], w[i, RATE], w[i, BEND] = f, f1 * w[a, RATE], f1 * w[a, BEND] + f2 * w[a, RATE] * w[a, RATE]
        w[i, BY_FIRST] = f1


@compiled
def _step_back(tape: TapeViews, first: int, i: int) -> None:
    """Pass the slope of the result by instruction i on to what it is of."""
    w = tape.work
    slope = w[i, SLOPE]
    # What the result does not depend on has no slope, however steep it is itself: the other side of a choice.
    if slope == 0.0:
        return
    op, a, b = tape.code[first + i, 0], tape.code[first + i, 1], tape.code[first + i, 2]
    if op == t.NUMBER:
        return
    if op == t.VARIABLE:
        tape.variable[a, SLOPE] += slope
    elif op == t.CHOOSE:
        w[int(w[i, BY_FIRST]), SLOPE] += slope
    else:
        w[a, SLOPE] += slope * w[i, BY_FIRST]
        if op <= t.MODULO:
            w[b, SLOPE] += slope * w[i, BY_SECOND]


# -- operations --------------------------------------------------------------------------------------------------------


@compiled
def _of_two(op: int, x: float, y: float) -> SlopesOfTwo:
    """f(x, y), f_x, f_y, f_xx, f_xy and f_yy."""
    if op == t.MULTIPLY:
        return x * y, y, x, 0.0, 1.0, 0.0
    if op <= t.SUBTRACT:
        sign = 1.0 if op == t.ADD else -1.0
        return x + sign * y, 1.0, sign, 0.0, 0.0, 0.0
    if op == t.DIVIDE:
        return _quotient(x, y)
    if op == t.POWER:
        return _power(x, y)
    return _angle(x, y) if op == t.ATAN2 else _modulo(x, y)


@compiled
def _angle(x: float, y: float) -> SlopesOfTwo:
    """atan2(x, y)."""
    r = x * x + y * y
    s = 1.0 / r if r > 0.0 else math.nan
    return math.atan2(x, y), y * s, -x * s, -2.0 * x * y * s * s, (x * x - y * y) * s * s, 2.0 * x * y * s * s


@compiled
def _modulo(x: float, y: float) -> SlopesOfTwo:
    turns = math.floor(x / y) if y != 0.0 else math.nan
    return x - turns * y, 1.0, -turns, 0.0, 0.0, 0.0


@compiled
def _quotient(x: float, y: float) -> SlopesOfTwo:
    s = 1.0 / y if y != 0.0 else math.inf
    return x * s, s, -x * s * s, 0.0, -s * s, 2.0 * x * s * s * s


@compiled
def _power(x: float, y: float) -> SlopesOfTwo:
    """Of a base above zero; there is no value below."""
    if x <= 0.0:
        none = math.nan
        return none, none, none, none, none, none
    f = x**y
    log = math.log(x)
    return f, y * f / x, f * log, y * (y - 1.0) * f / (x * x), (1.0 + y * log) * f / x, f * log * log


@compiled
def _of_one(tape: TapeViews, op: int, parameter: int, x: float) -> Slopes:
    """f(x), f' and f''."""
    if op == t.CURVE:
        return along_curve(tape, parameter, x)
    if op == t.INTEGER_POWER:
        return _integer_power(x, parameter)
    if op <= t.NEGATE or op == t.ABS:
        return _straight(op, x)
    if op <= t.ATAN:
        return _trigonometric(op, x) if op <= t.TAN else _arc(op, x)
    return _hyperbolic(op, x) if op <= t.TANH else _exponential(op, x)


@compiled
def _straight(op: int, x: float) -> Slopes:
    """Made of straight lines."""
    if op == t.NEAREST_TURN:
        turns = math.floor(x / (2.0 * math.pi) + 0.5)
        return x - 2.0 * math.pi * turns, 1.0, 0.0
    sign = -1.0 if op == t.NEGATE or x < 0.0 else 1.0
    return sign * x, sign, 0.0


@compiled
def along_curve(tape: TapeViews, c: int, x: float) -> Slopes:
    """A table at x: the piece is found by bisection."""
    first, count = tape.curve[c, 0], tape.curve[c, 1]
    period, advance = tape.turn[c, 0], tape.turn[c, 1]
    # Row 0 is the piece before all knots, anchored at the first one, as row 1 is.
    turns = math.floor((x - tape.piece[first, 0]) / period) if period > 0.0 else 0.0
    x -= turns * period
    low, high = 0, count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if tape.piece[first + middle, 0] <= x:
            low = middle
        else:
            high = middle - 1
    row = first + low
    s = x - tape.piece[row, 0]
    c1, c2, c3 = tape.piece[row, 2], tape.piece[row, 3], tape.piece[row, 4]
    value = tape.piece[row, 1] + s * (c1 + s * (c2 + s * c3)) + turns * advance
    return value, c1 + s * (2.0 * c2 + s * 3.0 * c3), 2.0 * c2 + 6.0 * s * c3


@compiled
def _integer_power(x: float, n: int) -> Slopes:
    if x == 0.0 and n < 2:
        # Powers that do not exist at 0, and those whose slopes do not.
        return (1.0, 0.0, 0.0) if n == 0 else (0.0, 1.0, 0.0) if n == 1 else (math.inf, math.nan, math.nan)
    last = x ** (n - 2)
    return last * x * x, n * last * x, n * (n - 1) * last


@compiled
def _trigonometric(op: int, x: float) -> Slopes:
    if op == t.SIN:
        s = math.sin(x)
        return s, math.cos(x), -s
    if op == t.COS:
        c = math.cos(x)
        return c, -math.sin(x), -c
    tangent = math.tan(x)
    return tangent, 1.0 + tangent * tangent, 2.0 * tangent * (1.0 + tangent * tangent)


@compiled
def _arc(op: int, x: float) -> Slopes:
    if op == t.ATAN:
        f1 = 1.0 / (1.0 + x * x)
        return math.atan(x), f1, -2.0 * x * f1 * f1
    if abs(x) > 1.0:
        return math.nan, math.nan, math.nan
    left = 1.0 - x * x
    f1 = 1.0 / math.sqrt(left) if left > 0.0 else math.inf
    f2 = x * f1 / left if left > 0.0 else math.inf
    return (math.asin(x), f1, f2) if op == t.ASIN else (math.acos(x), -f1, -f2)


@compiled
def _hyperbolic(op: int, x: float) -> Slopes:
    if op == t.TANH:
        tangent = math.tanh(x)
        return tangent, 1.0 - tangent * tangent, -2.0 * tangent * (1.0 - tangent * tangent)
    s, c = math.sinh(x), math.cosh(x)
    return (s, c, s) if op == t.SINH else (c, s, c)


@compiled
def _exponential(op: int, x: float) -> Slopes:
    if op == t.EXP:
        e = math.exp(x)
        return e, e, e
    if x <= 0.0:
        # Neither a root nor a logarithm below zero; at zero both are endlessly steep.
        return (0.0, math.inf, -math.inf) if x == 0.0 and op == t.SQRT else (math.nan, math.nan, math.nan)
    if op == t.LOG:
        return math.log(x), 1.0 / x, -1.0 / (x * x)
    root = math.sqrt(x)
    return root, 0.5 / root, -0.25 / (root * x)


VALUE, RATE, BEND, SLOPE, BY_FIRST, BY_SECOND, WORK = range(7)
"""Of an instruction: its value, rate and bend, the slope of the result by it, and its own slopes by what it is of. Of a
variable the first and second, and the fourth."""
PIECE = 5
"""Numbers of a piece of a table: where it begins, and the coefficients of its cubic."""


class TapeViews(NamedTuple):
    """Row r, or behind all rows and rotors a play along a curve, has the instructions `code[i]` for i from `begin[r]`
    to before `begin[r + 1]`, with places on its own tape,
    `number` of all. Table c has the pieces `curve[c, 0]` to before `curve[c, 0] + curve[c, 1]` of `piece`, and a period
    and its advance, `turn[c]`. `work`, `variable`: room, see above."""

    begin: Ints
    code: Ints2
    number: Floats
    curve: Ints2
    turn: Floats2
    piece: Floats2
    work: Floats2
    variable: Floats2


@opener
def open_tapes(F: Floats, N: Ints) -> TapeViews:
    """Views of the tapes."""
    room = size(N, at.F_TAPE_WORK) // WORK
    variables = size(N, at.F_TAPE_VARIABLE) // WORK
    curves = size(N, at.F_TAPE_TURN) // 2
    begin = int_start(N, at.I_TAPE_BEGIN)
    formulas = N[at.ROWS] + N[at.ROTORS] + N[at.CURVED_PLAYS]
    return TapeViews(
        begin=view(N, begin, (formulas + 1,)),
        code=view(N, int_start(N, at.I_TAPE_CODE), (N[begin + formulas], 4)),
        number=view(F, start(N, at.F_TAPE_NUMBER), (size(N, at.F_TAPE_NUMBER),)),
        curve=view(N, int_start(N, at.I_TAPE_CURVE), (curves, 2)),
        turn=view(F, start(N, at.F_TAPE_TURN), (curves, 2)),
        piece=view(F, start(N, at.F_TAPE_PIECE), (size(N, at.F_TAPE_PIECE) // PIECE, PIECE)),
        work=view(F, start(N, at.F_TAPE_WORK), (room, WORK)),
        variable=view(F, start(N, at.F_TAPE_VARIABLE), (variables, WORK)),
    )


def tape_blocks(
    tapes: Mapping[int, Tape], rows: int
) -> tuple[Mapping[int, Array | int], Mapping[int, NDArray[np.int64]]]:
    """The blocks of F and of N; `tapes`: by row, of so many rows, rotors and plays."""
    code: list[Instruction] = []
    begin = [0]
    numbers: list[float] = []
    curves: list[tuple[int, int]] = []
    turns: list[tuple[float, float]] = []
    pieces: list[Sequence[float]] = []
    for row in range(rows):
        if row in tapes:
            tape = tapes[row]
            code += _shifted(tape, len(numbers), len(curves))
            numbers += tape.numbers
            for curve in tape.curves:
                curves.append((len(pieces), len(curve.pieces)))
                turns.append((curve.period, curve.advance))
                pieces += [(curve.anchor(i), *piece) for i, piece in enumerate(curve.pieces)]
        begin.append(len(code))
    floats: dict[int, Array | int] = {
        at.F_TAPE_NUMBER: np.array(numbers, dtype=float),
        at.F_TAPE_TURN: np.array(turns, dtype=float),
        at.F_TAPE_PIECE: np.array(pieces, dtype=float),
        at.F_TAPE_WORK: WORK * max((len(tape.code) for tape in tapes.values()), default=0),
        at.F_TAPE_VARIABLE: WORK * max((tape.variables for tape in tapes.values()), default=0),
    }
    ints = {
        at.I_TAPE_BEGIN: np.array(begin, dtype=np.int64),
        at.I_TAPE_CODE: np.array(code, dtype=np.int64),
        at.I_TAPE_CURVE: np.array(curves, dtype=np.int64),
    }
    return floats, ints


def _shifted(tape: Tape, numbers: int, curves: int) -> list[Instruction]:
    """Instructions with the numbers and tables of all tapes in one row."""
    shifts = {t.NUMBER: (numbers, 0), t.CURVE: (0, curves)}
    return [(op, a + shifts.get(op, (0, 0))[0], b + shifts.get(op, (0, 0))[1], c) for op, a, b, c in tape.code]
