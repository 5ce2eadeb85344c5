"""The plugin that runs the shortest half of the tests of physics once more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.durations import Recorder, shortest_half


def test_half_of_the_tests_are_chosen_and_what_is_new() -> None:
    seconds = {"a": 0.1, "b": 5.0, "c": 0.2, "d": 1.0, "elsewhere": 0.0}
    assert shortest_half(["a", "b", "c", "d"], seconds) == {"a", "c"}
    assert shortest_half(["a", "b", "c", "d", "new"], seconds) == {"a", "c", "new"}
    assert shortest_half(["new"], {}) == {"new"}


def test_preparing_and_clearing_away_count(tmp_path: Path) -> None:
    path = tmp_path / "durations"
    recorder = Recorder(path)
    for when in ("setup", "call", "teardown"):
        recorder.pytest_runtest_logreport(
            pytest.TestReport("a.py::b", ("a.py", 1, "b"), {}, "passed", None, when, duration=0.5)  # type: ignore[arg-type]
        )
    recorder.pytest_sessionfinish()
    assert json.loads(path.read_text(encoding="utf-8")) == {"a.py::b": 1.5}
