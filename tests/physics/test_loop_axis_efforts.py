"""An effort on the axis of a loop joint, beside drives that need bounded rows: the same from the first step on as where
the loop is cut at another joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import simulator
from tests.helpers.repository import ROOT

if TYPE_CHECKING:
    from simulator.engine.drives import Drive

REQUEST = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
WORLD = (ROOT / "worlds" / "four_bar.sdf").read_text(encoding="utf-8")


def cut_at(joint: str) -> str:
    """The shipped four-bar, cut at `joint`."""
    begin = f'<joint name="{joint}" type="revolute">'
    return WORLD.replace(REQUEST, "").replace(begin, begin + REQUEST)


@pytest.mark.parametrize(
    "crank",
    [
        simulator.position(0.5, simulator.pid(p=2.0, d=0.1)),
        simulator.position(0.5, simulator.pid(p=20.0, d=1.0)),
        simulator.velocity(0.3),
    ],
    ids=["soft controller", "hard controller", "motor"],
)
def test_first_step(crank: Drive) -> None:
    """An effort acts once. Four steps of 1e-5 s; drives are of second order, and the errors that the directions of the
    step's start make are 1e-9 of the velocity here: what acted twice was a quarter of it."""
    found = []
    for joint in ("closing_joint", "coupler_joint"):
        sim = simulator.load(cut_at(joint), dt=1e-5)
        run = sim.run(4e-5, drives={"crank_joint": crank, "closing_joint": simulator.effort(0.5)})
        found.append([*run["crank_joint/velocity"][1:], *run["rocker_joint/velocity"][1:]])
    assert found[0] == pytest.approx(found[1], rel=1e-6)
