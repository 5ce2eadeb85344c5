"""One mechanism of an environment: the start of an episode, and its steps. Independent of Gymnasium."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import AssemblyError, SimulationError, UsageError
from simulator.records import dataclass
from simulator.session.text.settings import find_axis
from simulator.studies.formula import Formula, parse_formula
from simulator.studies.learning.actions import DRIVES, Action, actions_of
from simulator.studies.learning.draws import Draws, draws_of
from simulator.studies.learning.observations import Names, Observation, observation_of

if TYPE_CHECKING:
    from simulator.api.simulation import Simulation
    from simulator.engine.drives import Drive
    from simulator.spatial.arrays import Array


TRIES = 100
"""Number of starts that are drawn before an error says that none of them can be assembled."""
BEGINNINGS = ("start", "start_velocity", "vary")
"""Names of the `options` of a reset."""

Reward = Formula | Callable[["Simulation", "Array"], float]
End = Formula | Callable[["Simulation"], bool]


@dataclass(frozen=True)
class EpisodePlan:
    """An environment without its simulation. `steps`: of the simulation in one of the environment; `most`:
    steps of the environment until an episode is cut off, 0 for no end; `failed`: the reward of a step that fails."""

    actions: tuple[Action, ...]
    observation: Observation
    names: Names
    reward: Reward
    end: End | None
    steps: int
    most: int
    start: Draws
    start_velocity: Draws
    vary: Draws
    drives: tuple[tuple[str, Drive], ...]
    failed: float


@dataclass(frozen=True)
class EpisodeStep:
    """Result of a step; `info`: `time` [s], and `failure` if the simulation failed."""

    seen: Array
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any] = field(default_factory=dict)


def plan_episodes(
    sim: Simulation,
    *,
    observe: Any,
    act: Any,
    reward: Any,
    terminate: Any = None,
    control_every: float | None = None,
    duration: float | None = None,
    start: Mapping[str, object] | None = None,
    start_velocity: Mapping[str, object] | None = None,
    vary: Mapping[str, object] | None = None,
    drives: Mapping[str, Drive] | None = None,
    failure_reward: float = 0.0,
) -> EpisodePlan:
    """See `simulator.gym`. Raises UsageError for arguments that do not fit `sim`."""
    actions = actions_of(sim, act)
    observation, names = observation_of(sim, observe, actions, tuple(vary or {}))
    steps = 1 if control_every is None else _multiple(control_every, sim.dt, "control_every", "the step of {0:g} s")
    period = steps * sim.dt
    most = 0 if duration is None else _multiple(duration, period, "duration", "the control period of {0:g} s")
    parameters = sim.parameters()

    def axis(name: str) -> None:
        find_axis(sim.mechanism, name)

    return EpisodePlan(
        actions,
        observation,
        names,
        reward if callable(reward) else _formula(reward, names, "reward", is_condition=False),
        terminate if terminate is None or callable(terminate) else _formula(terminate, names, "terminate"),
        steps,
        most,
        draws_of("start", start, axis),
        draws_of("start_velocity", start_velocity, axis),
        draws_of("vary", vary, parameters.__getitem__),
        tuple((drives or {}).items()),
        float(failure_reward),
    )


class Episode:
    """A simulation that begins again for each episode. Can be pickled, also in the middle of an episode."""

    def __init__(self, sim: Simulation, plan: EpisodePlan) -> None:
        """`sim` is copied. Raises UsageError for drives that it cannot have."""
        self._plan, self._base = plan, sim.copy()
        for name, drive in plan.drives:
            self._base.drive(name, drive)
        for action in plan.actions:
            if action.name in dict(plan.drives):
                raise UsageError(f"'{action.name}' is driven by the agent, and in drives")
            self._base.drive(action.name, DRIVES[action.kind](action.begin))
        self.sim = self._base.copy()
        self._told = [action.begin for action in plan.actions]
        self._made = 0

    def begin(self, random: np.random.Generator, options: Mapping[str, object] | None = None) -> EpisodeStep:
        """Begin an episode; `options` may fix values that are otherwise drawn, by the names of `BEGINNINGS`.

        Raises UsageError for other options, AssemblyError if no drawn start can be assembled.
        """
        plan = self._plan
        fixed = dict(options or {})
        for name in fixed:
            if name not in BEGINNINGS:
                raise UsageError(f"a reset has no option '{name}': there are {', '.join(BEGINNINGS)}")
        given = {name: fixed.get(name) or {} for name in BEGINNINGS}
        for attempt in range(1, TRIES + 1):
            drawn = {name: getattr(plan, name).numbers(random) for name in BEGINNINGS}
            chosen = {name: {**drawn[name], **given[name]} for name in BEGINNINGS}  # type: ignore[dict-item]
            try:
                self._place(**chosen)
                break
            except AssemblyError as error:
                if attempt == TRIES or not any(len(getattr(plan, name)) for name in BEGINNINGS):
                    raise
                del error
        self._made = 0
        self._told = [action.begin for action in plan.actions]
        info: dict[str, Any] = {"time": 0.0}
        if chosen["vary"]:
            info["parameters"] = chosen["vary"]
        return EpisodeStep(self._seen()[0], 0.0, terminated=False, truncated=False, info=info)

    def step(self, action: Array) -> EpisodeStep:
        """Give drives an action, shape (n,), clipped to its bounds, and advance by a control period. Raises UsageError
        for another shape and for numbers that are not finite."""
        plan = self._plan
        told = np.asarray(action, dtype=np.float64)
        if told.shape != (len(plan.actions),) or not np.isfinite(told).all():
            raise UsageError(f"an action must be {len(plan.actions)} finite numbers, not {action!r}")
        self._told = [min(max(x, one.lower), one.upper) for x, one in zip(told.tolist(), plan.actions, strict=True)]
        self._made += 1
        failure = ""
        try:
            self._command()
            self.sim.step(plan.steps)
        except SimulationError as error:
            failure = str(error)
        seen, values = self._seen()
        info: dict[str, Any] = {"time": values[0]}
        if failure:
            info["failure"] = failure
            return EpisodeStep(seen, plan.failed, terminated=True, truncated=False, info=info)
        if isinstance(plan.reward, Formula):
            reward = plan.reward.of(values)
        else:
            reward = float(plan.reward(self.sim, np.array(self._told)))
        return EpisodeStep(seen, reward, self._is_over(values), self._made == plan.most, info)

    def _is_over(self, values: Sequence[float]) -> bool:
        end = self._plan.end
        if end is None:
            return False
        return end.of(values) == 1.0 if isinstance(end, Formula) else bool(end(self.sim))

    def _place(self, start: dict[str, float], start_velocity: dict[str, float], vary: dict[str, float]) -> None:
        """Start of an episode from the simulation, never from the episode before: digits depend on the drawn values
        alone."""
        if vary:
            self.sim.close()
            self.sim = self._base.varied(vary)
        else:
            self.sim.restore(self._base.moment)
            self._command(begin=True)
        if start or start_velocity:
            self.sim.set(start, velocity=start_velocity)
        if vary:
            _ = self.sim.moment  # which assembles it

    def _command(self, *, begin: bool = False) -> None:
        control, names = self.sim.control, self.sim.controlled
        for action, value in zip(self._plan.actions, self._told, strict=True):
            control[names.index(action.name)] = action.begin if begin else value

    def _seen(self) -> tuple[Array, list[float]]:
        """The observation, and all values that formulas may name."""
        values: list[float] = self.sim.sample.array.tolist()
        values += self._told
        seen = self._plan.observation.of(self.sim, values)
        return seen, [*values, *(seen.tolist() if self._plan.names.seen else ())]


def _formula(text: object, names: Names, what: str, *, is_condition: bool = True) -> Formula:
    if not isinstance(text, str):
        raise UsageError(f"{what} must be a formula over channels or a function, not {text!r}")
    found = parse_formula(text, names.place)
    if is_condition and not found.is_condition:
        raise UsageError(f"{what} must be a condition, e.g. \"abs(pole/position) > 0.2\", not '{text}'")
    return found


def _multiple(value: object, of: float, what: str, whole: str) -> int:
    if not isinstance(value, int | float) or not math.isfinite(value) or value <= 0.0:
        raise UsageError(f"{what} must be a number of seconds, not {value!r}")
    count = round(value / of)
    if count < 1 or abs(count * of - value) > 1e-6 * value:
        raise UsageError(f"{what} = {value:g} s is not a multiple of {whole.format(of)}")
    return count
