"""`simulator.gym`: environments for reinforcement learning, where Gymnasium is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from simulator.errors import MissingLibraryError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from simulator.api.simulation import Simulation
    from simulator.engine.drives import Drive
    from simulator.spatial.arrays import Array
    from simulator.studies.learning.environment import MechanismEnv
    from simulator.studies.learning.vector import MechanismVectorEnv

    Watched = str | Callable[[Simulation], Any]
    Driven = str | tuple[str, float, float]
    Number = float | tuple[float, float] | Mapping[str, list[float]]
    Document = str | os.PathLike[str] | Simulation


@overload
def gym(document: Document, *, num_envs: None = None, **options: Any) -> MechanismEnv: ...
@overload
def gym(document: Document, *, num_envs: int, **options: Any) -> MechanismVectorEnv: ...
def gym(
    document: Document,
    *,
    observe: Iterable[Watched] | Mapping[str, Watched] = (),
    act: Iterable[str] | Mapping[str, Driven] = (),
    reward: str | Callable[[Simulation, Array], float] = "",
    terminate: str | Callable[[Simulation], bool] | None = None,
    control_every: float | None = None,
    duration: float | None = None,
    start: Mapping[str, Number] | None = None,
    start_velocity: Mapping[str, Number] | None = None,
    vary: Mapping[str, Number] | None = None,
    drives: Mapping[str, Drive] | None = None,
    failure_reward: float = 0.0,
    render_mode: str | None = None,
    size: tuple[int, int] = (640, 480),
    num_envs: int | None = None,
    **vector: Any,
) -> MechanismEnv | MechanismVectorEnv:
    """A mechanism as an environment of Gymnasium, or with `num_envs` as many of them, stepped in threads.

    `document`: as `simulator.load` takes it, or a simulation, whose state and numbers begin each episode. `observe`:
    channels, formulas over them (`"cos(pole/position)"`), functions of the simulation; with names, in a mapping, for
    other formulas. `act`: axes and actuators that the agent drives, by an effort or as a mapping says,
    `{"slide": "velocity"}`, `{"slide": ("effort", -5.0, 5.0)}`; bounds default to those of the document. `reward`: a
    formula over channels, observations and `NAME/action`, or a function of the simulation and the action (n,), after
    the step. `terminate`: a condition, or a function of the simulation.

    `control_every` [s]: the time of a step of the environment, a step of the simulation by default. `duration` [s]:
    time after which an episode is truncated. `start`, `start_velocity`: initial values of axes [rad or m], `vary`:
    parameters of the mechanism, by the names of `parameters()`: each a number, a range from which it is drawn,
    `(-0.1, 0.1)`, or a table as in a study, `{"normal": [0.0, 0.1]}`. `drives`: of axes and actuators that the agent
    does not drive. `failure_reward`: of the step in which
    a simulation fails. `render_mode`: "rgb_array" for pictures of `size` [px]. `vector`: `workers` and
    `autoreset_mode`, see `MechanismVectorEnv`.

    Raises MissingLibraryError without Gymnasium, UsageError for arguments that do not fit the mechanism, and the errors
    of `simulator.load`.
    """
    try:
        from simulator.studies.learning.environment import MechanismEnv
    except ImportError as error:
        if not (error.name or "").startswith("gymnasium"):
            raise
        raise MissingLibraryError("simulator.gym needs gymnasium: pip install 'simulator[gym]'") from error
    options: dict[str, Any] = {
        "observe": observe, "act": act, "reward": reward, "terminate": terminate, "control_every": control_every,
        "duration": duration, "start": start, "start_velocity": start_velocity, "vary": vary, "drives": drives,
        "failure_reward": failure_reward, "render_mode": render_mode, "size": size,
    }  # fmt: skip
    if num_envs is None:
        return MechanismEnv(document, **options, **vector)
    from simulator.studies.learning.vector import MechanismVectorEnv

    return MechanismVectorEnv(document, num_envs=num_envs, **options, **vector)
