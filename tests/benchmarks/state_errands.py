"""States that are asked and set, which `scripts/bench run` times beside steps: here as arrays, in MuJoCo in a loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simulator
from tests.benchmarks.peers.mujoco_peer import MuJoCo
from tests.benchmarks.tasks import Task
from tests.helpers.mjcf import TIGHT

SET = "`set`, positions and velocities of the independent axes"
ASSEMBLE, POSES = "`assemble`, a row of an array", "`poses`, a row of an array"
INVERSE, FORWARD = "`inverse_dynamics`, a row of an array", "`forward_dynamics`, a row of an array"
MUJOCO_POSES = "MuJoCo: qpos written, `mj_kinematics`"
MUJOCO_INVERSE = "MuJoCo RK4 tight: qpos, qvel, qacc written, `mj_inverse`, qfrc_inverse read"
MUJOCO_FORWARD = "MuJoCo RK4 tight: qpos, qvel written, `mj_forward`, qacc read"
STATE_ROWS = (SET, ASSEMBLE, POSES, MUJOCO_POSES, INVERSE, MUJOCO_INVERSE, FORWARD, MUJOCO_FORWARD)
"""In the order of the table."""
COUNT = 100
"""States of an array, all different: the independent axes go so far, a little more each [rad or m]."""
WAY = 0.01


Errands = Callable[[str, Callable[[int], object], Callable[[], object]], Any]
"""What times `call(steps)` after `back()`: `errands.Calls`."""
ASKED: dict[str, Callable[[simulator.Simulation, Any, Any, Any], object]] = {
    ASSEMBLE: lambda sim, asked, q, v: sim.assemble(asked),
    POSES: lambda sim, asked, q, v: sim.poses(q),
    INVERSE: lambda sim, asked, q, v: sim.inverse_dynamics(q, v),
    FORWARD: lambda sim, asked, q, v: sim.forward_dynamics(q, v),
}


def states_on(sim: Callable[[], simulator.Simulation], errand: Errands) -> dict[str, Callable[[], Any]]:
    """All rows on one world; what is called a step is a state."""
    return {
        SET: lambda: _setting(sim(), errand),
        **{name: partial(_asking, name, sim, errand) for name in ASKED},
        **{name: partial(_peer, name, sim, errand) for name in (MUJOCO_POSES, MUJOCO_INVERSE, MUJOCO_FORWARD)},
    }


def around(sim: simulator.Simulation) -> dict[str, NDArray[np.float64]]:
    """Positions of the independent axes beside the present ones."""
    return {name: value + np.linspace(0.0, WAY, COUNT) for name, value in sim.independent.items()}


def _setting(sim: simulator.Simulation, errand: Errands) -> Any:
    asked = around(sim)
    requests = [{name: float(values[i]) for name, values in asked.items()} for i in range(COUNT)]

    def call(steps: int) -> None:
        for i in range(steps):
            request = requests[i % COUNT]
            sim.set(request, velocity=request)

    return errand(SET, call, sim.reset)


def _asking(name: str, made: Callable[[], simulator.Simulation], errand: Errands) -> Any:
    sim, ask = made(), ASKED[name]
    asked = around(sim)
    q, v = sim.assemble(asked, velocity=dict.fromkeys(asked, 0.1))

    def call(steps: int) -> None:
        for _ in range(steps // COUNT):
            ask(sim, asked, q, v)

    return errand(name, call, sim.reset)


def _peer(name: str, source: Callable[[], simulator.Simulation], errand: Errands) -> Any:
    """The same states, with numbers of the joints that MuJoCo has; its loops are constraints, which it does not close
    here."""
    import mujoco

    sim = source()
    task = Task(sim.name, sim._core.opened)
    made, asked = MuJoCo(task, TIGHT), around(sim)
    q, v = sim.assemble(asked, velocity=dict.fromkeys(asked, 0.1))
    tree, model, data = task.tree_axes(), made.model, made.data
    positions, velocities = np.tile(data.qpos, (COUNT, 1)), np.tile(data.qvel, (COUNT, 1))
    positions[:, made.q], velocities[:, made.v] = q[:, tree], v[:, tree]

    def poses(i: int) -> object:
        data.qpos[:] = positions[i]
        mujoco.mj_kinematics(model, data)
        return data.xpos.copy(), data.xquat.copy()

    def inverse(i: int) -> object:
        data.qpos[:], data.qvel[:] = positions[i], velocities[i]
        data.qacc[:] = 0.0
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse.copy()

    def forward(i: int) -> object:
        data.qpos[:], data.qvel[:] = positions[i], velocities[i]
        mujoco.mj_forward(model, data)
        return data.qacc.copy()

    one = {MUJOCO_POSES: poses, MUJOCO_INVERSE: inverse, MUJOCO_FORWARD: forward}[name]

    def call(steps: int) -> None:
        for i in range(steps):
            one(i % COUNT)

    return errand(name, call, made.reset)
