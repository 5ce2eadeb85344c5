"""scripts/bench: the peers are installed once, under the project's own pins, and arguments go to the measurement."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.checkout import Checkout
from tests.helpers.repository import ROOT


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.environment_ready("dev")
    return made


def test_peers_are_installed_once_and_again_when_their_pins_change(checkout: Checkout) -> None:
    assert checkout.run("scripts/bench", "--json").returncode == 0
    assert checkout.run("scripts/bench", "--json").returncode == 0
    calls = checkout.calls_of("python")
    installs = [call for call in calls if "pip install" in call]
    assert len(installs) == 1
    assert installs[0].endswith(f"-e {checkout.root}[dev,bench]")
    assert f"-c {checkout.root}/constraints.txt -c {checkout.root}/scripts/bench_constraints.txt" in installs[0]
    assert calls[-1] == "python -m tests.benchmarks.speed --json"
    (checkout.root / "scripts/bench_constraints.txt").write_text("mujoco==5\n", encoding="utf-8")
    assert "installing MuJoCo" in checkout.run("scripts/bench").stderr


def test_a_failed_installation_is_said_and_tried_again(checkout: Checkout) -> None:
    failed = checkout.run("scripts/bench", FAKE_PIP_CODE="1")
    assert failed.returncode == 1
    assert "pip says hello" in failed.stderr
    assert checkout.run("scripts/bench").returncode == 0


def test_the_pins_leave_those_of_development_alone() -> None:
    def packages(path: Path) -> set[str]:
        lines = path.read_text(encoding="utf-8").splitlines()
        return {line.split("==")[0].strip() for line in lines if "==" in line and not line.startswith("#")}

    peers, ours = packages(ROOT / "scripts/bench_constraints.txt"), packages(ROOT / "constraints.txt")
    assert "drake" in peers
    assert {"mujoco", "pin"} <= ours, "tests compare with them"
    assert not peers & ours
