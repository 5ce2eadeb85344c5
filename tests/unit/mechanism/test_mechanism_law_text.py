"""Laws as people read them: no factor of one, one kind of minus, no sign beside another."""

from __future__ import annotations

import pytest

from simulator.mechanism.law_text import added, law, summed
from tests.helpers.mechanisms import joint, link, mechanism, mimic


@pytest.mark.parametrize(
    ("terms", "text"),
    [
        ([(1.0, "a")], "a"),
        ([(-1.0, "a"), (1.0, "b")], "−a + b"),
        ([(2.0, "a"), (-0.5, "b"), (-1.0, "c")], "2·a − 0.5·b − c"),
        ([(1.0 / 3.0, "a")], "0.333333·a"),
    ],
)
def test_sums(terms: list[tuple[float, str]], text: str) -> None:
    assert summed(terms) == text


def test_sums_behind_other_terms_begin_with_their_sign() -> None:
    assert summed([(1.0, "a"), (-2.0, "b")], behind=True) == " + a − 2·b"


def test_constants() -> None:
    assert (added(0.0), added(0.25), added(-3.0)) == ("", " + 0.25", " − 3")


@pytest.mark.parametrize(
    ("multiplier", "offset", "reference", "text"),
    [
        (1.0, 0.0, 0.0, "m::b = m::a"),
        (-1.0, -0.1, 0.0, "m::b = −m::a − 0.1"),
        (2.0, 0.1, -0.5, "m::b = 2·(m::a + 0.5) + 0.1"),
        (-0.5, 0.0, 0.5, "m::b = −0.5·(m::a − 0.5)"),
    ],
)
def test_laws(multiplier: float, offset: float, reference: float, text: str) -> None:
    follows = mimic("a", multiplier=multiplier, offset=offset, reference=reference)
    built = mechanism(
        link("x"),
        link("y"),
        joint("a", "revolute", "world", "x"),
        joint("b", "revolute", "world", "y", axis={"mimic": follows}),
    )
    assert law(built.couplings[0], built) == text
