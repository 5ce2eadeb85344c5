"""The mechanisms of scripts/bench, and who steps them: this project, called in two ways, and MuJoCo in two settings.

Both sides get the very same bodies: MuJoCo's document is written from the mechanism that is compiled here. Every contender is one call from
Python per step, with nothing read or written between the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.dynamics.compiled.model import CompiledMechanism
from simulator.dynamics.compiled.step_kernels import RK4, advance
from simulator.dynamics.state import rest_state
from simulator.mechanism.types import Mechanism
from simulator.model.link import Inertial
from simulator.session.opening import open_document
from tests.helpers.mechanisms import joint, link, mechanism, mimic
from tests.helpers.mjcf import FACTORY, TIGHT, Settings, as_mjcf
from tests.helpers.repository import ROOT

Array = NDArray[np.float64]
DT = 1e-3


@dataclass(frozen=True)
class Task:
    """A mechanism, and the effort on its first axis [N m]."""

    name: str
    mechanism: Mechanism
    effort: float = 0.0

    def efforts(self) -> Array:
        """On all axes."""
        result = np.zeros(len(self.mechanism.axes))
        result[0] = self.effort
        return result


def gear_train(gears: int) -> Task:
    """Discs of 1 kg and 5 cm side by side, each turning against the one before; 2 rad/s^2 whatever their number."""
    inertia = 0.5 * 0.05**2
    disc = Inertial(1.0, moments=(inertia, inertia, inertia))
    parts: list[Any] = [link(f"g{i}", at=(0.1 * i, 0.0, 0.0), inertial=disc) for i in range(gears)]
    for i in range(gears):
        axis = {"mimic": mimic(f"j{i - 1}", multiplier=-1.0)} if i else None
        parts.append(joint(f"j{i}", "revolute", "world", f"g{i}", at=(0.1 * i, 0.0, 0.0), axes=[(0, 1, 0)], axis=axis))
    return Task(f"gear train, {gears}", mechanism(*parts), gears * inertia * 2.0)


def example(name: str, document: str, effort: float = 0.0) -> Task:
    """One of the worlds that come with the program."""
    return Task(name, open_document(ROOT / "worlds" / f"{document}.sdf").mechanism, effort)


TASKS: dict[str, Callable[[], Task]] = {
    "four-bar": lambda: example("four-bar", "four_bar"),
    "rack": lambda: example("rack and pinion", "rack_and_pinion", 0.01),
    "gear pair": lambda: example("gear pair", "gearbox_as_mimic", 0.05),
    "pendulums": lambda: example("three pairs of pendulums", "fast_slow_pendulums"),
    **{f"train {n}": lambda n=n: gear_train(n) for n in (8, 64, 256, 1024)},
}
TRAINS = ("train 64", "train 256", "train 1024")


class Contender:
    """One way to step a task: `call(*arguments)` is one step."""

    name: str
    call: Callable[..., Any]
    arguments: tuple[Any, ...]

    def run(self, steps: int) -> None:
        """That many calls from Python; the loop itself costs some 20 ns per call."""
        call, arguments = self.call, self.arguments
        for _ in repeat(None, steps):
            call(*arguments)

    def reset(self) -> None:
        """Back to the start pose, at rest."""
        raise NotImplementedError

    def positions(self) -> Array:
        """Of the tree axes, as the mechanism orders them."""
        raise NotImplementedError


class Ours(Contender):
    """`CompiledMechanism.step(1e-3)`, or the kernel's own `advance`."""

    def __init__(self, task: Task, *, raw: bool) -> None:
        self.task, self.name = task, "advance" if raw else "step"
        self.compiled = CompiledMechanism(task.mechanism)
        self.call = advance if raw else self.compiled.step
        self.arguments = (self.compiled.F, self.compiled.N, DT, 1, RK4) if raw else (DT,)
        self.reset()

    def reset(self) -> None:
        self.compiled.set_state(rest_state(self.task.mechanism))
        self.compiled.set_efforts(self.task.efforts())

    def positions(self) -> Array:
        inside = [info.in_tree for info in self.task.mechanism.axes]
        here: Array = self.compiled.joint_state().position[inside]
        return here


class MuJoCo(Contender):
    """`mj_step`, at the settings that are most accurate or as it comes."""

    def __init__(self, task: Task, settings: Settings) -> None:
        import mujoco

        self.task, self.name = task, {id(TIGHT): "MuJoCo RK4", id(FACTORY): "MuJoCo Euler"}[id(settings)]
        self.model = mujoco.MjModel.from_xml_string(as_mjcf(task.mechanism, settings, planar=True))
        self.data = mujoco.MjData(self.model)
        self.call, self.arguments = mujoco.mj_step, (self.model, self.data)
        self.back = mujoco.mj_resetData
        self.reset()

    def reset(self) -> None:
        self.back(self.model, self.data)
        self.data.qfrc_applied[int(self.model.joint("a0").dofadr[0])] = self.task.effort

    def positions(self) -> Array:
        inside = [axis for axis, info in enumerate(self.task.mechanism.axes) if info.in_tree]
        return np.array([self.data.qpos[int(self.model.joint(f"a{axis}").qposadr[0])] for axis in inside])


def contenders(task: Task) -> list[Contender]:
    """All four."""
    return [Ours(task, raw=False), Ours(task, raw=True), MuJoCo(task, TIGHT), MuJoCo(task, FACTORY)]
