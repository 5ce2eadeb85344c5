"""Axes of loops that miss being parallel, or meeting in one point."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.formats.document import read_document
from simulator.mechanism.alignment import EXACT, ROUNDED, aligned
from simulator.mechanism.build import build_mechanism
from simulator.session.open.opening import open_document
from simulator.spatial.rotation import Vec3
from tests.helpers.documents import link, model, world
from tests.helpers.linkages import four_bar
from tests.helpers.repository import ROOT

Y: Vec3 = (0.0, 1.0, 0.0)


def leaning(angle: float) -> Vec3:
    return (math.sin(angle), math.cos(angle), 0.0)


def test_axes_in_line_are_left_alone() -> None:
    mechanism = build_mechanism(four_bar())
    same, found = aligned(mechanism)
    assert same is mechanism
    assert found == ()


@pytest.mark.parametrize("angle", [1.1 * EXACT, 1e-6, 3.673e-6, 1e-3, 0.99 * ROUNDED])
@pytest.mark.parametrize("place", range(4))
def test_one_axis_of_four_is_brought_into_line(place: int, angle: float) -> None:
    axes = [Y, Y, Y, Y]
    axes[place] = leaning(angle)
    mechanism = build_mechanism(four_bar(axes=(axes[0], axes[1], axes[2], axes[3])))
    meant, (found,) = aligned(mechanism)
    names = ("m::crank_joint", "m::coupler_joint", "m::rocker_joint", "m::close")
    assert found.joint == names[place]
    assert found.partner != found.joint
    assert found.angle == pytest.approx(angle, rel=1e-6)
    assert not found.meets
    joints = {joint.name: joint for joint in (*meant.joints, *meant.loop_joints)}
    frame = (meant.bodies[joints[found.joint].parent].X_WB @ joints[found.joint].X_PJ).rotation()
    np.testing.assert_allclose(frame @ joints[found.joint].motions[0].direction, Y, atol=1e-15)
    np.testing.assert_allclose(found.direction, joints[found.joint].motions[0].direction, atol=0.0)


@pytest.mark.parametrize("angle", [0.9 * EXACT, 1.01 * ROUNDED, 0.1])
def test_what_is_exact_or_meant_otherwise_is_left_alone(angle: float) -> None:
    mechanism = build_mechanism(four_bar(axes=(Y, leaning(angle), Y, Y)))
    assert aligned(mechanism)[0] is mechanism


def test_the_largest_group_that_agrees_decides() -> None:
    """Two axes lean by the same angle, and by another than the third: the two are taken as they are."""
    mechanism = build_mechanism(four_bar(axes=(leaning(1e-4), leaning(1e-4), Y, leaning(3e-4))))
    _, found = aligned(mechanism)
    assert {(item.joint, round(item.angle, 12)) for item in found} == {("m::rocker_joint", 1e-4), ("m::close", 2e-4)}


@pytest.mark.parametrize(
    ("angle", "is_meant"), [(0.0, False), (0.9 * EXACT, False), (1e-5, True), (1.01 * ROUNDED, False), (0.1, False)]
)
def test_a_slide_is_brought_across_the_hinges_of_its_loop(angle: float, is_meant: bool) -> None:
    built = open_document(ROOT / "worlds" / "slider_crank.sdf").mechanism
    place = next(i for i, joint in enumerate(built.joints) if joint.name.endswith("piston_joint"))
    slide = built.joints[place]
    across = np.array(slide.motions[0].direction)
    x, y, z = (math.cos(angle) * across + math.sin(angle) * np.array(Y)).tolist()
    leans = replace(slide, motions=(replace(slide.motions[0], direction=(x, y, z)),))
    _, found = aligned(replace(built, joints=(*built.joints[:place], leans, *built.joints[place + 1 :])))
    assert [item.joint for item in found] == [slide.name] * is_meant
    for item in found:
        assert item.angle == pytest.approx(angle, rel=1e-6)
        np.testing.assert_allclose(item.direction, across, atol=1e-15)


def test_axes_that_two_loops_share_are_corrected_to_one_direction(tmp_path: Path) -> None:
    """Three parallel cranks on one rod, whose bases and pins are turned against each other by 1e-6 rad: all axes are
    parallel afterwards, to round-off, those of both loops and on both sides of the joints that close them."""

    def hinge(name: str, ends: tuple[str, str], at: tuple[float, float], tilt: float) -> str:
        place = f"<pose relative_to='__model__'>{at[0]} {at[1]} 0 {tilt} 0 0</pose>"
        links = f"<parent>{ends[0]}</parent><child>{ends[1]}</child>"
        return f"<joint name='{name}' type='revolute'>{place}{links}<axis><xyz>0 0 1</xyz></axis></joint>"

    parts = [link(name) for name in ("one", "two", "three", "rod")]
    for name, y, base, pin in (("one", 0.0, 0.0, 0.0), ("two", 2.0, 1e-6, 1e-6), ("three", 5.0, -1e-6, 0.0)):
        parts += [hinge(f"j_{name}", ("world", name), (0.0, y), base), hinge(name, (name, "rod"), (1.0, y), pin)]
    path = tmp_path / "cranks.sdf"
    path.write_text(world(model("m", *parts)), encoding="utf-8")
    mechanism = build_mechanism(read_document(path).world())
    meant, found = aligned(mechanism)
    assert len(found) == 3
    sides = [
        frame.rotate(joint.motions[0].direction)
        for joint in (*meant.joints, *meant.loop_joints)
        for frame in (
            meant.bodies[joint.parent].X_WB @ joint.X_PJ,
            meant.bodies[joint.child].X_WB @ joint.X_CJ,
        )
    ]
    assert max(float(np.linalg.norm(np.cross(sides[0], other))) for other in sides) < 1e-15
    assert aligned(meant) == (meant, ())
