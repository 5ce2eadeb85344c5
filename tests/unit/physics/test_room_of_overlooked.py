"""Room for contacts and their rows in steps that are made one by one: what is missing is made, and the step begins
again where it did."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.engine.strategies.rows import RowsDynamics
from tests.physics.worlds import example, running

STEPS = 5


def of(engine: Engine) -> RowsDynamics:
    dynamics = engine.core.dynamics
    assert isinstance(dynamics, RowsDynamics)
    return dynamics


def crowd(engine: Engine) -> None:
    """Leave room for two contacts."""
    assert of(engine)._touching is not None
    own = of(engine)._touching._own
    for name in ("work", "ahead"):
        work = getattr(own, name)
        setattr(own, name, work._replace(ints=work.ints[:2].copy(), floats=work.floats[:2].copy()))


def narrow(engine: Engine) -> None:
    """Leave room for one row with one entry."""
    of(engine).bounded._make_room(1, 1)


@pytest.mark.parametrize("leave", [crowd, narrow])
def test_what_a_step_lacks_is_made_and_changes_nothing(leave: object) -> None:
    found = []
    for change in (leave, None):
        with running(example("gripper"), solver="rows", drives=("left_finger_joint=effort:5",)) as engine:
            engine.make_steps(300)
            if callable(change):
                change(engine)
            for _ in range(STEPS):
                engine.step()
            found.append(engine.snapshot())
            assert len(engine.contacts()) > 2
    assert np.array_equal(found[0].position, found[1].position)
    assert np.array_equal(found[0].body_velocities, found[1].body_velocities)
    assert found[0].energy == found[1].energy
