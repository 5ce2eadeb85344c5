"""scripts/test: every stage runs whatever happens to the others, and the last line is pytest's count."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.checkout import Checkout

STAGES = ("ruff format", "ruff", "mypy", "import contracts", "docs", "pytest", "package", "bounds")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.environment_ready("dev")
    for tool in ("ruff", "mypy", "lint-imports", "mkdocs"):
        made.command(tool, f'echo "{tool} was here"', folder=made.root / ".venv/bin")
    made.command("Xvfb", "echo 77 >&3; exec sleep 60")
    made.command("ldd")
    made.command("ldconfig", "echo libEGL.so.1 libGL.so.1 libEGL_mesa.so.0")
    return made


def test_all_stages_pass(checkout: Checkout) -> None:
    result = checkout.run("scripts/test")
    assert result.returncode == 0, result.stdout + result.stderr
    assert [line[4:] for line in result.stdout.splitlines() if line.startswith("=== ")] == [*STAGES, "summary"]
    assert result.stdout.splitlines()[-1] == "===== 3 passed, 1 skipped in 0.12s ====="
    assert checkout.calls_of("ruff") == ["ruff format --check .", "ruff check ."]
    (built,) = checkout.calls_of("mkdocs")
    assert built.startswith("mkdocs build --strict --site-dir ")
    assert "--quiet" not in built, "mkdocs counts no warnings that it does not print"


def test_a_failure_does_not_stop_the_next_stage(checkout: Checkout) -> None:
    checkout.command("mypy", "exit 1", folder=checkout.root / ".venv/bin")
    result = checkout.run("scripts/test")
    assert result.returncode == 1
    outcomes = {
        stage: line.split()[-3]
        for stage in STAGES
        for line in result.stdout.splitlines()
        if line.startswith(f"{stage} ")
    }
    assert outcomes["mypy"] == "FAILED"
    assert outcomes["pytest"] == outcomes["import contracts"] == "ok"
    assert result.stdout.splitlines()[-1].endswith("in 0.12s =====")


def test_a_check_that_runs_beside_others_is_shown_in_its_place_and_fails_the_run(checkout: Checkout) -> None:
    result = checkout.run("scripts/test", FAKE_PACKAGE_CODE="3")
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert lines[lines.index("=== package") + 1] == "packed"
    assert re.search(r"^package +FAILED", result.stdout, re.MULTILINE)
    assert re.search(r"^pytest +ok", result.stdout, re.MULTILINE)


def test_the_shortest_half_of_physics_runs_with_bounds(checkout: Checkout) -> None:
    checkout.run("scripts/test")
    calls = [call for call in checkout.calls_of("python") if " pytest " in call]
    (written,) = re.findall(r"--durations-to=(\S+)", calls[0])
    assert calls[1].endswith(f"--shortest-half={written} tests/physics")


def test_failing_tests_fail_the_run(checkout: Checkout) -> None:
    assert checkout.run("scripts/test", FAKE_PYTEST_CODE="1").returncode == 1


def test_arguments_go_to_pytest_alone(checkout: Checkout) -> None:
    result = checkout.run("scripts/test", "-k", "rack", FAKE_PYTEST_CODE="5")
    assert result.returncode == 5
    assert checkout.calls_of("python")[-1] == "python -m pytest -k rack"
    assert checkout.calls_of("mypy") == []


def test_a_screen_that_does_not_start_is_said(checkout: Checkout) -> None:
    checkout.command("Xvfb", "echo 'no such extension' >&2; exit 1")
    result = checkout.run("scripts/test")
    assert result.returncode == 1
    assert "Xvfb) did not start" in result.stderr
    assert "no such extension" in result.stderr


def test_all_that_is_missing_is_told_at_once_and_before_anything_takes_minutes(checkout: Checkout) -> None:
    """On a bare system without PyBullet's wheel, a user without the right to install gets one request for help."""
    (checkout.root / "pyproject.toml").write_text('bullet = ["pybullet==3.2.7"]\n', encoding="utf-8")
    for name, text in {"id": "echo 1000", "sudo": "exit 1", "apt-get": "", "apt-cache": "echo Package: it"}.items():
        checkout.command(name, text)
    checkout.command("ldconfig", "echo libGL.so.1 libEGL_mesa.so.0")
    result = checkout.run("scripts/test", FAKE_NO_BULLET="1")
    assert result.returncode == 1
    assert "compiling PyBullet" not in result.stderr
    (told,) = [line for line in result.stderr.splitlines() if "apt-get install -y" in line]
    assert {"libegl1", "python3.11-dev"} <= set(told.split())
