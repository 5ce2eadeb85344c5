"""A planar joint of a URDF moves as it should: freely in its plane, and about the plane's normal."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.formats.document import read_document
from tests.physics.worlds import advance, running

Write = Callable[..., Path]
INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def robot(axis: str, rpy: str) -> str:
    return f"""<robot name="r"><link name="world"/><link name="b">{INERTIAL}</link>
        <joint name="j" type="planar"><parent link="world"/><child link="b"/>
        <origin xyz="0 0 1" rpy="{rpy}"/><axis xyz="{axis}"/></joint></robot>"""


def test_on_an_inclined_plane_it_slides(write_document: Write) -> None:
    """Pitch 0.5 rad about y tilts the plane: s = g sin(0.5) t² / 2 down it, which Runge-Kutta of order four meets to
    round-off."""
    with running(write_document(robot("0 0 1", "0 0.5 0"), "plane.urdf"), solver="reduced") as engine:
        advance(engine, 1.0)
        moved = engine.snapshot().body_poses[-1, :3] - (0.0, 0.0, 1.0)
    slid = 9.8 * math.sin(0.5) / 2.0
    np.testing.assert_allclose(moved, slid * np.array([math.cos(0.5), 0.0, -math.sin(0.5)]), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("axis", ["0 0 1", "1 0 0", "0 -1 0", "1 2 3"])
def test_two_directions_and_the_normal_are_right_handed(write_document: Write, axis: str) -> None:
    document = read_document(write_document(robot(axis, "0.1 0.2 0.3"), "plane.urdf"))
    assert not document.has_errors
    u, v, n = (np.array(joint.axes[0].xyz_joint) for joint in document.root_models[0].joints)
    np.testing.assert_allclose(np.cross(u, v), n, atol=1e-15)
    wanted = np.array([float(value) for value in axis.split()])
    np.testing.assert_allclose(n, wanted / np.linalg.norm(wanted), atol=1e-15)


def test_without_an_axis_the_normal_is_x_and_a_zero_axis_is_refused(write_document: Write) -> None:
    plain = read_document(write_document(robot("0 0 1", "0 0 0").replace('<axis xyz="0 0 1"/>', ""), "plain.urdf"))
    assert plain.root_models[0].joints[-1].axes[0].xyz_joint == (1.0, 0.0, 0.0)
    zero = read_document(write_document(robot("0 0 0", "0 0 0"), "zero.urdf"))
    assert [item.code for item in zero.diagnostics] == ["PARSING_ERROR"]
