"""What the README shows can be run as it stands."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.helpers.command import surroundings
from tests.helpers.repository import ROOT

SNIPPETS = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


def ran(snippet: str) -> str:
    """What a snippet prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", snippet],
        cwd=ROOT,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("snippet", SNIPPETS, ids=range(len(SNIPPETS)))
def test_snippets_run(snippet: str) -> None:
    assert ran(snippet)


def test_the_researchers_snippet_keeps_its_promise() -> None:
    """Ten seconds of the crank-rocker lose less than 1e-7 of its largest kinetic energy, 0.72 J."""
    (snippet,) = [text for text in SNIPPETS if "CompiledMechanism" in text]
    lines = ran(snippet).splitlines()
    assert lines[0].startswith("1 1 ('four_bar::crank_joint',) 0.06")
    assert lines[1] == "four-bar: crank-rocker, open"
    error, gap = re.findall(r"-?\d\.?\d*e-?\d+", lines[2])
    assert abs(float(error)) < 7e-8
    assert float(gap) < 1e-12
