"""Tapes of couplings with curves as named arrays: views of F and N, as `tree.views`; and their blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.model import tape as t
from simulator.native.kernels import opener, view
from simulator.physics.layout import buffers as at
from simulator.physics.layout.views import int_start, size, start

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.kinematics.arrays import Floats, Floats2, Ints, Ints2
    from simulator.model.tape import Instruction, Tape
    from simulator.spatial.arrays import Array


VALUE, RATE, BEND, SLOPE, BY_FIRST, BY_SECOND, WORK = range(7)
"""Of an instruction: its value, rate and bend, the slope of the result by it, and its own slopes by what it is of. Of a
variable the first and second, and the fourth."""
PIECE = 5
"""Numbers of a piece of a table: where it begins, and the coefficients of its cubic."""


class TapeViews(NamedTuple):
    """Row r has the instructions `code[i]` for i from `begin[r]` to before `begin[r + 1]`, with places on its own tape,
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
    return TapeViews(
        begin=view(N, begin, (N[at.ROWS] + 1,)),
        code=view(N, int_start(N, at.I_TAPE_CODE), (N[begin + N[at.ROWS]], 4)),
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
    """The blocks of F and of N; `tapes`: by row, of so many rows."""
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
