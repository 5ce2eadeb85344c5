"""Identification from recordings: what was put in comes out, within the confidence that is stated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import simulator
from simulator.errors import UsageError
from simulator.studies.identification import Fit
from simulator.studies.optimise import optimise

TRUE = {
    "coupler.mass": 0.42,
    "rocker.length": 0.302,
    "crank_joint.damping": 0.004,
    "rocker_joint.friction": 0.03,
    "start": 0.32,
}
NOISE = 0.001
"""Standard deviation of both encoders [rad]."""
DRIVE = "effort:sine(0.4,2.0)"
STUDY: dict[str, Any] = {
    "document": "four_bar",
    "initial": {"crank_joint": "{start}"},
    "drives": {"crank_joint": DRIVE},
    "parameters": {
        "coupler.mass": {"uniform": [0.2, 0.8]},
        "rocker.length": {"uniform": [0.28, 0.32]},
        "crank_joint.damping": {"uniform": [0.0, 0.02]},
        "rocker_joint.friction": {"uniform": [0.0, 0.1]},
        "start": {"uniform": [0.0, 1.0]},
    },
}


@pytest.fixture(scope="module")
def recorded() -> simulator.Run:
    """0.5 s of a four-bar that is not the document's, under a known torque, at 200 Hz."""
    sim = simulator.load("four_bar")
    sim.set(crank_joint=TRUE["start"])
    own = {name: value for name, value in TRUE.items() if name != "start"}
    drive = simulator.effort(simulator.sine(0.4, 2.0))
    return sim.varied(own).run(0.5, every=0.005, drives={"crank_joint": drive})


def write_recording(path: Path, run: simulator.Run, seed: int) -> Path:
    """The columns `crank` and `rocker`, with noise."""
    noise = np.random.default_rng(seed).normal(scale=NOISE, size=(len(run.time), 2))
    angles = np.stack((run["crank_joint/position"], run["rocker_joint/position"]), axis=1) + noise
    rows = np.concatenate((run.time[:, None], angles), axis=1)
    np.savetxt(path, rows, delimiter=",", header="time,crank,rocker", comments="", fmt="%.17g")
    return path


def data(path: Path, deviation: float = NOISE) -> dict[str, Any]:
    channels = {
        "crank_joint/position": {"column": "crank", "deviation": deviation},
        "rocker_joint/position": {"column": "rocker", "deviation": deviation},
    }
    return {"file": str(path), "channels": channels}


def fit(table: dict[str, Any]) -> Fit:
    found = optimise(table)
    assert found.converged, found.ended
    assert found.fit is not None
    return found.fit


def test_five_parameters_are_recovered_within_their_confidence(recorded: simulator.Run, tmp_path: Path) -> None:
    """Twelve recordings with noise of seeds 0 to 11, friction, damping, mass, length and offset at once.

    Of each recording, z^T C^-1 z / 5 of the errors z and the stated covariance C has, in linear least squares, the
    distribution F(5, n - 5): the twelve are held against it by Kolmogorov and Smirnov's test, which is exact whatever
    the correlation of the parameters, and refuses one right program in a thousand. Of 60 intervals of 95 %, 57 are
    expected to hold the truth. Five of a recording are correlated, so that their number is spread more widely than a
    binomial one; were all five one, fewer than 9 of 12 recordings would have a probability of 0.2 %.
    """
    truth, scores, inside = np.array(list(TRUE.values())), [], 0
    for seed in range(12):
        found = fit({**STUDY, "data": data(write_recording(tmp_path / f"{seed}.csv", recorded, seed))})
        assert found.parameters == tuple(TRUE)
        covariance = found.correlation.array * np.outer(found.errors, found.errors)
        error = found.values - truth
        scores.append(error @ np.linalg.solve(covariance, error) / 5.0)
        inside += int(np.sum((found.low <= truth) & (truth <= found.high)))
        # chi^2 / degrees has a standard deviation of sqrt(2 / 197) = 10 %: five of these.
        assert found.deviation**2 == pytest.approx(1.0, abs=0.5)
    assert stats.kstest(scores, stats.f(5, found.degrees).cdf).pvalue > 1e-3
    assert inside >= 45


def test_without_noise_nothing_is_off(recorded: simulator.Run, tmp_path: Path) -> None:
    """The recording is of whole steps, so that nothing lies between samples. What is left is where least squares end,
    at a relative change of 1e-10, and `start` is nearest to that."""
    rows = np.stack((recorded.time, recorded["crank_joint/position"], recorded["rocker_joint/position"]), axis=1)
    path = tmp_path / "clean.csv"
    np.savetxt(path, rows, delimiter=",", header="time,crank,rocker", comments="", fmt="%.17g")
    found = fit({**STUDY, "data": data(path)})
    assert found.values == pytest.approx(list(TRUE.values()), rel=1e-6)
    assert any("better than stated" in text for text in found.warnings)


def test_a_parameter_in_its_logarithm(recorded: simulator.Run, tmp_path: Path) -> None:
    """The same minimum; the interval is of the logarithm, so that it is positive and not symmetric."""
    path = write_recording(tmp_path / "r.csv", recorded, 0)
    plain = fit({**STUDY, "data": data(path)})
    logs = {**STUDY["parameters"], "crank_joint.damping": {"log": [1e-4, 1.0]}}
    found = fit({**STUDY, "parameters": logs, "data": data(path)})
    # Both end where the sum of squares changes by less than 1e-10 of itself: far within a standard error.
    assert np.abs(found.values - plain.values) / plain.errors == pytest.approx(0.0, abs=1e-2)
    assert found.errors == pytest.approx(plain.errors, rel=1e-2)
    value, low, high = found.values[2], found.low[2], found.high[2]
    assert low * high == pytest.approx(value**2, rel=1e-12)


def test_a_global_search_before_least_squares(recorded: simulator.Run, tmp_path: Path) -> None:
    """From anywhere between the bounds: the same minimum as from the document."""
    path = write_recording(tmp_path / "r.csv", recorded, 1)
    few = {name: STUDY["parameters"][name] for name in ("coupler.mass", "start")}
    known = {name: TRUE[name] for name in TRUE if name not in few}
    table = {**STUDY, "parameters": {**known, **few}, "data": data(path), "samples": 400}
    near = fit(table)
    far = fit({**table, "objective": {"method": "differential_evolution"}})
    assert np.abs(far.values - near.values) / near.errors == pytest.approx(0.0, abs=1e-2)


def test_a_long_recording_by_way_of_its_parts(tmp_path: Path) -> None:
    """2 s of a linkage that turns over again and again: from the document, 20 % off, least squares of the whole end
    at three thousand deviations. Errors are those of the noise again: five of them, for either parameter."""
    true = {"coupler.mass": 0.42, "crank_joint.damping": 0.02}
    drive = simulator.effort(simulator.sine(0.4, 2.0))
    run = simulator.load("four_bar").varied(true).run(2.0, every=0.005, drives={"crank_joint": drive})
    bounds = {"coupler.mass": {"uniform": [0.2, 0.8]}, "crank_joint.damping": {"uniform": [0.0, 0.1]}}
    table = {"document": "four_bar", "drives": {"crank_joint": DRIVE}, "parameters": bounds}
    found = fit({**table, "data": data(write_recording(tmp_path / "r.csv", run, 0))})
    assert np.abs(found.values - list(true.values())) / found.errors == pytest.approx(0.0, abs=5.0)
    assert found.deviation == pytest.approx(1.0, abs=0.2)


def test_a_start_with_a_speed(tmp_path: Path) -> None:
    """Of a free fall from an unknown speed."""
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.1, velocity={"crank_joint": 1.5})
    path = write_recording(tmp_path / "r.csv", sim.run(0.2, every=0.005), 0)
    table: dict[str, Any] = {
        "document": "four_bar",
        "initial": {"crank_joint": "{start}"},
        "initial_velocity": {"crank_joint": "{speed}"},
        "parameters": {"start": {"uniform": [-0.5, 0.5]}, "speed": {"uniform": [0.0, 4.0]}},
    }
    found = fit({**table, "data": data(path)})
    assert np.abs(found.values - [0.1, 1.5]) / found.errors == pytest.approx(0.0, abs=5.0)


def swinging(tmp_path: Path) -> dict[str, Any]:
    """A heavy crank that turns under gravity, and the recording of its angle."""
    sim = simulator.load("slider_crank")
    sim.drive("crank_joint", None)
    run = sim.varied({"crank.com.x": 0.01, "crank.mass": 1.6}).run(0.4, every=0.01)
    rows = np.stack((run.time, run["crank_joint/position"]), axis=1)
    np.savetxt(tmp_path / "r.csv", rows, delimiter=",", header="time,angle", comments="", fmt="%.17g")
    channel = {"crank_joint/position": {"column": "angle", "deviation": 1e-3}}
    return {
        "document": "slider_crank",
        "drives": {"crank_joint": "effort:0"},
        "data": {"file": str(tmp_path / "r.csv"), "channels": channel},
    }


def test_what_cannot_be_told_apart_is_named(tmp_path: Path) -> None:
    """Mass m, centre c and inertia I of a link about a fixed pivot act as m c and I + m c^2 only: two combinations of
    three numbers. The mass of the base, which stays, acts on nothing."""
    bounds = {
        "crank.mass": {"uniform": [1.2, 2.0]},
        "crank.com.x": {"uniform": [-0.02, 0.03]},
        "crank.inertia.iyy": {"uniform": [0.0058, 0.0062]},
        "base.mass": {"uniform": [1.0, 5.0]},
    }
    found = optimise({**swinging(tmp_path), "parameters": bounds})
    assert found.fit is not None
    assert found.fit.warnings[0] == "nothing in the recording depends on base.mass"
    together = "the recording cannot distinguish crank.mass, crank.com.x, crank.inertia.iyy"
    assert found.fit.warnings[1].startswith(together)
    assert "no experiment with this mechanism can (Simulation.base_parameters)" in found.fit.warnings[1]
    assert np.isinf(found.fit.errors).all()
    assert np.isinf(found.fit.condition)


def test_a_fit_says_when_the_model_is_wrong(recorded: simulator.Run, tmp_path: Path) -> None:
    """Without friction and damping no mass makes the recording."""
    path = write_recording(tmp_path / "r.csv", recorded, 0)
    table = {**STUDY, "parameters": {"start": 0.32, "coupler.mass": {"uniform": [0.2, 0.8]}}, "data": data(path)}
    found = fit(table)
    assert found.deviation > 2.0
    assert any("the model is incomplete" in text for text in found.warnings)


def test_the_log_of_a_fit_goes_on_to_the_same_bytes(recorded: simulator.Run, tmp_path: Path) -> None:
    path = write_recording(tmp_path / "r.csv", recorded, 0)
    table = {**STUDY, "parameters": {**STUDY["parameters"], "rocker.length": 0.302}, "data": data(path)}
    whole = optimise(table, tmp_path / "out")
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    last = sorted((tmp_path / "out").glob("part-*"))[-1]
    last.unlink()
    again = optimise(table, tmp_path / "out", workers=2, resume=True)
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == before
    assert again.parameters == whole.parameters
    results = simulator.read_results(tmp_path / "out")
    assert np.nanmin(results["misfit"]) == pytest.approx(whole.measures["misfit"], rel=1e-6)
    assert "crank_joint/position@0.005" in results.measure_names


DATA = """document = "four_bar"
[parameters]
"coupler.mass" = { uniform = [0.2, 0.8] }
[data]
file = "r.csv"
[data.channels]
"crank_joint/position" = { column = "crank", deviation = 0.001 }
"""


@pytest.mark.parametrize(
    ("old", "new", "rows", "said"),
    [
        ('"r.csv"', '"s.csv"', "", r"study.toml:5: .*s.csv' cannot be read: No such file"),
        ("", "", "time,crank\n0,1\n0.1,x\n", r"study.toml:5: .*r.csv:3: 'x' is not a number"),
        ("", "", "time,crank\n0,1\n0.1\n", r"study.toml:5: .*r.csv:3: this line has 1 columns, not the 2"),
        ("", "", "time,crank\n0,1\n0.1,2\n0.1,2\n", r"study.toml:5: .*r.csv:4: times must rise"),
        ("", "", "time,cronk\n0,1\n0.1,2\n", r"study.toml:5: .*r.csv': no column is named 'crank'.*cronk"),
        ("", "", "time,crank\n0,1\n", r"study.toml:5: .*r.csv' has fewer than two samples"),
        ("0.001 }", "0 }", "", r"study.toml:7: the standard deviation of 'crank_joint/position' must be above 0"),
        ("[data.channels]", "[data.channel]", "", r"study.toml:6: data has no 'channel'.*did you mean 'channels'"),
        ('"crank_joint/', '"crank_jont/', "time,crank\n0,1\n0.1,2\n", r"no channel is named 'crank_jont/position'"),
    ],
)
def test_what_a_recording_says_wrongly(tmp_path: Path, old: str, new: str, rows: str, said: str) -> None:
    (tmp_path / "r.csv").write_text(rows, "utf-8")
    (tmp_path / "study.toml").write_text(DATA.replace(old, new), "utf-8")
    with pytest.raises(UsageError, match=said):
        optimise(tmp_path / "study.toml")


def test_constraints_are_not_for_least_squares(recorded: simulator.Run, tmp_path: Path) -> None:
    path = write_recording(tmp_path / "r.csv", recorded, 0)
    with pytest.raises(UsageError, match="least squares cannot hold constraints"):
        optimise({**STUDY, "constraints": ["misfit < 2"], "data": data(path)})


def test_a_window_of_the_recording_and_its_gaps(tmp_path: Path) -> None:
    """`start` is when the simulation begins; `every` thins; nan is no sample."""
    from simulator.studies.observations import Observations, read_recording

    times = np.round(np.arange(0.0, 2.0, 0.01), 10)
    values = np.where(np.arange(200) % 50 == 0, np.nan, times)
    np.savetxt(tmp_path / "r.csv", np.stack((times, values), axis=1), delimiter=",", header="time,x", comments="")
    found = read_recording(tmp_path / "r.csv", [("a/position", "x", 0.5)], start=1.0, every=0.1)
    assert found.times == pytest.approx(np.arange(10) / 10 + np.array([0.01, *[0.0] * 4, 0.01, *[0.0] * 4]))
    assert Observations((found,)).columns[:2] == ("misfit", "a/position@0.01")
    held = np.array(found.held(lambda _: np.array([1.0, 3.0]), np.array([0.0, 2.0])))
    assert held == pytest.approx(1.0 + found.times)
    assert Observations((found,)).misfit(held) == 0.0
    assert Observations((found, found)).misfit(np.concatenate((held, held + 0.5))) == pytest.approx(np.sqrt(0.5))


def test_several_recordings_in_one_fit(tmp_path: Path) -> None:
    """Two experiments with the same machine: a slow torque from one start, a fast one from another, of other lengths.
    Exact recordings give the numbers back; one of them alone determines less. By the normal equations the information
    of both is the sum: J^T J of the joint fit is that of the two."""
    own = {"coupler.mass": 0.42, "crank_joint.damping": 0.004}
    spans = {"coupler.mass": {"uniform": [0.2, 0.8]}, "crank_joint.damping": {"uniform": [0.0, 0.02]}}
    experiments = [("effort:sine(0.4,2.0)", 0.32, 0.5), ("effort:-0.3", 1.1, 0.3)]
    recordings: list[dict[str, Any]] = []
    for number, (drive, start, duration) in enumerate(experiments):
        sim = simulator.load("four_bar").varied(own)
        sim.set(crank_joint=start)
        sim.drive("crank_joint", simulator.effort(simulator.sine(0.4, 2.0)) if number == 0 else simulator.effort(-0.3))
        run = sim.run(duration, every=0.005)
        rows = np.stack((run.time, run["crank_joint/position"], run["rocker_joint/position"]), axis=1)
        path = tmp_path / f"{number}.csv"
        np.savetxt(path, rows, delimiter=",", header="time,crank,rocker", comments="", fmt="%.17g")
        recordings.append({**data(path), "initial": {"crank_joint": start}, "drives": {"crank_joint": drive}})
    table = {"document": "four_bar", "parameters": spans}
    joint = optimise({**table, "data": recordings})
    assert joint.fit is not None
    assert joint.fit.values == pytest.approx(list(own.values()), rel=1e-6)
    assert joint.fit.degrees == 2 * (101 + 61) - 2
    assert joint.results.measure_names[0] == "misfit"
    assert joint.results.measure_names[-1] == "rocker_joint/position@0.3#2"
    alone = [optimise({**table, "data": one}).fit for one in recordings]
    information = [_information(one) for one in (joint.fit, *alone) if one is not None]
    np.testing.assert_allclose(information[0], information[1] + information[2], rtol=1e-3)


def _information(fit: Fit) -> np.ndarray:
    """J^T J in the units of the parameters: the inverse of the covariance for residuals of deviation 1."""
    errors = fit.errors / fit.deviation
    return np.asarray(np.linalg.inv(fit.correlation.array * np.outer(errors, errors)))


def test_what_one_of_several_recordings_says_wrongly(recorded: simulator.Run, tmp_path: Path) -> None:
    good = data(write_recording(tmp_path / "r.csv", recorded, 0))
    with pytest.raises(UsageError, match=r"data has no 'drive'; there are .*did you mean 'drives'"):
        optimise({**STUDY, "data": [good, {**good, "drive": {}}]})
    with pytest.raises(UsageError, match="'data' must be a table"):
        optimise({**STUDY, "data": []})
    with pytest.raises(UsageError, match="no axis is named 'crnk'"):
        optimise({**STUDY, "data": [good, {**good, "initial": {"crnk": 0.1}}]})
