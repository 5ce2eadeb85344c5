"""`altered` is `dataclasses.replace` for values that are what their fields are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import pytest

import simulator
from simulator.model.altered import altered


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 0.0

    @cached_property
    def length(self) -> float:
        return float((self.x**2 + self.y**2) ** 0.5)


@dataclass(frozen=True)
class Checked:
    x: float

    def __post_init__(self) -> None:
        assert self.x > 0.0


@dataclass
class Derived:
    x: float
    twice: float = field(init=False, default=0.0)


def test_it_is_replace() -> None:
    mechanism = simulator.load("four_bar").mechanism
    for value, changes in (
        (mechanism, {"bodies": ()}),
        (mechanism.bodies[1], {"mass": 3.0, "com": (1.0, 2.0, 3.0)}),
        (mechanism.axes[0].axis, {"damping": 0.5}),
        (mechanism.loop_joints[0], {}),
    ):
        assert altered(value, **changes) == replace(value, **changes)
        assert altered(value, **changes) is not value


def test_what_was_derived_is_derived_anew() -> None:
    before = Point(3.0, 4.0)
    assert before.length == 5.0
    assert altered(before, y=0.0).length == 3.0
    assert before == Point(3.0, 4.0)


@pytest.mark.parametrize(
    ("value", "changes", "text"),
    [
        (Point(1.0), {"z": 1.0}, "Point has no field 'z'"),
        (Checked(1.0), {"x": -1.0}, "Checked checks or derives its fields"),
        (Derived(1.0), {"x": 2.0}, "Derived checks or derives its fields"),
    ],
)
def test_what_it_cannot_do_is_refused(value: object, changes: dict[str, float], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        altered(value, **changes)
