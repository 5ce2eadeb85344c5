"""Loops with one axis out of line by a rounding, and by more: they move as they were meant, or are said to be rigid;
never in silence."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from simulator.condition.condition import condition_of
from simulator.diagnostics import DiagnosticLog
from simulator.engine.engine import Engine
from simulator.engine.snapshot import Snapshot
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.session.open.loop_findings import report_loops
from simulator.session.open.opening import open_document
from simulator.session.open.start_findings import DocumentStart
from simulator.spatial.rotation import across
from tests.helpers.linkages import spherical_four_bar
from tests.physics.worlds import example, make_steps

TILTS = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)
ROUNDING = (1e-8, 1e-3)
"""Range of misalignment in which an axis counts as meant to be in line, and is reported."""
WORLDS = ("four_bar", "slider_crank", "sarrus")


def tilted(mechanism: Mechanism, place: int, angle: float) -> tuple[Mechanism, str]:
    """One joint's axis turned by `angle` [rad]; `place` counts tree joints, then those that close loops."""
    joints = [*mechanism.joints, *mechanism.loop_joints]
    joint, motions = joints[place], []
    for motion in joint.motions:
        direction = np.array(motion.direction)
        turned = math.cos(angle) * direction + math.sin(angle) * across(direction)[0]
        x, y, z = turned.tolist()
        motions.append(replace(motion, direction=(x, y, z)))
    joints[place] = replace(joint, motions=tuple(motions))
    count = len(mechanism.joints)
    return replace(mechanism, joints=tuple(joints[:count]), loop_joints=tuple(joints[count:])), joint.name


def after(mechanism: Mechanism, seconds: float) -> Snapshot:
    """Released from its start."""
    engine = Engine(mechanism, ReducedDynamics(mechanism, dt=1e-3), dt=1e-3)
    try:
        make_steps(engine, round(seconds / 1e-3))
        return engine.snapshot()
    finally:
        engine.close()


CASES = [
    pytest.param(world, place, id=f"{world}-{place}")
    for world in WORLDS
    for place in range(len(open_document(example(world)).mechanism.joints) + 1)
    if (world, place) != ("slider_crank", 1)
]
"""Every joint but the slide of the slider-crank, which may have any direction in the plane, in which it is tilted
here."""


@pytest.mark.parametrize(("world", "place"), CASES)
def test_a_loop_moves_as_it_was_meant_or_is_said_to_be_rigid(world: str, place: int) -> None:
    """0.2 s of motion. What an axis out of line by e changes is of the order e times the motion, which is less than 2
    rad: the tolerance is 3 e, with 1e-12 for the integration."""
    exact = open_document(example(world)).mechanism
    reference = after(exact, 0.2)
    for angle in TILTS:
        mechanism, joint = tilted(exact, place, angle)
        log = DiagnosticLog()
        report_loops(DocumentStart(mechanism), log)
        found = [(item.code, item.message) for item in log]
        now, moves = after(mechanism, 0.2), condition_of(mechanism).rank
        if angle > ROUNDING[1]:
            assert moves == 0, angle
            assert [code for code, _ in found] == ["LOOP_RIGID"], angle
            assert f"{angle:.3g} rad" in found[0][1]
            assert np.nanmax(np.abs(now.position)) < 1e-12
            continue
        assert moves == 1, angle
        assert np.nanmax(np.abs(now.position - reference.position)) < 3.0 * angle + 1e-12, angle
        assert float(now.loop_residual.max()) < 10.0 * angle + 1e-12, "the residual is shown as what it is"
        if angle > ROUNDING[0]:
            assert [code for code, _ in found] == ["AXIS_OUT_OF_LINE"], angle
            assert f"'{joint}'" in found[0][1]
            assert f"{angle:.3g} rad" in found[0][1]


@pytest.mark.parametrize("place", range(4))
def test_an_axis_that_misses_the_centre_of_a_spherical_four_bar_is_taken_to_meet_it(place: int) -> None:
    """As above, for axes that were meant to meet in one point."""
    exact = build_mechanism(spherical_four_bar())
    assert condition_of(exact).rank == 1
    reference = after(exact, 0.2)
    assert np.nanmax(np.abs(reference.position)) > 0.01
    for angle in TILTS:
        mechanism, joint = tilted(exact, place, angle)
        log = DiagnosticLog()
        report_loops(DocumentStart(mechanism), log)
        found = [(item.code, item.message) for item in log]
        moves, now = condition_of(mechanism).rank, after(mechanism, 0.2)
        if angle > ROUNDING[1]:
            assert (moves, [code for code, _ in found]) == (0, ["LOOP_RIGID"]), angle
            assert np.nanmax(np.abs(now.position)) < 1e-12
            continue
        assert moves == 1, angle
        assert np.nanmax(np.abs(now.position - reference.position)) < 10.0 * angle + 1e-12, angle
        if angle > ROUNDING[0]:
            assert [code for code, _ in found] == ["AXIS_OUT_OF_LINE"], angle
            assert f"'{joint}' misses the point" in found[0][1]


def test_the_value_that_would_be_in_line_is_named() -> None:
    """The coupler's axis is written as 0.0001 0 1 instead of 0 0 1, or turned by the pose of its joint: the hint gives
    the axis."""
    exact = open_document(example("four_bar")).mechanism
    place = next(i for i, joint in enumerate(exact.joints) if joint.name.endswith("coupler_joint"))
    mechanism, _ = tilted(exact, place, 1e-4)
    log = DiagnosticLog()
    report_loops(DocumentStart(mechanism), log)
    (found,) = log
    wanted = " ".join(f"{value + 0.0:.12g}" for value in np.round(exact.joints[place].motions[0].direction, 12))
    assert f"the axis would be {wanted}" in found.hint
