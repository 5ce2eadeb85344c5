"""The features by their names in `programs.toml`, each with its detector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.sdf.detachable import BALL_CONSTRAINT, DETACHABLE
from simulator.formats.urdf.convert import GAZEBO_JOINT, SECOND_PARENT
from simulator.formats.urdf.dialects import BESIDE, FRAMES, TYPE_BESIDE
from simulator.model.joint import JointType
from simulator.model.shape import Capsule, Cone, Ellipsoid, Plane
from simulator.session.other_programs import couplings, joints, links, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simulator.session.open.opening import Opened
    from simulator.session.other_programs.occurrences import Occurrence

FEATURES: dict[str, Callable[[Opened], Iterator[Occurrence]]] = {
    "mimic": couplings.mimics,
    "mimic_chain": couplings.chains,
    "mimic_second_axis": couplings.second_axes,
    "mimic_across_models": couplings.across_models,
    "mimic_law": couplings.curved,
    "mimic_sliding": couplings.sliding,
    "mimic_unlimited": couplings.without_limits,
    "mimic_mixed_limits": couplings.mixed_limits,
    "mimic_leader_after": couplings.leaders_after,
    "gearbox": couplings.gearboxes,
    "screw": couplings.screws,
    "real_coupling": couplings.real,
    "slipping_coupling": couplings.slipping,
    "continuous": joints.typed(JointType.CONTINUOUS),
    "ball": joints.typed(JointType.BALL),
    "universal": joints.typed(JointType.UNIVERSAL),
    "revolute2": joints.typed(JointType.REVOLUTE2),
    "joint_type_beside": joints.written_as(TYPE_BESIDE),
    "loop": joints.loops,
    "loop_second_parent": joints.written_as(SECOND_PARENT),
    "loop_gazebo_joint": joints.written_as(GAZEBO_JOINT),
    "loop_urdf_plus": joints.written_as("loop"),
    "loop_joint": joints.written_as("loop_joint"),
    "loop_constraint": joints.written_as("constraint"),
    "loop_drake": joints.written_as(BALL_CONSTRAINT),
    "loop_detachable": joints.written_as(DETACHABLE),
    "loop_beside": joints.written_as(BESIDE),
    "loop_frames": joints.written_as(FRAMES),
    "velocity_limit": joints.with_axis(joints.has_velocity_limit),
    "soft_stops": joints.with_axis(joints.has_soft_stops),
    "damping": joints.with_axis(lambda axis: axis.damping != 0.0),
    "joint_friction": joints.with_axis(lambda axis: axis.friction != 0.0),
    "stribeck": joints.with_axis(lambda axis: axis.stribeck is not None),
    "bearing": joints.with_axis(lambda axis: axis.bearing is not None),
    "brake": joints.with_axis(lambda axis: axis.brake is not None),
    "spring": joints.with_axis(lambda axis: axis.spring_stiffness != 0.0),
    "start": joints.with_axis(joints.starts_elsewhere),
    "world_joint": joints.moving_world_joints,
    "force_torque": joints.sensors,
    "ground": links.grounds,
    "floating_base": joints.floating_bases,
    "without_mass": links.without_mass,
    "kinematic": links.with_link(lambda link: link.kinematic),
    "weightless": links.with_link(lambda link: not link.gravity),
    "visual": links.with_link(lambda link: bool(link.visuals)),
    "self_collide": links.self_colliding,
    "self_collide_link": links.with_link(lambda link: link.self_collide),
    "no_self_collide": links.passing_through,
    "capsule": links.with_collision(links.is_shape(Capsule)),
    "ellipsoid": links.with_collision(links.is_shape(Ellipsoid)),
    "cone": links.with_collision(links.is_shape(Cone)),
    "plane": links.with_collision(links.is_shape(Plane)),
    "mesh_stl": links.with_collision(links.is_mesh(".stl")),
    "mesh_obj": links.with_collision(links.is_mesh(".obj")),
    "mesh_dae": links.with_collision(links.is_mesh(".dae")),
    "mesh_gltf": links.with_collision(links.is_mesh(".gltf", ".glb")),
    "mesh_ply": links.with_collision(links.is_mesh(".ply")),
    "package_uri": links.packages,
    "contact_friction": links.with_collision(links.has_friction),
    "restitution": links.with_collision(links.bounces),
    "contact_stiffness": links.with_collision(links.gives_way),
    "gravity": whole.gravities,
    "several_models": whole.several_models,
    "loads": whole.loads,
    "ros2_control": whole.hardware,
    "transmission": whole.transmissions,
}
