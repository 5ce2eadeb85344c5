"""Where everything stands in the two flat buffers that a kernel gets: F (float64) and N (int64).

A kernel call with two arrays costs a third of a microsecond from Python; one with forty would cost more than the mechanics. N begins
with sizes, then for every block its start and end; blocks are addressed as slices, and within a block by flat index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

# Sizes at the head of N.
(
    NODES,
    FREEDOMS,
    INDEPENDENT,
    POSITIONS,
    LOOPS,
    ROWS,
    LOOP_AXES,
    RANK,
    WORST,
    DRIFT,
    FACTORED,
    WEIGHTLESS,
    ACTIVE,
    BRIEF,
    PLANAR,
    IDENTITY,
    LOW,
    HIGH,
    GUIDES,
    SPARE,
    LEFT,
) = range(21)
HEAD = 21

# Float blocks: what does not change while time passes …
(
    F_X, F_AXIS, F_INERTIA, F_GVALUE, F_GCONST, F_GRAVITY, F_LOOP_X, F_ROW_U, F_ROW_W, F_ROW_TARGET, F_LAXIS_DIR, F_LCOEF,
    F_DAMPING, F_STIFFNESS, F_REFERENCE, F_LPASSIVE,
    # … the state and what acts on it …
    F_Q, F_V, F_TAU,
    # … and room to work in.
    F_R, F_P, F_S, F_VEL, F_ACC, F_FORCE, F_CI, F_BIAS, F_H, F_DV, F_DQ, F_K, F_XK, F_A, F_PHI, F_RHS, F_LAMBDA, F_LFRAME, F_LMOTION,
    F_LAXIS_Q,
    F_Q0, F_V0, F_QSUM, F_VSUM, F_STEP, F_QD, F_TWIST,
    # Generalized efforts that are held over a step, what drives do and what only takes; the energy that flowed in the step.
    F_DRIVE, F_LOSS, F_FLOW,
    # Of a step that holds stiff dampers and springs: see `stiff_kernels`.
    F_ADDED, F_SHIFT, F_KEPT,
    # Of nodes that only their own freedom moves: gravity's effort as cosine and sine of it, and what they add to H.
    F_SIMPLE, F_HBASE,
    # Where everything moves in one plane: see `planar`.
    F_PLANE, F_PLANE_LOOPS, F_PLANE_ROWS, F_PLANE_AXES, F_PLANE_GRAVITY, F_PLANE_WORK,
    # Of singular positions: rows that choose a motion (see `change_point`), and room to tell nearly dependent rows apart.
    # F_PIVOT: the least pivot of the rows as of now, the greatest along the motion, the usual least.
    F_GUIDE, F_GUIDE_RHS, F_NEAR_K, F_NEAR_XK, F_PIVOT,
) = range(65)  # fmt: skip
FLOAT_BLOCKS = 65

GREATEST, USUAL = 1, 2
"""Places in F_PIVOT."""

# Integer blocks.
(
    I_KIND, I_PARENT, I_FIRST, I_TURNS, I_GPTR, I_GINDEX, I_YPOS, I_LPOS, I_LPTR, I_LCOL, I_ROW_KIND, I_ROW_LOOP, I_ROW_ACTIVE, I_LOOP_NODE,
    I_PATH_PTR, I_PATH_NODE, I_PATH_SIGN, I_LAXIS_KIND, I_LAXIS_LOOP, I_TERM_PTR, I_TERM_AXIS, I_TERM_DOF, I_PIVOT,
    I_WEIGHTLESS, I_ORDER, I_HROW, I_BEGIN, I_END,
) = range(28)  # fmt: skip
INT_BLOCKS = 28


def allocate(
    sizes: Mapping[int, int], floats: Mapping[int, Array | int], ints: Mapping[int, Ints | int]
) -> tuple[Array, Ints]:
    """Both buffers. A block is given by its contents, or by its length where it is room to work in (zeros)."""
    float_start, float_size = _starts(floats, FLOAT_BLOCKS, 0)
    tables = HEAD + 2 * (FLOAT_BLOCKS + INT_BLOCKS)
    int_start, int_size = _starts(ints, INT_BLOCKS, tables)
    F, N = np.zeros(float_size), np.zeros(int_size, dtype=np.int64)
    for index, size in sizes.items():
        N[index] = size
    for block, (start, length) in enumerate(float_start):
        N[HEAD + 2 * block : HEAD + 2 * block + 2] = start, start + length
        contents = floats[block]
        if not isinstance(contents, int):
            F[start : start + length] = contents.ravel()
    for block, (start, length) in enumerate(int_start):
        at = HEAD + 2 * (FLOAT_BLOCKS + block)
        N[at : at + 2] = start, start + length
        values = ints[block]
        if not isinstance(values, int):
            N[start : start + length] = values.ravel()
    return F, N


def _starts(blocks: Mapping[int, Array | Ints | int], count: int, at: int) -> tuple[list[tuple[int, int]], int]:
    starts = []
    for block in range(count):
        contents = blocks[block]
        length = contents if isinstance(contents, int) else contents.size
        starts.append((at, length))
        at += length
    return starts, at


def place(N: Ints, index: int) -> int:
    """Where a float block begins."""
    return int(N[HEAD + 2 * index])


def block(F: Array, N: Ints, index: int) -> Array:
    """A float block as a view, for Python's side."""
    start, end = N[HEAD + 2 * index], N[HEAD + 2 * index + 1]
    return F[start:end]


def int_block(N: Ints, index: int) -> Ints:
    """An integer block as a view, for Python's side."""
    at = HEAD + 2 * (FLOAT_BLOCKS + index)
    return N[N[at] : N[at + 1]]
