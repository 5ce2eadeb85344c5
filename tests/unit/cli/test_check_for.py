"""`simulator check --for`: what other programs make of a document, in text, in JSON and in the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.app import run_app
from tests.helpers.program_documents import LIMIT, URDF, robot, ujoint, ulink


@pytest.fixture
def mimic(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF["mimic"][0].replace("<link", "\n<link").replace("<joint", "\n<joint"))
    return path


def test_findings_have_place_version_source_and_remedy(mimic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["check", str(mimic), "--for", "pinocchio"]) == 0
    told = capsys.readouterr().err
    assert f"{mimic}:6: warning[PROGRAM_IGNORES]: Pinocchio: the mimic of joint 'r::jb' is ignored" in told
    assert (
        "(4.1.0; pinocchio: include/pinocchio/parsers/urdf.hpp) (hint: call buildModelFromUrdf(…, mimic=True)" in told
    )


def test_several_programs_speak_in_turn(mimic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_app(["check", str(mimic), "--for", "mujoco", "--for", "gazebo", "--json"])
    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)["programs"]

    assert list(dict.fromkeys(item["program"] for item in found)) == ["mujoco", "gazebo"]
    assert {(item["program"], item["feature"], item["verdict"], item["line"]) for item in found} >= {
        ("mujoco", "mimic", "approximated", 6),
        ("gazebo", "mimic", "ignored", 6),
    }
    assert {item["code"] for item in found} == {"PROGRAM_IGNORES", "PROGRAM_APPROXIMATES"}
    assert all(item["version"] and item["remedy"] and (item["source"] or item["checked"] == "run") for item in found)


def test_without_for_nothing_is_said_of_programs(mimic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_app(["check", str(mimic), "--json"])
    assert "programs" not in json.loads(capsys.readouterr().out)


def test_strict_makes_errors_of_what_is_lost_but_not_of_what_is_approximated(mimic: Path) -> None:
    loop = mimic.with_name("bare.urdf")
    loop.write_text(robot(ulink("a"), ujoint("ja", "continuous", "world", "a", '<limit effort="5" velocity="9"/>')))

    assert run_app(["check", str(mimic), "--for", "gazebo"]) == 0
    assert run_app(["check", str(mimic), "--for", "gazebo", "--strict"]) == 1
    assert run_app(["check", str(loop), "--for", "pinocchio", "--strict"]) == 0


def test_like_findings_are_one_with_a_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arms.urdf"
    arms = [ulink(name) + ujoint(f"j{name}", "revolute", "world", name, LIMIT) for name in "abc"]
    path.write_text(robot(*arms))
    run_app(["check", str(path), "--for", "mujoco", "--json"])
    found = {item["feature"]: item for item in json.loads(capsys.readouterr().out)["programs"]}

    assert (found["velocity_limit"]["count"], found["velocity_limit"]["others"]) == (3, ["r::jb", "r::jc"])


def test_an_unknown_program_is_a_slip(mimic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["check", str(mimic), "--for", "gazbo"]) == 2
    assert "did you mean 'gazebo'?" in capsys.readouterr().err


def test_what_a_program_cannot_read_is_judged_as_it_would_be_converted(capsys: pytest.CaptureFixture[str]) -> None:
    run_app(["check", "four_bar", "--for", "mujoco", "--json"])
    first, *others = json.loads(capsys.readouterr().out)["programs"]

    assert (first["code"], first["line"], first["feature"]) == ("PROGRAM_REFUSES", 1, "document")
    assert first["remedy"].endswith("-o four_bar.mjcf")
    assert "loop" in {item["feature"] for item in others}
