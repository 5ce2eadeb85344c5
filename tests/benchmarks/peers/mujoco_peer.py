"""MuJoCo, with the very bodies of this project: its document is written from the mechanism."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np

from tests.benchmarks.contenders import MANY, Array, Contender, Way
from tests.benchmarks.tasks import Task
from tests.helpers.mjcf import FACTORY, TIGHT, Settings, as_mjcf

RK4, EULER = "MuJoCo RK4 tight", "MuJoCo Euler default"
READING = f"{RK4}, read every step"
RK4_MANY, EULER_MANY = (f"{name}, {MANY} steps a call" for name in (RK4, EULER))
NEEDED = 4
STIFFNESS, DAMPING = 0.02, 0.002
"""Of the controller that is timed [N m/rad, N m s/rad]; gentle, so that the step stays what it is."""


class MuJoCo(Contender):
    """`mj_step`, at the settings that are most accurate or as it comes; many steps a call are its own `nstep`."""

    def __init__(self, task: Task, settings: Settings, *, steps: int = 1) -> None:
        import mujoco

        if int(version("mujoco").split(".")[0]) < NEEDED:
            raise RuntimeError(f"MuJoCo {NEEDED} (Python 3.11) is needed, {version('mujoco')} is installed")
        self.task = task
        self.model = mujoco.MjModel.from_xml_string(as_mjcf(task.mechanism, settings, planar=True))
        self.data = mujoco.MjData(self.model)
        self.call, self.steps_per_call = mujoco.mj_step, steps
        self.arguments = (self.model, self.data) if steps == 1 else (self.model, self.data, steps)
        self.back = mujoco.mj_resetData
        joints = [self.model.joint(f"a{axis}") for axis in task.tree_axes()]
        self.q = [int(joint.qposadr[0]) for joint in joints]
        self.v = [int(joint.dofadr[0]) for joint in joints]
        self.driven = int(self.model.joint("a0").dofadr[0])
        self.reset()

    def reset(self) -> None:
        self.back(self.model, self.data)
        self.data.qfrc_applied[self.driven] = self.task.effort

    def state(self) -> tuple[Array, Array]:
        return np.array(self.data.qpos[self.q]), np.array(self.data.qvel[self.v])


class Reading(MuJoCo):
    """The loop that a script writes: `mj_step`, and copies of the positions and velocities."""

    def __init__(self, task: Task, settings: Settings) -> None:
        super().__init__(task, settings)
        self.mj_step, self.call, self.arguments = self.call, self.step_and_read, ()

    def step_and_read(self) -> tuple[Array, Array]:
        """One step, and what came of it."""
        self.mj_step(self.model, self.data)
        return self.data.qpos.copy(), self.data.qvel.copy()


class Controlling(MuJoCo):
    """The loop of a controller: it reads a position and a velocity and writes the effort of the next step."""

    def __init__(self, task: Task, settings: Settings) -> None:
        super().__init__(task, settings)
        self.mj_step, self.call, self.arguments = self.call, self.control_and_step, ()

    def control_and_step(self) -> None:
        """One step of the law that `errands.controller` has."""
        data, driven = self.data, self.driven
        data.qfrc_applied[driven] = -STIFFNESS * data.qpos[driven] - DAMPING * data.qvel[driven]
        self.mj_step(self.model, data)


def ways() -> list[Way]:
    """RK4 and the first-order default, by one step and by many a call."""
    return [
        Way(RK4, "MuJoCo", lambda task: MuJoCo(task, TIGHT)),
        Way(RK4_MANY, "MuJoCo", lambda task: MuJoCo(task, TIGHT, steps=MANY)),
        Way(READING, "MuJoCo", lambda task: Reading(task, TIGHT)),
        Way(EULER, "MuJoCo", lambda task: MuJoCo(task, FACTORY)),
        Way(EULER_MANY, "MuJoCo", lambda task: MuJoCo(task, FACTORY, steps=MANY)),
    ]
