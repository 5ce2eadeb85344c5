"""What a document leaves out is what SDFormat 1.12 says (elements joint, axis, limit, dynamics and gearbox), or
ros2_control (mimic)."""

from __future__ import annotations

import math

from simulator.model.actuation import MimicJoint, TransmissionActuator, TransmissionJoint
from simulator.model.joint import Axis, Joint, JointType, Mimic
from simulator.spatial.pose import IDENTITY


def test_an_axis_points_along_z_and_is_free() -> None:
    axis = Axis()
    assert axis.xyz_joint == axis.xyz_world == (0.0, 0.0, 1.0)
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (-math.inf, math.inf, math.inf, math.inf)
    assert (axis.stiffness, axis.dissipation) == (1e8, 1.0)
    passive = (axis.damping, axis.friction, axis.spring_reference, axis.spring_stiffness)
    assert (*passive, axis.initial_position, axis.initial_velocity) == (0.0,) * 6


def test_a_screw_and_a_gearbox_go_one_to_one() -> None:
    joint = Joint("j", JointType.SCREW, "a", "b", "a", "b")
    assert (joint.screw_thread_pitch, joint.gearbox_ratio, joint.X_WJ) == (1.0, 1.0, IDENTITY)


def test_a_mimic_joint_of_a_component_follows_one_to_one() -> None:
    mimic = MimicJoint(1, 0)
    assert (mimic.multiplier, mimic.offset) == (1.0, 0.0)


def test_a_transmission_neither_reduces_nor_offsets_and_its_rotor_weighs_nothing() -> None:
    actuator, joint = TransmissionActuator("motor"), TransmissionJoint("j")
    assert (actuator.reduction, actuator.rotor_inertia) == (1.0, 0.0)
    assert (joint.reduction, joint.offset) == (1.0, 0.0)


def test_a_follower_does_as_its_leader() -> None:
    mimic = Mimic("a", "m::a")
    assert (mimic.axis, mimic.multiplier, mimic.offset, mimic.reference) == ("axis", 1.0, 0.0, 0.0)
