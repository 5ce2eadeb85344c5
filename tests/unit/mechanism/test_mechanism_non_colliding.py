"""Rules about pairs of links give the result of a check of each pair, without checking each pair of a large world."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.non_colliding import NO_FAMILY, NonCollidingLinks, SolidLink
from simulator.model.link import Collision
from simulator.model.shape import Sphere
from simulator.model.world import World
from tests.helpers.mechanisms import link, model

BALL = (Collision("c", Sphere(0.1)),)


@st.composite
def rules(draw: st.DrawFn) -> NonCollidingLinks:
    """Up to eight links of few bodies and families, so that each rule has its say."""
    bodies = draw(st.lists(st.integers(0, 3), max_size=8))
    links = tuple(
        SolidLink(
            f"l{i}",
            body,
            body or 10 + i,
            draw(st.sampled_from((NO_FAMILY, 0, 1))),
            draw(st.sampled_from((0, 0b01, 0b10, 0b11))),
        )
        for i, body in enumerate(bodies)
    )
    ends = sorted({each.end for each in links})
    pairs = list(combinations(ends, 2))
    return NonCollidingLinks(links, frozenset(draw(st.lists(st.sampled_from(pairs), max_size=3)) if pairs else ()))


def never_meet(a: SolidLink, b: SolidLink, jointed: frozenset[tuple[int, int]]) -> bool:
    """The rules in words of SDFormat: one body, one model without self_collide, no common bit, a joint between them."""
    related = a.body == b.body or (a.family == b.family and a.family != NO_FAMILY)
    return related or a.bits & b.bits == 0 or (a.end, b.end) in jointed or (b.end, a.end) in jointed


@given(rules())
def test_all_ways_of_asking_agree(apart: NonCollidingLinks) -> None:
    pairs = list(combinations(apart.links, 2))
    expected = [(a.name, b.name) for a, b in pairs if never_meet(a, b, apart.jointed)]
    assert list(apart) == expected
    assert [(a.name, b.name) for a, b in pairs if (b.name, a.name) in apart] == expected
    assert list(apart.meeting()) == [(a.name, b.name) for a, b in pairs if (a.name, b.name) not in expected]
    assert apart.count_meeting() == len(pairs) - len(expected)
    places = np.array(list(combinations(range(len(apart.links)), 2)), dtype=np.int64).reshape(-1, 2)
    assert apart.among(places[:, 0], places[:, 1]).tolist() == [(a.name, b.name) in expected for a, b in pairs]


@given(rules())
def test_moving_pairs_leave_out_fixed_links_and_families(apart: NonCollidingLinks) -> None:
    of = {each.name: each for each in apart.links}
    expected = [(a, b) for a, b in apart if (of[a].body or of[b].body) and not (of[a].family == of[b].family == 1)]
    assert list(apart.moving_pairs(besides=[1])) == expected


def test_no_pair_is_looked_at_while_a_mechanism_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand bodies have half a million pairs."""

    def refuse(*_: object) -> None:
        raise AssertionError("a pair was looked at")

    monkeypatch.setattr(NonCollidingLinks, "among", refuse)
    monkeypatch.setattr(NonCollidingLinks, "__contains__", refuse)
    models = tuple(model(link(f"m{i}::a", at=(float(i), 0.0, 0.0), collisions=BALL), name=f"m{i}") for i in range(1000))
    mechanism = build_mechanism(World(models=models))
    assert len(mechanism.non_colliding.links) == 1000
