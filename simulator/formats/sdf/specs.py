"""What a document says before names are resolved: the readers' output, the frame graph's input."""

from __future__ import annotations

from dataclasses import field

from simulator.diagnostics import Source
from simulator.formats.nodes import Node, Version
from simulator.formats.sdf.exclusions import Exclusion
from simulator.model.coupling import RealCoupling
from simulator.model.joint import Axis, JointType
from simulator.model.laws import JointConstraint
from simulator.model.lengths import LengthParameter
from simulator.model.link import Link, StartVelocity
from simulator.model.loads import AnyLoad
from simulator.model.world import DemonstrationDrive, Physics
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import Vec3


@dataclass(frozen=True)
class StartSpec:
    """Position [rad or m] and velocity [per second] that an axis is to start with; None where nothing is said."""

    position: float | None
    velocity: float | None
    source: Source


Starts = dict[tuple[str, str], StartSpec]
"""Starts by (joint, "axis" or "axis2")."""


StartTwists = dict[str, StartVelocity]
"""Start velocities by the name of the link."""


@dataclass(frozen=True)
class PoseSpec:
    """A pose as written: `pose` in the frame named `relative_to` ("": the default frame of the element)."""

    pose: Pose = IDENTITY
    relative_to: str = ""
    source: Source | None = None


@dataclass(frozen=True)
class LinkSpec:
    """A link; `link` has neither its scoped name nor its pose yet.

    `elsewhere` holds the poses of those visuals and collisions that name another frame than the link's, by (tag, name).
    """

    name: str
    source: Source
    pose: PoseSpec
    link: Link
    elsewhere: dict[tuple[str, str], PoseSpec] = field(default_factory=dict)


@dataclass(frozen=True)
class FrameSpec:
    """An explicit frame."""

    name: str
    source: Source
    pose: PoseSpec = PoseSpec()
    attached_to: str = ""


@dataclass(frozen=True)
class SensorSpec:
    """A force-torque sensor of a joint; see `ForceTorqueSensor`."""

    name: str
    frame: str
    on_child: bool
    pose: PoseSpec
    source: Source


@dataclass(frozen=True)
class JointSpec:
    """A joint; `axes` holds "axis" and "axis2" as far as they are written, `xyz_joint` still in the frame
    `expressed_in`.

    `end_sources` are the places of `<parent>` and `<child>`. For `parent_pose`, `independent`, `compliance` and
    `origin` see extensions.py.
    """

    name: str
    source: Source
    type: JointType
    parent: str
    child: str
    pose: PoseSpec
    axes: dict[str, Axis]
    end_sources: dict[str, Source]
    screw_thread_pitch: float
    gearbox_ratio: float
    gearbox_reference_body: str
    must_be_loop_joint: bool
    parent_pose: PoseSpec | None
    independent: bool
    compliance: tuple[float, ...]
    origin: str
    sensors: tuple[SensorSpec, ...]
    coupling: RealCoupling


@dataclass(frozen=True)
class ModelSpec:
    """A model with everything inside it. `control` are its `<ros2_control>` and `<transmission>` elements."""

    name: str
    source: Source
    version: Version
    pose: PoseSpec = PoseSpec()
    placement_frame: str = ""
    static: bool = False
    self_collide: bool = False
    canonical_link: str = ""
    links: tuple[LinkSpec, ...] = ()
    joints: tuple[JointSpec, ...] = ()
    frames: tuple[FrameSpec, ...] = ()
    models: tuple[ModelSpec, ...] = ()
    starts: Starts = field(default_factory=dict)
    start_twists: StartTwists = field(default_factory=dict)
    control: tuple[Node, ...] = ()
    loads: tuple[AnyLoad, ...] = ()
    constraints: tuple[JointConstraint, ...] = ()
    parameters: tuple[LengthParameter, ...] = ()
    gravity: Vec3 | None = None


@dataclass(frozen=True)
class WorldSpec:
    """A world."""

    name: str
    source: Source
    gravity: Vec3
    physics: Physics
    models: tuple[ModelSpec, ...]
    joints: tuple[JointSpec, ...]
    frames: tuple[FrameSpec, ...]
    drives: tuple[DemonstrationDrive, ...]
    loads: tuple[AnyLoad, ...] = ()
    constraints: tuple[JointConstraint, ...] = ()
    excluded: tuple[Exclusion, ...] = ()


Scoped = ModelSpec | WorldSpec
"""What has frames of its own."""
