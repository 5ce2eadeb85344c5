"""Which joints carry their bodies, which are cut, and that walking a joint backwards changes nothing that a user
sees."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import JointKind, Mechanism
from simulator.model.joint import Joint
from simulator.spatial.rotation import matrix_from_axis_angle
from tests.helpers.linkages import four_bar
from tests.helpers.mechanisms import axis_of, body_of, findings, joint, link, mechanism, mimic, pose_of, state_of

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def tree_names(built: Mechanism) -> list[str]:
    return [item.name.removeprefix("m::") for item in built.joints]


def loop_names(built: Mechanism) -> list[str]:
    return [item.name.removeprefix("m::") for item in built.loop_joints]


def well_numbered(built: Mechanism) -> bool:
    """Joint i carries body i + 1, inboard bodies first."""
    return all(item.child == i + 1 and item.parent <= i for i, item in enumerate(built.joints))


def test_bodies_that_hang_on_nothing_float() -> None:
    built = mechanism(link("a", at=(1, 2, 3)), link("b"), joint("j", "revolute", "a", "b"))
    assert [item.kind for item in built.joints] == [JointKind.FREE, JointKind.CHAIN]
    assert built.joints[0].X_PJ.position == (1, 2, 3)
    assert built.mobility.count == 7
    assert well_numbered(built)


def test_must_be_loop_joint_is_cut() -> None:
    built = build_mechanism(four_bar())
    assert loop_names(built) == ["close"]
    assert tree_names(built) == ["crank_joint", "rocker_joint", "coupler_joint"]
    assert well_numbered(built)
    assert not built.axes[axis_of(built, "close")].in_tree


def test_must_be_loop_joint_that_closes_nothing_is_said() -> None:
    built = mechanism(link("a"), joint("j", "revolute", "world", "a", must_be_loop_joint=True, line=7))
    (finding,) = findings(built, "LOOP_JOINT_CLOSES_NOTHING")
    assert finding.line == 7
    assert tree_names(built) == ["j"]


def test_only_as_many_are_cut_as_there_are_loops() -> None:
    """All joints of a ring asked to be loop joints: one is, the others carry."""
    built = mechanism(
        link("a"),
        link("b", at=(1, 0, 0)),
        *(
            joint(name, "revolute", parent, child, must_be_loop_joint=True, at=at)
            for name, parent, child, at in (
                ("p", "world", "a", (0, 0, 0)),
                ("q", "a", "b", (1, 0, 0)),
                ("r", "world", "b", (1, 1, 0)),
            )
        ),
    )
    assert loop_names(built) == ["r"]
    assert len(findings(built, "LOOP_JOINT_CLOSES_NOTHING")) == 2


def test_a_child_with_several_parents() -> None:
    built = mechanism(
        link("a"),
        link("b"),
        link("c"),
        *(joint(f"{p}c", "ball", p, "c") for p in ("world", "a", "b")),
        joint("wa", "revolute", "world", "a"),
        joint("wb", "revolute", "world", "b"),
    )
    assert len(built.joints) == 3
    assert len(built.loop_joints) == 2
    assert well_numbered(built)


@pytest.mark.parametrize(
    ("kept", "cut"),
    [("screw", "universal"), ("universal", "prismatic"), ("prismatic", "revolute"), ("revolute", "ball")],
)
def test_the_joint_that_is_easier_to_close_is_cut(kept: str, cut: str) -> None:
    built = mechanism(link("a"), joint("first", cut, "world", "a"), joint("second", kept, "world", "a"))
    assert loop_names(built) == ["first"]


@pytest.mark.parametrize(
    "properties",
    [{"lower": 0.0}, {"damping": 1.0}, {"friction": 1.0}, {"spring_stiffness": 1.0}, {"initial_position": 0.1}],
)
def test_a_joint_with_properties_stays_a_coordinate(properties: dict[str, float]) -> None:
    built = mechanism(
        link("a"), joint("first", "prismatic", "world", "a"), joint("second", "revolute", "world", "a", axis=properties)
    )
    assert loop_names(built) == ["first"]


def test_leaders_and_followers_stay_coordinates() -> None:
    built = mechanism(
        link("a"),
        link("b", at=(1, 0, 0)),
        joint("plain", "prismatic", "world", "a"),
        joint("leader", "revolute", "world", "a"),
        joint("follower", "revolute", "a", "b", at=(1, 0, 0), axis={"mimic": mimic("leader")}),
    )
    assert loop_names(built) == ["plain"]


def test_a_joint_between_welded_links_is_said_and_left_out() -> None:
    built = mechanism(link("a"), link("b"), joint("w", "fixed", "a", "b"), joint("j", "revolute", "a", "b", line=5))
    (finding,) = findings(built, "JOINT_BETWEEN_WELDED_LINKS")
    assert finding.line == 5
    assert len(built.axes) == 0


def test_joints_to_links_that_do_not_exist_are_left_out() -> None:
    assert tree_names(mechanism(link("a"), joint("j", "revolute", "nobody", "a"))) == ["m::a:free".removeprefix("m::")]


def _tree_of_many() -> tuple[list[object], list[Joint]]:
    links = [link(f"l{i}", at=(i, 0, 0)) for i in range(4)]
    joints = [
        joint("j0", "revolute", "world", "l0"),
        joint("j1", "prismatic", "l0", "l1"),
        joint("j2", "ball", "l2", "l1"),
        joint("j3", "revolute", "l3", "l2", axes=[X]),
    ]
    return links, joints


def test_the_tree_does_not_depend_on_the_order_of_joints() -> None:
    """A tree leaves no choice: any order of its joints gives the same edges, only axes are numbered as they are
    written."""
    links, joints = _tree_of_many()
    edges = {
        frozenset((item.name, item.parent, item.child, item.reversed) for item in mechanism(*links, *order).joints)
        for order in itertools.permutations(joints)
    }
    assert len(edges) == 1


def test_a_cut_on_request_does_not_depend_on_the_order_of_joints() -> None:
    world = four_bar()
    links, joints = world.models[0].links, world.models[0].joints
    cuts = {tuple(loop_names(mechanism(*links, *order))) for order in itertools.permutations(joints)}
    assert cuts == {("close",)}


def test_the_same_document_twice_is_the_same_mechanism() -> None:
    assert build_mechanism(four_bar()) == build_mechanism(four_bar())


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "screw", "universal"])
def test_a_joint_walked_backwards_keeps_its_sign(kind: str) -> None:
    """`hook` reaches b from the world, so `j` with parent a and child b is walked from b to a. What the document says
    about the pose of the child in the parent must hold all the same: R(axis, q0) R(axis2, q1), or travel along the
    axis. 1e-14: one product of matrices."""
    at, rpy, direction, second = (0.3, -0.2, 0.5), (0.4, -0.7, 1.1), (0.6, 0.0, 0.8), (0.0, 1.0, 0.0)
    built = mechanism(
        link("a", at=(1, 0, 0), rpy=(0.1, 0.2, 0.3)),
        link("b", at=(0, 1, 0), rpy=(0.5, -0.3, 0.2)),
        joint("hook", "revolute", "world", "b"),
        joint("j", kind, "a", "b", at=at, rpy=rpy, axes=[direction, second], screw_thread_pitch=0.25),
    )
    assert [item.reversed for item in built.joints] == [False, True]
    q0, q1 = 0.8, -0.5
    positions = {"hook": 0.7, "j": q0}
    if kind == "universal":
        positions["j__axis2"] = q1
    if kind == "screw":
        positions["j__travel"] = q1
    state = state_of(built, **positions)
    expected = np.eye(4)
    d = np.array(direction)
    if kind == "prismatic":
        expected[:3, 3] = q0 * d
    else:
        expected[:3, :3] = matrix_from_axis_angle(d, q0)
    if kind == "universal":
        expected[:3, :3] = expected[:3, :3] @ matrix_from_axis_angle(np.array(second), q1)
    if kind == "screw":
        expected[:3, 3] = q1 * d
    j = built.joints[1]
    assert built.bodies[j.child].name == "m::a"
    parent_frame = pose_of(built, state, "a") @ j.X_CJ.matrix()
    child_frame = pose_of(built, state, "b") @ j.X_PJ.matrix()
    np.testing.assert_allclose(np.linalg.inv(parent_frame) @ child_frame, expected, atol=1e-14)


def test_at_zero_every_body_is_where_the_document_puts_it() -> None:
    links, joints = _tree_of_many()
    built = mechanism(*links, *joints)
    state = state_of(built)
    for name in ("l0", "l1", "l2", "l3"):
        np.testing.assert_allclose(
            pose_of(built, state, name), built.bodies[body_of(built, name)].X_WB.matrix(), atol=1e-14
        )


def test_a_continuous_joint_has_no_limits() -> None:
    built = mechanism(link("a"), joint("j", "continuous", "world", "a", axis={"lower": -1.0, "upper": 1.0}))
    assert built.axes[0].axis.lower == -math.inf
    assert not built.axes[0].limited
