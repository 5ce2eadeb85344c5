"""Environments: what Gymnasium's own checker says, what actions and observations are, how episodes begin and end."""

from __future__ import annotations

import copy
import math
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import simulator
from simulator.errors import AssemblyError, MissingLibraryError, UnknownNameError, UsageError
from simulator.studies.learning import episode
from simulator.studies.learning.environment import MechanismEnv
from tests.helpers.cart_pole import cart_pole

OBSERVED = ["slide/position", "slide/velocity", "cos(hinge/position)", "sin(hinge/position)", "hinge/velocity"]


def balancing(document: object = None, **options: object) -> MechanismEnv:
    given = {
        "observe": OBSERVED, "act": ["slide"], "reward": "1 - abs(hinge/position)", "control_every": 0.02,
        "terminate": "abs(hinge/position) > 0.2 or abs(slide/position) > 2.0", "start": {"hinge": (-0.05, 0.05)},
    }  # fmt: skip
    env = simulator.gym(cart_pole() if document is None else document, **{**given, **options})  # type: ignore[call-overload]
    assert isinstance(env, MechanismEnv)
    return env


def played(env: MechanismEnv, steps: int = 40, *, seed: int = 3) -> np.ndarray:
    """Rows of what is seen, with rewards, of an agent that does what its own generator says."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(steps):
        seen, reward, terminated, truncated, _info = env.step(
            random.uniform(env.action_space.low, env.action_space.high)
        )
        rows.append([*seen, reward, terminated, truncated])
    return np.array(rows)


@pytest.mark.parametrize("render_mode", [None, "rgb_array"])
def test_gymnasiums_checker_finds_nothing(render_mode: str | None) -> None:
    """Also that each render mode works, with an environment that is made from the specification of this one."""
    env = balancing(
        cart_pole(effort=1.0),
        observe=["cos(hinge/position)", "sin(hinge/position)", "slide/position"],
        render_mode=render_mode,
        size=(64, 48),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


def test_checker_finds_nothing_in_a_closed_loop_whose_numbers_are_drawn() -> None:
    env = simulator.gym(
        "four_bar",
        observe={"angle": "crank_joint/position", "rate": "crank_joint/velocity"},
        act={"crank_joint": ("effort", -1.0, 1.0)},
        reward="-(rate - 3)**2",
        start={"crank_joint": (0.0, 2.0)},
        start_velocity={"crank_joint": {"normal": [0.0, 1.0]}},
        vary={"coupler.mass": (0.1, 0.3), "rocker.length": {"normal": [0.30, 0.001]}},
        control_every=0.01,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # velocities and angles of this world have no bounds
        check_env(env, skip_render_check=True)
    drawn = [env.reset()[1]["parameters"] for _ in range(20)]
    assert all(0.1 <= one["coupler.mass"] <= 0.3 for one in drawn)
    assert len({one["rocker.length"] for one in drawn}) == 20
    lengths = [env.reset() and env.simulation.parameters()["rocker.length"].value for _ in range(3)]
    assert len(set(lengths)) == 3


def test_spaces_have_the_bounds_of_the_document() -> None:
    """The rail ends at ±2.4 m, the motor gives 10 N; a hundredth of the range is left for stops that give way."""
    env = balancing()
    assert env.action_space == gymnasium.spaces.Box(-10.0, 10.0, (1,), np.float32)
    np.testing.assert_array_equal(env.observation_space.high, [2.448, math.inf, 1.0, 1.0, math.inf])
    np.testing.assert_array_equal(env.observation_space.low, -env.observation_space.high)
    by_position = balancing(act={"slide": "position"})
    np.testing.assert_array_equal(by_position.action_space.high, np.float32([2.4]))


def test_limits_that_are_drawn_bound_nothing() -> None:
    """A rail that may be longer than the document's is seen to its end."""
    env = balancing(observe=["slide/position"], vary={"slide.upper": 5.0}, start={"slide": 4.0}, terminate=None)
    assert env.reset()[0][0] == 4.0
    assert env.observation_space.high[0] == math.inf


def test_a_seed_decides_everything_that_follows() -> None:
    one, other = balancing(), balancing()
    for _ in range(2):
        np.testing.assert_array_equal(one.reset(seed=7)[0], other.reset(seed=7)[0])
        np.testing.assert_array_equal(played(one), played(other))
        played(other, 13)  # what was before a reset has no effect
        np.testing.assert_array_equal(one.reset()[0], other.reset()[0])
    assert one.reset(seed=8)[0][3] != one.reset(seed=9)[0][3]


def test_options_fix_what_is_drawn() -> None:
    env = balancing(vary={"pole.mass": (0.05, 0.2)}, observe=["hinge/position", "hinge/velocity"])
    options = {"start": {"hinge": 0.01}, "start_velocity": {"hinge": 0.5}, "vary": {"pole.mass": 0.07}}
    seen, info = env.reset(seed=1, options=options)
    np.testing.assert_allclose(seen, [0.01, 0.5], rtol=1e-12)
    assert info == {"time": 0.0, "parameters": {"pole.mass": 0.07}}
    assert env.simulation.parameters()["pole.mass"].value == 0.07
    with pytest.raises(UsageError, match="no option 'strat': there are start, start_velocity, vary"):
        env.reset(options={"strat": {}})
    with pytest.raises(UsageError, match="takes numbers by name, not 3"):
        env.reset(options={"start": 3})


def test_an_episode_is_cut_off_after_its_duration_and_ends_where_it_is_terminated() -> None:
    """Upright without a push nothing moves, so that only time ends it: after 0.2 s, ten control periods."""
    env = balancing(duration=0.2, start={})
    env.reset(seed=1)
    flags = [env.step([0.0])[2:4] for _ in range(10)]
    assert flags == [(False, False)] * 9 + [(False, True)]
    env = balancing(start={"hinge": 0.19})
    env.reset()
    rows = played(env, 20)
    assert rows[:, -2].any()
    np.testing.assert_array_equal(rows[:, -2], np.arccos(rows[:, 2]) > 0.2)


def test_formulas_see_channels_names_and_actions_and_functions_the_simulation() -> None:
    formula = balancing(
        observe={"x": "slide/position", "rate": "hinge/velocity"},
        reward="2*x - rate**2 + 0.5*slide/action + energy/kinetic",
        terminate="not (time < 0.05)",
    )
    function = balancing(
        observe=[lambda sim: sim.positions["slide"], lambda sim: [sim.velocities["hinge"]]],
        reward=lambda sim, action: (
            2 * sim.q[0] - sim.v[1] ** 2 + 0.5 * action[0] + sim.energies["kinetic"]  # the order of the document
        ),
        terminate=lambda sim: sim.time >= 0.05,
    )
    formula.reset(seed=4), function.reset(seed=4)
    first, second = played(formula, 4), played(function, 4)
    np.testing.assert_allclose(first, second, rtol=1e-14)
    assert first[:, 3].tolist() == [0.0, 0.0, 1.0, 1.0]


def test_actions_are_cut_to_their_bounds() -> None:
    env = balancing(observe=["slide/effort", "slide/action"], start={})
    env.reset()
    np.testing.assert_array_equal(env.step([250.0])[0], [10.0, 10.0])
    with pytest.raises(UsageError, match="an action must be 1 finite numbers"):
        env.step([math.nan])
    with pytest.raises(UsageError, match="an action must be 1 finite numbers"):
        env.step([0.0, 0.0])


def test_a_simulation_that_fails_ends_the_episode_and_the_next_one_begins() -> None:
    """A rocker is driven past its dead point."""
    given = {"observe": ["rocker_joint/position"], "act": {"rocker_joint": ("velocity", -9, 9)}, "reward": "1"}
    env = simulator.gym("four_bar", failure_reward=-5.0, control_every=0.1, **given)
    env.reset(seed=1)
    seen, reward, terminated, truncated, info = env.step([-9.0])
    assert (reward, terminated, truncated) == (-5.0, True, False)
    assert "s" in info["failure"]
    assert np.isfinite(seen).all()
    assert env.observation_space.contains(seen)
    again, _ = env.reset(seed=1)
    np.testing.assert_array_equal(again, simulator.gym("four_bar", **given).reset(seed=1)[0])
    assert env.step([0.0])[2] is False


def test_starts_that_cannot_be_assembled_are_drawn_again_or_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rocker of the four-bar swings between two dead points; a range beyond them has some starts that exist."""
    given = {"observe": ["rocker_joint/position"], "act": {"crank_joint": ("effort", -1, 1)}, "reward": "1"}
    wide = simulator.gym("four_bar", start={"rocker_joint": (-3.0, 3.0)}, **given)
    found = [float(wide.reset(seed=seed)[0][0]) for seed in range(4)]
    assert len(set(found)) == 4
    monkeypatch.setattr(episode, "TRIES", 2)  # a hundred starts that cannot be assembled take half a minute
    never = simulator.gym("four_bar", start={"rocker_joint": (2.8, 3.0)}, **given)
    with pytest.raises(AssemblyError, match="rocker_joint"):
        never.reset()


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_a_copy_goes_on_as_the_original_does(way: str) -> None:
    """Its generator too. The state passes through joint coordinates, which costs an ulp of the rates of a pole that
    falls; within 40 periods that grows by cosh(4 · 0.8) = 12."""
    env = balancing(vary={"pole.mass": (0.05, 0.2)})
    env.reset(seed=5)
    played(env, 5)
    other = pickle.loads(pickle.dumps(env)) if way == "pickle" else copy.deepcopy(env)
    np.testing.assert_allclose(played(env), played(other), rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(env.reset()[0], other.reset()[0])


def test_gymnasium_makes_it_by_its_name() -> None:
    options = {"document": cart_pole(), "observe": OBSERVED, "act": ["slide"], "reward": "-hinge/position**2"}
    env = gymnasium.make(
        "simulator.studies.learning.register:simulator/Mechanism-v0", max_episode_steps=3, control_every=0.02, **options
    )
    env.reset(seed=1)
    assert [env.step(np.zeros(1, dtype=np.float32))[3] for _ in range(3)] == [False, False, True]
    assert isinstance(env.unwrapped, MechanismEnv)
    remade = gymnasium.make(env.spec)
    np.testing.assert_array_equal(remade.reset(seed=1)[0], env.reset(seed=1)[0])


def test_pictures_show_the_mechanism() -> None:
    env = balancing(render_mode="rgb_array", size=(120, 90), start={"hinge": 0.0})
    env.reset()
    before = env.render()
    env.reset(options={"start": {"hinge": 0.15}})
    after = env.render()
    assert before.shape == after.shape == (90, 120, 3)
    assert before.dtype == np.uint8
    assert (before != after).any()
    assert balancing().render() is None
    env.close()
    env.reset(options={"start": {"hinge": 0.15}})
    np.testing.assert_array_equal(env.render(), after)


def test_the_camera_keeps_still_until_something_leaves_the_picture() -> None:
    """A cart that moves a little leaves the floor's pixels where they are; a cart at the end of its rail does not."""
    env = balancing(render_mode="rgb_array", size=(120, 90))
    pictures = []
    for slide in (0.0, 0.02, 2.3, 0.0):
        env.reset(options={"start": {"slide": slide, "hinge": 0.0}})
        pictures.append(env.render())
    changed = [(pictures[0] != other).any(axis=2).mean() for other in pictures[1:]]
    assert 0.0 < changed[0] < 0.2
    assert changed[2] > 2.0 * changed[0], "the camera has stepped back, and stays there"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"observe": ["slide/positon"]}, "no channel is named 'slide/positon'.*did you mean"),
        ({"observe": []}, "nothing is observed"),
        ({"observe": [3]}, "the name of a channel, a formula or a function, not 3"),
        ({"observe": {"a b": "slide/position"}}, "'a b' cannot name an observation"),
        ({"observe": [lambda _: "x"]}, "must return numbers, not 'x'"),
        ({"act": []}, "nothing is driven"),
        ({"act": ["slid"]}, "no axis or actuator is named 'slid'.*did you mean 'cart_pole::slide'"),
        ({"act": ["slide", "cart_pole::slide"]}, "'cart_pole::slide' is driven twice"),
        ({"act": {"slide": "torque"}}, 'act of \'slide\' must be "effort", "velocity" or "position"'),
        ({"act": {"slide": ("effort", 1.0, -1.0)}}, "from a lower to a higher number, not from 1 to -1"),
        ({"act": {"hinge": "effort"}}, "the document gives 'hinge' no effort limit: give bounds"),
        ({"reward": "hinge/position^2"}, r"'\^' in the formula .* is not understood: powers are written \*\*"),
        ({"reward": "sine(hinge/position)"}, "no function 'sine'"),
        ({"reward": 3}, "reward must be a formula over channels or a function, not 3"),
        ({"terminate": "hinge/position"}, "terminate must be a condition"),
        ({"control_every": 0.0005}, "control_every = 0.0005 s is not a multiple of the step of 0.001 s"),
        ({"duration": 0.03}, "duration = 0.03 s is not a multiple of the control period of 0.02 s"),
        ({"start": {"hing": 0.0}}, "no axis is named 'hing'|no joint is named 'hing'"),
        ({"start": {"hinge": (0.2, 0.1)}}, "from a lower to a higher number, not from 0.2 to 0.1"),
        ({"vary": {"pole.weight": 1.0}}, "no parameter is named 'pole.weight'"),
        ({"drives": {"slide": simulator.effort(1.0)}}, "'slide' is driven by the agent, and in drives"),
        ({"render_mode": "ansi"}, "render_mode must be 'rgb_array' or None, not 'ansi'"),
    ],
)
def test_what_does_not_fit_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        balancing(**options)


def test_an_unknown_channel_names_what_there_is() -> None:
    with pytest.raises(UnknownNameError) as error:
        balancing(reward="hinge/action")
    assert "slide/action" in error.value.available


def test_without_gymnasium_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("environment", "register"):
        monkeypatch.delitem(__import__("sys").modules, f"simulator.studies.learning.{name}", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "gymnasium", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'simulator\[gym\]'"):
        simulator.gym("four_bar")
