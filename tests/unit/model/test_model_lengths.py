"""Lengths by names: what expressions come to, and what cannot be."""

from __future__ import annotations

import math

import pytest

from simulator.errors import UsageError
from simulator.model.lengths import LengthParameter, LengthValues, require_name


def values(**texts: str) -> dict[str, float]:
    made = LengthValues([LengthParameter(name, text) for name, text in texts.items()])
    return {parameter.name: value for parameter, value in made}


def test_names_follow_each_other_in_any_order() -> None:
    found = values(c="hypot(a, b)", b="4/3*a", a="0.3")
    assert found == pytest.approx({"a": 0.3, "b": 0.4, "c": 0.5}, rel=1e-15)
    assert values(a="0.002*20/2") == {"a": 0.02}
    assert values(a="1e-3", b="a if a < 1 else 2*a")["b"] == 0.001


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"a": "b", "b": "2*a"}, "in a ring: a = b = a"),
        ({"a": "a"}, "in a ring: a = a"),
        ({"a": "2*q"}, "'q'"),
        ({"a": "-1"}, "above zero"),
        ({"a": "1/0"}, "above zero"),
        ({"a": "0.1 +"}, "not an expression"),
        ({"a": "__import__('os')"}, "__import__"),
        ({"a": "nan"}, "'nan'"),
    ],
)
def test_what_has_no_value_is_refused(texts: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        values(**texts)


@pytest.mark.parametrize("name", ["", "2a", "sin", "pi", "a b", "ä", "hypot"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no name for a length"):
        require_name(name)


def test_a_number_is_one_only_where_it_is_finite() -> None:
    assert LengthParameter("a", "0.5").number == 0.5
    assert LengthParameter("a", "inf").number is None
    assert LengthParameter("a", "2*b").number is None
    assert math.isclose(LengthValues([LengthParameter("", "0.25", "bar_1")]).of(LengthParameter("", "0.25")), 0.25)
