"""Islands of rows: who is in one, and their matrices in envelopes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.snapshot import Extremes
from simulator.engine.strategies.rows import RowsDynamics
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import dense_rows, open_bounded
from simulator.physics.layout.flatten import FREE
from simulator.physics.solver.envelope import factor, solve_factored, widen
from tests.physics.solids import box_shape, ground, solid
from tests.physics.worlds import joint, link, model, running, world

Write = Callable[..., Path]
Array = NDArray[np.float64]
SIZE = 9
FIRST = [0, 0, 0, 1, 3, 3, 2, 5, 0]


def matrix(rng: np.random.Generator, *, symmetric: bool) -> Array:
    """Positive definite, and zero outside of the envelope."""
    full = np.zeros((SIZE, SIZE))
    for i, first in enumerate(FIRST):
        full[i, first:i] = rng.normal(size=i - first)
        full[first:i, i] = full[i, first:i] if symmetric else rng.normal(size=i - first)
    result: Array = full + np.diag(np.abs(full).sum(axis=1) + 1.0)
    return result


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_matrix_in_its_envelope_is_solved_as_a_full_one(symmetric: bool) -> None:
    rng = np.random.default_rng(1)
    full, wanted = matrix(rng, symmetric=symmetric), rng.normal(size=SIZE)
    last = [max(j for j, first in enumerate(FIRST) if first <= i) for i in range(SIZE)]
    total = sum(end - first + 1 for first, end in zip(FIRST, last, strict=True))
    B, C = row_at.make_room(4, 16, SIZE, total)
    bounded: Any = open_bounded(B, C)
    place = 0
    for i, first in enumerate(FIRST):
        bounded.now_first[i], bounded.now_last[i], bounded.offset[i] = first, last[i], place - first
        bounded.matrix[place : place + last[i] - first + 1] = full[i, first : last[i] + 1]
        if symmetric:
            bounded.matrix[place : place + i - first] = np.nan  # what is below the diagonal is not read
        place += last[i] - first + 1
    bounded.vector[:] = full @ wanted
    factor(bounded, 0, SIZE, not symmetric)
    solve_factored(bounded, 0, SIZE)
    assert bounded.vector == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def cube(name: str, x: float, z: float) -> str:
    moment = "0.0017 0.0017 0.0017"
    return model(solid("b", box_shape("0.1 0.1 0.1"), inertia=moment, pose=f"{x!r} 0 {z!r} 0 0 0"), name=name)


def test_stacks_that_touch_only_the_ground_are_islands(write_document: Write) -> None:
    """Two stacks of two, and a cube in the air, which is in none. Shared ground does not join."""
    text = (
        cube("a", 0.0, 0.05) + cube("b", 0.0, 0.15) + cube("c", 1.0, 0.05) + cube("d", 1.0, 0.15) + cube("e", 3.0, 2.0)
    )
    with running(write_document(world(ground() + text)), dt=1e-3) as engine:
        engine.step()
        dynamics: Any = engine.dynamics
        assert isinstance(dynamics, RowsDynamics)
        C = dynamics.bounded.buffers[3]
        assert C[row_at.ISLANDS] == 2
        begins = int(row_at.island_column(C, row_at.I_COORDINATES))
        assert np.diff(C[begins : begins + 3]).tolist() == [12, 12]
        rows = int(row_at.island_column(C, row_at.I_ROWS))
        assert np.diff(C[rows : rows + 3]).tolist() == [24, 24], "four points of three rows under every cube"


BARS = (
    link("a", inertia="0.01 0.01 0.01", pose="5 0 1 0 0 0", com="0 0 0.1"),
    link("b", inertia="0.02 0.01 0.02", pose="5.4 0 1 0 0 0", com="0.05 0 0.15"),
    joint("ja", "revolute", "a", axis="0 1 0"),
    joint("jb", "revolute", "b", axis="0 1 0"),
    joint("jc", "revolute", "c", parent="a", axis="0 1 0"),
    '<joint name="close" type="revolute"><parent>c</parent><child>b</child><pose>0.05 0 0.3 0 0 0</pose>'
    "<axis><xyz>0 1 0</xyz></axis></joint>",
)
COUPLER = link("c", inertia="0.01 0.02 0.01", pose="5 0 1.2 0 0 0", com="0.2 0 0.05")
"""The bars of a linkage that is closed to a loop, and the one between them."""


def test_what_lies_beside_a_loop_is_an_island_and_far_points_have_no_rows(write_document: Write) -> None:
    """Two cubes on the ground, one that falls onto nothing near, and a linkage that touches none of them."""
    falling = model(solid("b", box_shape("0.1 0.1 0.1"), pose="2 0 0.056 0 0 0"), name="e")
    text = cube("a", 0.0, 0.05) + cube("b", 1.0, 0.05) + falling + model(*BARS, COUPLER, name="bars")
    with running(write_document(world(ground() + text)), dt=1e-3) as engine:
        engine.step()
        dynamics: Any = engine.dynamics
        C = dynamics.bounded.buffers[3]
        assert (C[row_at.ISLANDS], C[row_at.COUNT]) == (2, 24)


def test_islands_take_rows_that_know_of_loops(write_document: Write) -> None:
    """A cube lies on the bar between two others: three angles, and one motion that is left. Of all motions that keep
    the loop closed, those of X among them, J as islands take it says the same as J; of the angles it knows that one."""
    at_bar = "0.2 0 0.05 0 0 0"
    coupler = solid("c", box_shape("0.2 0.1 0.02"), inertia="0.01 0.02 0.01", pose="5 0 1.2 0 0 0", at=at_bar)
    moments = "0.002 0.002 0.002"
    resting = model(solid("b", box_shape("0.1 0.1 0.1"), inertia=moments, pose="5.2 0 1.31 0 0 0"), name="d")
    with running(write_document(world(model(*BARS, coupler, name="bars") + resting)), dt=1e-3) as engine:
        engine.step()
        dynamics: Any = engine.dynamics
        _, N, B, C = dynamics.bounded.buffers
        tree, reduction = dynamics.bounded.model.parts.tree, dynamics.bounded.model.parts.reduction
        rows, width = range(int(C[row_at.COUNT])), int(N[at.INDEPENDENT])
        assert (C[row_at.ISLANDS], C[row_at.CLOSED], len(rows)) == (1, 1, 12)
        bounded: Any = open_bounded(B, C)
        J, X = dense_rows(bounded, rows, width)
        bounded.J[:] = bounded.J_closed
        closed, _ = dense_rows(bounded, rows, width)
    angles = reduction.index[tree.first[np.asarray(tree.kind) != FREE]]
    assert len(angles) == 3
    assert np.abs(J - closed).max() > 0.01, "else this says nothing"
    assert closed @ X.T == pytest.approx(J @ X.T, rel=1e-12, abs=1e-12)
    assert np.linalg.matrix_rank(J[:, angles], tol=1e-10) == 2
    assert np.linalg.matrix_rank(closed[:, angles], tol=1e-10) == 1


def test_room_grows_with_the_rows_and_not_with_their_square(write_document: Write) -> None:
    """A contact of a free body has three rows of six entries, however many bodies there are: 150 cubes that lie apart
    have 150 · 4 · 3 of them. What doubles has twice as much room at most, and entries three times that for later."""
    cubes = "".join(
        model(
            solid("b", box_shape("0.1 0.1 0.1"), pose=f"{0.2 * (k % 15)!r} {0.2 * (k // 15)!r} 0.05 0 0 0"),
            name=f"c{k}",
        )
        for k in range(150)
    )
    with running(write_document(world(ground() + cubes)), dt=1e-3) as engine:
        engine.advance(10, Extremes())
        dynamics: Any = engine.dynamics
        C = dynamics.bounded.buffers[3]
        rows = 150 * 4 * 3
        assert rows <= C[row_at.ROW_ROOM] <= 2 * rows
        assert C[row_at.ENTRY_ROOM] <= 2 * 3 * 6 * rows


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_lines_begin_where_rows_couple_them_in_any_order_of_the_rows(order: tuple[int, ...]) -> None:
    """A chain of four blocks of two lines. A line begins at the block that it is coupled with, not where that one's
    begins: what an envelope takes in is between the first entry of a line and its diagonal (George and Liu 1981,
    4.2)."""
    blocks = 4
    bounded: Any = open_bounded(*row_at.make_room(3, 12, 2 * blocks, 4 * blocks * blocks))
    first = bounded.now_first
    for p in range(2 * blocks):
        bounded.begin[p] = first[p] = 2 * (p // 2)
    for row in range(3):
        bounded.J_end[row] = 4 * (row + 1)
        bounded.J_position[4 * row : 4 * row + 4] = range(2 * row, 2 * row + 4)
    for row in order:
        widen(bounded, row, first)
    assert first[: 2 * blocks].tolist() == [0, 0, 0, 0, 2, 2, 4, 4]
