"""Room for the contacts that a step has overlooked: a mechanism remembers what it needed, and tables do not grow from
step to step."""

from __future__ import annotations

from unittest.mock import patch

from simulator.engine.strategies.rows import RowsDynamics
from simulator.physics.touching.touching import FIRST_MORE, Touching, add_overlooked
from tests.physics.worlds import example, running

NEEDED = 3 * FIRST_MORE


def test_what_is_needed_in_every_step_is_made_room_for_once() -> None:
    asked: list[int] = []

    def wanting(touch: object, now: object, ahead: object, count: int, then: int) -> int:
        asked.append(len(now.ints) - count)  # type: ignore[attr-defined]
        return -1 if asked[-1] < NEEDED else add_overlooked(touch, now, ahead, count, then)

    with running(example("gripper"), solver="rows") as engine:
        dynamics = engine.core.dynamics
        assert isinstance(dynamics, RowsDynamics)
        with patch("simulator.physics.touching.touching.add_overlooked", wanting):
            engine.step()
            assert asked[:3] == [FIRST_MORE, 2 * FIRST_MORE, 4 * FIRST_MORE]
            touching = dynamics._touching
            assert isinstance(touching, Touching)
            rows = len(touching._own.room.ints)
            for _ in range(5):
                engine.step()
    assert set(asked[3:]) == {4 * FIRST_MORE}
    assert len(touching._own.room.ints) == rows
