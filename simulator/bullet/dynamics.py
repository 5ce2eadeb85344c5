"""A mechanism in PyBullet, behind the engine's port."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from simulator.bullet.builder import Built, Solids, build_fixed, build_multibody, separate
from simulator.bullet.loops import add_loop
from simulator.bullet.plan import LinkKind, plan_multibodies
from simulator.bullet.pybullet_import import pybullet
from simulator.bullet.reading import StateReader
from simulator.bullet.striding import Strides
from simulator.engine.drives import POSITION_DRIVE_TIME
from simulator.engine.port import BackendState, Contact
from simulator.engine.strategies.gear import hold_by_gears
from simulator.errors import EngineDiedError, EngineLimitError
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_from_matrix

if TYPE_CHECKING:
    from simulator.engine.port import StepSeries
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Coupling, Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


WORLD_ERP = 0.2
NO_RATIO = 1e-300
"""What a ratio of 0 is to `changeConstraint`, which takes 0 for 'not said' and keeps its 1."""
GEAR_ERP = 1.0
"""Bullet multiplies a gear's erp with the world's: a fifth of a position error is corrected every step."""
MAX_FORCE = 1e10
FEWEST_ITERATIONS, ITERATIONS_PER_ROW, MAX_ITERATIONS = 300, 120, 1000
"""A gear train under a velocity motor needs about 1000 sweeps for round-off (measured on 8 gears: 50 leave 4e-4 rad,
300 3e-6)."""
CONVERGED = 1e-28
"""The solver stops when the sum of squared impulse changes of a sweep is below this: at round-off for ordinary
loads."""


class BulletDynamics:
    """Bullet multibodies for one mechanism; one DIRECT client, every call names it."""

    name = "gear"
    integrated = None

    @property
    def strider(self) -> BulletDynamics | None:
        """Itself, unless bodies have to be held up where they are."""
        return None if self._weightless else self

    def __init__(self, mechanism: Mechanism, *, dt: float, solver_iterations: int = 50) -> None:
        plans = plan_multibodies(mechanism)
        self._client: int | None = pybullet.connect(pybullet.DIRECT)
        if self._client < 0:
            raise EngineDiedError("PyBullet gave no client: too many are open in this process")
        self._mechanism, self.dt = mechanism, dt
        self._configure_world(solver_iterations)
        solids = Solids()
        self._built = [build_multibody(self._client, plan, mechanism, solids) for plan in plans]
        build_fixed(self._client, mechanism, solids)
        separate(self._client, solids, mechanism.non_colliding)
        self._where = {
            link.axis: (built.uid, index)
            for built in self._built
            for index, link in enumerate(built.plan.links)
            if link.axis >= 0
        }
        self._jointed = [(b.uid, _axes_of(b)) for b in self._built if _axes_of(b)]
        self._carriers = _carriers(self._built)
        self._body_at = _bodies_at(self._built)
        self._wrenches: Array = np.zeros((len(mechanism.bodies), 6))
        self._motor_is_on = np.zeros(len(mechanism.axes), dtype=bool)
        self._reader = StateReader(self._client, mechanism, self._built)
        self._weightless = [
            (index, body) for index, body in enumerate(mechanism.bodies) if index != WORLD_BODY and not body.gravity
        ]
        try:
            hold_by_gears(mechanism, self)
        except BaseException:
            self.close()
            raise

    def _configure_world(self, solver_iterations: int) -> None:
        mechanism = self._mechanism
        rows = len(mechanism.couplings) + sum(loop.rows for loop in mechanism.loop_joints)
        wanted = FEWEST_ITERATIONS + ITERATIONS_PER_ROW * rows if rows else 0
        iterations = max(solver_iterations, min(wanted, MAX_ITERATIONS))
        pybullet.resetSimulation(physicsClientId=self._client)
        pybullet.setGravity(*mechanism.gravity, physicsClientId=self._client)
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=self.dt,
            numSubSteps=0,
            numSolverIterations=iterations,
            solverResidualThreshold=CONVERGED,
            erp=WORLD_ERP,
            contactERP=WORLD_ERP,
            deterministicOverlappingPairs=1,
            enableFileCaching=0,
            physicsClientId=self._client,
        )

    def set_state(self, state: JointState) -> None:
        """Put every tree joint where `state` says."""
        for axis, (uid, link) in self._where.items():
            pybullet.resetJointState(
                uid, link, float(state.position[axis]), float(state.velocity[axis]), physicsClientId=self._client
            )
        for slot, joint in enumerate(multi_dof_joints(self._mechanism)):
            if self._mechanism.joints[joint].kind is JointKind.BALL:
                self._set_ball(joint, state.loose_pose[slot], state.loose_twist[slot])
            else:
                self._set_free(joint, state.loose_pose[slot], state.loose_twist[slot])
        self._reader.start(state.position)

    def _set_ball(self, joint: int, pose: Array, twist: Array) -> None:
        """Bullet's quaternion and angular velocity of a spherical joint are in the axes of the link's inertial
        frame."""
        uid, link, X_LI = next(
            (built.uid, i, link.X_LI)
            for built in self._built
            for i, link in enumerate(built.plan.links)
            if link.joint == joint and link.kind is LinkKind.SPHERICAL
        )
        R_LI = X_LI.rotation()
        turn = R_LI.T @ pose[:3, :3] @ R_LI
        angular = R_LI.T @ pose[:3, :3].T @ twist[:3]
        pybullet.resetJointStateMultiDof(
            uid, link, quat_from_matrix(turn), angular.tolist(), physicsClientId=self._client
        )

    def _set_free(self, joint: int, pose: Array, twist: Array) -> None:
        info = self._mechanism.joints[joint]
        built = next(b for b in self._built if b.plan.base_joint == joint)
        X_WJ = info.X_PJ
        X_WI = X_WJ @ Pose.from_matrix(pose) @ info.X_CJ.inverse() @ built.plan.X_BI
        rotation = X_WJ.rotation()
        angular = rotation @ twist[:3]
        arm = np.array(X_WI.position) - np.array((X_WJ @ Pose.from_matrix(pose)).position)
        linear = rotation @ twist[3:] + np.cross(angular, arm)
        pybullet.resetBasePositionAndOrientation(
            built.uid, X_WI.position, X_WI.orientation, physicsClientId=self._client
        )
        pybullet.resetBaseVelocity(built.uid, linear.tolist(), angular.tolist(), physicsClientId=self._client)

    def read(self) -> BackendState:
        """The state now."""
        state = self._reader.read()
        # A motor that was switched off keeps reporting the last impulse it gave.
        state.motor_effort[~self._motor_is_on] = 0.0
        return state

    def set_efforts(self, efforts: Array) -> None:
        """Efforts on all axes in the next step, shape (n_axes,)."""
        for uid, axes in self._jointed:
            links = [(i, axis) for i, axis in axes if efforts[axis] != 0.0]
            if links:
                pybullet.setJointMotorControlArray(
                    uid,
                    [i for i, _ in links],
                    pybullet.TORQUE_CONTROL,
                    forces=[float(efforts[axis]) for _, axis in links],
                    physicsClientId=self._client,
                )
        for loop in self._mechanism.loop_joints:
            for motion in loop.motions:
                if efforts[motion.axis] != 0.0:
                    self._push_apart(loop, motion.kind, np.array(motion.direction), float(efforts[motion.axis]))

    def _push_bodies(self) -> None:
        for body in np.flatnonzero(self._wrenches.any(axis=1)).tolist():
            if body == WORLD_BODY:
                continue
            uid, link, _ = self._carriers[body]
            centre = self._reader.body_pose(body).transform(self._mechanism.bodies[body].com)
            moment = self._wrenches[body, :3].tolist()
            force = self._wrenches[body, 3:].tolist()
            pybullet.applyExternalForce(uid, link, force, centre, pybullet.WORLD_FRAME, physicsClientId=self._client)
            pybullet.applyExternalTorque(uid, link, moment, pybullet.WORLD_FRAME, physicsClientId=self._client)

    def _push_apart(self, loop: MechanismJoint, kind: MotionKind, direction: Array, effort: float) -> None:
        """Equal and opposite torque or force on the two bodies of a loop joint."""
        frame = self._reader.body_pose(loop.parent) @ loop.X_PJ
        vector = frame.rotation() @ direction * effort
        for sign, body in ((-1.0, loop.parent), (1.0, loop.child)):
            if body == WORLD_BODY:
                continue
            uid, link, _ = self._carriers[body]
            push = (sign * vector).tolist()
            if kind is MotionKind.ROTATION:
                pybullet.applyExternalTorque(uid, link, push, pybullet.WORLD_FRAME, physicsClientId=self._client)
            else:
                pybullet.applyExternalForce(
                    uid, link, push, frame.position, pybullet.WORLD_FRAME, physicsClientId=self._client
                )

    def _hold_up_weightless(self) -> None:
        for index, body in self._weightless:
            uid, link, _ = self._carriers[index]
            lift = [-body.mass * g for g in self._mechanism.gravity]
            centre = self._reader.body_pose(index).transform(body.com)
            pybullet.applyExternalForce(uid, link, lift, centre, pybullet.WORLD_FRAME, physicsClientId=self._client)

    def set_motor(self, axis: int, *, max_effort: float, velocity: float = 0.0, position: float | None = None) -> None:
        """A velocity or position motor on a tree axis; `max_effort` 0 switches it off."""
        uid, link = self._where[axis]
        self._motor_is_on[axis] = max_effort > 0.0
        if position is None:
            pybullet.setJointMotorControl2(
                uid,
                link,
                pybullet.VELOCITY_CONTROL,
                targetVelocity=velocity,
                force=max_effort,
                physicsClientId=self._client,
            )
            return
        top = {"maxVelocity": velocity} if velocity > 0.0 else {}
        pybullet.setJointMotorControl2(
            uid,
            link,
            pybullet.POSITION_CONTROL,
            targetPosition=position,
            positionGain=min(1.0, self.dt / POSITION_DRIVE_TIME),
            velocityGain=1.0,
            force=max_effort,
            physicsClientId=self._client,
            **top,
        )

    def set_wrenches(self, wrenches: Array) -> None:
        """What loads do to the bodies in the next step: moment about the centre of mass and force, world axes, shape
        (n_bodies, 6)."""
        self._wrenches = wrenches

    def add_gear(self, coupling: Coupling) -> None:
        """Bullet's law is q_A + ratio q_B = target with A the follower and B the leader, both in one multibody.

        Raises EngineLimitError for a coupling of more axes, and for one along a curve.
        """
        if coupling.others or coupling.curve is not None:
            names = ", ".join(f"'{self._mechanism.axes[axis].name}'" for axis, _ in coupling.terms)
            raise EngineLimitError(
                f"strategy gear cannot hold the {coupling.kind.value} that ties {names} ({coupling.source}): Bullet's "
                "gears tie two along a straight line; strategies rows and reduced hold it"
            )
        uid, follower = self._where[coupling.follower]
        _, leader = self._where[coupling.leader]
        gear = pybullet.createConstraint(
            uid,
            follower,
            uid,
            leader,
            pybullet.JOINT_GEAR,
            (0, 1, 0),
            (0, 0, 0),
            (0, 0, 0),
            physicsClientId=self._client,
        )
        pybullet.changeConstraint(
            gear,
            gearRatio=-coupling.multiplier or NO_RATIO,
            relativePositionTarget=coupling.constant,
            maxForce=MAX_FORCE,
            erp=GEAR_ERP,
            physicsClientId=self._client,
        )

    def add_loop(self, loop: MechanismJoint, *, planar: bool) -> None:
        """Point and slider constraints for a loop joint."""
        assert self._client is not None
        add_loop(self._client, loop, self._carriers, planar=planar)

    def step(self) -> None:
        """Advance by one time step: Bullet solves everything at once. Bodies without gravity are held up."""
        self._hold_up_weightless()
        self._push_bodies()
        try:
            pybullet.stepSimulation(physicsClientId=self._client)
        except pybullet.error as error:
            raise EngineDiedError(f"PyBullet stopped: {error}") from error

    def begin(self, series: StepSeries) -> Strides:
        """Many steps of which only that is read which is asked for; no body has a wrench."""
        assert self._client is not None
        return Strides(self._client, self._reader, self._where, self._motor_is_on, series)

    def axes(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes, shape (n_axes,) each."""
        return self._reader.read_axes()

    def contacts(self) -> tuple[Contact, ...]:
        """Where bodies press on each other, as of the last step."""
        found = []
        for point in pybullet.getContactPoints(physicsClientId=self._client) or ():
            bodies = tuple(self._body_at.get((point[i], point[i + 2]), WORLD_BODY) for i in (1, 2))
            found.append(Contact((bodies[0], bodies[1]), tuple(point[6]), tuple(point[7]), float(point[9])))
        return tuple(found)

    def close(self) -> None:
        """Disconnect the client."""
        if self._client is not None:
            with suppress(pybullet.error):
                pybullet.disconnect(physicsClientId=self._client)
            self._client = None


def _axes_of(built: Built) -> list[tuple[int, int]]:
    """Links that an axis moves, with that axis."""
    return [(i, link.axis) for i, link in enumerate(built.plan.links) if link.axis >= 0]


def _bodies_at(built: list[Built]) -> dict[tuple[int, int], int]:
    """(Bullet body, link index) to body; links that hold further collisions of a body count as it. What is missing is
    the world."""
    found: dict[tuple[int, int], int] = {}
    for body in built:
        if body.plan.base_joint >= 0:
            found[body.uid, -1] = body.plan.base
        for index, link in enumerate(body.plan.links):
            carried = link.body if link.body >= 0 else found.get((body.uid, link.parent), WORLD_BODY)
            found[body.uid, index] = carried
    return found


def _carriers(built: list[Built]) -> dict[int, tuple[int, int, Pose]]:
    """Body to (Bullet body, link index, X_IB)."""
    found: dict[int, tuple[int, int, Pose]] = {}
    for body in built:
        if body.plan.base_joint >= 0:
            found[body.plan.base] = (body.uid, -1, body.plan.X_BI.inverse())
        for index, link in enumerate(body.plan.links):
            if link.body >= 0:
                found[link.body] = (body.uid, index, link.X_LI.inverse() @ link.X_LB)
    return found
