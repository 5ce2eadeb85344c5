"""A plugin of pytest: how long tests take, and the shortest half of them.

`-p tests.helpers.durations --durations-to FILE` writes the seconds of each test to a file; `--shortest-half FILE` runs
of the tests that are collected those that took at most the median of them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median_low

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("durations")
    group.addoption("--durations-to", type=Path, help="write the seconds of each test to this file")
    group.addoption("--shortest-half", type=Path, help="run those tests that took no longer than half of them did")


def pytest_configure(config: pytest.Config) -> None:
    path: Path | None = config.getoption("--durations-to")
    if path is not None and not hasattr(config, "workerinput"):  # the process that hears of all tests
        config.pluginmanager.register(Recorder(path))


class Recorder:
    """Adds up what preparing, running and clearing away takes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds = Counter[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration  # type: ignore[assignment]

    def pytest_sessionfinish(self) -> None:
        self._path.write_text(json.dumps(self._seconds), encoding="utf-8")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    path: Path | None = config.getoption("--shortest-half")
    if path is not None and path.exists():
        wanted = shortest_half([item.nodeid for item in items], json.loads(path.read_text(encoding="utf-8")))
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in wanted])
        items[:] = [item for item in items if item.nodeid in wanted]


def shortest_half(names: Sequence[str], seconds: Mapping[str, float]) -> set[str]:
    """Those of these tests that took no longer than the median, and those of which nothing is known."""
    known = [seconds[name] for name in names if name in seconds]
    most = median_low(known) if known else 0.0
    return {name for name in names if seconds.get(name, 0.0) <= most}
