"""Arguments that are slips: one line on standard error that says what may be meant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator import __version__
from simulator.cli.app import run_app, with_default_command

COMMANDS = ("view", "run", "check")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["chek", "four_bar"], "did you mean `simulator check`?"),
        (["rnu", "four_bar", "--duration", "1"], "did you mean `simulator run`?"),
        (["four_baar"], "did you mean 'four_bar'?"),
        (["check", "four_bar", "griper"], "did you mean 'gripper'?"),
        (["describe", "nothing_like_it"], "Available: backlash_arm, belt_arm"),
        (["run", "four_bar"], "missing option '--duration' (`simulator run --help`"),
        (["run", "four_bar", "--duraton", "1"], "no such option: --duraton; did you mean --duration?"),
        (["view", "--paussed"], "did you mean --paused"),
        (["check"], "missing argument 'FILE...'"),
        (["check", "four_bar", "--resource-path", "/nowhere"], "'/nowhere' does not exist"),
    ],
)
def test_a_slip_is_2_and_a_line_that_helps(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(arguments) == 2
    told = capsys.readouterr()
    assert says in told.err
    assert told.err.startswith("simulator: ")
    assert (told.out, told.err.count("\n")) == ("", 1)


def test_a_document_goes_before_a_slip_of_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert with_default_command(["runs.sdf"], COMMANDS) == ["view", "runs.sdf"]
    (tmp_path / "chek").touch()
    assert with_default_command(["chek"], COMMANDS) == ["view", "chek"]
    assert with_default_command(["--paused"], COMMANDS) == ["view", "--paused"]
    assert with_default_command([], COMMANDS) == ["view"]


def test_with_verbose_the_version_says_what_kernels_run_as(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_app(["--version", "--verbose"]) == 0
    version, motion, *others = capsys.readouterr().out.splitlines()
    assert version == f"simulator {__version__}"
    assert re.fullmatch(r"kernels: .*motion-[0-9a-f]{16}\.so \(v[23]\)", motion)
    assert len(others) == 2
    monkeypatch.setenv("SIMULATOR_KERNELS", "python")
    assert run_app(["--verbose", "--version"]) == 0
    assert "kernels: Python" in capsys.readouterr().out


def test_the_version_is_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["--version"]) == 0
    assert capsys.readouterr() == (f"simulator {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["view", "grashof", "--step", "9"], "'5_grashof.lesson.toml' has steps 1 to 4, none with the number 9"),
        (["view", "four_bar", "--step", "2"], "--step is for lessons"),
    ],
)
def test_steps_that_a_lesson_does_not_have_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_app(arguments) == 2
    assert message in capsys.readouterr().err


def test_describe_lists_cables_with_what_they_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["describe", "crane"]) == 0
    told = capsys.readouterr().out
    assert "crane::pendant" in told
    assert "pulley crane::boom, pulley crane::hook" in told
