"""This project: the compiled mechanism by itself, and the strategies as the program runs them."""

from __future__ import annotations

from functools import partial

import numpy as np

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.snapshot import Extremes
from simulator.kinematics.state import rest_state
from simulator.model.profiles import Constant
from simulator.physics.compiled.model import CompiledMechanism
from simulator.session.commands.factory import make_engine
from simulator.session.text.settings import SOLVERS, SessionSettings
from tests.benchmarks.contenders import MANY, Array, Contender, Way
from tests.benchmarks.tasks import DT, Task

REDUCED = "reduced RK4"
REDUCED_MANY = f"{REDUCED}, {MANY} steps a call"
RUN, RECORDED = "run", "run, every step recorded"


class Ours(Contender):
    """`CompiledMechanism.step(1e-3)`, or as many steps in one call."""

    def __init__(self, task: Task, *, steps: int = 1) -> None:
        self.task = task
        self.compiled = CompiledMechanism(task.mechanism)
        self.inside = task.tree_axes()
        self.call, self.arguments, self.steps_per_call = self.compiled.step, (DT, steps), steps
        self.reset()

    def reset(self) -> None:
        self.compiled.set_state(rest_state(self.task.mechanism))
        self.compiled.set_efforts(self.task.efforts())

    def state(self) -> tuple[Array, Array]:
        now = self.compiled.joint_state()
        return now.position[self.inside], now.velocity[self.inside]


class Strategy(Contender):
    """One step of a strategy as the session's factory builds it, efforts handed over as in every step of a run.

    Nothing is read back, and there is no drive and no ledger, so that the step is comparable with raw PyBullet's.
    """

    def __init__(self, task: Task, *, solver: str) -> None:
        self.task = task
        self.engine = make_engine(task.opened, SessionSettings(solver=solver, dt=DT))
        self.dynamics = self.engine.dynamics
        self.inside = task.tree_axes()
        self.call, self.arguments = self._step, (task.efforts(),)

    def _step(self, efforts: Array) -> None:
        self.dynamics.set_efforts(efforts)
        self.dynamics.step()

    def reset(self) -> None:
        self.engine.reset()

    def state(self) -> tuple[Array, Array]:
        now = self.dynamics.read()
        return np.array(now.position)[self.inside], np.array(now.velocity)[self.inside]

    def close(self) -> None:
        self.engine.close()


class Run(Contender):
    """Steps as `simulator run` makes them: with a drive, the ledger, and residuals and energies of every step; or every
    step is recorded with all channels, too."""

    def __init__(self, task: Task, *, recorded: bool) -> None:
        self.task = task
        self.engine = make_engine(task.opened, SessionSettings(dt=DT))
        for axis in np.flatnonzero(task.efforts()).tolist():
            self.engine.set_drive(axis, Drive(DriveKind.EFFORT, Constant(float(task.efforts()[axis]))))
        self.inside = task.tree_axes()
        self.call, self.arguments = self.advance, (Extremes(), 1 if recorded else 0)
        self.steps_per_call = MANY

    def advance(self, extremes: Extremes, stride: int) -> None:
        """So many steps, in as few blocks as it takes."""
        left = MANY
        while left:
            left -= self.engine.advance(left, extremes, stride=stride)[0]

    def reset(self) -> None:
        self.engine.reset()

    def state(self) -> tuple[Array, Array]:
        now = self.engine.snapshot()
        return now.position[self.inside], now.velocity[self.inside]

    def close(self) -> None:
        self.engine.close()


def strategy_name(solver: str) -> str:
    """As it stands in the table."""
    return f"strategy {solver}"


def ways() -> list[Way]:
    """One call a step, many steps a call, every strategy there is, and whole runs."""
    return [
        Way(REDUCED, REDUCED, Ours),
        Way(REDUCED_MANY, REDUCED, lambda task: Ours(task, steps=MANY)),
        *(Way(strategy_name(solver), strategy_name(solver), partial(Strategy, solver=solver)) for solver in SOLVERS),
        Way(RUN, RUN, partial(Run, recorded=False)),
        Way(RECORDED, RUN, partial(Run, recorded=True)),
    ]
