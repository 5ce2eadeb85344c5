"""Many environments at once, stepped in threads: compiled code holds no interpreter lock."""

from __future__ import annotations

import math
import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space

from simulator.api.loading import load
from simulator.api.simulation import Simulation
from simulator.errors import UsageError
from simulator.studies.learning.environment import MechanismEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymnasium.vector import AutoresetMode
    from numpy.typing import NDArray

    from simulator.spatial.arrays import Array

    Flags = NDArray[np.bool_]


LOOKS = 5
"""Number of calls that are timed before threads are chosen, if the caller has not chosen."""
WORTH = 4e-4
"""Time of a step of one environment from which threads pay off [s]: a quarter of that holds the lock."""


class MechanismVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` environments of one mechanism, in `envs`. Each gives the results that it would give alone, to the last
    bit, for any number of `workers` (threads): by default one for each core, or a single one if steps are so short
    that threads would wait for each other.

    `reset(seed=7)` seeds them with 7, 8, …; a list has a seed for each. An environment whose episode has ended begins
    another as `autoreset_mode` says: "NextStep", in the next step, Gymnasium's default; "SameStep", in the same step,
    with the last observation in `info["final_obs"]`; or "Disabled", when it is reset with
    `options={"reset_mask": …}`.
    """

    def __init__(
        self,
        document: str | os.PathLike[str] | Simulation,
        *,
        num_envs: int,
        workers: int | None = None,
        autoreset_mode: str | AutoresetMode = "NextStep",
        **options: Any,
    ) -> None:
        """Raises UsageError for arguments that do not fit the mechanism, and the errors of `simulator.load`."""
        if num_envs < 1 or (workers is not None and workers < 1):
            raise UsageError("num_envs and workers must be at least 1")
        sim = document if isinstance(document, Simulation) else load(document)
        self.num_envs = num_envs
        self.envs = [MechanismEnv(sim, **options) for _ in range(num_envs)]
        self._workers = min(workers or os.cpu_count() or 1, num_envs)
        self._looks = LOOKS if workers is None else 0
        self._least = math.inf
        self._pool: ThreadPoolExecutor | None = None
        first = self.envs[0]
        mode = gymnasium.vector.AutoresetMode(autoreset_mode)
        self.metadata = {**first.metadata, "autoreset_mode": mode}
        self.render_mode = first.render_mode
        self._mode = mode
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        self.observation_space = batch_space(first.observation_space, num_envs)
        self.action_space = batch_space(first.action_space, num_envs)
        self._over: Flags = np.zeros(num_envs, dtype=np.bool_)
        self._seen: Array = np.zeros(self.observation_space.shape or ())

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode in each, or in those of `options["reset_mask"]`: observations, shape (num_envs, n). Raises
        UsageError for another number of seeds."""
        given = dict(options or {})
        mask = np.asarray(given.pop("reset_mask", np.ones(self.num_envs)), dtype=np.bool_)
        seeds = self._seeds(seed)
        if mask.shape != (self.num_envs,) or len(seeds) != self.num_envs:
            raise UsageError(f"a mask and a list of seeds must have {self.num_envs} entries, one for each environment")
        places = np.flatnonzero(mask).tolist()
        infos: dict[str, Any] = {}
        found = self._each(lambda i: self.envs[i].reset(seed=seeds[i], options=given), places)
        for i, (seen, info) in zip(places, found, strict=True):
            self._seen[i] = seen
            infos = self._add_info(infos, info, i)
        self._over[places] = False
        return self._seen.copy(), infos

    def step(self, actions: Any) -> tuple[Array, Array, Flags, Flags, dict[str, Any]]:
        """Take an action in each, shape (num_envs, n_actions): observations, shape (num_envs, n), rewards, terminated
        and truncated, shape (num_envs,), and infos as in Gymnasium. Raises the errors of `MechanismEnv.step`."""
        told = np.asarray(actions)
        if len(told) != self.num_envs:
            raise UsageError(f"actions must have {self.num_envs} rows, one for each environment, not {len(told)}")
        modes = gymnasium.vector.AutoresetMode
        if self._mode is modes.DISABLED and self._over.any():
            raise UsageError("episodes have ended: reset them with options={'reset_mask': …}")

        def go_on(i: int) -> tuple[Array, float, bool, bool, dict[str, Any], dict[str, Any]]:
            env = self.envs[i]
            if self._over[i]:
                return (*_begun(env), {})
            seen, reward, terminated, truncated, info = env.step(told[i])
            if self._mode is modes.SAME_STEP and (terminated or truncated):
                last = {"final_obs": seen, "final_info": info}
                seen, info = env.reset()
                return seen, reward, terminated, truncated, info, last
            return seen, reward, terminated, truncated, info, {}

        rewards = np.zeros(self.num_envs)
        ends = np.zeros((2, self.num_envs), dtype=np.bool_)
        infos: dict[str, Any] = {}
        for i, (seen, reward, *over, info, last) in enumerate(self._each(go_on, range(self.num_envs))):
            self._seen[i] = seen
            rewards[i] = reward
            ends[:, i] = over
            infos = self._add_info(self._add_info(infos, last, i), info, i)
        self._over[:] = ends.any(axis=0) if self._mode is not modes.SAME_STEP else False
        return self._seen.copy(), rewards, ends[0].copy(), ends[1].copy(), infos

    def render(self) -> tuple[Any, ...]:
        """A picture of each, as `MechanismEnv.render` gives it."""
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **_: Any) -> None:
        """End the threads and free the simulations."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        for env in self.envs:
            env.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}

    def _each(self, work: Callable[[int], Any], places: Sequence[int]) -> list[Any]:
        """Distribute the environments to threads, as many to each as make it pay off."""
        if self._workers == 1 or self._looks:
            begun = time.perf_counter()
            found = [work(i) for i in places]
            self._judge((time.perf_counter() - begun) / max(len(places), 1))
            return found
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="environments")
        parts = [part.tolist() for part in np.array_split(np.asarray(places), self._workers) if len(part)]
        rows = self._pool.map(lambda part: [work(i) for i in part], parts)
        return [one for row in rows for one in row]

    def _judge(self, spent: float) -> None:
        """One thread runs alone if several would wait for the interpreter's lock most of the time."""
        self._least = min(self._least, spent)
        if self._looks == 1 and self._least < WORTH:
            self._workers = 1
        self._looks = max(self._looks - 1, 0)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None or isinstance(seed, int):
            return [None if seed is None else seed + i for i in range(self.num_envs)]
        return list(seed)


def _begun(env: MechanismEnv) -> tuple[Array, float, bool, bool, dict[str, Any]]:
    seen, info = env.reset()
    return seen, 0.0, False, False, info
