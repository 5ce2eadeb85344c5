"""Joints, their axes, and the mimic constraint of an axis."""

from __future__ import annotations

import math
from dataclasses import field
from enum import Enum

from simulator.diagnostics import Source
from simulator.model.coupling import IDEAL, Clutch, RealCoupling
from simulator.model.laws import MimicLaw
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import Vec3

WORLD = "world"
"""Name of the world where a joint names it as parent."""


class JointType(str, Enum):
    """The joint types of SDFormat, and the planar one that closes loops of URDF+: its axis is the normal of the
    plane."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    BALL = "ball"
    UNIVERSAL = "universal"
    REVOLUTE2 = "revolute2"
    SCREW = "screw"
    GEARBOX = "gearbox"
    PLANAR = "planar"


@dataclass(frozen=True)
class Mimic:
    """q_follower = multiplier * (q_leader - reference) + offset (SDFormat 1.11, `//axis/mimic`), or `law` of q_leader
    where there is one.

    `joint` is the leader's name as written, `leader` the scoped name that it resolves to, `axis` is "axis" or "axis2".
    Units: those of the two axes [rad or m]. `coupling`: its losses, play and elasticity.
    """

    joint: str
    leader: str
    axis: str = "axis"
    multiplier: float = 1.0
    offset: float = 0.0
    reference: float = 0.0
    law: MimicLaw | None = None
    source: Source | None = field(default=None, compare=False)
    coupling: RealCoupling = IDEAL


@dataclass(frozen=True)
class CommandRange:
    """The least and the greatest command of a kind, position, velocity or effort [its unit]."""

    kind: str
    lower: float = -math.inf
    upper: float = math.inf


@dataclass(frozen=True)
class Stribeck:
    """Dry friction that falls with the speed v: F + (`static` - F) exp(-(|v| / `speed`)^`exponent`) with the friction F
    of the axis, `static` at rest [N m or N]; `speed` [rad/s or m/s] (Armstrong-Hélouvry, Dupont and Canudas de Wit, A
    survey of models, analysis tools and compensation methods for the control of machines with friction, 1994)."""

    static: float
    speed: float
    exponent: float = 2.0


@dataclass(frozen=True)
class Bearing:
    """Dry friction that is in proportion to the force across the axis that a joint carries: up to `friction` times that
    force at the `radius` [m] of a pin; of a slide, which needs none, up to `friction` times it."""

    friction: float
    radius: float = 0.0

    @property
    def arm(self) -> float:
        """Largest effort for each newton: the radius of the friction circle [m], or of a slide the friction [1]."""
        return self.friction * (self.radius or 1.0)


@dataclass(frozen=True)
class Axis:
    """One axis of a joint.

    `xyz_joint` and `xyz_world` are unit vectors in the joint frame and in the world at the start. Limits [rad or m],
    `effort` [N m or N], `velocity` [rad/s or m/s]; infinite where the document sets none. Passive effort: -damping * qd
    - spring_stiffness * (q - spring_reference), and Coulomb `friction` [N m or N]. `initial_position` is the start
    value that a `model_state` or an old `initial_position` asks for, `initial_velocity` [rad/s or m/s] that of a
    `model_state`; `start_source` is where the document says so. `commands`: the ranges that command interfaces of
    ros2_control keep commands in. `armature` [kg m^2 or kg] is inertia of the axis alone, as of a rotor behind a gear.
    `stribeck`: how dry friction depends on the speed; `brake`: what presses faces of both bodies together;
    `bearing`: friction that what the joint carries causes.
    """

    xyz_joint: Vec3 = (0.0, 0.0, 1.0)
    xyz_world: Vec3 = (0.0, 0.0, 1.0)
    expressed_in: str = ""
    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf
    stiffness: float = 1e8
    dissipation: float = 1.0
    damping: float = 0.0
    friction: float = 0.0
    spring_reference: float = 0.0
    spring_stiffness: float = 0.0
    initial_position: float = 0.0
    initial_velocity: float = 0.0
    mimic: Mimic | None = None
    source: Source | None = field(default=None, compare=False)
    start_source: Source | None = field(default=None, compare=False)
    commands: tuple[CommandRange, ...] = ()
    armature: float = 0.0
    stribeck: Stribeck | None = None
    brake: Clutch | None = None
    bearing: Bearing | None = None

    @property
    def rubs(self) -> bool:
        """Whether dry friction is stated beside its number."""
        return self.stribeck is not None or self.brake is not None or self.bearing is not None


CHILD_AXES, PARENT_AXES, SENSOR_AXES = "child", "parent", "sensor"
"""Axes in which a force-torque sensor gives its wrench: of the joint's child link, of its parent link, of the
sensor."""


@dataclass(frozen=True)
class ForceTorqueSensor:
    """A sensor of the wrench that a joint carries (SDFormat, `//sensor/force_torque`), its moment about the origin of
    the joint frame.

    `frame`: the axes, see above. `on_child`: it measures what the parent does to the child, else what the child does to
    the parent. `X_JS` places the sensor in the joint frame.
    """

    name: str
    frame: str = CHILD_AXES
    on_child: bool = False
    X_JS: Pose = IDENTITY
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Joint:
    """A joint between two links, possibly one of several that share a child.

    `name` is scoped (`model::joint`; no prefix for a joint of the world). `parent` and `child` are the names as
    written; `parent_link` and `child_link` the scoped links they resolve to, `WORLD` for the world or a static model.
    `X_WJ` is the joint frame in the world at the start. `axes` has one entry per axis that the type uses (missing ones
    are filled with the default), so: none for fixed and ball, two for universal, revolute2 and gearbox, else one.
    `screw_thread_pitch` [m/rev], right-handed positive. For a gearbox, `gearbox_reference` is the scoped link of the
    reference body ("" where it does not exist) and theta_child = -gearbox_ratio * theta_parent, both measured from it.
    `X_WJ_parent` is where the joint frame is on the parent's side where that is elsewhere than `X_WJ`: a loop that is
    not closed at the document's start. `independent` is False where the document wants the position to follow from
    others, in a loop or coupling. `compliance`: about and along the axes of the joint frame [rad/(N m), m/N], shape
    (6,), empty where none is stated. `unused_axes` are axes that the document writes and the type has no use for, by
    "axis" or "axis2". `origin_frame`: the scoped frame in which a URDF has the joint's `<origin>` where fixed joints
    make its parent a part of another link, else empty. `sensors`: of force and torque. `coupling`: losses, play and
    elasticity of a gearbox or screw.
    """

    name: str
    type: JointType
    parent: str
    child: str
    parent_link: str
    child_link: str
    X_WJ: Pose = IDENTITY
    axes: tuple[Axis, ...] = ()
    screw_thread_pitch: float = 1.0
    gearbox_ratio: float = 1.0
    gearbox_reference_body: str = ""
    gearbox_reference: str = ""
    must_be_loop_joint: bool = False
    unused_axes: tuple[tuple[str, Axis], ...] = ()
    X_WJ_parent: Pose | None = None
    independent: bool = True
    compliance: tuple[float, ...] = ()
    origin_frame: str = ""
    sensors: tuple[ForceTorqueSensor, ...] = ()
    coupling: RealCoupling = IDEAL
    source: Source | None = field(default=None, compare=False)
