"""`simulator compare` as a shell runs it: a table, an object, and exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.session.text.settings import SOLVERS
from tests.helpers.command import called, simulator
from tests.helpers.documents import gears, joint, link, model, world

CRANK = ("four_bar", "--duration", "0.05")


@pytest.fixture
def long_train(write_document: Callable[..., Path]) -> Path:
    """130 gears, more joints than one multibody of Bullet can hold."""
    return write_document(gears(130))


def test_a_table_of_all_strategies() -> None:
    done = simulator("compare", *CRANK)
    assert (done.returncode, "simulator:" in done.stderr) == (0, False)
    heading, *rows = done.stdout.splitlines()
    assert re.split(r"\s{2,}", heading.strip())[:5] == ["strategy", "loops m", "loops rad", "energy error", "steps/s"]
    assert [row.split()[0] for row in rows] == list(SOLVERS)
    gaps = {row.split()[0]: float(row.split()[1]) for row in rows}
    assert gaps["reduced"] < 1e-12
    assert gaps["gear"] > 1e-7


def test_one_object() -> None:
    done = called("compare", *CRANK, "--solvers", "reduced, gear,", "--dt", "0.0005", "--json")
    assert (done.returncode, "simulator:" in done.stderr) == (0, False)
    told = json.loads(done.stdout)
    assert (told["dt"], told["reference"]) == (0.0005, "reduced")
    assert [(row["solver"], row["steps"], row["contacts"]) for row in told["solvers"]] == [
        ("reduced", 100, False),
        ("gear", 100, True),
    ]
    assert all(row["steps_per_s"] > 0.0 for row in told["solvers"])


def test_drives_and_start_positions_are_everybodys() -> None:
    done = called(
        "compare", "gearbox_as_mimic", "--duration", "0", "--initial", "gearbox_input_joint=0.3", "--json", "--solvers",
        "gear,reduced"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [row["final"]["gearbox::gearbox_input_joint"] for row in json.loads(done.stdout)["solvers"]] == [0.3, 0.3]


def test_who_refuses_is_a_row_with_the_reason(long_train: Path) -> None:
    done = called("compare", long_train, "--duration", "0.002", "--solvers", "gear,reduced")
    assert done.returncode == 0, done.stderr
    remark = done.stdout.split("\ngear", 1)[1].split("\nreduced")[0]
    assert "Bullet holds at most 120 links" in re.sub(r"\s+", " ", remark)


def test_nobody_can_is_3(long_train: Path) -> None:
    done = called("compare", long_train, "--duration", "0.002", "--solvers", "gear", "--json")
    assert done.returncode == 3
    (row,) = json.loads(done.stdout)["solvers"]
    assert row["finished"] is False
    assert "none of these strategies" in done.stderr


def test_contacts_that_are_left_out_are_said() -> None:
    done = called("compare", "gripper", "--duration", "0.002", "--solvers", "reduced")
    assert done.returncode == 0
    assert "will pass through each other" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("four_bar", "--duration", "1", "--solvers", "gear,magic"), "no solver is named 'magic'"),
        (("four_bar", "--duration", "1", "--solvers", ","), "no strategy to compare. Available: rows, reduced, gear"),
        (("four_bar", "--duration", "-1"), "a duration of -1 s"),
        (("four_bar", "--duration", "1", "--drive", "elbow=effort:1"), "no axis is named 'elbow'"),
    ],
)
def test_wrong_usage_is_2(arguments: tuple[str, ...], says: str) -> None:
    done = called("compare", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_a_document_with_errors_is_1(write_document: Callable[..., Path]) -> None:
    path = write_document(world(model("m", link("a"), joint("j", "revolute", parent="b", child="a"))))
    done = called("compare", path, "--duration", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[" in done.stderr
