"""The first step of a simulation with an effort on the axis of a joint that closes a loop, beside rows of controllers
and motors: the effort acts once, wherever the loop is cut."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.physics.worlds import example, running

Array = NDArray[np.float64]
Write = Callable[..., Path]

JOINTS = ("crank_joint", "coupler_joint", "rocker_joint", "closing_joint")
CUT = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
FINITE = "<limit><effort>0.05</effort></limit>"
SAME = 1e-8
"""Of velocities of 1 rad/s and efforts of 1 N m after a step of 1 ms of order four."""


def cut_at(joint: str, limit: str, write_document: Write) -> Path:
    """The four-bar, its loop cut at that joint; `limit` goes into the axis of the crank."""
    text = example("four_bar").read_text()
    assert text.count(CUT) == 1
    head, crank, rest = text.replace(CUT, "").partition('<joint name="crank_joint" type="revolute">')
    text = head + crank + rest.replace("</xyz>", f"</xyz>{limit}", 1)
    head, start, rest = text.partition(f'<joint name="{joint}" type="revolute">')
    assert start
    return write_document(f"{head}{start}{CUT}{rest}", f"{joint}.sdf")


@pytest.mark.parametrize("solver", ["rows", "reduced"])
@pytest.mark.parametrize(
    ("drive", "limit"),
    [
        ("crank_joint=position:0.5,pid(p=2,d=0.1)", ""),
        ("rocker_joint=position:0.5,pid(p=2,i=3,d=0.1)", ""),
        ("crank_joint=velocity:1", ""),
        ("rocker_joint=velocity:-0.5", ""),
        ("crank_joint=velocity:1", FINITE),
    ],
)
def test_an_effort_on_the_cut_axis_acts_once(drive: str, limit: str, solver: str, write_document: Write) -> None:
    drives = (drive, "closing_joint=effort:0.5")
    expected, found = (
        _first_step(cut_at(joint, limit, write_document), joint, drives, solver)
        for joint in ("coupler_joint", "closing_joint")
    )
    np.testing.assert_allclose(found, expected, rtol=SAME, atol=SAME)


def _first_step(path: Path, cut: str, drives: tuple[str, ...], solver: str) -> Array:
    """Velocities and efforts of all axes after it."""
    with running(path, drives=drives, solver=solver) as engine:
        assert [loop.name for loop in engine.mechanism.loop_joints] == [f"four_bar::{cut}"]
        engine.step()
        now = engine.snapshot()
        axes = np.array([engine.mechanism.axis_index(name) for name in JOINTS], dtype=np.intp)
        return np.concatenate((now.velocity[axes], now.effort[axes]))
