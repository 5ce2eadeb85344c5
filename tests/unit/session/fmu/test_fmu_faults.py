"""What an FMU refuses, and how it fails: by a status and a message, without a crash."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

from simulator.engine import stepping
from simulator.errors import UsageError
from simulator.native import library
from simulator.session.fmu.archive import fmu_of
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.text.settings import typed_settings
from tests.physics.loops_in_a_plane import document
from tests.physics.test_steps_in_halves import NARROW, SPEED
from tests.unit.session.fmu.conftest import Imported, Instance, Made

Change = Callable[[Imported], None]


def refused(instance: Instance, call: Callable[[], object]) -> str:
    """The message of a call that fails."""
    with pytest.raises(FMICallException, match="status 3"):
        call()
    return instance.said[-1]


def test_a_jam_is_an_error_and_the_state_that_of_the_last_good_step(made: Made) -> None:
    """A crank of Peaucellier's linkage that turns on against the end of what its bars can reach: `simulator run` with
    this drive ends at 0.503 s, too."""
    imported = made("peaucellier", "crank_joint=velocity:1", fmi=3)
    instance = imported.instance()
    instance.step(0.1, 5)
    said = refused(instance, lambda: instance.step(0.1))
    assert said == "at 0.503 s: jammed or run away: not even 64ths of a step close the loops"
    assert instance.get("time") == pytest.approx(0.503)
    engine = imported.engine()
    engine.make_steps(503)
    np.testing.assert_array_equal(instance.row(), engine.row()[1:])


def test_a_step_is_made_in_halves_as_the_engine_does(
    made: Made, write_document: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A four-bar that passes by a change point; single steps of an engine are made by other code than those of a block:
    after its first one both may differ by rounding, which grows a thousandfold there."""
    halved: list[int] = []
    halve = stepping.Stepper._step_in_halves

    def noted(stepper: stepping.Stepper, halvings: int) -> None:
        halved.append(halvings)
        halve(stepper, halvings)

    monkeypatch.setattr(stepping.Stepper, "_step_in_halves", noted)
    imported = made(write_document(document(NARROW)), velocity=(f"m::j0={SPEED}",))
    instance, engine = imported.instance(), imported.engine()
    instance.step(0.01, 25)
    engine.make_steps(250)
    assert halved
    np.testing.assert_allclose(instance.row(), engine.row()[1:], rtol=1e-9, atol=1e-9)


def test_a_motor_that_another_one_contradicts_is_named(made: Made) -> None:
    """Two drives that contradict each other on one loop, both without an effort limit."""
    imported = made("four_bar", "crank_joint=velocity:1", "rocker_joint=velocity:1", fmi=3)
    instance = imported.instance()
    said = refused(instance, lambda: instance.step(0.1, 5))
    assert "a drive cannot change 'joint." in said


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("crank.mass", -1.0, "'crank.mass' cannot be -1: it is from "),
        ("crank.mass", np.nan, "'crank.mass' cannot be nan"),
        ("drive.crank_joint.effort", np.inf, "'drive.crank_joint.effort' cannot be inf"),
        ("joint.crank_joint.position", 0.0, "no input or parameter has the value reference 1"),
    ],
)
def test_numbers_that_cannot_be_are_refused(made: Made, name: str, value: float, message: str) -> None:
    instance = made("four_bar", fmi=3).instance()
    instance.fmu.reset()
    assert message in refused(instance, lambda: instance.set({name: value}))


def test_parameters_are_fixed_after_initialization(made: Made) -> None:
    instance = made("four_bar", fmi=3).instance()
    assert "fixed after initialization" in refused(instance, lambda: instance.set({"crank.mass": 1.0}))


@pytest.mark.parametrize(("time", "length"), [(0.0, 0.0), (0.0, -0.1), (0.0, np.nan), (np.inf, 0.1), (0.5, 0.1)])
def test_steps_that_cannot_be_made_are_refused(made: Made, time: float, length: float) -> None:
    instance = made("four_bar", fmi=3).instance()
    start = instance.row()
    assert "doStep" in refused(instance, lambda: instance.fmu.doStep(time, length))
    np.testing.assert_array_equal(instance.row(), start)


def test_loads_over_time_need_multiples_of_the_step(made: Made, write_document: Callable[..., Path]) -> None:
    load = '<simulator:load link="four_bar::coupler" force="0 0 sine(amplitude=1,frequency=2)"/>'
    text = find_file("four_bar").read_text().replace("</world>", f"{load}</world>")
    imported = made(write_document(text), fmi=3)
    instance, engine = imported.instance(), imported.engine()
    assert len(engine.mechanism.loads.forces) == 1
    instance.step(0.01, 10)
    engine.make_steps(100)
    np.testing.assert_array_equal(instance.row(), engine.row()[1:])
    with pytest.raises(FMICallException, match="status 2"):
        instance.step(0.0015)
    assert (
        instance.said[-1] == "doStep: loads change over time here, so steps must be multiples of 0.001 s, not 0.0015 s"
    )
    instance.step(0.001)


def cut_short(imported: Imported) -> None:
    path = imported.folder / "resources" / "mechanism.bin"
    path.write_bytes(path.read_bytes()[:5000])


def of_another_program(imported: Imported) -> None:
    (imported.folder / "resources" / "mechanism.bin").write_bytes(b"something else" * 1000)


def gone(imported: Imported) -> None:
    shutil.rmtree(imported.folder / "resources")


@pytest.mark.parametrize(
    ("change", "message"),
    [(cut_short, "is damaged"), (of_another_program, "is damaged"), (gone, "cannot open")],
)
def test_a_resource_that_cannot_be_read_makes_no_instance(made: Made, change: Change, message: str) -> None:
    imported = made("four_bar", fmi=3)
    change(imported)
    said: list[str] = []
    with pytest.raises(Exception, match="instantiate"):
        imported.instance(said=said)
    assert message in said[-1]


def test_the_description_of_another_fmu_makes_no_instance(made: Made) -> None:
    said: list[str] = []
    with pytest.raises(Exception, match="instantiate"):
        made("four_bar", fmi=3).instance(token="0" * 32, said=said)
    assert said == ["modelDescription.xml and mechanism.bin are not of the same FMU"]


def test_its_binary_runs_on_every_processor(made: Made) -> None:
    """The least level of instructions, also where other libraries were built for this processor at the same time."""
    (binary,) = (made("four_bar").folder / "binaries").rglob(f"four_bar{library.SUFFIX}")
    about = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(str(binary)), "about")))
    assert [level["name"] for level in json.loads(about)["levels"]] in (["v2"], ["generic"])


WITH_LITTLE_MEMORY = """
import resource, sys
from fmpy.fmi3 import FMU3Slave
import fmpy
folder, token, name = sys.argv[1:]
def said(*message):
    print(message[-1].decode())
made = []
fmu = FMU3Slave(guid=token, unzipDirectory=folder, modelIdentifier=name, instanceName="one")
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 30_000_000, -1))
try:
    for _ in range(1000):
        fmu.instantiate(logMessage=said)
        made.append(fmu.component)
except Exception as error:
    print(type(error).__name__)
print(len(made) > 0)
"""


def test_too_little_memory_is_an_error(made: Made) -> None:
    """Instances until nothing is left of 30 MB: the last is refused."""
    if sys.platform != "linux":
        pytest.skip("memory is limited by RLIMIT_AS, which only Linux keeps to")
    imported = made("geneva", fmi=3)
    given = (str(imported.folder), imported.description.guid or imported.description.instantiationToken, "geneva")
    done = subprocess.run(
        [sys.executable, "-c", WITH_LITTLE_MEMORY, *given], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "no memory" in done.stdout
    assert done.stdout.endswith("True\n")


WITHOUT_THE_PROGRAM = """
import importlib.util, sys
sys.path.insert(0, sys.argv[1])
assert importlib.util.find_spec("simulator") is None
assert importlib.util.find_spec("numba") is None
import fmpy
rows = fmpy.simulate_fmu(sys.argv[2], stop_time=0.5, step_size=0.01, output_interval=0.01)
assert "simulator" not in sys.modules
print(*(float(number).hex() for number in list(rows[-1])[1:]))
"""
NEEDED = ("fmpy", "attr", "attrs", "jinja2", "markupsafe", "lark", "lxml", "msgpack", "numpy", "numpy.libs")


@pytest.mark.parametrize("fmi", [2, 3])
def test_it_runs_where_the_program_is_not(made: Made, tmp_path: Path, fmi: int) -> None:
    """In a Python that finds fmpy and what it imports, and nothing else: the bits of the engine."""
    import fmpy

    imported = made("gripper", fmi=fmi)
    site, packages = tmp_path / "site", Path(fmpy.__file__).parents[1]
    site.mkdir()
    for name in NEEDED:
        if (packages / name).exists():
            (site / name).symlink_to(packages / name)
    command = [sys.executable, "-I", "-S", "-c", textwrap.dedent(WITHOUT_THE_PROGRAM), str(site), str(imported.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env={"PATH": os.defpath})
    assert done.returncode == 0, done.stderr
    engine = imported.engine()
    engine.make_steps(500)
    assert [float.fromhex(number) for number in done.stdout.split()] == engine.row()[1:].tolist()


@pytest.mark.parametrize(
    ("name", "options", "drives", "message"),
    [
        ("four_bar", {"fmi": 1}, (), "FMI 1 is not written: versions are 2 and 3"),
        ("four_bar", {"parameters": ["crank.colour"]}, (), "no parameter is named 'crank.colour'"),
    ],
)
def test_what_cannot_be_written_is_refused(
    name: str, options: dict[str, object], drives: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        fmu_of(open_document(find_file(name)), typed_settings(drives, None), **options)  # type: ignore[arg-type]


def test_strategy_gear_has_no_fmu() -> None:
    pytest.importorskip("pybullet")
    with pytest.raises(UsageError, match="gear has no compiled steps"):
        fmu_of(open_document(find_file("gearbox")), typed_settings((), None, solver="gear"))
