"""The values that describe a mechanism. All are frozen; indices point into the tuples of `Mechanism`."""

from __future__ import annotations

import math
from dataclasses import field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simulator.diagnostics import Diagnostic, Source
from simulator.errors import UnknownNameError, place_of
from simulator.mechanism.curved import CurvedLaw
from simulator.mechanism.loads import BodyLoads
from simulator.mechanism.non_colliding import NonCollidingLinks
from simulator.model.altered import altered
from simulator.model.coupling import IDEAL, RealCoupling
from simulator.model.joint import Axis, JointType
from simulator.model.link import Collision, Link
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import Quat, Vec3

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

WORLD_BODY = 0
"""Index of the body that is welded to the world."""


@dataclass(frozen=True)
class Body:
    """Links welded by fixed joints. The body frame B is the frame of its first link; body 0 is the world and B = W
    there.

    `mass` [kg], `com` [m] in B, `inertia` about the centre of mass in B's axes as (ixx, iyy, izz, ixy, ixz, iyz) [kg
    m^2] (not used for body 0). `X_BL[i]` places `links[i]`. `gravity` is False where the document switches it off.
    """

    name: str
    links: tuple[Link, ...]
    X_BL: tuple[Pose, ...]
    X_WB: Pose = IDENTITY
    mass: float = 0.0
    com: Vec3 = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    gravity: bool = True

    def collisions(self) -> tuple[tuple[str, Pose, Collision], ...]:
        """(scoped link name, X_BC, collision) of every collision of the body."""
        return tuple(
            (link.name, X_BL @ collision.X_LC, collision)
            for link, X_BL in zip(self.links, self.X_BL, strict=True)
            for collision in link.collisions
        )


class MotionKind(str, Enum):
    """What one axis does."""

    ROTATION = "rotation"
    TRANSLATION = "translation"


class JointKind(str, Enum):
    """How a joint moves: by a chain of single axes, as a ball, or freely."""

    CHAIN = "chain"
    BALL = "ball"
    FREE = "free"


@dataclass(frozen=True)
class AxisInfo:
    """One scalar joint coordinate.

    `name` is what users type: `model::joint`, `model::joint:axis2`, or `model::joint:travel` for the translation of a
    screw. `axis` holds limits, effort and velocity limits, damping, friction and spring; a continuous joint's limits
    are infinite here. `in_tree` is False for an axis of a loop joint, whose position is measured from body poses.
    `independent` is False where the document wants the position to follow from others.
    """

    name: str
    joint: str
    kind: MotionKind
    axis: Axis
    in_tree: bool = True
    hidden: bool = False
    independent: bool = True
    source: Source | None = field(default=None, compare=False)

    @property
    def unit(self) -> str:
        """Unit of the position: rad or m."""
        return "rad" if self.kind is MotionKind.ROTATION else "m"

    @property
    def effort_unit(self) -> str:
        """Unit of the effort: N m or N."""
        return "N·m" if self.kind is MotionKind.ROTATION else "N"

    @property
    def limited(self) -> bool:
        """Whether the document bounds the position."""
        return math.isfinite(self.axis.lower) or math.isfinite(self.axis.upper)


@dataclass(frozen=True)
class Motion:
    """One step of a joint's chain: the outboard side moves along or about `direction` (unit, joint frame) by the axis'
    position."""

    axis: int
    kind: MotionKind
    direction: Vec3


@dataclass(frozen=True)
class MechanismJoint:
    """A joint of the spanning forest, or one that was cut.

    `parent` and `child` are bodies, inboard and outboard; `reversed` says that the document has them the other way
    round (the motions are already turned, so that positions keep the document's sign). `X_PJ` and `X_CJ` place the
    joint frame in both bodies at position zero. `motions` run from inboard to outboard; a ball or free joint has none.
    """

    name: str
    type: JointType | None
    kind: JointKind
    parent: int
    child: int
    X_PJ: Pose = IDENTITY
    X_CJ: Pose = IDENTITY
    motions: tuple[Motion, ...] = ()
    reversed: bool = False
    source: Source | None = field(default=None, compare=False)

    @property
    def dof(self) -> int:
        """Degrees of freedom before couplings (a screw counts two: its pitch is a coupling)."""
        return {JointKind.CHAIN: len(self.motions), JointKind.BALL: 3, JointKind.FREE: 6}[self.kind]

    @property
    def rows(self) -> int:
        """Constraint rows that the joint adds where it closes a loop."""
        return 6 - self.dof

    def body_on(self, *, child: bool) -> int:
        """The body of the document's child or parent link."""
        return self.child if child is not self.reversed else self.parent

    def side(self, *, child: bool) -> Pose:
        """X_BJ in the body of the document's child or parent link."""
        return self.X_CJ if child is not self.reversed else self.X_PJ

    def with_side(self, X_BJ: Pose, *, child: bool) -> MechanismJoint:
        """The same with another X_BJ in the body of the document's child or parent link."""
        return altered(self, X_CJ=X_BJ) if child is not self.reversed else altered(self, X_PJ=X_BJ)


@dataclass(frozen=True)
class HingedBall:
    """A ball joint that the document writes as three `hinges`, from the first of `bodies` to the second. It has the
    name of the last hinge.

    `directions`: unit vectors of their axes in the world at the start, such that the second body has turned against the
    first by R(d0, q0) R(d1, q1) R(d2, q2); `R_BW` are the world's axes at the start in both bodies, as quaternions.
    """

    hinges: tuple[str, str, str]
    bodies: tuple[int, int]
    directions: tuple[Vec3, Vec3, Vec3]
    R_BW: tuple[Quat, Quat]


class CouplingKind(str, Enum):
    """What a coupling was written as."""

    MIMIC = "mimic"
    GEARBOX = "gearbox"
    SCREW = "screw"
    CONSTRAINT = "constraint"


@dataclass(frozen=True)
class Coupling:
    """sum(a_i * q_i) = constant over axes; `terms` holds (axis index, a_i), the follower first with a = 1.

    With a `curve` it is φ(q) = 0 instead: `terms` says which axes it ties, with coefficients that mean nothing, and
    multiplier, offset and reference have no meaning either; `slopes` and `residual` hold for both.

    For people, the same as q_follower = multiplier * (q_leader - reference) + offset + sum(m_j * q_j), where `others`
    holds the further leaders as (axis index, m_j): a gearbox whose reference body turns has them.

    `real`: its losses, play and elasticity. `inputs`: terms (axis index, t_j) of the rate Σ t_j q̇_j, in the unit of the
    follower, at which the leader's side turns what the coupling carries; of the leader alone where there are none. In a
    gearbox both sides are seen from the reference body, as its teeth see them.
    """

    kind: CouplingKind
    follower: int
    leader: int
    multiplier: float
    offset: float = 0.0
    reference: float = 0.0
    source: Source | None = field(default=None, compare=False)
    others: tuple[tuple[int, float], ...] = ()
    real: RealCoupling = IDEAL
    inputs: tuple[tuple[int, float], ...] = ()
    curve: CurvedLaw | None = None
    name: str = ""

    @property
    def is_rigid_law(self) -> bool:
        """Whether positions obey the law exactly, without losses: such couplings are eliminated."""
        return self.multiplier == 0.0 or self.real.is_ideal

    @property
    def ties(self) -> bool:
        """Whether it relates positions, if only as far as play and elasticity let it; a freewheel, a clutch and a
        constraint that only bounds its expression do not."""
        return not self.real.slips and not self.bounds

    @property
    def bounds(self) -> bool:
        """Whether it is a constraint that keeps its expression within bounds."""
        return self.kind is CouplingKind.CONSTRAINT and self.real.backlash is not None

    @property
    def input_terms(self) -> tuple[tuple[int, float], ...]:
        """`inputs`, or the leader's. Along a curve the input is the leader itself: the unit of the follower changes
        with the slope there, which may be 0."""
        return self.inputs or ((self.leader, self.multiplier if self.curve is None else 1.0),)

    @property
    def passing_terms(self) -> tuple[tuple[int, float], ...]:
        """(axis index, factor) of the position of the leader, as its teeth pass: of a gearbox against the reference
        body, as `inputs`."""
        per = self.per_passing
        return tuple((axis, per * part) for axis, part in self.input_terms)

    @property
    def per_passing(self) -> float:
        """How far that position goes for a unit of the input."""
        terms = self.input_terms
        return 1.0 / dict(terms).get(self.leader, terms[0][1])

    @property
    def input_factor(self) -> float:
        """|t| of the leader's side: an effort E at the leader is E / |t| at that rate."""
        return abs(self.input_terms[0][1])

    @property
    def lead(self) -> float:
        """What a turn of the leader advances the follower [m or rad]."""
        return 2.0 * math.pi * self.input_factor

    @property
    def leaders(self) -> tuple[tuple[int, float], ...]:
        """(axis index, multiplier) of every axis that the follower follows, the first leader first."""
        return ((self.leader, self.multiplier), *self.others)

    @property
    def terms(self) -> tuple[tuple[int, float], ...]:
        """(axis index, coefficient) pairs."""
        return ((self.follower, 1.0), *((axis, -multiplier) for axis, multiplier in self.leaders))

    @property
    def constant(self) -> float:
        """Right-hand side [unit of the follower]."""
        return self.offset - self.multiplier * self.reference

    def slopes(self, position: Sequence[float] | NDArray[np.float64]) -> tuple[tuple[int, float], ...]:
        """(axis index, a_i) at positions of all axes: of a curve the derivatives ∂φ/∂q_i there."""
        return self.terms if self.curve is None else self.curve.slopes(position)

    def residual(self, position: Sequence[float] | NDArray[np.float64]) -> float:
        """sum(a_i * q_i) - constant, or φ, at positions of all axes."""
        if self.curve is not None:
            return self.curve.value(position)
        return sum(factor * float(position[axis]) for axis, factor in self.terms) - self.constant


@dataclass(frozen=True)
class Cluster:
    """Tree joints and loop joints that the same loops and couplings tie together (indices)."""

    joints: tuple[int, ...]
    loop_joints: tuple[int, ...]
    couplings: tuple[int, ...]


@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom: `count` is the Kutzbach-Gruebler sum over tree joints minus loop rows and couplings (bodies
    that float freely count six each); `loop_rows` is corrected to 3 per loop where a loop is planar."""

    count: int
    joint_dof: int
    loop_rows: int
    coupling_rows: int
    planar_loops: int


@dataclass(frozen=True)
class Mechanism:
    """A spanning forest rooted in the world (body 0), its cut joints, couplings and clusters.

    `joints[i]` carries body i + 1: `joints[i].child == i + 1`, inboard bodies first. `non_colliding` says which links
    with collisions (scoped names) never collide with each other. `loads`: forces on bodies and springs between them.
    `hinged_balls`: the balls among all joints that are hinges in the document. `left_out`: couplings of the document
    that are not looked at, see `mechanism.real_couplings`. `frames`: name, link and X_LF of every explicit frame that
    is attached to a link, among them the links of a URDF that fixed joints merge into others.
    """

    name: str
    gravity: Vec3
    bodies: tuple[Body, ...]
    joints: tuple[MechanismJoint, ...]
    loop_joints: tuple[MechanismJoint, ...]
    axes: tuple[AxisInfo, ...]
    couplings: tuple[Coupling, ...]
    clusters: tuple[Cluster, ...]
    mobility: Mobility
    non_colliding: NonCollidingLinks = field(default_factory=NonCollidingLinks)
    diagnostics: tuple[Diagnostic, ...] = ()
    loads: BodyLoads = field(default_factory=BodyLoads)
    hinged_balls: tuple[HingedBall, ...] = ()
    left_out: tuple[Coupling, ...] = ()
    frames: tuple[tuple[str, str, Pose], ...] = ()

    def is_curved(self, cluster: Cluster) -> bool:
        """Whether positions in a cluster follow from each other along curves: it has loops, or couplings with one."""
        return bool(cluster.loop_joints) or any(self.couplings[i].curve is not None for i in cluster.couplings)

    @cached_property
    def derived(self) -> dict[str, Any]:
        """What was found for this mechanism once and serves again, by name; no part of its value."""
        return {}

    @property
    def has_curves(self) -> bool:
        """Whether there is a loop, or a coupling with a curve."""
        return bool(self.loop_joints) or any(coupling.curve is not None for coupling in self.couplings)

    @property
    def has_errors(self) -> bool:
        """Whether the mechanism cannot be simulated as it is."""
        return any(diagnostic.is_error for diagnostic in self.diagnostics)

    def axis_index(self, name: str) -> int | None:
        """Index of the axis of that name; the model may be left out where the joint name is unique. None where there is
        no such axis."""
        exact = [i for i, axis in enumerate(self.axes) if axis.name == name]
        tail = [i for i, axis in enumerate(self.axes) if axis.name.endswith("::" + name)]
        found = exact or tail
        return found[0] if len(found) == 1 else None

    def hinges_beside(self, name: str) -> tuple[str, ...]:
        """The three hinges of a ball joint of which one has that name, with or without its model; empty where it is
        none."""
        for ball in self.hinged_balls:
            if any(hinge == name or hinge.endswith(f"::{name}") for hinge in ball.hinges):
                return ball.hinges
        return ()

    def follower_axes(self) -> frozenset[int]:
        """Axes that a coupling makes follow another."""
        return frozenset(coupling.follower for coupling in self.couplings if coupling.ties)

    def dependent_axes(self) -> frozenset[int]:
        """Followers, and axes that the document calls dependent in a cluster that has others to be independent."""
        followers = self.follower_axes()
        found = set(followers)
        for cluster in self.clusters:
            tied = {motion.axis for joint in cluster.joints for motion in self.joints[joint].motions} - followers
            called = {axis for axis in tied if not self.axes[axis].independent}
            found |= called if called != tied else set()
        return frozenset(found)

    def independent_axes(self) -> tuple[int, ...]:
        """Tree axes that are not dependent, in document order: the ones a user can drive (loops may tie some of them to
        others)."""
        dependent = self.dependent_axes()
        return tuple(i for i, axis in enumerate(self.axes) if axis.in_tree and i not in dependent and not axis.hidden)

    def placed_links(self) -> dict[str, tuple[int, Pose]]:
        """Scoped link name to body index and X_BL."""
        return {
            link.name: (index, X_BL)
            for index, body in enumerate(self.bodies)
            for link, X_BL in zip(body.links, body.X_BL, strict=True)
        }

    def place_of_link(self, link: str) -> tuple[int, Pose]:
        """Body index and X_BL of a link, or of a frame that is attached to one; the last part of the name will do where
        that is clear. Raises UnknownNameError."""
        placed = self.placed_links()
        names = tuple(placed)
        try:
            return placed[names[place_of(names, link, "link")]]
        except UnknownNameError:
            found = [(of, X_LF) for name, of, X_LF in self.frames if name == link or name.endswith(f"::{link}")]
            if len(found) != 1:
                raise
        (of, X_LF) = found[0]
        body, X_BL = placed[of]
        return body, X_BL @ X_LF

    def link_bodies(self) -> dict[str, int]:
        """Scoped link name to body index."""
        return {link.name: index for index, body in enumerate(self.bodies) for link in body.links}
