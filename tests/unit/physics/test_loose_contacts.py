"""Rows of contacts among loose bodies: the same as those of any mechanism, and none for what is far apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.physics.contacts.active_set import activate_all, is_inactive
from simulator.physics.contacts.rows import gather_contact_rows
from simulator.physics.contacts.separation import CONTACT_SLOP
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import dense_rows, open_bounded
from simulator.physics.loops.views import open_mechanism
from simulator.physics.motion.loose import FACTORED
from tests.physics.solids import box_shape, ground, solid
from tests.physics.worlds import make_steps, model, running, world

Write = Callable[..., Path]
DT = 1e-3


def tumbling(names: str, mu: float) -> str:
    """Bricks above each other, turned, whose centres of mass are not where their links are."""
    shape, inertia = box_shape("0.1 0.08 0.06"), "0.002 0.003 0.004"
    return "".join(
        model(
            solid("b", shape, inertia=inertia, pose=f"{0.01 * k!r} 0 {0.09 + 0.11 * k!r} 0.4 {0.3 * k!r} 0.2", mu=mu),
            name=name,
        )
        for k, name in enumerate(names)
    )


@pytest.mark.parametrize(("mu", "later"), [(0.5, 0.0), (0.5, 0.5 * DT), (0.0, 0.5 * DT)])
def test_they_are_those_of_any_mechanism(mu: float, later: float, write_document: Write) -> None:
    """J and H^-1 J^T of each row, which `gather_contact_rows` finds without knowing that bodies are loose, too. Both
    are sums of a few products: they agree to rounding."""
    with running(write_document(world(ground(mu) + tumbling("abc", mu))), dt=DT) as engine:
        make_steps(engine, 120)
        dynamics: Any = engine.dynamics
        F, N, B, C = dynamics.bounded.buffers
        dynamics._touching.find(0.02)
        CI, CF = dynamics.bounded.contacts
        assert len(CI) >= 4
        activate_all(CF)
        found = []
        for loose in (FACTORED, 0):
            C[row_at.COUNT], C[row_at.LOOSE] = 0, loose
            assert gather_contact_rows(open_mechanism(F, N), open_bounded(B, C), CI, CF, later)
            count = int(C[row_at.COUNT])
            bounded = open_bounded(B, C)
            weights = np.array(bounded.response[:count])
            found.append((*dense_rows(bounded, range(count), 18), weights))
        assert count == len(CI) * (3 if mu else 1)
        for mine, other in zip(*found, strict=True):
            assert np.abs(mine - other).max() <= 1e-12 * np.abs(other).max()


def falling(engine: Engine, name: str, velocity: tuple[float, float, float]) -> None:
    """Give a body a velocity."""
    snapshot = engine.snapshot()
    velocities = snapshot.body_velocities.copy()
    velocities[[body.name for body in engine.mechanism.bodies].index(f"{name}::b"), 3:] = velocity
    engine.resume(dataclasses.replace(snapshot, body_velocities=velocities))


def left_out(dynamics: Any) -> int:
    """How many contacts of the last step had no rows."""
    CF = dynamics.bounded.contacts[1]
    return sum(is_inactive(CF, c) for c in range(len(CF)))


def test_what_is_far_apart_gets_no_rows(write_document: Write) -> None:
    """A brick flies past one that lies 0.4 m beside it: fast enough that both and the ground are looked at from afar,
    but it touches nothing, and what lies has its four corners."""
    lying = model(solid("b", box_shape("0.1 0.1 0.1"), pose="0 0 0.05 0 0 0"), name="lying")
    flying = model(solid("b", box_shape("0.1 0.1 0.1"), pose="0.5 0 0.0515 0 0 0"), name="flying")
    with running(write_document(world(ground() + lying + flying)), dt=DT) as engine:
        falling(engine, "flying", (0.0, 3.0, -0.2))
        engine.step()
        dynamics: Any = engine.dynamics
        C = dynamics.bounded.buffers[3]
        assert len(dynamics.bounded.contacts[0]) == 8, "corners of both are looked at"
        assert (C[row_at.COUNT], left_out(dynamics)) == (12, 4)
        for _ in range(12):
            engine.step()
        assert engine.snapshot().body_poses[2, 2] == pytest.approx(0.05, abs=CONTACT_SLOP), "until it lands"
        assert left_out(dynamics) == 0
