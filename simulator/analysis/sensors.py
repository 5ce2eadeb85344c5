"""Force-torque sensors of joints: the wrench of the joint in the axes and the sense that the document asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.fixed_joints import FixedJoints
from simulator.mechanism.types import WORLD_BODY
from simulator.mechanism.welding import all_joints
from simulator.model.joint import PARENT_AXES, SENSOR_AXES, WORLD

if TYPE_CHECKING:
    from simulator.analysis.body_motions import BodyMotions
    from simulator.analysis.fixed_joints import Carried
    from simulator.mechanism.types import Mechanism
    from simulator.model.joint import ForceTorqueSensor, Joint
    from simulator.model.world import World
    from simulator.spatial.arrays import Array
    from simulator.spatial.pose import Pose


class JointSensors:
    """The force-torque sensors of the joints of a mechanism that carry something. `names`: of joint and sensor,
    `m::wrist/ft`."""

    def __init__(self, world: World, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        sensed = [joint for joint in all_joints(world) if joint.sensors]
        joints = (*mechanism.joints, *mechanism.loop_joints)
        self._moving = {joint.name: joint.side(child=True) for joint in joints}
        self._fixed = FixedJoints(world, mechanism, {joint.name for joint in sensed})
        self._sensors: list[tuple[Joint, ForceTorqueSensor]] = [
            (joint, sensor)
            for joint in sensed
            if joint.name in self._moving or joint.name in self._fixed.names
            for sensor in joint.sensors
        ]
        self.names = tuple(f"{joint.name}/{sensor.name}" for joint, sensor in self._sensors)
        self._places = {
            link.name: (index, X_BL)
            for index, body in enumerate(mechanism.bodies)
            for link, X_BL in zip(body.links, body.X_BL, strict=True)
        }

    def of(self, motion: BodyMotions, carried: Carried) -> Array:
        """Force [N] and moment [N m] that every sensor reads, shape (n, n_sensors, 6)."""
        result = np.zeros((len(motion), len(self._sensors), 6))
        fixed = self._fixed.of(motion, carried)
        for i, (joint, sensor) in enumerate(self._sensors):
            if joint.name in self._fixed.names:
                wrench = fixed[:, self._fixed.names.index(joint.name)]
            else:
                wrench = carried.wrenches[:, carried.names.index(joint.name)]
            R = self._axes(joint, sensor, motion)
            sense = 1.0 if sensor.on_child else -1.0
            for part in (slice(0, 3), slice(3, 6)):
                result[:, i, part] = sense * np.einsum("nji,nj->ni", R, wrench[:, part])
        return result

    def _axes(self, joint: Joint, sensor: ForceTorqueSensor, motion: BodyMotions) -> Array:
        """The axes in which a sensor reports, in the world, shape (n, 3, 3)."""
        body, X_BL = self._place(joint.parent_link if sensor.frame == PARENT_AXES else joint.child_link)
        turned = X_BL.rotation()
        if sensor.frame == SENSOR_AXES:
            X_BJ = self._moving.get(joint.name, self._mechanism.bodies[body].X_WB.inverse() @ joint.X_WJ)
            turned = (X_BJ @ sensor.X_JS).rotation()
        axes: Array = motion.frames(body)[0] @ turned
        return axes

    def _place(self, link: str) -> tuple[int, Pose]:
        """Body of a link, and X_BL; those of the world for a name that is not a link."""
        world = self._mechanism.bodies[WORLD_BODY].X_WB
        return self._places.get(link, (WORLD_BODY, world)) if link != WORLD else (WORLD_BODY, world)
