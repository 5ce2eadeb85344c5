"""Equilibrium and small motion against closed forms and against the simulated motion."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from tests.helpers.documents import joint, model, world

DIGITS = 1e-9
"""Differences of fourth order at 1e-3 lose some six of sixteen digits."""


def _pendulum(stiffness: float = 0.0, damping: float = 0.0, reference: float = 0.0) -> str:
    """A bob of 2 kg at 0.5 m, 0.1 kg m² about its centre, with a spring at its hinge; zero hangs."""
    dynamics = (
        f"<dynamics><damping>{damping}</damping><spring_stiffness>{stiffness}</spring_stiffness>"
        f"<spring_reference>{reference}</spring_reference></dynamics>"
    )
    return world(
        model(
            "m",
            '<link name="rod"><inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass><inertia><ixx>.1</ixx>'
            "<iyy>.1</iyy><izz>.1</izz></inertia>"
            "</inertial></link>",
            '<joint name="hinge" type="revolute"><parent>world</parent><child>rod</child><axis><xyz>0 -1 0</xyz>'
            f"{dynamics}</axis></joint>",
        )
    )


def test_a_pendulum_swings_with_its_frequency() -> None:
    """ω² = (m g r + k) / (I + m r²), damping ratio c / (2 ω (I + m r²)); and the response of the angle to an effort is
    1 / (J (ω₀² - ω² + i ω c / J))."""
    k, c = 3.0, 0.2
    found = simulator.load(_pendulum(k, c)).linearise()
    inertia = 0.1 + 2.0 * 0.25
    omega = np.sqrt((2.0 * 9.8 * 0.5 + k) / inertia)
    (mode,) = found.modes
    assert abs(mode.eigenvalue) == pytest.approx(omega, rel=DIGITS)
    assert mode.damping == pytest.approx(c / (2.0 * omega * inertia), rel=1e-8)
    assert found.is_stable
    np.testing.assert_allclose(found.drift, 0.0, atol=1e-12)
    w = 2.0 * np.pi * 0.7
    answer = found.response(np.array([0.7]))[0, 0, 0]
    assert answer == pytest.approx(1.0 / (inertia * (omega**2 - w**2 + 1j * w * c / inertia)), rel=1e-8)


def test_a_pendulum_with_a_spring_stands_where_its_moments_balance() -> None:
    """m g r sin q = k (q₀ - q): solved by Newton's method here."""
    k, reference = 3.0, 1.2
    sim = simulator.load(_pendulum(k, reference=reference))
    q = 0.3
    for _ in range(50):
        q -= (9.8 * np.sin(q) - k * (reference - q)) / (9.8 * np.cos(q) + k)
    poses = sim.equilibria()
    assert poses[0].position[0] == pytest.approx(q, abs=1e-10)
    assert poses[0].stiffness[0] == pytest.approx(9.8 * np.cos(q) + k, rel=1e-6)
    assert poses[0].within_limits


def test_four_bars_hang_in_their_lowest_pose_and_swing_there() -> None:
    """The closed linkage settles where the potential energy of its rods is least; its frequency there is that of the
    simulated motion by the time between passages of its angle through the middle, for a swing of 1e-3 rad: the
    frequency of a pendulum falls with the square of that. 1e-4, as four digits are what passages found between steps of
    1 ms give."""
    sim = simulator.load("four_bar")
    pose = next(item for item in sim.equilibria() if item.within_limits)
    crank = sim.mechanism.axis_index("crank_joint")
    assert crank is not None
    sim.set({"crank_joint": float(pose.position[crank])})
    (mode,) = sim.linearise().modes
    assert mode.damping == pytest.approx(0.0, abs=1e-8)
    middle = float(pose.position[crank])
    sim.set({"crank_joint": middle + 1e-3})
    run = sim.run(6.0 / mode.frequency)
    angle = run["crank_joint/position"] - middle
    falls = np.flatnonzero((angle[:-1] > 0.0) & (angle[1:] <= 0.0))
    times = run.time[falls] + sim.dt * angle[falls] / (angle[falls] - angle[falls + 1])
    assert 1.0 / np.diff(times).mean() == pytest.approx(mode.frequency, rel=1e-4)


def test_what_floats_is_refused() -> None:
    """A free body has no axes to look along."""
    with pytest.raises(simulator.UsageError, match="floats"):
        simulator.load("gripper").linearise()


def test_what_does_not_move_is_refused() -> None:
    sim = simulator.load(world(model("m", '<link name="a"/>', joint("held", "fixed", parent="world", child="a"))))
    for asked in (sim.linearise, sim.equilibria):
        with pytest.raises(simulator.UsageError, match="nothing moves"):
            asked()


def five_bar() -> str:
    """Two rods that hang 0.2 m apart, two more that join their ends: a closed loop with two freedoms."""
    depth = (0.25**2 - 0.1**2) ** 0.5
    tilt = np.arctan2(0.1, depth)
    rods = []
    for side, x in (("left", -0.1), ("right", 0.1)):
        lean = np.sign(-x) * tilt
        rods += [
            rod(f"{side}_upper", 0.2, f"{x} 0 0 0 0 0"),
            rod(f"{side}_lower", 0.25, f"{x} 0 -0.2 0 {-lean} 0"),
            joint(f"{side}_hip", "revolute", parent="world", child=f"{side}_upper", axis="0 1 0"),
            joint(f"{side}_knee", "revolute", parent=f"{side}_upper", child=f"{side}_lower", axis="0 1 0"),
        ]
    foot = joint("foot", "revolute", parent="left_lower", child="right_lower", axis="0 1 0", pose="0 0 -0.25 0 0 0")
    return world(model("m", *rods, foot))


def rod(name: str, length: float, pose: str) -> str:
    """A slender rod of 2 kg per metre that hangs from its origin."""
    mass, moment = 2.0 * length, 2.0 * length**3 / 12.0
    return (
        f'<link name="{name}"><pose>{pose}</pose><inertial><pose>0 0 {-0.5 * length} 0 0 0</pose><mass>{mass}</mass>'
        f"<inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>1e-5</izz></inertia></inertial></link>"
    )


def test_both_modes_of_a_five_bar_are_the_peaks_of_its_free_motion() -> None:
    """Pushed by 1e-4 rad it swings in both modes at once: the peaks of the Fourier transform of 40 s, under a Gaussian
    window, for which a parabola through the logarithms of three lines has its top at the frequency of a lone sine."""
    sim = simulator.load(five_bar())
    pose = next(item for item in sim.equilibria() if abs(item.position[0]) < 1.0)
    hips = [sim.mechanism.axis_index(name) for name in ("left_hip", "right_hip")]
    rest = {
        name: float(pose.position[i]) for name, i in zip(("left_hip", "right_hip"), hips, strict=True) if i is not None
    }
    sim.set(rest)
    modes = sim.linearise().modes
    assert len(modes) == 2
    sim.set({"left_hip": rest["left_hip"] + 1e-4, "right_hip": rest["right_hip"] + 3e-5})
    run = sim.run(40.0)
    swing = (run["left_hip/position"] - rest["left_hip"])[:-1]
    window = np.exp(-0.5 * (np.linspace(-5.0, 5.0, len(swing))) ** 2)
    heights = np.log(np.abs(np.fft.rfft((swing - swing.mean()) * window)))
    for mode in modes:
        line = round(mode.frequency * 40.0)
        top = line - 3 + int(np.argmax(heights[line - 3 : line + 4]))
        low, high, other = heights[top - 1 : top + 2]
        found = (top + 0.5 * (low - other) / (low - 2.0 * high + other)) / 40.0
        assert found == pytest.approx(mode.frequency, rel=1e-4)


@pytest.mark.parametrize("name", ["four_bar", "sarrus", "fast_slow_pendulums"])
def test_stiffness_is_about_the_axes_that_are_called_independent(name: str) -> None:
    """The same axes as those of `independent` and of the mass matrix, so that both make frequencies together."""
    sim = simulator.load(name)
    poses = sim.equilibria()
    assert poses
    assert all(pose.axes == sim.independent.names for pose in poses)
    assert all(len(pose.axes) == len(pose.stiffness) for pose in poses)
