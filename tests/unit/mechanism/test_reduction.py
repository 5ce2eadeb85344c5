"""Elimination of coupling rows: what is implied, what contradicts, and by which rows."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from simulator.diagnostics import Diagnostic, DiagnosticLog, Source
from simulator.mechanism.couplings import without_redundant
from simulator.mechanism.reduction import Elimination
from simulator.mechanism.types import AxisInfo, Coupling, CouplingKind, MotionKind
from simulator.model.joint import Axis

NAMES = ("sun", "ring", "carrier", "planet", "other", "more")


def axes(count: int = len(NAMES)) -> list[AxisInfo]:
    names = [*NAMES, *(f"q{i}" for i in range(len(NAMES), count))]
    return [AxisInfo(name, name, MotionKind.ROTATION, Axis()) for name in names]


def coupling(line: int, follower: str, constant: float = 0.0, **leaders: float) -> Coupling:
    """follower = sum of leaders + constant, written on that line."""
    (leader, multiplier), *others = ((NAMES.index(name), m) for name, m in leaders.items())
    return Coupling(
        CouplingKind.GEARBOX, NAMES.index(follower), leader, multiplier, constant,
        source=Source("a.sdf", line), others=tuple(others),
    )  # fmt: skip


def sorted_out(*couplings: Coupling) -> tuple[list[int], list[Diagnostic]]:
    """Lines of the independent couplings, and the findings about the others."""
    log = DiagnosticLog()
    kept = without_redundant(couplings, axes(), log)
    return [item.source.line for item in kept if item.source is not None], list(log)


SUN = coupling(1, "planet", sun=-2.0, carrier=2.0)
RING = coupling(2, "ring", planet=0.25, carrier=1.0)


def test_rows_of_a_planetary_gear_are_independent() -> None:
    assert sorted_out(SUN, RING) == ([1, 2], [])


@pytest.mark.parametrize("digits", [None, 11])
def test_what_two_rows_imply_is_dropped_and_both_are_named(digits: int | None) -> None:
    """ring - carrier = -(1/2) (sun - carrier) follows from the two meshes, also where its numbers were rounded."""
    third = round(-0.5 + 1e-12, digits) if digits else -0.5
    kept, (finding,) = sorted_out(SUN, RING, coupling(3, "ring", sun=third, carrier=1.5))
    assert kept == [1, 2]
    assert (finding.code, finding.line, finding.is_error) == ("COUPLING_REDUNDANT", 3, False)
    assert "'ring' following 'sun' and 'carrier' is implied by a.sdf:1 and a.sdf:2" in finding.message


def test_another_ratio_of_the_same_axes_stops_them() -> None:
    """Three axes, two laws: they still turn. A third law leaves only standstill, and all three lines are in the
    message."""
    kept, (finding,) = sorted_out(
        SUN, RING, coupling(4, "ring", sun=-0.6, carrier=1.6), coupling(5, "sun", carrier=3.0)
    )
    assert kept == [1, 2, 4, 5]
    assert (finding.code, finding.line, finding.is_error) == ("COUPLING_HOLDS", 5, False)
    assert finding.message.startswith("'sun' = 3·'carrier' (a.sdf:5) and a.sdf:1, a.sdf:2 and a.sdf:4 agree")
    assert "they hold 'sun' at 0 rad" in finding.message
    assert finding.hint


def test_a_contradiction_of_constants_names_both_lines() -> None:
    kept, (finding,) = sorted_out(SUN, coupling(7, "planet", 0.5, sun=-2.0, carrier=2.0))
    assert kept == [1]
    assert (finding.code, finding.line) == ("COUPLING_CONTRADICTORY", 7)
    assert "'planet' = -2·'sun' + 2·'carrier' + 0.5 (a.sdf:7) contradicts a.sdf:1: no position" in finding.message
    assert "by 0.5 rad" in finding.message


def test_couplings_of_two_axes_may_be_implied_by_longer_ones() -> None:
    """A clutch between sun and carrier makes the whole set turn as one."""
    clutch = coupling(3, "sun", carrier=1.0)
    kept, (finding,) = sorted_out(SUN, RING, clutch, coupling(4, "ring", carrier=1.0))
    assert kept == [1, 2, 3]
    assert finding.code == "COUPLING_REDUNDANT"
    for line in (1, 2, 3):
        assert f"a.sdf:{line}" in finding.message


def test_rows_that_are_not_needed_are_not_named() -> None:
    unrelated = coupling(9, "more", other=2.0)
    _, (finding,) = sorted_out(unrelated, SUN, RING, coupling(3, "ring", sun=-0.5, carrier=1.5))
    assert "a.sdf:9" not in finding.message


def test_brakes_are_no_contradiction() -> None:
    """Multiplier 0 holds an axis: ring, then sun as well, and nothing moves because the document wants it so."""
    brakes = [coupling(3, "ring", 0.1, other=0.0), coupling(4, "sun", 0.2, other=0.0)]
    for order in ([SUN, RING, *brakes], [*brakes, SUN, RING], [brakes[0], RING, SUN, brakes[1]]):
        assert sorted_out(*order)[1] == []


@pytest.mark.parametrize("seed", range(20))
def test_what_is_kept_has_the_rank_of_all_rows(seed: int) -> None:
    """Random rows with small whole coefficients, against numpy's rank; homogeneous, so nothing contradicts but
    standstill."""
    generator = np.random.default_rng(seed)
    matrix = generator.integers(-2, 3, size=(5, 6)) * (generator.random((5, 6)) < 0.6)
    combined = np.vstack([matrix, matrix[0] - 2 * matrix[1], matrix.sum(axis=0)])
    elimination = Elimination()
    for row in combined[generator.permutation(len(combined))]:
        reduced = elimination.reduce(enumerate(map(float, row)), 0.0)
        if reduced.terms:
            elimination.keep(reduced, preferred=0)
        else:
            assert reduced.is_empty
    assert len(elimination.rows) == np.linalg.matrix_rank(combined)
    position = generator.normal(size=6)
    solved = elimination.solved()
    for axis, (terms, constant) in solved.items():
        assert not set(terms) & set(solved)
        position[axis] = sum(value * position[other] for other, value in terms.items()) + constant
    np.testing.assert_allclose(combined @ position, 0.0, atol=1e-13)


@pytest.mark.parametrize("order", ["forwards", "backwards", "shuffled"])
def test_a_thousand_couplings_are_quick(order: str) -> None:
    """1024 differentials in a row take milliseconds of processor time; the bound is wide, quadratic cost would still
    miss it."""
    rows = [Coupling(CouplingKind.GEARBOX, i + 2, i + 1, -0.3, others=((i, 0.6),)) for i in range(1024)]
    if order == "backwards":
        rows.reverse()
    elif order == "shuffled":
        random.Random(1).shuffle(rows)
    start = time.process_time()
    assert len(without_redundant(rows, axes(1026), DiagnosticLog())) == 1024
    assert time.process_time() - start < 2.0


def test_constants_that_cancel_are_held_against_their_own_size() -> None:
    """q0 = 1e7 / 3 and q1 = 1e7 / 3 imply q0 - q1 = 0. What rounding leaves of the constants is large as a number, not
    beside them."""
    found = Elimination()
    found.keep(found.reduce([(0, 3.0)], 1e7), 0)
    found.keep(found.reduce([(1, 0.3)], 1e6 * (1.0 + 1e-15)), 1)
    left = found.reduce([(0, 1.0), (1, -1.0)], 0.0)
    assert abs(left.constant) > 1e-10
    assert left.size == pytest.approx(1e7 / 3.0)
    assert left.is_empty
