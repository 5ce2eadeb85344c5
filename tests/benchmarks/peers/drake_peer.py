"""Drake: a discrete plant with its default solver (SAP), coupler constraints, and ball constraints where loops
close."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.mechanism.types import Mechanism
from simulator.spatial.pose import Pose
from tests.benchmarks.contenders import Array, Contender, Way
from tests.benchmarks.peers.bodies import WORLD, links_of, pairs_of, pins_of
from tests.benchmarks.tasks import DT, Task

SAP = "Drake SAP"


class Drake(Contender):
    """`Simulator.AdvanceTo` by one step a call."""

    def __init__(self, task: Task) -> None:
        from pydrake.systems.analysis import Simulator

        self.task, self.steps = task, 0
        self.plant, joints = plant_of(task.mechanism)
        self.simulator = Simulator(self.plant)
        self.context = self.simulator.get_mutable_context()
        self.q = [joints[axis].position_start() for axis in task.tree_axes()]
        self.v = [joints[axis].velocity_start() for axis in task.tree_axes()]
        efforts = np.zeros(self.plant.num_velocities())
        efforts[self.v] = task.efforts()[task.tree_axes()]
        self.plant.get_applied_generalized_force_input_port().FixValue(self.context, efforts)
        self.advance = self.simulator.AdvanceTo
        self.call = self.step
        self.reset()

    def step(self) -> None:
        self.steps += 1
        self.advance(self.steps * DT)

    def reset(self) -> None:
        self.plant.SetPositions(self.context, np.zeros(self.plant.num_positions()))
        self.plant.SetVelocities(self.context, np.zeros(self.plant.num_velocities()))
        self.context.SetTime(0.0)
        self.simulator.Initialize()
        self.steps = 0

    def state(self) -> tuple[Array, Array]:
        return self.plant.GetPositions(self.context)[self.q], self.plant.GetVelocities(self.context)[self.v]


def plant_of(mechanism: Mechanism) -> tuple[Any, dict[int, Any]]:
    """The finished plant, and its joint for every tree axis."""
    from pydrake.math import RigidTransform, RotationMatrix
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import (
        FixedOffsetFrame,
        PrismaticJoint,
        RevoluteJoint,
        RotationalInertia,
        SpatialInertia,
    )

    def transform(X: Pose) -> Any:
        return RigidTransform(RotationMatrix(X.rotation()), X.position)

    plant = MultibodyPlant(time_step=DT)
    plant.mutable_gravity_field().set_gravity_vector(mechanism.gravity)
    bodies, joints = {WORLD: plant.world_body()}, {}
    for index, link in enumerate(links_of(mechanism)):
        J = link.inertia
        central = RotationalInertia(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        bodies[index] = plant.AddRigidBody(
            f"{index}", SpatialInertia.MakeFromCentralInertia(link.mass, link.com, central)
        )
        offset = FixedOffsetFrame(f"at {index}", bodies[link.parent].body_frame(), transform(link.X_PL))
        inboard = plant.AddFrame(offset)
        kind = RevoluteJoint if link.turns else PrismaticJoint
        joints[link.axis] = plant.AddJoint(kind(f"a{link.axis}", inboard, bodies[index].body_frame(), link.direction))
    for coupling in pairs_of(mechanism):
        plant.AddCouplerConstraint(
            joints[coupling.follower], joints[coupling.leader], coupling.multiplier, coupling.constant
        )
    for pin in pins_of(mechanism):
        (first, p_first), (second, p_second) = pin.first, pin.second
        plant.AddBallConstraint(bodies[first], p_first, bodies[second], p_second)
    plant.Finalize()
    return plant, joints


def ways() -> list[Way]:
    """One."""
    return [Way(SAP, "Drake", Drake)]
