"""An environment of Gymnasium: one mechanism, episodes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from simulator.api.loading import load
from simulator.api.simulation import Simulation
from simulator.errors import UsageError
from simulator.studies.learning.camera_work import CameraWork
from simulator.studies.learning.episode import Episode, plan_episodes
from simulator.studies.learning.register import ENTRY, ID, VECTOR_ENTRY

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from simulator.spatial.arrays import Array


MODES = ("rgb_array",)


class MechanismEnv(gymnasium.Env[Any, Any]):
    """Episodes of a mechanism; `simulator.gym` describes the arguments. `simulation`: the one of this episode, which
    functions of rewards and observations receive.

    Observations are arrays of float64, as simulated; actions of float32, as policies give them, clipped to their
    bounds. `step` and `reset` are those of `gymnasium.Env`.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 50}  # noqa: RUF012  # Gymnasium's own

    def __init__(
        self,
        document: str | os.PathLike[str] | Simulation,
        *,
        render_mode: str | None = None,
        size: tuple[int, int] = (640, 480),
        **options: Any,
    ) -> None:
        """Raises UsageError for arguments that do not fit the mechanism, and the errors of `simulator.load`."""
        if render_mode is not None and render_mode not in MODES:
            raise UsageError(f"render_mode must be {' or '.join(map(repr, MODES))} or None, not {render_mode!r}")
        given = {"document": document, "render_mode": render_mode, "size": size, **options}
        sim = document if isinstance(document, Simulation) else load(document)
        self._plan, self.render_mode, self._camera = plan_episodes(sim, **options), render_mode, CameraWork(size)
        self._episode = Episode(sim, self._plan)
        self.metadata = {**self.metadata, "render_fps": max(1, round(1.0 / (self._plan.steps * sim.dt)))}
        observation, actions = self._plan.observation, self._plan.actions
        self.observation_space = gymnasium.spaces.Box(observation.lower, observation.upper, dtype=np.float64)
        lower, upper = (np.array([getattr(one, end) for one in actions]) for end in ("lower", "upper"))
        self.action_space = gymnasium.spaces.Box(lower.astype(np.float32), upper.astype(np.float32), dtype=np.float32)
        self.spec = EnvSpec(ID, entry_point=ENTRY, vector_entry_point=VECTOR_ENTRY, kwargs=given)

    @property
    def simulation(self) -> Simulation:
        """The mechanism as it is now."""
        return self._episode.sim

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode: the observation, shape (n,), and `info`: `time` [s], and `parameters`, the values drawn for
        `vary`. `options`: `start`, `start_velocity` and `vary`, numbers by name in place of drawn ones.

        Raises UsageError for other options, AssemblyError if no drawn start can be assembled.
        """
        super().reset(seed=seed)
        found = self._episode.begin(self.np_random, _numbers_of(options))
        return found.seen, found.info

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Give drives an action and advance by a control period. A simulation that fails ends the episode:
        `terminated`, with the reason in `info["failure"]`, and the observation is the state before. Raises UsageError
        for an action of another shape, or that is not finite."""
        found = self._episode.step(action)
        return found.seen, found.reward, found.terminated, found.truncated, found.info

    def render(self) -> Any:
        """The world as it is now, shape (height, width, 3), uint8; None without a `render_mode`. The camera stays still
        until something leaves the picture. Raises RenderingError if no OpenGL 3.3 context can be made."""
        return None if self.render_mode is None else self._camera.picture(self._episode.sim)

    def close(self) -> None:
        """Free the simulation and the renderer."""
        self._episode.sim.close()
        self._camera.close()


def _numbers_of(options: Mapping[str, Any] | None) -> dict[str, Any]:
    found = dict(options or {})
    for name, numbers in found.items():
        if not hasattr(numbers, "items"):
            raise UsageError(f"the option '{name}' takes numbers by name, not {numbers!r}")
    return found
