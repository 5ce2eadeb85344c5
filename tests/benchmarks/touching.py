"""Who steps what touches, for scripts/bench contacts: this project, MuJoCo and raw PyBullet."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.bullet.pybullet_import import pybullet
from simulator.engine.drives import DriveKind
from simulator.engine.snapshot import Extremes
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.settings import typed_settings
from simulator.spatial.rotation import quat_from_rpy
from tests.benchmarks.contenders import Contender
from tests.benchmarks.piles import EDGE, GRAVITY, MU, Cube, Scene
from tests.helpers.mjcf import FACTORY, as_mjcf, numbers

Array = NDArray[np.float64]
DT = 1e-3
SHARE = 0.5
"""Part of its error that an actuator of MuJoCo takes from a velocity in a step."""
OURS, MUJOCO, BULLET = "rows", "MuJoCo", "PyBullet"


class Boxes(Contender):
    """A contender that steps a scene; `poses` (n, 7) of the boxes, x, y, z, qx, qy, qz, qw."""

    family = "boxes"

    def poses(self) -> Array:
        raise NotImplementedError

    def touching(self) -> int:
        """In how many points bodies touch, or are so near that the solver looks at them."""
        raise NotImplementedError

    def axes(self) -> Array:
        """Positions of a machine's axes [rad or m]; none of loose boxes."""
        return np.zeros(0)


class Ours(Boxes):
    """Strategy rows, by the engine's own call; many steps in one where `many`."""

    name = OURS

    def __init__(self, path: Path, drives: tuple[str, ...] = (), *, many: int = 20) -> None:
        self.opened, self.steps_per_call = open_document(path), many
        self.engine = make_engine(self.opened, typed_settings(drives, (), dt=DT))
        self.call = self._advance

    def _advance(self) -> None:
        left, worst = self.steps_per_call, Extremes()
        while left:
            left -= self.engine.advance(left, worst)[0]

    def reset(self) -> None:
        self.engine.reset()

    def poses(self) -> Array:
        return self.engine.snapshot().body_poses[1:].copy()

    def touching(self) -> int:
        return len(self.engine.contacts())

    def axes(self) -> Array:
        return self.engine.snapshot().position.copy()

    def close(self) -> None:
        self.engine.close()


class MuJoCo(Boxes):
    """`mj_step` at its defaults: soft contacts, semi-implicit Euler."""

    name = MUJOCO

    def __init__(self, scene: Scene) -> None:
        import mujoco

        self.model = mujoco.MjModel.from_xml_string(as_boxes(scene))
        self.data = mujoco.MjData(self.model)
        self.call, self.arguments, self._back = mujoco.mj_step, (self.model, self.data), mujoco.mj_resetData

    def reset(self) -> None:
        self._back(self.model, self.data)

    def poses(self) -> Array:
        rows = np.array(self.data.qpos).reshape(-1, 7)
        return rows[:, [0, 1, 2, 4, 5, 6, 3]]

    def touching(self) -> int:
        return int(self.data.ncon)


class Bullet(Boxes):
    """`stepSimulation` of loose bodies at its defaults, which let boxes sleep that rest; sleeping is off, for it would
    cost nothing."""

    name = BULLET

    def __init__(self, scene: Scene) -> None:
        self.scene, self.client = scene, pybullet.connect(pybullet.DIRECT)
        self.call, self.arguments = pybullet.stepSimulation, (self.client,)
        self.bodies: list[int] = []
        pybullet.setGravity(0, 0, -GRAVITY, physicsClientId=self.client)
        pybullet.setTimeStep(DT, physicsClientId=self.client)
        plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=self.client)
        ground = pybullet.createMultiBody(0, plane, physicsClientId=self.client)
        half = [0.5 * EDGE] * 3
        box = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=half, physicsClientId=self.client)
        pybullet.changeDynamics(ground, -1, lateralFriction=1.0, physicsClientId=self.client)
        for cube in scene:
            body = pybullet.createMultiBody(cube.mass, self._shape(cube, box), physicsClientId=self.client)
            pybullet.changeDynamics(
                body, -1, lateralFriction=MU, linearDamping=0.0, angularDamping=0.0,
                activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING, physicsClientId=self.client,
            )  # fmt: skip
            self.bodies.append(body)
        self.reset()

    def _shape(self, cube: Cube, box: int) -> int:
        if not cube.corners:
            return box
        return int(
            pybullet.createCollisionShape(pybullet.GEOM_MESH, vertices=cube.corners, physicsClientId=self.client)
        )

    def reset(self) -> None:
        for body, cube in zip(self.bodies, self.scene, strict=True):
            pybullet.resetBasePositionAndOrientation(
                body, cube.at, quat_from_rpy(*cube.turned), physicsClientId=self.client
            )
            pybullet.resetBaseVelocity(body, [0, 0, 0], [0, 0, 0], physicsClientId=self.client)

    def poses(self) -> Array:
        rows = [pybullet.getBasePositionAndOrientation(body, physicsClientId=self.client) for body in self.bodies]
        return np.array([(*place, *turn) for place, turn in rows])

    def touching(self) -> int:
        return len(pybullet.getContactPoints(physicsClientId=self.client))

    def close(self) -> None:
        pybullet.disconnect(physicsClientId=self.client)


class Machine(Boxes):
    """A document's mechanism with its shapes and drives, by `mj_step` at its defaults.

    Drives are actuators that pull the axis to its velocity within a few steps; a drive to a position is one to its top
    speed as long as it is under way. More gain would throw it: at its defaults MuJoCo takes the forces of actuators
    from the start of the step, and what changes a velocity by more than twice its error diverges."""

    name = MUJOCO

    def __init__(self, ours: Ours) -> None:
        import mujoco

        self.mechanism, self._back = ours.opened.mechanism, mujoco.mj_resetData
        moved = {axis: ours.engine.drives[axis] for axis in ours.engine.drives}
        self._forces = {axis: d.at(0.0, DT).value for axis, d in moved.items() if d.kind is DriveKind.EFFORT}
        self._speeds = {axis: self._speed(ours, axis) for axis in moved if axis not in self._forces}
        bare = mujoco.MjModel.from_xml_string(as_mjcf(self.mechanism, FACTORY, touching=True))
        felt = self._inertias(bare)
        text = "".join(f'<velocity joint="a{axis}" kv="{SHARE * felt[axis] / DT!r}"/>' for axis in self._speeds)
        extra = f"<actuator>{text}</actuator>"
        self.model = mujoco.MjModel.from_xml_string(as_mjcf(self.mechanism, FACTORY, extra=extra, touching=True))
        self.data = mujoco.MjData(self.model)
        self.call, self.arguments = mujoco.mj_step, (self.model, self.data)
        self.reset()

    def _speed(self, ours: Ours, axis: int) -> float:
        """At which a drive moves its axis [rad/s or m/s]."""
        drive = ours.engine.drives[axis]
        asked = drive.at(0.0, DT).value
        if drive.kind is DriveKind.VELOCITY:
            return asked
        return math.copysign(self.mechanism.axes[axis].axis.velocity, asked - ours.axes()[axis])

    def _inertias(self, bare: Any) -> dict[int, float]:
        """What the drives' axes feel at the start [kg m² or kg]."""
        import mujoco

        data, felt = mujoco.MjData(bare), {}
        mujoco.mj_forward(bare, data)
        for axis in self._speeds:
            place = int(bare.joint(f"a{axis}").dofadr[0])
            unit = np.zeros((1, bare.nv))
            unit[0, place] = 1.0
            answer = np.zeros_like(unit)
            mujoco.mj_solveM(bare, data, answer, unit)
            felt[axis] = 1.0 / float(answer[0, place])
        return felt

    def reset(self) -> None:
        self._back(self.model, self.data)
        self.data.ctrl[:] = list(self._speeds.values())
        for axis, effort in self._forces.items():
            self.data.qfrc_applied[int(self.model.joint(f"a{axis}").dofadr[0])] = effort

    def touching(self) -> int:
        return int(self.data.ncon)

    def axes(self) -> Array:
        axes = range(len(self.mechanism.axes))
        return np.array([float(self.data.joint(f"a{axis}").qpos[0]) for axis in axes])


def as_boxes(scene: Scene) -> str:
    """The scene as MJCF."""
    half = 0.5 * EDGE
    forms = f'type="box" size="{half} {half} {half}"', 'type="mesh" mesh="h{}"'
    bodies = "".join(
        f'<body pos="{x} {y} {z}" quat="{q[3]} {q[0]} {q[1]} {q[2]}"><freejoint/>'
        f'<inertial pos="0 0 0" mass="{cube.mass}" diaginertia="{numbers(3 * [cube.moment])}"/>'
        f'<geom {forms[bool(cube.corners)].format(number)} friction="{MU} 0 0"/></body>'
        for number, cube in enumerate(scene)
        for (x, y, z), q in ((cube.at, quat_from_rpy(*cube.turned)),)
    )
    hulls = "".join(
        f'<mesh name="h{number}" vertex="{" ".join(repr(x) for corner in cube.corners for x in corner)}"/>'
        for number, cube in enumerate(scene)
        if cube.corners
    )
    return (
        f'<mujoco><option timestep="{DT}" gravity="0 0 {-GRAVITY}"/><size memory="400M"/><asset>{hulls}</asset>'
        "<worldbody>"
        f'<geom type="plane" size="50 50 1" friction="{MU} 0 0"/>{bodies}</worldbody></mujoco>'
    )
