"""An FMU moves as the program does: the same machine code on the same numbers, so all comparisons are to the last bit
unless a test says why not."""

from __future__ import annotations

import io
import math
import zipfile
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from fmpy.validation import validate_fmu

from simulator.errors import MissingLibraryError
from simulator.mechanism.varied import varied
from simulator.session.commands.factory import make_engine
from simulator.session.fmu import archive
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.text.settings import typed_settings
from simulator.spatial.arrays import Array
from tests.helpers.repository import ROOT
from tests.unit.session.fmu.conftest import Imported, Made

WORLDS = sorted(path.stem for path in (ROOT / "worlds").glob("*.sdf"))
VALIDATED = {"backlash_arm", "belt_arm", "four_bar", "geneva", "mecanum", "planetary", "stewart", "wrist"}
"""With variables of every kind; fmpy's grammar of their names takes longer than all steps."""


def of_engine(imported: Imported, steps: int, count: int) -> Array:
    """Rows of the engine after every `steps` steps, the start first, without the time."""
    engine = imported.engine()
    rows = [engine.row()[1:]]
    for _ in range(count):
        engine.make_steps(steps)
        rows.append(engine.row()[1:])
    return np.array(rows)


def of_fmu(imported: Imported, length: float, count: int) -> Array:
    instance = imported.instance()
    rows = [instance.row()]
    for _ in range(count):
        instance.step(length)
        rows.append(instance.row())
    instance.close()
    return np.array(rows)


@pytest.mark.parametrize(("name", "fmi"), [*zip(WORLDS, cycle((2, 3))), ("four_bar", 2), ("four_bar", 3)])
def test_every_world_moves_as_its_engine(made: Made, name: str, fmi: int) -> None:
    """In one of the two versions, for both are made of the same model: `VERSIONS` differ in the names of calls."""
    imported = made(name, fmi=fmi)
    if name in VALIDATED:
        assert validate_fmu(str(imported.path)) == []
    np.testing.assert_array_equal(of_fmu(imported, 0.01, 20), of_engine(imported, 10, 20))


@pytest.mark.parametrize(
    "drive", ["velocity:1", "position:0.3", "effort:0.5", "position:0.2,pid(p=20,i=1,d=2)", "velocity:1,pid(p=5,i=1)"]
)
@pytest.mark.parametrize("name", ["four_bar", "worm_hoist", "stewart", "gripper", "geneva", "cam_valve"])
def test_what_is_driven_moves_as_its_engine(made: Made, name: str, drive: str) -> None:
    mechanism = open_document(find_file(name)).mechanism
    imported = made(name, f"{mechanism.axes[mechanism.independent_axes()[0]].name}={drive}")
    np.testing.assert_array_equal(of_fmu(imported, 0.01, 40), of_engine(imported, 10, 40))


@pytest.mark.parametrize(
    "drive", ["effort:0.3", "position:0.2,pid(p=20,i=1,d=2)", "velocity:0.4,pid(p=5,i=1)", "position:0.1"]
)
def test_actuators_are_inputs(made: Made, drive: str) -> None:
    imported = made("belt_arm", f"actuator/shoulder_motor={drive}")
    assert {"drive.shoulder_motor." + drive.partition(":")[0], "drive.elbow_motor.effort"} <= {*imported.of("input")}
    np.testing.assert_array_equal(of_fmu(imported, 0.01, 40), of_engine(imported, 10, 40))


@pytest.mark.parametrize("kind", ["velocity", "position", "effort"])
def test_an_input_acts_as_a_command_of_the_engine(made: Made, kind: str) -> None:
    """Every 10 ms another number, as a controller in Python gives it."""
    imported = made("four_bar", f"crank_joint={kind}:0.5")
    instance, engine = imported.instance(), imported.engine()
    axis = engine.mechanism.axis_index("crank_joint")
    assert axis is not None
    for k in range(30):
        value = 0.5 + 0.4 * math.sin(0.3 * k)
        if k:
            instance.set({f"drive.crank_joint.{kind}": value})
            engine.command(axis, value)
        instance.step(0.01)
        engine.make_steps(10)
        np.testing.assert_array_equal(instance.row(), engine.row()[1:])


def test_an_input_that_is_set_before_the_start_begins_with_it(made: Made) -> None:
    """The drive of 3 rad/s begins as one that the document had from the start."""
    instance = made("four_bar", "crank_joint=velocity:1").instance({"drive.crank_joint.velocity": 3.0})
    other = made("four_bar", "crank_joint=velocity:3")
    instance.step(0.01, 20)
    np.testing.assert_array_equal(instance.row(), of_engine(other, 200, 1)[-1])


def test_commands_stay_within_limits_of_their_axis(made: Made) -> None:
    """As the engine has it: gripper_joint's effort limit binds both."""
    imported = made("gripper")
    name = next(one for one in imported.of("input") if one.endswith(".effort"))
    variable = next(one for one in imported.description.modelVariables if one.name == name)
    most = float(variable.description.rpartition(" ")[2])
    ends = []
    for effort in (most, 50.0 * most):
        instance = imported.instance({name: effort})
        instance.step(0.01, 5)
        ends.append(instance.row())
    np.testing.assert_array_equal(*ends)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("four_bar", {"crank.mass": 0.25, "crank_joint.damping": 0.01}),
        ("four_bar", {"world.gravity.z": -1.62, "rocker_joint.spring_stiffness": 2.0, "coupler.mass": 0.5}),
        ("stewart", {"platform.mass": 3.0, "world.gravity.x": 0.5}),
        ("scissor_lift", {"platform.mass": 7.0}),
        ("mecanum", {"mecanum.platform.mass": 9.0}),
    ],
)
def test_parameters_make_the_mechanism_with_these_numbers(made: Made, name: str, values: dict[str, float]) -> None:
    """Against an engine of `varied`, which computes masses of bodies from their links in another order: 1e-9 of each
    number, 1e-12 near zero."""
    imported = made(name)
    assert {*values} <= {*imported.of("parameter")}
    opened = imported.opened
    scoped = {one.replace("mecanum.", "mecanum::"): value for one, value in values.items()}  # it has two models
    other = opened.with_mechanism(varied(opened.mechanism, opened.world, scoped))
    engine = make_engine(other, typed_settings((), None))
    instance = imported.instance(values)
    start = instance.row()
    np.testing.assert_allclose(start, engine.row()[1:], rtol=1e-12, atol=1e-13)
    instance.step(0.01, 20)
    engine.make_steps(200)
    np.testing.assert_allclose(instance.row(), engine.row()[1:], rtol=1e-9, atol=1e-12)
    plain = imported.instance()
    plain.step(0.01, 20)
    assert np.abs(plain.row() - instance.row()).max() > 1e-6


@pytest.mark.parametrize("fmi", [2, 3])
def test_outputs_show_parameters_before_the_start(made: Made, fmi: int) -> None:
    """In initialization mode: what a heavier crank has of potential energy, and a balance that begins there."""
    instance = made("four_bar", fmi=fmi).instance()
    before = instance.get("energy.potential")
    instance.fmu.reset()
    instance.fmu.enterInitializationMode()
    instance.set({"crank.mass": 1.0})
    assert instance.get("energy.potential") > before + 0.1
    instance.fmu.exitInitializationMode()
    instance.time = 0.0
    instance.step(0.01)
    assert abs(instance.get("energy.error")) < 1e-9


def test_chosen_parameters_are_the_only_ones(made: Made) -> None:
    assert made("four_bar", parameters=["crank.mass"]).of("parameter") == ["crank.mass"]


def test_ten_instances_at_once_do_not_see_each_other(made: Made) -> None:
    """In ten threads, each with another effort; fmpy's calls leave the interpreter's lock."""
    imported = made("four_bar")
    efforts = [0.05 * k for k in range(10)]
    instances = [imported.instance({"drive.crank_joint.effort": effort}) for effort in efforts]
    with ThreadPoolExecutor(10) as pool:
        for _ in range(20):
            [*pool.map(lambda one: one.step(0.01), instances)]
    for effort, instance in zip(efforts, instances, strict=True):
        alone = imported.instance({"drive.crank_joint.effort": effort})
        alone.step(0.01, 20)
        np.testing.assert_array_equal(instance.row(), alone.row())


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name", ["four_bar", "geneva"])
def test_a_state_comes_back_to_the_last_bit(made: Made, name: str, fmi: int) -> None:
    """Kept, serialized, and in another instance."""
    imported = made(name, fmi=fmi)
    instance, other = imported.instance(), imported.instance()
    get, put, write, read = (
        (instance.fmu.getFMUState, "setFMUState", instance.fmu.serializeFMUState, "deserializeFMUState")
        if fmi == 3
        else (instance.fmu.getFMUstate, "setFMUstate", instance.fmu.serializeFMUstate, "deSerializeFMUstate")
    )
    instance.step(0.01, 10)
    state = get()
    content = write(state)
    instance.step(0.01, 10)
    expected = instance.row()
    getattr(instance.fmu, put)(state)
    instance.time = 0.1
    instance.step(0.01, 10)
    np.testing.assert_array_equal(instance.row(), expected)
    getattr(other.fmu, put)(getattr(other.fmu, read)(content))
    other.time = 0.1
    other.step(0.01, 10)
    np.testing.assert_array_equal(other.row(), expected)
    assert write(get()) == write(get())


def test_reset_leads_to_the_start(made: Made) -> None:
    imported = made("four_bar")
    instance = imported.instance({"crank.mass": 0.5})
    instance.step(0.01, 10)
    instance.fmu.reset()
    instance.start({})
    instance.step(0.01, 10)
    np.testing.assert_array_equal(instance.row(), of_fmu(imported, 0.01, 10)[-1])


@pytest.mark.parametrize("length", [0.001, 0.002, 0.025, 0.1])
def test_multiples_of_the_step_give_the_same_bits(made: Made, length: float) -> None:
    imported = made("four_bar", "crank_joint=velocity:3")
    rows = of_fmu(imported, length, round(0.1 / length))
    np.testing.assert_array_equal(rows[-1], of_engine(imported, 100, 1)[-1])


@pytest.mark.parametrize("length", [0.0007, 0.0123, math.pi / 300])
def test_other_steps_end_where_they_are_asked_to(made: Made, length: float) -> None:
    """Divided into equal steps no longer than the mechanism's, so at least as close to the motion as its own steps are:
    those are off by 2e-7 of what moves here, seen against steps of a tenth. Loops are closed to round-off."""
    imported = made("four_bar")
    count = 30
    instance = imported.instance()
    instance.step(length, count)
    engine = make_engine(imported.opened, typed_settings((), None, dt=length / 100))
    engine.make_steps(100 * count)
    closed = [i for i, name in enumerate(imported.of("output")) if name.endswith(".residual_m")]
    np.testing.assert_allclose(instance.row()[closed], 0.0, atol=1e-14)
    position = imported.of("output").index("joint.crank_joint.position")
    np.testing.assert_allclose(instance.row()[position], engine.row()[1 + position], atol=1e-6)
    assert instance.time == pytest.approx(length * count)


def test_a_file_is_the_same_for_the_same_document(made: Made) -> None:
    assert made("gripper").path.read_bytes() == made("gripper").path.read_bytes()


def test_binaries_of_other_systems_go_along(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each where its version of FMI looks for it."""
    built = {"linux-x86_64": b"1", "windows-x86_64": b"2", "macos-arm64": b"3", "linux-aarch64": b"4"}
    monkeypatch.setattr(archive, "fmus", lambda: built)
    opened = open_document(find_file("four_bar"))
    found = []
    for fmi in archive.VERSIONS:
        data = archive.fmu_of(opened, typed_settings((), None), fmi=fmi).data
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
        found.append([name.removeprefix("binaries/") for name in names if name.startswith("binaries/")])
    assert found == [
        ["linux64/four_bar.so", "win64/four_bar.dll", "darwin64/four_bar.dylib", "aarch64-linux/four_bar.so"],
        [
            "x86_64-linux/four_bar.so",
            "x86_64-windows/four_bar.dll",
            "aarch64-darwin/four_bar.dylib",
            "aarch64-linux/four_bar.so",
        ],
    ]


def test_without_compiled_kernels_there_is_no_fmu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "fmus", dict)
    with pytest.raises(MissingLibraryError, match="FMUs need compiled kernels"):
        archive.fmu_of(open_document(find_file("four_bar")), typed_settings((), None))


def test_a_drive_over_time_becomes_an_input(made: Made) -> None:
    imported = made("four_bar", "crank_joint=velocity:ramp(2,3,1)")
    assert imported.instance().get("drive.crank_joint.velocity") == 2.0


def test_names_beyond_letters_are_quoted(made: Made, tmp_path: Path) -> None:
    text = (ROOT / "worlds" / "four_bar.sdf").read_text().replace("crank_joint", "crank joint 1")
    path = tmp_path / "named.sdf"
    path.write_text(text)
    imported = made(path)
    assert "joint.'crank joint 1'.position" in imported.of("output")
    assert validate_fmu(str(imported.path)) == []
