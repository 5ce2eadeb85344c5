"""Results of a run: files and tables with units, poses of links, and simulations that continue from it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import simulator
from simulator.errors import UnknownNameError, UsageError
from tests.helpers.documents import link, model, world

CRANK = "four_bar::crank_joint"
PUSH = {"crank_joint": simulator.effort(simulator.sine(0.3, 1.0))}


@pytest.fixture(scope="module")
def run() -> simulator.Run:
    return simulator.load("four_bar").run(0.5, drives=PUSH, every=0.01)


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four_bar", "wrist", "gripper"])
def test_a_recording_comes_back_from_its_file(name: str, tmp_path: Path) -> None:
    """To the last bit, with units; 17 digits are enough for that."""
    sim, file = simulator.load(name), tmp_path / "run.csv"
    run = sim.run(0.05, reactions=name != "wrist", every=0.01)
    run.to_csv(file)
    back = simulator.Run.from_csv(file, simulator.load(name))
    assert back.columns == run.columns
    np.testing.assert_array_equal(back.array, run.array)
    assert [back.unit(channel) for channel in back.channels] == [channel.unit for channel in run.columns]
    assert back.summary.steps == 50
    assert back.summary.simulated == pytest.approx(0.05)


def test_some_columns_are_enough(run: simulator.Run, tmp_path: Path) -> None:
    file = tmp_path / "part.csv"
    file.write_text(f"time,joint/{CRANK}/position\n0,1.5\n0.1,1.75\n")
    back = simulator.Run.from_csv(str(file), simulator.load("four_bar"))
    assert back["crank_joint/position"] == pytest.approx([1.5, 1.75])
    assert back.unit("crank_joint/position") == "rad"
    with pytest.raises(UsageError, match="the recording lacks joint/four_bar::coupler_joint/position"):
        back.poses("coupler")
    file.write_text("time\n")
    assert len(simulator.Run.from_csv(file, simulator.load("four_bar"))) == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is no recording: its first column must be 'time'"),
        (f"joint/{CRANK}/position,time\n1,0\n", "is no recording: its first column must be 'time'"),
        ("time,energy/work,energy/work\n0,1,1\n", "no column may come twice"),
        ("time,energy/wrok\n0,1\n", "no channel of this simulation is named 'energy/wrok'.*did you mean 'energy/work'"),
        ("time,energy/work\n0,1\n1\n", r"run.csv:3: this line has 1 columns, not the 2 of the header"),
        ("time,energy/work\n0,1\n1,fast\n", r"run.csv:3: 'fast' is not a number"),
        ("time,energy/work\n0,1\n\n2,2\n1,2\n", r"run.csv:5: the times must rise; 1 s comes after 2 s"),
        ("time,energy/work\nnan,1\n", "every sample needs a time"),
    ],
)
def test_what_is_no_recording_is_refused(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    file.write_text(content)
    with pytest.raises(UsageError, match=said):
        simulator.Run.from_csv(file, simulator.load("four_bar"))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    sim = simulator.load("four_bar")
    with pytest.raises(UsageError, match="there is no file"):
        simulator.Run.from_csv(tmp_path / "none.csv", sim)
    with pytest.raises(UsageError, match=r"is read for a simulation, simulator.load\(…\), and not str"):
        simulator.Run.from_csv(tmp_path / "none.csv", "four_bar")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="cannot be read: it is a folder"):
        simulator.Run.from_csv(tmp_path, sim)
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(UsageError, match="cannot be read"):
        simulator.Run.from_csv(tmp_path / "binary.csv", sim)


def test_an_unknown_column_is_a_name_error(tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    simulator.load("rack_and_pinion").run(0.002).to_csv(file)
    with pytest.raises(UnknownNameError, match="no channel of this simulation is named 'joint/"):
        simulator.Run.from_csv(file, simulator.load("four_bar"))


# -- tables ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "library"), [("to_pandas", "pandas"), ("to_arrow", "pyarrow"), ("to_xarray", "xarray")]
)
def test_libraries_that_are_not_there(
    method: str, library: str, run: simulator.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=f"{method} needs {library}.*pip install {library}"):
        getattr(run, method)()


def test_arrow_has_units_in_its_fields(run: simulator.Run) -> None:
    arrow = pytest.importorskip("pyarrow")
    table = run.to_arrow()
    assert isinstance(table, arrow.Table)
    assert table.column_names == list(run.channels)
    np.testing.assert_array_equal(table["time"].to_numpy(), run.time)
    assert table.field(f"joint/{CRANK}/velocity").metadata == {b"unit": b"rad/s"}


def test_a_frame_is_over_time_and_has_units(run: simulator.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a stand-in that keeps what it is given, for pandas need not be there."""
    frames = SimpleNamespace(
        Index=lambda values, name: (name, values),
        DataFrame=lambda array, index, columns: SimpleNamespace(array=array, index=index, columns=columns, attrs={}),
    )
    monkeypatch.setitem(sys.modules, "pandas", frames)
    frame = run.to_pandas()
    assert frame.index[0] == "time"
    np.testing.assert_array_equal(frame.index[1], run.time)
    np.testing.assert_array_equal(frame.array, run.array[:, 1:])
    assert frame.columns == list(run.channels[1:])
    assert frame.attrs["units"][f"joint/{CRANK}/effort"] == "N·m"


def test_a_dataset_is_over_time_and_has_units(run: simulator.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a stand-in, as above."""
    sets = SimpleNamespace(Dataset=lambda variables, coords: SimpleNamespace(variables=variables, coords=coords))
    monkeypatch.setitem(sys.modules, "xarray", sets)
    data = run.to_xarray()
    (dims, values, attrs) = data.variables[f"joint/{CRANK}/position"]
    assert (dims, attrs) == (("time",), {"units": "rad"})
    np.testing.assert_array_equal(values, run["crank_joint/position"])
    np.testing.assert_array_equal(data.coords["time"][1], run.time)


# -- poses -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "planetary", "bennett", "geneva", "wrist"])
def test_poses_are_those_of_the_simulation(name: str) -> None:
    """Products of the same matrices, up to rounding: of every link, at three samples."""
    sim = simulator.load(name)
    run = sim.run(0.2, every=0.1)
    poses = {link: run.poses(link) for link in sim.links}
    other = sim.copy()
    for i, time in enumerate(run.time):
        other.restore(run.moment(time))
        for moved, found in poses.items():
            np.testing.assert_allclose(found[i], other.pose(moved), atol=2e-12)


def test_a_link_that_falls() -> None:
    """g t² / 2 below its start, and spinning about z: place, turn and velocities are columns of their own."""
    sim = simulator.load(world(model("box", link("body", mass=2.0, pose="0 0 1 0 0 0"))))
    sim.set(twist={"body": (0.0, 0.0, 3.0, 0.5, 0.0, 0.0)})
    run = sim.run(0.4, every=0.01)
    X = run.poses("body")
    np.testing.assert_allclose(X[:, 2, 3], 1.0 - 4.9 * run.time**2, atol=1e-12)
    np.testing.assert_allclose(X[:, 1, 0], np.sin(3.0 * run.time), atol=1e-9)
    assert run["link/box::body/vz"][-1] == pytest.approx(-9.8 * 0.4)
    assert run["link/body/wz"] == pytest.approx(3.0)
    assert [run.unit(f"link/body/{part}") for part in ("x", "qw", "wx", "vx")] == ["m", "1", "rad/s", "m/s"]


@pytest.mark.parametrize("strategy", ["rows", "reduced", "gear"])
@pytest.mark.parametrize("name", ["stewart", "gripper", "mecanum"])
def test_balls_and_floating_links_are_recorded(name: str, strategy: str) -> None:
    """The platform of a hexapod on a ball joint, a box between fingers, wheels on a platform that floats; Bullet's
    floats of 32 bits tell quaternions to 1e-7."""
    sim = simulator.load(name, solver=strategy)
    run = sim.run(0.1, every=0.05)
    for part in sim.links:
        np.testing.assert_allclose(run.poses(part)[-1], sim.pose(part), atol=1e-6 if strategy == "gear" else 1e-12)
    there, state = run.moment(0.1).state, sim.moment.state
    np.testing.assert_allclose(there.loose_pose, state.loose_pose, atol=1e-6 if strategy == "gear" else 1e-12)
    np.testing.assert_allclose(there.loose_twist, state.loose_twist, atol=1e-6 if strategy == "gear" else 1e-11)


def test_what_a_recording_lacks_is_named(tmp_path: Path) -> None:
    sim, file = simulator.load("gripper"), tmp_path / "part.csv"
    run = sim.run(0.01)
    columns = [i for i, channel in enumerate(run.columns) if channel.name != "link/box::box/vz"]
    file.write_text("\n".join(",".join(map(str, row)) for row in (
        [run.channels[i] for i in columns], *run.array[:, columns].tolist())))  # fmt: skip
    part = simulator.Run.from_csv(file, sim)
    np.testing.assert_array_equal(part.poses("box"), run.poses("box"))
    with pytest.raises(UsageError, match="the recording lacks link/box::box/vz"):
        part.moment(0.0)
    with pytest.raises(UnknownNameError, match="no link is named 'nothing'"):
        run.poses("nothing")
    with pytest.raises(UsageError, match="a link is given by its name"):
        run.poses(1)  # type: ignore[arg-type]


# -- continuing --------------------------------------------------------------------------------------------------------


def test_a_simulation_goes_on_from_its_moment() -> None:
    """Clock and ledger included; motion to 1e-10, for positions are put onto the closed loop once more, and this
    four-bar makes a hundred thousand times the difference of it."""
    sim = simulator.load("four_bar")
    sim.run(0.3, drives=PUSH)
    moment, first = sim.moment, sim.run(0.2, drives=PUSH)
    sim.reset()
    sim.restore(moment)
    assert sim.time == pytest.approx(0.3)
    assert sim.energies["work"] == moment.work != 0.0
    again = sim.run(0.2, drives=PUSH)
    np.testing.assert_array_equal(again.time, first.time)
    np.testing.assert_allclose(again.array, first.array, atol=1e-8)
    np.testing.assert_allclose(again["crank_joint/position"], first["crank_joint/position"], atol=1e-10)


def test_a_simulation_goes_on_from_a_recording(tmp_path: Path) -> None:
    """Of a file as well: what the ledger held is in its columns."""
    sim, file = simulator.load("slider_crank"), tmp_path / "run.csv"
    whole = sim.run(0.4, drives={"crank_joint": simulator.effort(0.1)})
    whole.to_csv(file)
    other = simulator.load("slider_crank")
    other.restore(simulator.Run.from_csv(file, other).moment(0.15))
    rest = other.run(0.25, drives={"crank_joint": simulator.effort(0.1)})
    np.testing.assert_allclose(rest.time, whole.time[150:], atol=1e-12)
    np.testing.assert_allclose(rest.array, whole.array[150:], atol=1e-9)


def test_moments_that_cannot_be(run: simulator.Run) -> None:
    sim = simulator.load("four_bar")
    with pytest.raises(UsageError, match=r"there is no sample at 0\.123 s; the nearest is at 0\.12 s"):
        run.moment(0.123)
    with pytest.raises(UsageError, match="there is no sample at nan s"):
        run.moment(float("nan"))
    with pytest.raises(UsageError, match=r"a time .* must be a number"):
        run.moment("end")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"restore needs a moment, such as sim\.moment"):
        sim.restore(0.5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="the moment is of a mechanism with 4 axes, this one has 2 axes"):
        simulator.load("rack_and_pinion").restore(sim.moment)
