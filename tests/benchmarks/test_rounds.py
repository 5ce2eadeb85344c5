"""Taking turns, with a clock that is made up: who is slow is found, whatever slows everybody down."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from tests.benchmarks.contenders import Contender
from tests.benchmarks.rounds import take_turns


class Pretender(Contender):
    """Takes so much made-up time per step."""

    def __init__(self, name: str, cost: float, world: Any) -> None:
        self.name, self.cost, self.world = name, cost, world
        self.call, self.arguments = self.step, ()

    def step(self) -> None:
        self.world.collected |= self.world.order.count(self.name) > 1 and gc.isenabled()
        self.world.calls += 1
        self.world.now += self.cost * self.world.load

    def reset(self) -> None:
        self.world.order.append(self.name)


class World:
    """Time, and how busy the machine is."""

    def __init__(self) -> None:
        self.now, self.load, self.calls, self.collected = 0.0, 1.0, 0, False
        self.order: list[str] = []

    def clock(self) -> float:
        self.load = 1.0 + (self.calls // 3000) % 3
        return self.now


def test_everybody_has_a_turn_in_every_round_and_the_order_changes() -> None:
    world = World()
    times = take_turns(
        [Pretender("a", 1e-5, world), Pretender("b", 2e-5, world)], rounds=7, seconds=0.01, clock=world.clock
    )
    assert [len(rounds) for rounds in times.rounds.values()] == [7, 7]
    assert world.order[2:] == ["a", "b", "b", "a"] * 3 + ["a", "b"]
    assert times.median("a") >= 10.0
    assert not world.collected


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(enabled: bool) -> None:
    world, before = World(), gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        take_turns([Pretender("a", 1e-5, world)], rounds=1, seconds=0.01, clock=world.clock)
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_ratios_are_of_medians_and_known_for_every_round() -> None:
    world = World()
    a, b = Pretender("a", 1e-5, world), Pretender("b", 2e-5, world)
    times = take_turns([a, b], rounds=21, seconds=0.005, clock=world.clock)
    assert times.ratio("b", "a") == pytest.approx(times.median("b") / times.median("a"))
    assert times.ratio("b", "a") == pytest.approx(2.0, rel=0.4)
    assert len(times.ratios("b", "a")) == 21


def test_many_steps_in_one_call_count_as_many() -> None:
    world = World()
    many = Pretender("many", 1e-3, world)
    many.steps_per_call = 100
    times = take_turns([many], rounds=3, seconds=0.02, clock=world.clock)
    assert times.median("many") == pytest.approx(10.0, rel=0.01)


def test_a_slow_one_is_called_no_oftener_than_it_takes() -> None:
    """A call of five seconds: one to warm up and one to see how slow it is, then two a round."""
    world = World()
    times = take_turns([Pretender("slow", 5.0, world)], rounds=3, seconds=0.1, clock=world.clock)
    assert world.calls == 2 + 2 * 3
    assert times.median("slow") == pytest.approx(5e6)
