"""Compile the kernels ahead of time: `python -m simulator.engine.precompile` where a setup has the minutes that a user
has not."""

from __future__ import annotations

from simulator.dynamics.compiled.shown import Show
from simulator.engine.engine import Engine
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.mechanism.types import AxisInfo, Body, JointKind, Mechanism, MechanismJoint, Mobility, Motion, MotionKind
from simulator.model.joint import Axis, JointType

SMALLEST = Mechanism(
    name="warm",
    gravity=(0.0, 0.0, -9.8),
    bodies=(Body("world", (), ()), Body("a", (), (), mass=1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))),
    joints=(
        MechanismJoint(
            "j", JointType.REVOLUTE, JointKind.CHAIN, 0, 1, motions=(Motion(0, MotionKind.ROTATION, (0.0, 0.0, 1.0)),)
        ),
    ),
    loop_joints=(),
    axes=(AxisInfo("j", "j", MotionKind.ROTATION, Axis(xyz_joint=(0.0, 0.0, 1.0), xyz_world=(0.0, 0.0, 1.0))),),
    couplings=(),
    clusters=(),
    mobility=Mobility(count=1, joint_dof=1, loop_rows=0, coupling_rows=0, planar_loops=0),
)
"""One body on one hinge."""


def precompile() -> None:
    """Compile what is not on disk yet."""
    dynamics = ReducedDynamics(SMALLEST, dt=1e-3)
    Engine(SMALLEST, dynamics, dt=1e-3).step()
    model = dynamics.bounded.model
    model.energies()
    model.mass_matrix()
    Show(SMALLEST, {})


if __name__ == "__main__":
    precompile()
