"""Joints to the ground are drawn on a support where the document draws nothing that stands."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.building.draft import Draft
from simulator.gui.tokens import DARK
from simulator.gui.viewport.supports import HATCHES, SIZE, support_lines
from simulator.rendering.build import build_scene


def hung(*, base: bool, free: bool = False) -> Draft:
    m = simulator.new("hung")
    rod = m.link("rod", simulator.bar((0.1, 0, 0.5), (0.1, 0, 0.2), width=0.02))
    if base:
        m.fixed("bolt", m.world, m.link("base", simulator.box((0.1, 0.1, 0.1))))
    if not free:
        m.revolute("pin", m.world, rod, at=(0.1, 0, 0.5), axis=(0, 1, 0))
    return m


def lines_of(draft: Draft) -> tuple[list[np.ndarray], float]:
    opened = draft.check()
    scene = build_scene(opened.world)
    return [piece for line in support_lines(opened.mechanism, scene, DARK) for piece in line.pieces()], scene.radius


def test_a_triangle_on_hatching_is_below_the_pin() -> None:
    pieces, radius = lines_of(hung(base=False))
    assert len(pieces) == 3 + HATCHES
    foot, left = pieces[0]
    assert foot == pytest.approx((0.1, 0.0, 0.5))
    assert left[2] == pytest.approx(0.5 - SIZE * radius)
    assert all(abs(point[1]) < 1e-12 for piece in pieces for point in piece), "across the axis"


@pytest.mark.parametrize(("base", "free"), [(True, False), (False, True)])
def test_a_base_that_is_drawn_and_a_body_that_floats_have_none(base: bool, free: bool) -> None:
    assert lines_of(hung(base=base, free=free))[0] == []
