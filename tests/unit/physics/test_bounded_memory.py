"""What the search for impulses begins with, and what it spares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.engine.engine import Engine
from simulator.physics.contacts.warm_start import warm_start
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import BoundedRows, open_bounded
from tests.physics.worlds import example, running

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
HELD = ("left_finger_joint=effort:20", "lift_joint=position:0.15")


def rows_of_axes(columns: tuple[int, ...]) -> BoundedRows:
    """Rows of motors that have one coordinate each, and can move it."""
    B, C = row_at.make_room(len(columns), len(columns), max(columns) + 1)
    bounded = open_bounded(B, C)
    C[row_at.COUNT] = len(columns)
    for r, column in enumerate(columns):
        bounded.J_column[r], bounded.J_end[r] = column, r + 1
        bounded.line[r], bounded.response[r] = r, 1.0
    return bounded


def recalled(columns: tuple[int, ...], pushed: tuple[float, ...], ratio: float = 1.0) -> list[float]:
    """With what rows begin after steps in which they gave `pushed`, beside a contact of that ratio of frictions."""
    bounded = rows_of_axes(columns)
    N, RF = np.zeros(at.HEAD, dtype=np.int64), np.zeros((len(columns), row_at.AXIS_COLUMNS))
    N[at.INDEPENDENT], RF[:, row_at.PUSHED] = max(columns) + 1, pushed
    CF = np.zeros((1, row_at.CONTACT_COLUMNS))
    CF[0, row_at.RATIO] = ratio
    assert warm_start(bounded, RF, CF, True) == (ratio == 1.0)
    return [bounded.impulse[r] for r in range(len(columns))]


def test_rows_go_on_with_what_they_gave() -> None:
    assert recalled((0, 1, 2), (2.0, 3.0, 0.0)) == [2.0, 3.0, 0.0]


def test_rows_that_share_a_coordinate_begin_from_none() -> None:
    """What they give together says nothing about who gives it: else what they share would depend on what was before."""
    assert recalled((0, 0, 1), (2.0, -3.0, 5.0)) == [0.0, 0.0, 5.0]
    assert recalled((0, 0, 1), (2.0, 0.0, 5.0)) == [2.0, 0.0, 5.0], "the second did not push"


def test_all_begin_from_none_beside_friction_with_a_direction() -> None:
    assert recalled((0, 1), (2.0, 3.0), ratio=0.0) == [0.0, 0.0]


def rows(engine: Engine) -> tuple[Array, Ints]:
    dynamics: Any = engine.dynamics
    _, _, B, C = dynamics.bounded.buffers
    return B, C


def test_what_is_held_takes_one_step_of_newton_at_most() -> None:
    """A gripper that has lifted its box and holds it: motor and contacts maintain their efforts. A motor that began
    from none, 1.5 kg · 9.8 m/s² · 1 ms, would need two, for each leaves 1e-7 of what is asked for."""
    with running(example("gripper"), dt=1e-3, drives=HELD) as engine:
        steps = []
        for _ in range(2000):
            engine.step()
            steps.append(int(rows(engine)[1][row_at.SWEEPS]))
    assert max(steps[1600:]) <= 1
    assert sum(steps[200:900]) <= 700, "nor while it lifts the box at a constant speed"


def test_a_motor_at_the_speed_limit_of_its_axis_pushes_alone() -> None:
    """The drive takes its axis to 0.15 m/s, its limit, with all it has, 200 N. Where it would go beyond that with what
    it gave before, it gives less, and the limit nothing; nor later, when all are slower but for rounding."""
    with running(example("gripper"), dt=1e-3, drives=HELD) as engine:
        for _ in range(600):
            engine.step()
            B, C = rows(engine)
            limits = [
                B[row_at.of_row(C, row_at.B_IMPULSE, r)]
                for r in range(int(C[row_at.COUNT]))
                if C[row_at.int_of_row(C, row_at.C_KIND, r)] == row_at.SPEED
            ]
            assert limits == [0.0]


def test_islands_of_last_time_are_those_that_are_found_anew() -> None:
    """Bit for bit, while fingers come to a box, close on it and lift it: as if islands were looked for in each step."""
    ends = []
    for anew in (False, True):
        known = 0
        with running(example("gripper"), dt=1e-3, drives=HELD) as engine:
            for _ in range(300):
                engine.step()
                _, C = rows(engine)
                known += int(C[row_at.ARRANGED] == C[row_at.COUNT])
                if anew:
                    C[row_at.ARRANGED] = -1
            ends.append(engine.snapshot())
        assert known > 200
    for a, b in ((ends[0].position, ends[1].position), (ends[0].body_poses, ends[1].body_poses)):
        assert a.tobytes() == b.tobytes()
