"""Tasks around a mechanism as a script does them, each beside a value that was found without the simulator.

They are what a design study, an identification and a controller are made of; what the single calls return is tested
where these are.
"""

from __future__ import annotations

import cmath
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import simulator
from tests.helpers.command import called
from tests.helpers.documents import joint, link, model, world
from tests.helpers.planar_forms import derivative, four_bar, slider_crank
from tests.physics.lengths import meeting

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUND, CRANK, COUPLER = 0.4, 0.1, 0.35
START = 1.0471975511965976
"""Angle of the cranks of the example worlds at position 0 [rad]."""
DAMPING = "crank_joint.damping"
FOUR_BAR = (
    *(
        f"{body}.{part}"
        for body in ("crank", "coupler", "rocker")
        for part in ("mass", "com.x", "com.z", "inertia.iyy")
    ),
    *(f"{body}.length" for body in ("crank", "coupler", "rocker")),
    *("rocker_joint.parent_pose.x", DAMPING, "world.gravity.x", "world.gravity.z"),
)
"""Numbers that the textbook's four-bar has."""


def dead_points(rocker: complex) -> tuple[complex, complex]:
    """Angles of the rocker's line at the ground where crank and coupler are in line, by the law of cosines."""
    sides = (COUPLER + CRANK, COUPLER - CRANK)
    cosines = ((GROUND**2 + rocker**2 - side**2) / (2.0 * GROUND * rocker) for side in sides)
    far, near = (cmath.acos(cosine) for cosine in cosines)
    return far, near


def swing(rocker: complex) -> complex:
    far, near = dead_points(rocker)
    return far - near


def test_sweep_one_length() -> None:
    """The rocker swings as the law of cosines says, with all other lengths held: 1e-9 rad at the dead points, where
    the angle of the crank counts in second order."""
    sim = simulator.load("four_bar")
    for rocker in (0.28, 0.30, 0.32, 0.36):
        ends = crank_angles(rocker)
        q = sim.varied({"rocker.length": rocker}).assemble({"crank_joint": ends})
        angles = q[:, sim.positions.names.index("four_bar::rocker_joint")]
        assert angles[0] - angles[1] == pytest.approx(-swing(rocker).real, abs=1e-9)


def crank_angles(rocker: float) -> list[float]:
    """Positions of the crank at the dead points, stretched and folded."""
    found = []
    for side, folded in ((COUPLER + CRANK, 0.0), (COUPLER - CRANK, math.pi)):
        angle = math.acos((GROUND**2 + side**2 - rocker**2) / (2.0 * GROUND * side))
        found.append((angle + folded - START) % (2.0 * math.pi))
    return found


def test_derive_the_swing_by_a_length() -> None:
    """At a dead point the rocker is at an end of its swing, so that the end moves with a length as the rocker does
    while the crank is held. Tolerance: both are exact to round-off."""
    sim, ends = simulator.load("four_bar"), []
    for angle in crank_angles(0.3):
        sim.set(crank_joint=angle)
        ends.append(sim.gradients(["rocker.length"]).positions["rocker_joint", "rocker.length"])
    wanted = swing(0.3 + 1e-30j).imag / 1e-30
    assert ends[0] - ends[1] == pytest.approx(-wanted, abs=1e-9)


def test_control_at_every_step() -> None:
    """A sampled law u = -k q - d v on a mass: z' = A z + B u is exact from sample to sample, A and B in closed form.
    Tolerance: round-off of 500 steps."""
    dt, mass, k, d = 1e-3, 2.0, 300.0, 12.0
    text = world(
        "<gravity>0 0 0</gravity>",
        model("m", link("a", mass=mass), joint("slide", "prismatic", "", parent="world", child="a")),
    )
    sim = simulator.load(text, dt=dt)
    sim.drive("slide", simulator.effort(0.0))
    sim.set(slide=0.1)

    def law(sim: simulator.Simulation) -> None:
        sim.control[0] = -k * sim.q[0] - d * sim.v[0]

    called_by_run = sim.copy().run(0.5, control=law)["slide/position"]
    closed = np.array([[1.0, dt], [0.0, 1.0]]) - np.outer((0.5 * dt * dt / mass, dt / mass), (k, d))
    z = np.array([0.1, 0.0])
    for step in range(500):
        assert (sim.q[0], sim.v[0]) == pytest.approx(z, abs=1e-13)
        assert called_by_run[step] == sim.q[0]
        sim.control[0] = -k * sim.q[0] - d * sim.v[0]
        sim.step()
        z = closed @ z


def test_find_the_efforts_behind_a_recording(tmp_path: Path) -> None:
    """From a file of samples every 10 ms, and from one as spreadsheets write it: the effort of a motor that gave
    0.3 sin(2 π t)."""
    sim = simulator.load("four_bar", dt=2.5e-4)
    recorded = sim.run(1.0, drives={"crank_joint": simulator.effort(simulator.sine(0.3, 1.0))}, every=0.01)
    recorded.to_csv(tmp_path / "run.csv")
    run = simulator.Run.from_csv(tmp_path / "run.csv", sim)
    wanted = 0.3 * np.sin(2.0 * np.pi * run.time)
    efforts = sim.inverse_dynamics(run)[:, "crank_joint"].array
    assert np.sqrt(np.mean((efforts - wanted) ** 2) / np.mean(wanted**2)) < 4e-4  # (ω h)² / 12
    lines = (tmp_path / "run.csv").read_text().splitlines()
    foreign = [line.replace(",", ";").replace(".", ",") for line in lines[1:]]
    (tmp_path / "foreign.csv").write_text("\n".join([lines[0].replace(",", ";"), *foreign]))
    again = simulator.load("four_bar", dt=2.5e-4)
    drive = f"crank_joint=position:@{tmp_path / 'foreign.csv'}#crank_joint/position,spline"
    from simulator.session.text.drive_text import parse_drive

    replayed = again.run(0.99, drives=dict([parse_drive(drive)]))
    path = np.interp(run.time[:-1], replayed.time, replayed["crank_joint/position"])
    # A position drive is of second order: half of 1200 rad/s² times the step squared are 4e-5 rad.
    assert path == pytest.approx(run["crank_joint/position"][:-1], abs=1e-4)


def numbers_of(sim: simulator.Simulation) -> Mapping[str, float]:
    return {name: sim.parameters()[name].value for name in FOUR_BAR}


def test_identify_from_noise() -> None:
    """Mass of the coupler and damping of the crank from one noisy trace of the crank: within three standard errors of
    the truth, and these errors are those of the Fisher information of the textbook's motion, in complex arithmetic;
    to 1 %, because they are taken at the estimate and not at the truth."""
    deviation, asked = 1e-3, ["coupler.mass", DAMPING]
    truth = {"coupler.mass": 0.5, DAMPING: 0.02}
    sim = simulator.load("four_bar").varied(truth)
    run = sim.run(0.5, every=0.01)
    seen = run["crank_joint/position"] + np.random.default_rng(7).normal(0.0, deviation, len(run))
    estimate = {"coupler.mass": 0.4, DAMPING: 0.005}
    for _ in range(8):  # Gauss and Newton
        guess = simulator.load("four_bar").varied(estimate)
        table = guess.sensitivities(0.5, asked, points=51)
        J = np.stack([table["crank_joint/position", name] for name in asked], axis=1)
        missing = seen - guess.run(0.5, every=0.01)["crank_joint/position"]
        change = np.linalg.lstsq(J, missing, rcond=None)[0]
        estimate = {name: value + step for (name, value), step in zip(estimate.items(), change.tolist(), strict=True)}
    errors = deviation * np.sqrt(np.diag(np.linalg.inv(J.T @ J)))
    slopes = [derivative(falling, numbers_of(sim), name) for name in asked]
    book = np.stack(slopes, axis=1)
    assert errors == pytest.approx(deviation * np.sqrt(np.diag(np.linalg.inv(book.T @ book))), rel=0.01)
    for (name, value), error in zip(truth.items(), errors.tolist(), strict=True):
        assert abs(estimate[name] - value) < 3.0 * error


def falling(p: Mapping[str, complex]) -> Any:
    """The crank every 10 ms from rest, by Runge and Kutta's method on Eksergian's equation."""

    def rates(z: np.ndarray) -> np.ndarray:
        return np.array([z[1], four_bar(p, START + z[0]).acceleration(p, (DAMPING,), z[1], 0.0)])

    z, path, h = np.array([0.0 + 0j, 0.0]), [], 2e-3
    for step in range(251):
        if step % 5 == 0:
            path.append(z[0])
        a = rates(z)
        b = rates(z + 0.5 * h * a)
        c = rates(z + 0.5 * h * b)
        z = z + h / 6.0 * (a + 2.0 * b + 2.0 * c + rates(z + h * c))
    return np.array(path)


def test_ask_what_trades_off() -> None:
    """Crank and rocker turn about fixed axes, so that an inertia and two components of m c count of each. A coupler is
    two point masses at its pins, which act as parts of these, and two numbers more: 3 + 3 + 2. With mass and one
    coordinate of the centre of mass in the product m c, two of three numbers of the rocker are identifiable."""
    sim = simulator.load("four_bar")
    assert len(sim.base_parameters()) == 8 + 2 * 4  # and damping and friction of four joints
    chosen = sim.base_parameters(["rocker.mass", "rocker.com.x", "rocker.inertia.iyy"])
    assert len(chosen) == 2


def test_go_on_from_a_recording(tmp_path: Path) -> None:
    """The other half of a run from a sample in a file is that of the run: to round-off, which 0.5 s let grow."""
    sim = simulator.load("four_bar")
    sim.drive("crank_joint", simulator.effort(simulator.sine(0.3, 1.0)))
    whole = sim.run(1.0)
    whole.to_csv(tmp_path / "run.csv")
    other = simulator.load("four_bar")
    other.drive("crank_joint", simulator.effort(simulator.sine(0.3, 1.0)))
    other.restore(simulator.Run.from_csv(tmp_path / "run.csv", other).moment(0.5))
    rest = other.run(0.5)
    assert rest.time == pytest.approx(whole.time[500:], abs=1e-12)
    assert rest["crank_joint/position"] == pytest.approx(whole["crank_joint/position"][500:], abs=1e-9)
    assert rest["energy/work"][-1] == pytest.approx(whole["energy/work"][-1], abs=1e-9)


def test_hand_columns_on_with_their_units() -> None:
    """To arrow, whose tables polars, DuckDB and pandas take."""
    run = simulator.load("slider_crank").run(0.1, every=0.01)
    pytest.importorskip("pyarrow")
    fields = run.to_arrow().schema
    assert fields.field("time").metadata == {b"unit": b"s"}
    assert fields.field("joint/slider_crank::piston_joint/velocity").metadata == {b"unit": b"m/s"}


def test_compare_two_variants_and_print_a_page(tmp_path: Path) -> None:
    """Rockers of two lengths under the same crank: where circles around the crank's pin and the ground pivot meet."""
    finals = {}
    asked = ("--variant", "rocker.length=0.36", "--duration", "0.5", "--drive", "crank_joint=velocity:2", "--json")
    for contender in json.loads(called("compare", "four_bar", *asked).stdout)["contenders"]:
        finals[contender["label"]] = contender["final"]
    for label, rocker in (("four_bar", 0.3), ("rocker.length=0.36", 0.36)):
        found = finals[label]
        pin = cmath.rect(CRANK, START + found["four_bar::crank_joint"])
        top = meeting(pin, COUPLER, complex(GROUND), rocker, complex(0.3, 0.3))
        at_rest = meeting(cmath.rect(CRANK, START), COUPLER, complex(GROUND), 0.3, complex(0.3, 0.3))
        wanted = cmath.phase(top - GROUND) - cmath.phase(at_rest - GROUND)
        assert found["four_bar::rocker_joint"] == pytest.approx(wanted, abs=1e-6)
    page = tmp_path / "page.html"
    called("run", "four_bar", "--set", "rocker.length=0.36", "--duration", "0.5", "--report", page)
    assert "rocker.length" in page.read_text()


def test_add_up_tolerances() -> None:
    """The stroke of a slider-crank whose axis passes through the crank's is twice the crank, whatever the rod: worst
    case and root sum square of ± 0.05 mm, three standard deviations."""
    found = simulator.tolerances(
        {
            "document": "slider_crank",
            "samples": 64,
            "seed": 1,
            "positions": {"moves": {"crank_joint": [-START, 2.0 * math.pi - START]}, "points": 361},
            "tolerances": {"crank.length": 5e-5, "rod.length": 1e-4},
            "measures": {"stroke": "peak_to_peak(piston_joint/position)"},
        }
    )
    stroke = found["stroke"]
    assert (stroke.least.value, stroke.greatest.value) == pytest.approx((0.0999, 0.1001), abs=1e-8)
    assert stroke.deviation == pytest.approx(1e-4 / 3.0, rel=1e-4)


def test_ask_for_a_turn_of_states_at_once() -> None:
    """Efforts of a slider-crank at 361 states with velocities and accelerations against Eksergian's equation."""
    sim = simulator.load("slider_crank")
    angles = np.linspace(0.0, 2.0 * np.pi, 361)
    q, v = sim.assemble({"crank_joint": angles}, velocity={"crank_joint": np.full(361, 5.0)})
    found = sim.inverse_dynamics(q, v, {"crank_joint": np.full(361, 2.0)})
    bodies = [f"{b}.{part}" for b in ("crank", "rod", "piston") for part in ("mass", "com.x", "com.z", "inertia.iyy")]
    every = [*bodies, "crank.length", "rod.length", "world.gravity.x", "world.gravity.z"]
    numbers = {name: sim.parameters()[name].value for name in every}
    wanted = [slider_crank(numbers, START + angle).effort(numbers, (), 5.0, 2.0).real for angle in angles.tolist()]
    assert found[:, sim.positions.names.index("slider_crank::crank_joint")] == pytest.approx(wanted, abs=1e-9)


def test_learn_in_it() -> None:
    """Gymnasium's own check of an environment, without a trick around `reset`."""
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    env = simulator.gym(
        "four_bar",
        observe=["cos(crank_joint/position)", "sin(crank_joint/position)"],
        act={"crank_joint": ("effort", -0.3, 0.3)},
        reward="-(crank_joint/velocity - 3)**2",
        control_every=0.01,
        duration=0.1,
    )
    check_env(env, skip_render_check=True)


def test_hear_of_a_linkage_that_cannot_move() -> None:
    """Two bars pinned to each other and to the ground: Kutzbach counts 3 (3 - 1) - 2 · 3 = 0, `load` warns, and all say
    the same."""
    text = world(
        model(
            "triangle",
            link("left"),
            link("right", pose="0.4 0 0 0 0 0"),
            joint("a", "revolute", parent="world", child="left", axis="0 1 0"),
            joint("b", "revolute", parent="world", child="right", axis="0 1 0"),
            joint("top", "revolute", parent="left", child="right", axis="0 1 0", pose="-0.2 0 0.3 0 0 0"),
        )
    )
    with pytest.warns(simulator.DocumentWarning, match="LOOP_RIGID"):
        sim = simulator.load(text)
    assert sim.mobility == 0
    assert "mobility 0" in repr(sim)
    assert sim.mechanism.mobility.count == 0
