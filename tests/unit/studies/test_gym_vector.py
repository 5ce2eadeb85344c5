"""Many environments in threads: each gives what it gives alone, as Gymnasium's own vector of them does."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import simulator
from simulator.errors import UsageError
from simulator.studies.learning.vector import MechanismVectorEnv

COUNT = 5


def options(**more: Any) -> dict[str, Any]:
    """Cranks that begin anywhere, with couplers of any mass; episodes end by time, and by a condition earlier."""
    return {
        "observe": ["crank_joint/position", "crank_joint/velocity", "energy/kinetic"],
        "act": {"crank_joint": ("effort", -2.0, 2.0)},
        "reward": "-(crank_joint/velocity - 3)**2",
        "terminate": "abs(crank_joint/velocity) > 8",
        "control_every": 0.01,
        "duration": 0.2,
        "start": {"crank_joint": (0.0, 2.0)},
        "vary": {"coupler.mass": (0.1, 0.3)},
        **more,
    }


def assert_same(one: Any, other: Any) -> None:
    """Values and shapes, to the last bit, of nested infos too."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, tuple):
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif getattr(getattr(one, "dtype", None), "kind", "") == "O":
        for a, b in zip(one, other, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_array_equal(a, b)
    else:
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("workers", "mode"), [(3, "NextStep"), (None, "SameStep")])
def test_agrees_with_gymnasiums_own_vector_to_the_last_bit(workers: int | None, mode: str) -> None:
    """Over 60 steps each of five environments ends three episodes at least."""
    ours = simulator.gym("four_bar", num_envs=COUNT, workers=workers, autoreset_mode=mode, **options())
    theirs = SyncVectorEnv([lambda: simulator.gym("four_bar", **options())] * COUNT, autoreset_mode=mode)
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    assert_same(ours.reset(seed=3), theirs.reset(seed=3))
    random, ended = np.random.default_rng(0), np.zeros(COUNT, dtype=int)
    for _ in range(60):
        actions = random.uniform(-2.0, 2.0, (COUNT, 1)).astype(np.float32)
        found = ours.step(actions)
        assert_same(found, theirs.step(actions))
        ended += found[2] | found[3]
    assert ended.min() >= 2
    ours.close()
    theirs.close()


def test_episodes_that_are_not_begun_again_by_themselves() -> None:
    env = simulator.gym("four_bar", num_envs=COUNT, autoreset_mode="Disabled", **options(duration=0.02))
    assert env.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    env.reset(seed=[4, 5, 6, 7, None])
    assert not env.step(np.zeros((COUNT, 1)))[3].any()
    assert env.step(np.zeros((COUNT, 1)))[3].all()
    with pytest.raises(UsageError, match="episodes have ended"):
        env.step(np.zeros((COUNT, 1)))
    mask = np.array([True, False, True, False, False])
    seen, infos = env.reset(seed=[4, 5, 6, 7, 8], options={"reset_mask": mask})
    np.testing.assert_array_equal(infos["_time"], mask)
    assert (seen[:, 1] == 0.0).tolist() == mask.tolist()
    env.reset()
    env.step(np.zeros((COUNT, 1)))
    env.close()


def test_gymnasium_makes_it_and_it_pickles() -> None:
    given = {"document": "four_bar", **options()}
    name = "simulator.studies.learning.register:simulator/Mechanism-v0"
    made = gymnasium.make_vec(name, num_envs=3, **given)
    assert isinstance(made, MechanismVectorEnv)
    direct = simulator.gym("four_bar", num_envs=3, **options())
    copied = pickle.loads(pickle.dumps(direct))
    actions = np.full((3, 1), 0.5)
    first = made.reset(seed=1)
    assert_same(first, direct.reset(seed=1))
    assert_same(first, copied.reset(seed=1))
    found = made.step(actions)
    assert_same(found, direct.step(actions))
    assert_same(found, copied.step(actions))


def test_pictures_of_all() -> None:
    env = simulator.gym("four_bar", num_envs=2, **options(render_mode="rgb_array", size=(40, 30)))
    env.reset(seed=1)
    pictures = env.render()
    assert [one.shape for one in pictures] == [(30, 40, 3)] * 2
    assert (pictures[0] != pictures[1]).any()


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: simulator.gym("four_bar", num_envs=0, **options()), "must be at least 1"),
        (lambda: simulator.gym("four_bar", num_envs=2, **options()).reset(seed=[1]), "must have 2 entries"),
        (lambda: simulator.gym("four_bar", num_envs=2, **options()).step(np.zeros((3, 1))), "must have 2 rows"),
    ],
)
def test_what_does_not_fit_is_refused(work: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        work()
