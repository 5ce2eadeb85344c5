"""Named views of the buffers of a mechanism: each is within one block, and most are all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as at
from simulator.physics.loops.views import open_mechanism
from tests.helpers.loads import with_every_kind_of_load
from tests.helpers.random_mechanisms import random_mechanism

OF_HEAD = {"window", "rank", "least_rank", "left"}
PARTS = {"given", "passive", "A", "F", "N", "scratch"} | OF_HEAD
"""Views of a part of a block: efforts and passive elements of the tree, of loops and of springs share theirs, A is as
large as rows are solved, some are numbers in the head of N, and the scratch row is the last of XK. The buffers
themselves are members of all views together."""


def leaves(views: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Arrays in named tuples, by name."""
    if isinstance(views, np.ndarray):
        yield name, views
    elif isinstance(views, tuple):
        for field, value in zip(views._fields, views, strict=True):  # type: ignore[attr-defined]
            yield from leaves(value, field)


def extents(N: np.ndarray, blocks: tuple[at.Block, ...], first: int) -> dict[int, int]:
    """Where blocks end, by where they start; empty ones left out."""
    tables = N[at.HEAD + 2 * first : at.HEAD + 2 * (first + len(blocks))].reshape(-1, 2)
    return {int(start): int(end) for start, end in tables if end > start}


@pytest.mark.parametrize("seed", range(3))
def test_views_are_blocks(seed: int) -> None:
    with np.errstate(divide="ignore"):  # uncompiled, numpy warns of the first pivot over none
        model = CompiledMechanism(with_every_kind_of_load(random_mechanism(seed)))
    F, N = model.F, model.N
    floats, ints = extents(N, at.FLOATS, 0), extents(N, at.INTS, at.FLOAT_BLOCKS)
    opened = open_mechanism(F, N)
    seen = 0
    for name, view in leaves(opened):
        if not view.size:
            continue
        buffer, blocks = (F, floats) if view.dtype == F.dtype else (N, ints)
        first = (view.__array_interface__["data"][0] - buffer.__array_interface__["data"][0]) // buffer.itemsize
        if name in PARTS:
            assert 0 <= first <= len(buffer) - view.size, name
        else:
            assert blocks[first] - first == view.size, f"{name} is not its block"
        assert np.shares_memory(view, buffer), name
        seen += 1
    assert seen > 60
