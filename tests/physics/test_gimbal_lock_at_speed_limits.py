"""A rod on three hinges that swings close by gimbal lock, where speed limits act.

There the outer and the inner hinge turn by half a turn within milliseconds, and speed limits stop them. Their efforts
are constant over a step, so limits would give energy, which they only can take; such steps are made in halves. Nothing
else takes or gives energy: kinetic, potential and dissipated energy balance. The balance is compared with the largest
kinetic energy, of which a thousandth is what a run may be wrong by."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.engine import stepping
from simulator.errors import DivergedError

FASTEST = 60.0
"""Speed limit of each hinge [rad/s]."""
SEEDS = (9, 40, 50)
"""Starts at random after which the rod runs away if no step is made in halves."""


def document() -> str:
    def link(name: str, mass: float, moment: float, place: str) -> str:
        inertia = "".join(f"<{axis}>{moment}</{axis}>" for axis in ("ixx", "iyy", "izz"))
        inertial = f"<inertial><pose>{place} 0 0 0</pose><mass>{mass}</mass><inertia>{inertia}</inertia></inertial>"
        return f'<link name="{name}">{inertial}</link>'

    def hinge(name: str, parent: str, child: str, xyz: str) -> str:
        axis = f"<axis><xyz>{xyz}</xyz><limit><velocity>{FASTEST}</velocity></limit></axis>"
        return f'<joint name="{name}" type="revolute"><parent>{parent}</parent><child>{child}</child>{axis}</joint>'

    parts = (
        link("outer", 0.01, 1e-6, "0 0 0"),
        link("inner", 0.01, 1e-6, "0 0 0"),
        link("rod", 1.0, 1e-3, "0.02 0 -0.1"),
        hinge("a", "world", "outer", "0 0 1"),
        hinge("b", "outer", "inner", "0 1 0"),
        hinge("c", "inner", "rod", "1 0 0"),
    )
    return f'<sdf version="1.9"><world name="w"><model name="m">{"".join(parts)}</model></world></sdf>'


def error_of_run(seed: int) -> float:
    """Largest error of the energy balance over the largest kinetic energy, in two seconds at 1 ms."""
    random = np.random.default_rng(0)
    for _ in range(seed + 1):
        at, rate = random.uniform(-1.4, 1.4, 3), FASTEST * random.uniform(-0.95, 0.95, 3)
    sim = simulator.load(document(), dt=1e-3)
    sim.set(dict(zip("abc", at, strict=True)), velocity=dict(zip("abc", rate, strict=True)))
    summary = sim.run(2.0).summary
    return summary.max_energy_error / summary.max_kinetic


@pytest.mark.parametrize("seed", SEEDS)
def test_speed_limits_give_no_energy(seed: int) -> None:
    # 2.2e-4 at most.
    assert error_of_run(seed) < 1e-3


@pytest.mark.parametrize("seed", SEEDS)
def test_without_halves_the_rod_runs_away(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else this file would say nothing."""
    monkeypatch.setattr(stepping, "FOR_ENERGY", 0)
    with pytest.raises(DivergedError):
        error_of_run(seed)
