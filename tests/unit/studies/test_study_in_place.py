"""Samples that are run in the buffers of one engine are, to the last bit, what simulations of their own record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.studies.reading import plan_of
from simulator.studies.samples import Laboratory
from simulator.studies.study import task_of
from tests.helpers.documents import document, joint, link, model

SAMPLES = 5
CRANK = "<limit><effort>{effort}</effort></limit><dynamics><damping>0.02</damping><friction>0.05</friction></dynamics>"
SPRING = "<dynamics><damping>0.01</damping><spring_stiffness>0.4</spring_stiffness></dynamics>"


def four_bar(folder: Path, effort: float) -> str:
    """With friction, dampers and a spring, and a motor that may be too weak."""
    path = Path("worlds/four_bar.sdf").resolve()
    text = path.read_text(encoding="utf-8")
    for name, inside in (("crank_joint", CRANK.format(effort=effort)), ("rocker_joint", SPRING)):
        head, tail = text.split(f'<joint name="{name}"', 1)
        text = head + f'<joint name="{name}"' + tail.replace("</axis>", f"{inside}</axis>", 1)
    made = folder / "four_bar.sdf"
    made.write_text(text, encoding="utf-8")
    return str(made)


def loaded(folder: Path) -> str:
    """With a force that grows, a moment, a spring to the world and one with a table between two bars."""
    loads = (
        '<simulator:load link="coupler" at="0.1 0 0" force="ramp(0,3,0.1) 0 -2" moment="0 0.05 0" frame="link"/>'
        '<simulator:spring link="rocker" at="0 0 0.1" other="world" other_at="0.6 0 0.2" stiffness="20" damping="0.3" '
        'free_length="0.2"/>'
        '<simulator:spring link="crank" at="0 0 0.05" other="rocker" other_at="0 0 0.1" '
        'table="0.1 -2 0.3 0 0.9 5" damping="0.1"/>'
    )
    text = Path("worlds/four_bar.sdf").resolve().read_text(encoding="utf-8")
    text = text.replace("<sdf ", '<sdf xmlns:simulator="urn:simulator" ', 1)
    made = folder / "loaded.sdf"
    made.write_text(text.replace("</model>", f"{loads}</model>", 1), encoding="utf-8")
    return str(made)


def arm(folder: Path) -> str:
    """Two links, the second one on a limited axis that it soon falls against."""
    limit = "<limit><lower>-0.05</lower><upper>0.05</upper></limit>"
    elements = (
        joint("shoulder", "revolute", parent="world", child="upper", axis="0 1 0"),
        joint("elbow", "revolute", parent="upper", child="fore", axis="0 1 0", pose="0 0 -0.4 0 0 0"),
    )
    second = elements[1].replace("</axis>", f"{limit}</axis>")
    made = folder / "arm.sdf"
    links = link("upper", pose="0.1 0 0 0 0 0"), link("fore", pose="0.3 0 -0.4 0 0 0")
    made.write_text(document(model("arm", *links, elements[0], second)), encoding="utf-8")
    return str(made)


def laboratory(document: str, **table: Any) -> Laboratory:
    channels = table.pop("channels", ["crank_joint/effort", "rocker_joint/position", "energy/error", "energy/work"])
    plan = {"document": document, "duration": 0.15, "dt": 1e-3, "seed": 3, **table}
    if any("uniform" in str(one) for one in plan["parameters"].values()):
        plan["samples"] = SAMPLES
    return Laboratory(task_of(plan_of({**plan, "traces": {"channels": channels, "times": [0.1]}})))


def differences(made: Laboratory) -> list[str]:
    """What is not the same, sample by sample, and samples that were not run in place."""
    documents, parameters = made.design.rows(0, len(made.design))
    arrays, found = list(made.experiments[0].arrays(documents, parameters)), []
    for i, array in enumerate(arrays):
        if array is None:
            found.append(f"{i} is not run in place")
            continue
        channels = made.experiments[0].recorded[int(documents[i])].channels
        run = (
            made.experiments[0]
            .varied(int(documents[i]), parameters[i])
            .run(made.plan.duration, every=made.plan.every, channels=channels)
        )
        if not np.array_equal(run.array, array):
            found.append(f"{i}: {np.abs(run.array - array).max():g}")
    return found


LENGTHS = {"coupler.mass": {"uniform": [0.1, 0.3]}, "rocker.length": {"uniform": [0.34, 0.36]}}
RESISTANCE = {
    "crank_joint.damping": {"uniform": [0.01, 0.03]},
    "crank_joint.friction": {"uniform": [0.01, 0.1]},
    "rocker_joint.spring_stiffness": {"uniform": [0.2, 0.8]},
    "rocker_joint.spring_reference": {"uniform": [-0.2, 0.2]},
}


@pytest.mark.parametrize(
    "table",
    [
        {"drives": {"crank_joint": "velocity:2"}, "parameters": LENGTHS},
        {"drives": {"crank_joint": "velocity:ramp(0, 1, 0.1)"}, "parameters": LENGTHS, "every": 0.01},
        {"drives": {"crank_joint": "velocity:sine(1, 5)"}, "parameters": {"coupler.com.x": {"uniform": [0.1, 0.2]}}},
        {"drives": {"crank_joint": "effort:0.3"}, "parameters": LENGTHS, "solver": "reduced"},
        {"drives": {"crank_joint": "effort:sine(0.3, 4)"}, "parameters": LENGTHS},
        {"drives": {}, "parameters": LENGTHS, "initial": {"crank_joint": 0.4}},
        {"drives": {}, "parameters": LENGTHS, "initial_velocity": {"crank_joint": -1.5}},
        {"drives": {"crank_joint": "velocity:{w}"}, "parameters": {**LENGTHS, "w": {"values": [1.0, 2.0]}}},
        {"drives": {"crank_joint": "velocity:{w}"}, "parameters": {**LENGTHS, "w": {"uniform": [-2.0, 2.0]}}},
        {"drives": {"crank_joint": "velocity:{w}"}, "parameters": {"w": {"uniform": [1.0, 2.0]}}},
        {"drives": {"crank_joint": "effort:{e}"}, "parameters": {**LENGTHS, "e": {"uniform": [-0.3, 0.3]}}},
        {"drives": {"crank_joint": "velocity:sine({a}, {f})"},
         "parameters": {"a": {"uniform": [0.5, 2.0]}, "f": {"uniform": [1.0, 5.0]}}},
        {"drives": {}, "initial": {"crank_joint": "{s}"}, "parameters": {**LENGTHS, "s": {"uniform": [-3.0, 3.0]}}},
        {"drives": {}, "initial": {"crank_joint": "{s}"}, "parameters": {"s": {"uniform": [-3.0, 3.0]}}},
        {"drives": {"crank_joint": "velocity:{w}"}, "initial": {"crank_joint": "{s}"},
         "initial_velocity": {"crank_joint": "{w}"},
         "parameters": {**LENGTHS, "s": {"uniform": [-3.0, 3.0]}, "w": {"uniform": [-3.0, 3.0]}}},
        {"drives": {"crank_joint": "effort:sine({a}, 4)", "rocker_joint": "effort:{b}"},
         "parameters": {"a": {"uniform": [0.1, 0.3]}, "b": {"uniform": [-0.1, 0.1]}, **LENGTHS}, "every": 0.01},
    ],
)  # fmt: skip
def test_a_four_bar(table: dict[str, Any]) -> None:
    assert differences(laboratory("four_bar", **table)) == []


def test_another_structure_gets_runs_of_its_own() -> None:
    """Friction where the document has none, from the second sample that has it on."""
    spread = {"crank_joint.friction": {"values": [0.0, 0.02]}, "e": {"uniform": [0.1, 0.3]}}
    made = laboratory("four_bar", drives={"crank_joint": "effort:{e}"}, parameters=spread)
    assert differences(made) == [f"{SAMPLES} is not run in place"]


def test_samples_behind_impossible_ones_are_run_in_place() -> None:
    spread = {"rocker.mass": {"values": [0.2, 0.0, 0.3]}, "e": {"uniform": [0.1, 0.3]}}
    made = laboratory("four_bar", drives={"crank_joint": "effort:{e}"}, parameters=spread)
    arrays = made.experiments[0].arrays(*made.design.rows(0, 3 * SAMPLES))
    assert [array is not None for array in arrays] == SAMPLES * [True] + SAMPLES * [False] + SAMPLES * [True]


def test_a_start_is_the_same_as_a_number_of_the_study_and_as_a_parameter() -> None:
    """To the last bit; `set` of each variant finds it by another iteration, to the 1e-12 at which that ends, and 0.15 s
    make at most a thousand times as much of it."""
    lengths = {"rocker.length": {"values": [0.33, 0.35]}}
    start = {"initial": {"crank_joint": "{s}"}, "parameters": {**lengths, "s": {"values": [0.7]}}}
    free = laboratory("four_bar", drives={}, **start).rows(0, 2).measures
    fixed = laboratory("four_bar", drives={}, initial={"crank_joint": 0.7}, parameters=lengths).rows(0, 2).measures
    np.testing.assert_array_equal(free, fixed)
    for i, length in enumerate((0.33, 0.35)):
        sim = simulator.load("four_bar").varied({"rocker.length": length})
        sim.set(crank_joint=0.7)
        run = sim.run(0.15)
        np.testing.assert_allclose(free[i, 1], run["rocker_joint/position"][100], rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("effort", [0.2, 2.0, 1e3])
@pytest.mark.parametrize("drive", ["velocity:3", "effort:0.2"])
def test_friction_dampers_springs_and_motors_with_limits(tmp_path: Path, effort: float, drive: str) -> None:
    made = laboratory(four_bar(tmp_path, effort), drives={"crank_joint": drive}, parameters={**RESISTANCE, **LENGTHS})
    assert differences(made) == []


@pytest.mark.parametrize("effort", [0.2, 2.0, 1e3])
def test_amplitudes_of_drives_with_friction_dampers_springs_and_limits(tmp_path: Path, effort: float) -> None:
    """Some motors are too weak for what they are asked, and the next sample does not notice."""
    drives = {"crank_joint": "velocity:{w}", "rocker_joint": "effort:{e}"}
    spread = {"w": {"uniform": [-9.0, 9.0]}, "e": {"uniform": [-0.3, 0.3]}}
    made = laboratory(four_bar(tmp_path, effort), drives=drives, parameters={**RESISTANCE, **LENGTHS, **spread})
    assert differences(made) == []


JUMPING = [
    "position:0.3",
    "position:sine(0.5, 3)",
    "position:ramp(0, 0.4, 0.1)",
    "position:ramp(0, 0.4, 0.1005)",
    "position:step(0, 0.2, 0.05)",
    "position:expression(0.2*t + 0.1*sin(30*t))",
    "velocity:step(0, 1, 0.05)",
]


@pytest.mark.parametrize("every", [1e-3, 0.01])
@pytest.mark.parametrize("drive", JUMPING)
def test_positions_and_jumps(drive: str, every: float) -> None:
    made = laboratory("four_bar", drives={"crank_joint": drive}, parameters=LENGTHS, every=every)
    assert differences(made) == []


@pytest.mark.parametrize("effort", [0.2, 2.0, 1e3])
@pytest.mark.parametrize("drive", JUMPING[:4])
def test_positions_that_brake(tmp_path: Path, drive: str, effort: float) -> None:
    """Also of an axis that moves in the beginning, from where its effort may not suffice."""
    more = {"w": {"uniform": [-2.0, 2.0]}, **RESISTANCE, **LENGTHS}
    started = {"initial": {"crank_joint": 0.1}, "initial_velocity": {"crank_joint": "{w}"}}
    made = laboratory(four_bar(tmp_path, effort), drives={"crank_joint": drive}, parameters=more, **started)
    assert differences(made) == []


def test_motors_that_jump_one_beside_the_other(tmp_path: Path) -> None:
    """What one gives when the other jumps is that of its last step."""
    drives = {"shoulder": "velocity:step(0.2, 0.8, 0.03)", "elbow": "position:ramp(0, {w}, 0.06)"}
    spread = {"w": {"uniform": [0.01, 0.04]}, "fore.mass": {"uniform": [0.5, 2.0]}}
    channels = ["shoulder/effort", "elbow/effort", "elbow/position"]
    assert differences(laboratory(arm(tmp_path), drives=drives, parameters=spread, channels=channels)) == []


@pytest.mark.parametrize("effort", [0.2, 1e3])
@pytest.mark.parametrize(
    "drive",
    [
        "position:0.3,pid(p=8,i=5,d=0.6)",
        "position:sine(0.5, 3),pid(p=8,i=5,d=0.6,limit=2)",
        "velocity:step(0, 2, 0.05),pid(p=0.5,i=2)",
    ],
)
def test_loops(tmp_path: Path, drive: str, effort: float) -> None:
    """Their integrals begin anew with each sample; axes move in the beginning."""
    more = {"w": {"uniform": [-2.0, 2.0]}, **RESISTANCE, **LENGTHS}
    started = {"initial": {"crank_joint": 0.1}, "initial_velocity": {"crank_joint": "{w}"}}
    made = laboratory(four_bar(tmp_path, effort), drives={"crank_joint": drive}, parameters=more, **started)
    assert differences(made) == []


def test_loops_of_two_axes(tmp_path: Path) -> None:
    drives = {"shoulder": "position:{w},pid(p=9,i=3,d=1)", "elbow": "velocity:0.1,pid(p=2)"}
    spread = {"w": {"uniform": [0.01, 0.04]}, "fore.mass": {"uniform": [0.5, 2.0]}}
    channels = ["shoulder/effort", "elbow/effort", "elbow/position"]
    assert differences(laboratory(arm(tmp_path), drives=drives, parameters=spread, channels=channels)) == []


def test_a_range_that_varies_beside_a_position_is_left_to_an_engine_of_its_own(tmp_path: Path) -> None:
    """No position beyond it is held."""
    spread = {"elbow.upper": {"uniform": [0.01, 0.02]}}
    made = laboratory(arm(tmp_path), drives={"elbow": "position:0.03"}, parameters=spread, channels=["elbow/position"])
    assert differences(made) == [f"{i} is not run in place" for i in range(SAMPLES)]
    assert len(set(made.rows(0, SAMPLES).measures[:, -1].tolist())) == SAMPLES


def test_actuators(tmp_path: Path) -> None:
    """A differential drives two axes by two actuators."""
    drives = {"actuator/left_motor": "effort:{a}", "actuator/right_motor": "effort:sine({b}, 3)"}
    spread = {"a": {"uniform": [-0.3, 0.3]}, "b": {"uniform": [0.1, 0.2]}}
    made = laboratory("wrist", drives=drives, parameters=spread, channels=["energy/kinetic", "energy/work"])
    assert differences(made) == []


LOADS = {
    "load1.force.z": {"uniform": [-4.0, 0.0]},
    "load1.at.x": {"uniform": [0.0, 0.2]},
    "spring1.stiffness": {"uniform": [10.0, 30.0]},
    "spring1.free_length": {"uniform": [0.1, 0.3]},
    "spring1.damping": {"uniform": [0.1, 0.5]},
    "spring2.damping": {"uniform": [0.0, 0.5]},
    "spring2.other_at.z": {"uniform": [0.05, 0.15]},
}


@pytest.mark.parametrize("more", [{}, LENGTHS, {"crank_joint.damping": {"uniform": [0.01, 0.03]}}])
def test_loads_and_springs_between_points(tmp_path: Path, more: dict[str, Any]) -> None:
    made = laboratory(loaded(tmp_path), drives={"crank_joint": "velocity:2"}, parameters={**LOADS, **more})
    assert differences(made) == []


def test_stops_that_are_hit_on_the_way(tmp_path: Path) -> None:
    channels = ["elbow/position", "elbow/velocity", "energy/dissipated"]
    made = laboratory(arm(tmp_path), channels=channels, parameters={"fore.mass": {"uniform": [0.5, 2.0]}}, duration=0.4)
    assert differences(made) == []


@pytest.mark.parametrize("name", ["slider_crank", "gear_train", "belt_arm", "peaucellier", "screw_press", "wrist"])
def test_other_mechanisms(name: str) -> None:
    known = simulator.load(name).parameters()
    masses = [one for one in known if one.endswith(".mass")][-2:]
    spreads = {one: {"uniform": [0.9 * known[one].value, 1.1 * known[one].value]} for one in masses}
    made = laboratory(name, parameters=spreads, channels=["energy/kinetic", "energy/potential"])
    assert differences(made) == []


GRAVITY = {"world.gravity.x": {"uniform": [-3.0, 3.0]}, "world.gravity.z": {"uniform": [-12.0, -1.6]}}


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "gear_train", "peaucellier", "bennett", "telescope"])
def test_gravity(name: str) -> None:
    """In the plane of a mechanism, across it, and of nodes that stay where they are."""
    across = {**GRAVITY, "world.gravity.y": {"uniform": [-3.0, 3.0]}}
    made = laboratory(name, parameters=across, channels=["energy/kinetic", "energy/potential", "energy/error"])
    assert differences(made) == []


def test_stops_that_vary(tmp_path: Path) -> None:
    """An elbow falls against stops of its own, also of one that begins elsewhere, and masses vary beside them."""
    channels = ["elbow/position", "elbow/velocity", "energy/dissipated"]
    stops = {"elbow.lower": {"uniform": [-0.2, -0.01]}, "elbow.upper": {"uniform": [0.01, 0.2]}}
    more = {**stops, **GRAVITY, "fore.mass": {"uniform": [0.5, 2.0]}}
    for parameters in (stops, more):
        made = laboratory(arm(tmp_path), channels=channels, parameters=parameters, duration=0.4)
        assert differences(made) == []
        runs = list(made.experiments[0].arrays(*made.design.rows(0, SAMPLES)))
        assert len({float(run[:, -3].min()) for run in runs if run is not None}) > 1


@pytest.mark.parametrize(
    ("name", "law", "axis"),
    [
        ("rack_and_pinion", "rack_joint", "pinion_joint"),
        ("gear_train", "", ""),
        ("screw_press", "", ""),
        ("telescope", "", ""),
    ],
)
def test_laws_of_couplings(name: str, law: str, axis: str) -> None:
    """Ratios, and where leaders and followers begin; residuals and energies follow the law of the sample."""
    sim = simulator.load(name)
    known = sim.parameters()
    laws = [one for one in known if one.endswith((".multiplier", ".offset")) and law in one][:3]
    spreads = {
        one: {"uniform": sorted((0.9 * known[one].value, 1.1 * known[one].value))}
        if known[one].value
        else {"uniform": [-0.001, 0.001]}
        for one in laws
    }
    drives = {axis: "effort:0.01"} if axis else {}
    made = laboratory(name, drives=drives, parameters=spreads, channels=["energy/kinetic", "energy/error"])
    assert laws
    assert differences(made) == []


def test_what_needs_a_decision_is_left_to_an_engine_of_its_own(tmp_path: Path) -> None:
    """A length that no loop can close with, and one with which the start is beyond a limit."""
    made = laboratory(
        "four_bar", drives={"crank_joint": "velocity:2"}, parameters={"coupler.length": {"values": [0.35, 3.0, 0.34]}}
    )
    rows = made.rows(0, 3)
    assert rows.status == ["ok", "not_assembled", "ok"]
    documents, parameters = made.design.rows(0, 3)
    assert [array is None for array in made.experiments[0].arrays(documents, parameters)] == [False, True, False]


@pytest.mark.parametrize(
    ("document", "table"),
    [
        ("four_bar", {"initial": {"rocker_joint": "{w}"}, "parameters": {"w": {"uniform": [0.0, 0.1]}}}),
        ("four_bar", {"parameters": {"crank_joint.effort": {"uniform": [1.0, 2.0]}}}),
        ("gripper", {"parameters": {"box::box.mass": {"uniform": [0.1, 0.2]}}, "channels": ["energy/kinetic"]}),
    ],
)
def test_what_is_looked_at_step_by_step_has_engines_of_its_own(document: str, table: dict[str, Any]) -> None:
    made = laboratory(document, **table)
    documents, parameters = made.design.rows(0, len(made.design))
    assert all(array is None for array in made.experiments[0].arrays(documents, parameters))


def test_spans_change_nothing() -> None:
    """Neither which samples are run together, nor what was run before."""
    made = laboratory("four_bar", drives={"crank_joint": "velocity:2"}, parameters=LENGTHS)
    whole = made.rows(0, SAMPLES).measures
    apart = np.concatenate([made.rows(i, i + 1).measures for i in reversed(range(SAMPLES))])[::-1]
    np.testing.assert_array_equal(whole, apart)
