"""Blocks of steps: the same numbers as step by step, and as what Python measures of poses and velocities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.engine import Engine
from simulator.engine.passive import PassiveEfforts
from simulator.engine.snapshot import Extremes
from simulator.errors import JammedError
from simulator.kinematics.state import JointState
from simulator.mechanism.residuals import CouplingRows, LoopRows
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout.watched_row import RowPlaces
from simulator.physics.step.watch import watch, watch_of
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from simulator.spatial.pose_arrays import matrices
from simulator.spatial.rotation import matrix_from_quat
from tests.helpers.documents import joint, link, model, world
from tests.helpers.energy_meter import EnergyMeter
from tests.helpers.repository import ROOT

Array = NDArray[np.float64]

STEPS = 300
DRIVEN = {
    "rack_and_pinion": ("pinion_joint=velocity:2",),
    "four_bar": ("crank_joint=velocity:sine(3, 2)",),
    "slider_crank": ("crank_joint=position:ramp(0, 1, 0.1)",),
    "gear_train": (),
    "planetary": ("sun_joint=effort:sine(0.3, 5, 0.1)",),
    "stewart": ("leg_1_slide=position:0.02,pid(p=4000,i=2000,d=200)",),
    "wrist": ("actuator/left_motor=velocity:sine(2, 3)", "actuator/right_motor=position:0.3"),
    "differential": ("cage_joint=effort:ramp(0, 1, 0.2)",),
    "belt_arm": ("actuator/shoulder_motor=effort:sine(0.02, 3)", "actuator/elbow_motor=effort:0.01"),
    "peaucellier": (),
    "screw_press": (),
}


@contextmanager
def engine_of(
    path: Path, drives: tuple[str, ...] = (), *, solver: str = "reduced", **settings: object
) -> Iterator[Engine]:
    texts = tuple(parse_drive(text) for text in drives)
    chosen = SessionSettings(drives=texts, solver=solver, **settings)  # type: ignore[arg-type]
    engine = make_engine(open_document(path), chosen)
    try:
        yield engine
    finally:
        engine.close()


def in_blocks(engine: Engine, steps: int, *, stride: int = 1, at_once: int = 70) -> tuple[Array, Extremes]:
    extremes, rows, done = Extremes(), [np.zeros((0, engine.places.width))], 0
    while done < steps:
        made, found = engine.advance(min(at_once, steps - done), extremes, stride=stride, phase=done)
        done += made
        rows.append(found)
    return np.concatenate(rows), extremes


def one_by_one(engine: Engine, steps: int) -> Array:
    rows = []
    for _ in range(steps):
        engine.step()
        rows.append(engine.row())
    return np.array(rows)


@pytest.mark.parametrize("name", DRIVEN)
def test_blocks_are_steps(name: str) -> None:
    """To the last bit; where actuators are many, sums over them are in another order."""
    path, drives = ROOT / f"worlds/{name}.sdf", DRIVEN[name]
    with engine_of(path, drives) as engine:
        expected = one_by_one(engine, STEPS)
        end = engine.snapshot()
    with engine_of(path, drives) as engine:
        rows, extremes = in_blocks(engine, STEPS)
        places = engine.places
        np.testing.assert_allclose(rows, expected, rtol=1e-12, atol=1e-13 if len(engine.actuation.actuators) else 0.0)
        assert engine.snapshot().time == end.time
        np.testing.assert_allclose(
            engine.snapshot().row(engine.mechanism, engine.actuation.actuators), expected[-1], rtol=1e-12, atol=1e-13
        )
    seen = Extremes()
    for row in rows:
        seen.see(row, places)
    assert extremes.values.tolist() == seen.values.tolist()


@pytest.mark.parametrize("at_once", [1, 2, 7, STEPS - 1])
def test_lengths_of_blocks_change_nothing(at_once: int) -> None:
    """To the last bit: how many steps are made at once follows from how long they take. Here actuators push with
    efforts over time, which are added up on the axes."""
    drives = "actuator/left_motor=effort:sine(0.15, 3)", "actuator/right_motor=effort:sine(0.1, 5)"
    with engine_of(ROOT / "worlds/wrist.sdf", drives) as engine:
        expected, _ = in_blocks(engine, STEPS, at_once=STEPS)
    with engine_of(ROOT / "worlds/wrist.sdf", drives) as engine:
        rows, _ = in_blocks(engine, STEPS, at_once=at_once)
    np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize(("name", "drives", "steps"), [
    ("geneva", ("crank_joint=velocity:10",), 300), ("gripper", (), 1200),
])  # fmt: skip
def test_blocks_with_contacts_are_steps(name: str, drives: tuple[str, ...], steps: int) -> None:
    """The bodies are not read in between: their places are up to date all the same, also of those that move in
    closed form, as a crank does that nothing else is hung on."""
    path = ROOT / f"worlds/{name}.sdf"
    with engine_of(path, drives, solver="rows") as engine:
        expected = one_by_one(engine, steps)
        touched = len(engine.contacts())
    with engine_of(path, drives, solver="rows") as engine:
        rows, _ = in_blocks(engine, steps, at_once=1000)
        assert len(engine.contacts()) == touched
    np.testing.assert_allclose(rows, expected, rtol=1e-9, atol=1e-11)
    assert touched


@pytest.mark.parametrize("name", ["four_bar", "stewart", "planetary"])
def test_rows_are_what_poses_and_velocities_say(name: str) -> None:
    """The residuals and energies of compiled code beside those that are measured body by body."""
    with engine_of(ROOT / f"worlds/{name}.sdf", DRIVEN[name]) as engine:
        in_blocks(engine, STEPS)
        snapshot, mechanism = engine.snapshot(), engine.mechanism
        placed, meter = matrices(snapshot.body_poses), EnergyMeter(mechanism)
        np.testing.assert_allclose(
            snapshot.coupling_residual, CouplingRows(mechanism).residuals(snapshot.position), atol=1e-14
        )
        np.testing.assert_allclose(snapshot.loop_residual, LoopRows(mechanism).residuals(placed), atol=2e-15)
        assert snapshot.energy.kinetic == pytest.approx(meter.kinetic(placed, snapshot.body_velocities), rel=1e-12)
        springs = PassiveEfforts(mechanism).spring_energy(snapshot.position)
        assert snapshot.energy.potential == pytest.approx(meter.potential(placed) + springs, rel=1e-12)


OPEN = {
    "ball": "",
    "fixed": "",
    "revolute": "<axis><xyz>0 0 1</xyz></axis>",
    "prismatic": "<axis><xyz>1 0 0</xyz></axis>",
    "universal": "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0.6 0.8</xyz></axis2>",
    "screw": "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.01</screw_thread_pitch>",
}


@pytest.mark.parametrize("kind", OPEN)
def test_residuals_of_torn_loops(write_document: Callable[..., Path], kind: str) -> None:
    """Every kind of loop joint at random poses, where nothing closes it, beside what is measured from the poses of
    bodies."""
    parts = [link("a"), link("b", pose="0.3 0.1 0 0.2 0.3 0.4"), joint("j", "ball", parent="world", child="a")]
    parts += [joint("k", "prismatic", parent="world", child="b", axis="1 0 0")]
    closing = f'<joint name="c" type="{kind}"><parent>a</parent><child>b</child>{OPEN[kind]}'
    parts += [f"{closing}<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics></joint>"]
    mechanism = open_document(write_document(world(model("m", *parts)))).mechanism
    compiled, random = CompiledMechanism(mechanism), np.random.default_rng(5)
    assert len(mechanism.loop_joints) == 1
    places = RowPlaces(len(mechanism.axes), len(mechanism.couplings), 1, 0, loose=1)
    table, row = (
        watch_of(compiled, np.zeros((0, 0)), np.zeros((0, len(mechanism.axes))), np.zeros(0)),
        np.zeros(places.width),
    )
    for _ in range(20):
        pose = np.eye(4)
        pose[:3, :3] = matrix_from_quat(tuple(unit(random.normal(size=4))))
        position = random.uniform(-1.0, 1.0, len(mechanism.axes))
        nothing = np.zeros(len(mechanism.axes))
        compiled.put(JointState(position, nothing, pose[None], np.zeros((1, 6))))
        watch(compiled.F, compiled.N, table, row)
        measured = LoopRows(mechanism).residuals(matrices(compiled.read_bodies()[0]))
        np.testing.assert_allclose(row[places.loop : places.energy], measured[0], rtol=1e-12, atol=1e-14)


def unit(vector: Array) -> list[float]:
    return [float(part) for part in vector / np.linalg.norm(vector)]


@pytest.mark.parametrize("stride", [1, 7, 500])
def test_every_so_many_steps_are_recorded(stride: int) -> None:
    with engine_of(ROOT / "worlds/four_bar.sdf", DRIVEN["four_bar"]) as engine:
        rows, _ = in_blocks(engine, STEPS, stride=stride, at_once=41)
    expected = np.arange(stride, STEPS + 1, stride) * 0.001
    np.testing.assert_allclose(rows[:, 0], expected, rtol=1e-15)


def test_a_block_ends_at_the_last_good_step() -> None:
    """Driven past what its links reach: the block ends before, the next step alone says why, and what was recorded is
    that of single steps. The step that a drive begins with is made alone.
    At 2 rad/s the rocker is at its dead point, -0.0257 rad from the start, after 12.8 ms: the loop comes open in the
    fourteenth step."""
    path, drives = ROOT / "worlds/four_bar.sdf", ("rocker_joint=velocity:-2",)
    with engine_of(path, drives) as engine:
        expected = one_by_one(engine, 13)
        with pytest.raises(JammedError, match=r"at 0\.013\d+ s") as alone:
            engine.step()
    with engine_of(path, drives) as engine:
        extremes = Extremes()
        _, first = engine.advance(1000, extremes, stride=1)
        made, rows = engine.advance(1000, extremes, stride=1, phase=1)
        assert (made, engine.steps) == (12, 13)
        np.testing.assert_array_equal(np.concatenate((first, rows)), expected)
        with pytest.raises(JammedError) as together:
            engine.advance(1000, extremes, stride=1)
        assert str(together.value) == str(alone.value)
        assert engine.snapshot().step == 13
        np.testing.assert_array_equal(engine.row(), expected[-1])


def test_integrals_go_on_from_block_to_block(write_document: Callable[..., Path]) -> None:
    """A loop that holds a weight: its integral gives what P leaves, m g = 9.8 N at rest."""
    parts = [link("a"), joint("j", "prismatic", parent="world", child="a", axis="0 0 1")]
    path = write_document(world(model("m", *parts)))
    with engine_of(path, ("j=position:0.1,pid(p=400,i=2000,d=60)",)) as engine:
        rows, _ = in_blocks(engine, 4000, at_once=33)
    assert rows[-1, 1] == pytest.approx(0.1, abs=1e-6)
    assert rows[-1, 3] == pytest.approx(9.8, rel=1e-6)


def test_where_the_parts_of_a_row_are() -> None:
    places = RowPlaces(axes=2, couplings=3, loops=1, actuators=1)
    assert (places.coupling, places.loop, places.energy, places.actuator, places.width) == (7, 10, 12, 20, 23)
