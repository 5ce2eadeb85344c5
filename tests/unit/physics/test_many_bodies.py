"""Worlds of many bodies: what is stored grows with their number, not with its square, and none feels another that it
does not touch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.condition.condition import condition_of
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.world import World
from simulator.physics.build.build import build_buffers
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout.flatten import blocks, envelope
from tests.helpers.mechanisms import link, model
from tests.physics.solids import ball_shape, ground, solid
from tests.physics.worlds import advance, running, world
from tests.physics.worlds import model as written


def free_bodies(count: int) -> Mechanism:
    return build_mechanism(World(models=tuple(model(link(f"m{i}::a"), name=f"m{i}") for i in range(count))))


def after(path: Path, duration: float) -> NDArray[np.float64]:
    """Poses of all bodies."""
    with running(path, dt=1e-3) as engine:
        advance(engine, duration)
        return engine.snapshot().body_poses


def test_rows_begin_at_their_first_entry() -> None:
    """Rows of 1; 2, 1; 1; and 1, 0, 3, each from its first column to its diagonal; the third begins a block."""
    ptr, columns = np.array([0, 0, 1, 1, 2]), np.array([0, 2])
    row, length = envelope(ptr, columns)
    assert length == 6
    assert [int(row[i] + j) for i, j in ((0, 0), (1, 0), (1, 1), (2, 2), (3, 2), (3, 3))] == list(range(6))
    begin, end = blocks(row)
    assert begin.tolist() == [0, 0, 2, 2]
    assert end.tolist() == [2, 2, 4, 4]


def test_nothing_has_no_rows() -> None:
    row, length = envelope(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert (len(row), length) == (0, 0)
    assert [len(part) for part in blocks(row)] == [0, 0]


def test_the_room_grows_with_the_bodies() -> None:
    """Each needs the same: a full mass matrix would take four times as much of twice as many."""
    some, twice = (build_buffers(free_bodies(count)) for count in (40, 80))
    one = build_buffers(free_bodies(41))
    assert len(twice.F) - len(some.F) == 40 * (len(one.F) - len(some.F))
    assert len(twice.N) - len(some.N) == 40 * (len(one.N) - len(some.N))


def test_the_mass_matrix_of_free_bodies() -> None:
    """1 kg and 0.01 kg m² each, about the centre; nothing between them."""
    expected = np.diag([0.01, 0.01, 0.01, 1.0, 1.0, 1.0] * 3)
    assert CompiledMechanism(free_bodies(3)).mass_matrix() == pytest.approx(expected, abs=1e-15)


def test_the_map_of_many_freedoms_waits_until_it_is_wanted() -> None:
    condition = condition_of(free_bodies(3))
    assert len(condition.independent) == 18
    assert "G" not in vars(condition)
    assert condition.G.array == pytest.approx(np.eye(18))
    assert condition.G.columns == condition.independent


def test_bystanders_change_nothing(write_document: Callable[..., Path]) -> None:
    """Two balls meet between others at rest on the ground, the first and the last of the document: exactly as if they
    were alone."""
    first = written(solid("b", ball_shape(0.1), pose="0 0 0.1 0 0 0", restitution=0.5), name="a_first")
    last = written(solid("b", ball_shape(0.1), pose="0.15 0 0.25 0 0 0", restitution=0.5), name="z_last")
    others = "".join(written(solid("b", ball_shape(0.1), pose=f"{2 + i} 0 0.1 0 0 0"), name=f"m{i}") for i in range(5))
    two, seven = (
        after(write_document(world(text)), 0.2) for text in (ground() + first + last, ground() + first + others + last)
    )
    assert not np.allclose(two[2, :3], (0.15, 0.0, 0.25), atol=1e-3)
    assert seven[[1, -1]] == pytest.approx(two[[1, 2]], abs=1e-12)
