"""What moves without inertia is held still or completed; strictly it is an error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import JointKind
from simulator.model.link import Collision, Inertial, Omitted
from simulator.model.shape import Box
from simulator.spatial.inertia import sphere_moment
from simulator.spatial.pose import Pose
from tests.helpers.mechanisms import findings, joint, link, mimic, world

NOTHING = Inertial(0.0, moments=(0.0, 0.0, 0.0))
POINT = Inertial(2.0, moments=(0.0, 0.0, 0.0))


def test_a_joint_that_moves_frames_only_is_held_still() -> None:
    made = world(
        link("arm"), link("tool", inertial=NOTHING), link("tip", inertial=NOTHING),
        joint("shoulder", "revolute", "world", "arm"), joint("wrist", "revolute", "arm", "tool", line=7),
        joint("slide", "prismatic", "tool", "tip"),
    )  # fmt: skip
    built = build_mechanism(made)
    assert [joint.name for joint in built.joints] == ["m::shoulder"]
    (told,) = findings(built, "NO_INERTIA")
    assert (told.count, told.is_error, told.line) == (2, False, 7)
    assert len(findings(build_mechanism(made, strict=True), "NO_INERTIA")) == 2


def test_a_robot_in_which_nothing_has_mass_gets_token_masses() -> None:
    """Kinematics alone: it can be posed and driven. A frame on a robot that has mass is held still as before."""
    made = world(
        link("base", inertial=NOTHING), link("arm", inertial=NOTHING), link("hand", inertial=NOTHING),
        link("body"), link("frame", inertial=NOTHING), joint("mount", "fixed", "world", "base"),
        joint("shoulder", "revolute", "base", "arm", line=7), joint("lift", "prismatic", "arm", "hand"),
        joint("hinge", "revolute", "world", "body"), joint("dial", "revolute", "body", "frame", line=9),
    )  # fmt: skip
    built = build_mechanism(made)
    assert {joint.name for joint in built.joints} == {"m::shoulder", "m::lift", "m::hinge"}
    assert {body.name: body.mass for body in built.bodies[1:]} == {"m::arm": 1.0, "m::hand": 1.0, "m::body": 1.0}
    completed, still = findings(built, "NO_INERTIA")[::-1]
    assert "nothing that hangs together with it has mass" in completed.message
    assert (completed.count, still.count, still.line) == (2, 1, 9)
    assert findings(build_mechanism(made, strict=True), "NO_INERTIA")[0].is_error


def test_a_robot_without_mass_that_floats_is_held_by_its_base() -> None:
    made = world(
        link("base", inertial=NOTHING), link("arm", inertial=NOTHING), joint("shoulder", "revolute", "base", "arm")
    )
    built = build_mechanism(made)
    assert [joint.name for joint in built.joints] == ["m::shoulder"]
    assert [item.code for item in built.diagnostics] == ["BASE_HELD", "NO_INERTIA"]


def test_links_of_missing_meshes_are_no_frames() -> None:
    """An arm of which only the hand has a mass: were its links frames, the hand would turn them too fast for any step;
    the last of them would be held still. A part that is welded to one that has mass stays without."""
    lost = (Omitted("visual", "v", "mesh"),)
    made = world(
        link("upper", inertial=NOTHING, omitted=lost), link("fore", inertial=NOTHING, omitted=lost),
        link("hand"), link("camera", inertial=NOTHING, omitted=lost), link("tip", inertial=NOTHING, omitted=lost),
        joint("a", "revolute", "world", "upper"), joint("b", "revolute", "upper", "fore"),
        joint("c", "revolute", "fore", "hand"), joint("mount", "fixed", "hand", "camera"),
        joint("d", "revolute", "hand", "tip"),
    )  # fmt: skip
    built = build_mechanism(made)
    assert [(body.name, body.mass) for body in built.bodies[1:]] == [
        ("m::upper", 1.0), ("m::fore", 1.0), ("m::hand", 1.0), ("m::tip", 1.0)
    ]  # fmt: skip
    assert built.bodies[1].inertia[:3] == pytest.approx([sphere_moment(1.0)] * 3)
    (told,) = findings(built, "NO_INERTIA")
    assert "as the meshes that it consists of are missing" in told.message
    assert (told.count, told.is_error) == (3, False)
    assert all(item.is_error for item in findings(build_mechanism(made, strict=True), "NO_INERTIA"))


def test_a_follower_without_inertia_is_carried_by_its_leader() -> None:
    made = world(
        link("arm"), link("dial", inertial=NOTHING), joint("a", "revolute", "world", "arm"),
        joint("b", "revolute", "world", "dial", axis={"mimic": mimic("a", multiplier=3.0)}),
    )  # fmt: skip
    built = build_mechanism(made)
    assert len(built.joints) == 2
    assert not findings(built, "NO_INERTIA")


def test_gears_without_any_inertia_are_told() -> None:
    made = world(
        link("wheel", inertial=NOTHING), link("dial", inertial=NOTHING), joint("a", "revolute", "world", "wheel"),
        joint("b", "revolute", "world", "dial", axis={"mimic": mimic("a", multiplier=3.0)}),
    )  # fmt: skip
    assert findings(build_mechanism(made, strict=True), "NO_INERTIA")


def test_two_parallel_hinges_around_a_massless_link_leave_it_without_inertia() -> None:
    """Turning one forth and the other back moves nothing: the mass matrix is singular, though each joint moves a body
    of 1 kg."""
    made = world(
        link("cross", inertial=NOTHING), link("arm"),
        joint("first", "revolute", "world", "cross"), joint("second", "revolute", "cross", "arm"),
    )  # fmt: skip
    strict = build_mechanism(made, strict=True)
    assert [item.is_error for item in findings(strict, "NO_INERTIA")] == [True]
    kind = build_mechanism(made)
    assert [item.is_error for item in findings(kind, "NO_INERTIA")] == [False]
    assert kind.bodies[1].mass == pytest.approx(1e-3)


def test_a_floating_point_gets_the_inertia_of_its_shapes() -> None:
    solid = Inertial(2.0, moments=(0.1, 0.2, 0.25))
    shape = (Collision("c", Box((1.0, 1.0, 1.0))),)
    built = build_mechanism(world(link("stone", inertial=POINT, solid=solid, collisions=shape)))
    assert built.bodies[1].inertia[:3] == pytest.approx((0.1, 0.2, 0.25), rel=1e-12)
    (told,) = findings(built, "NO_INERTIA")
    assert "shapes" in told.message


def test_a_floating_point_without_shapes_becomes_a_ball_of_water() -> None:
    """r^3 = 3 m / (4 pi rho), I = 0.4 m r^2."""
    built = build_mechanism(world(link("stone", inertial=POINT)))
    radius = (3.0 * 2.0 / (4.0 * np.pi * 1000.0)) ** (1.0 / 3.0)
    assert built.bodies[1].inertia[:3] == pytest.approx([0.4 * 2.0 * radius**2] * 3, rel=1e-12)
    assert sphere_moment(2.0) == pytest.approx(0.4 * 2.0 * radius**2, rel=1e-12)


def test_a_floating_rod_gets_a_thousandth_about_its_axis() -> None:
    rod = Inertial(1.0, moments=(0.5, 0.5, 0.0))
    built = build_mechanism(world(link("rod", inertial=rod)))
    assert built.bodies[1].inertia[:3] == pytest.approx((0.5, 0.5, 5e-4), rel=1e-12)


def test_a_point_off_its_axis_stays_a_point() -> None:
    """A pendulum of the textbook: the document's word counts wherever it can move."""
    bob = Inertial(1.0, Pose((0.0, 0.5, 0.0)), (0.0, 0.0, 0.0))
    built = build_mechanism(world(link("bob", inertial=bob, solid=UNUSED), joint("j", "revolute", "world", "bob")))
    assert built.bodies[1].inertia == (0.0,) * 6
    assert not findings(built, "NO_INERTIA")


UNUSED = Inertial(1.0, moments=(9.0, 9.0, 9.0))


def test_a_robot_that_falls_for_ever_is_told_of() -> None:
    made = world(link("base"), link("arm"), joint("j", "revolute", "base", "arm"))
    (told,) = findings(build_mechanism(made), "BASE_FALLS")
    assert "--hold-base" in told.hint
    assert not findings(build_mechanism(replace(made, gravity=(0.0, 0.0, 0.0))), "BASE_FALLS")


def test_a_base_can_be_held() -> None:
    made = world(link("base"), link("arm"), joint("j", "revolute", "base", "arm"), link("stone"))
    built = build_mechanism(made, hold_base=True)
    assert [(joint.name, joint.kind) for joint in built.joints] == [
        ("m::j", JointKind.CHAIN),
        ("m::stone:free", JointKind.FREE),
    ]
    assert findings(built, "BASE_HELD")
    assert not findings(built, "BASE_FALLS")
