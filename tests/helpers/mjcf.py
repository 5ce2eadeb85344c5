"""A mechanism as a document of MuJoCo: the same bodies, joints, couplings and loops, closed as MuJoCo closes them.

A body's frame is its joint's frame on the outboard side, so that joint coordinates are the same. Loop joints are balls
or hinges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from simulator.mechanism.types import JointKind, Mechanism, MechanismJoint, MotionKind
from simulator.model.shape import Box, Capsule, Cylinder, Mesh, Plane, Shape, Sphere
from simulator.physics.shapes.hulls import hull_points
from simulator.spatial.pose import Pose


@dataclass(frozen=True)
class Settings:
    """How MuJoCo integrates and how stiff its constraints are; `flags` are those of `<flag>`."""

    integrator: str = "Euler"
    solref: str = "0.02 1"
    solimp: str = "0.9 0.95 0.001 0.5 2"
    flags: str = ""
    timestep: float = 1e-3

    @property
    def row(self) -> str:
        """The attributes of an equality."""
        return f'solref="{self.solref}" solimp="{self.solimp}"'


FACTORY = Settings()
"""As MuJoCo comes."""
TIGHT = Settings("RK4", "0.002 1", "0.9999 0.9999 0.001 0.5 2", 'diagexact="enable"')
"""The most accurate that MuJoCo offers at a step of 1 ms: RK4, and the stiffest rows that it takes (solref is held
above two steps)."""


def as_mjcf(
    mechanism: Mechanism, settings: Settings, *, planar: bool = False, extra: str = "", touching: bool = False
) -> str:
    """The document. A hinge that closes a loop is pinned at two places of its axis, in `planar` mechanisms at one.
    `touching`: with collision shapes, hulls for meshes."""
    return _Writer(mechanism, settings, 1 if planar else 2, touching).text(extra)


def numbers(values: Iterable[float]) -> str:
    """With all digits."""
    return " ".join(repr(float(value)) for value in values)


ANYBODY, ALL = 30, (1 << 31) - 1
"""The bit of what touches its own like, too, and all bits."""


class _Writer:
    def __init__(self, mechanism: Mechanism, settings: Settings, pins: int, touching: bool) -> None:
        self.mechanism, self.settings, self.pins, self.touching = mechanism, settings, pins, touching
        self.meshes: list[str] = []
        self.X_JB = {0: mechanism.bodies[0].X_WB} | {joint.child: joint.X_CJ.inverse() for joint in mechanism.joints}
        self.on: dict[int, list[MechanismJoint]] = {}
        for joint in mechanism.joints:
            self.on.setdefault(joint.parent, []).append(joint)

    def text(self, extra: str) -> str:
        settings = self.settings
        equalities = "".join(map(self.closing, self.mechanism.loop_joints)) + "".join(self.couplings())
        bodies = f"{self.sites(0)}{self.shapes(0)}{self.children(0)}"
        return (
            '<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/>'
            f'<option gravity="{numbers(self.mechanism.gravity)}" timestep="{settings.timestep!r}" '
            f'integrator="{settings.integrator}"><flag {settings.flags}/></option>{extra}'
            f"<asset>{''.join(self.meshes)}</asset>"
            f"<worldbody>{bodies}</worldbody><equality>{equalities}</equality></mujoco>"
        )

    def children(self, body: int) -> str:
        return "".join(self.body(joint, body) for joint in self.on.get(body, ()))

    def body(self, joint: MechanismJoint, parent: int) -> str:
        X = self.X_JB[parent] @ joint.X_PJ
        return (
            f"<body {_where(X)}>{self.joint(joint)}{self.inertial(joint.child)}"
            f"{self.sites(joint.child)}{self.shapes(joint.child)}{self.children(joint.child)}</body>"
        )

    def inertial(self, body: int) -> str:
        """Principal moments where the axes are principal already, which spares MuJoCo a rotation."""
        carried, X = self.mechanism.bodies[body], self.X_JB[body]
        ixx, iyy, izz, ixy, ixz, iyz = carried.inertia
        about_com = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        turned = X.rotation() @ about_com @ X.rotation().T
        beside = (turned[0, 1], turned[0, 2], turned[1, 2])
        moments = f'fullinertia="{numbers((*np.diag(turned), *beside))}"'
        if max(map(abs, beside)) <= 1e-14 * float(np.abs(turned).max()):
            moments = f'diaginertia="{numbers(np.diag(turned))}"'
        return f'<inertial pos="{numbers(X.transform(carried.com))}" mass="{carried.mass!r}" {moments}/>'

    def joint(self, joint: MechanismJoint) -> str:
        if joint.kind is not JointKind.CHAIN:
            return f'<joint name="{joint.name}" type="{joint.kind.value}"/>'
        text = ""
        for motion in joint.motions:
            kind = "hinge" if motion.kind is MotionKind.ROTATION else "slide"
            law = self.mechanism.axes[motion.axis].axis
            passive = (
                f'damping="{law.damping!r}" stiffness="{law.spring_stiffness!r}" springref="{law.spring_reference!r}"'
            )
            text += f'<joint name="a{motion.axis}" type="{kind}" axis="{numbers(motion.direction)}" {passive}/>'
        return text

    def shapes(self, body: int) -> str:
        """Collision shapes of a body. Links of one model do not touch, as here, unless it says that they do."""
        text, apart = "", self.mechanism.non_colliding
        for link, X, collision in self.mechanism.bodies[body].collisions() if self.touching else ():
            family, mu = apart.links[apart.index[link]].family, collision.surface.friction
            mine = 1 << (ANYBODY if family < 0 else family % ANYBODY)
            others = ALL if family < 0 else ALL - mine
            text += (
                f'<geom {_where(self.X_JB[body] @ X)} {self.form(collision.shape)} friction="{mu!r} 0 0" '
                f'contype="{mine}" conaffinity="{others}" condim="{3 if mu > 0.0 else 1}"/>'
            )
        return text

    def form(self, shape: Shape) -> str:
        """Kind and size of a shape."""
        if isinstance(shape, Plane):
            return 'type="plane" size="50 50 1"'
        if isinstance(shape, Box):
            return f'type="box" size="{numbers(0.5 * x for x in shape.size)}"'
        if isinstance(shape, Sphere):
            return f'type="sphere" size="{shape.radius!r}"'
        if isinstance(shape, Cylinder | Capsule):
            kind = type(shape).__name__.lower()
            return f'type="{kind}" size="{numbers((shape.radius, 0.5 * shape.length))}"'
        assert isinstance(shape, Mesh)
        name = f"m{len(self.meshes)}"
        self.meshes.append(f'<mesh name="{name}" vertex="{numbers(hull_points(shape).ravel())}"/>')
        return f'type="mesh" mesh="{name}"'

    def sites(self, body: int) -> str:
        """One for every pin on either side of a loop joint."""
        text = ""
        for loop in self.mechanism.loop_joints:
            for side, at, X in (("p", loop.parent, loop.X_PJ), ("c", loop.child, loop.X_CJ)):
                if at == body:
                    for i, point in enumerate(self.points(loop)):
                        text += f'<site name="{loop.name}{side}{i}" {_where(self.X_JB[body] @ X @ Pose(point))}/>'
        return text

    def points(self, loop: MechanismJoint) -> list[tuple[float, float, float]]:
        """Where a ball or a hinge is pinned, in the joint's frame."""
        if loop.kind is JointKind.BALL:
            return [(0.0, 0.0, 0.0)]
        x, y, z = loop.motions[0].direction
        return [(0.0, 0.0, 0.0), (0.5 * x, 0.5 * y, 0.5 * z)][: self.pins]

    def closing(self, loop: MechanismJoint) -> str:
        return "".join(
            f'<connect site1="{loop.name}p{i}" site2="{loop.name}c{i}" {self.settings.row}/>'
            for i, _ in enumerate(self.points(loop))
        )

    def couplings(self) -> list[str]:
        return [
            f'<joint joint1="a{row.follower}" joint2="a{row.leader}" '
            f'polycoef="{numbers((row.constant, row.multiplier, 0, 0, 0))}" {self.settings.row}/>'
            for row in self.mechanism.couplings
        ]


def _where(X: Pose) -> str:
    x, y, z, qx, qy, qz, qw = X.as_list()
    return f'pos="{numbers((x, y, z))}" quat="{numbers((qw, qx, qy, qz))}"'
