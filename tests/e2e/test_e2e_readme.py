"""What the README shows can be run as it stands."""

from __future__ import annotations

import re

import pytest

from tests.helpers.command import python
from tests.helpers.repository import ROOT

SNIPPETS = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


def ran(snippet: str) -> str:
    """What a snippet prints in a process of its own."""
    return python("-c", snippet, cwd=ROOT)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=range(len(SNIPPETS)))
def test_snippets_run(snippet: str) -> None:
    assert ran(snippet)


def test_what_the_readme_prints_of_a_four_bar() -> None:
    """One degree of freedom, and a drive that keeps the books: the energy balance closes to the fifth order of the
    step."""
    (snippet,) = [text for text in SNIPPETS if "simulator.load" in text]
    lines = ran(snippet).splitlines()
    assert lines[0] == "1"
    assert abs(float(lines[-2].split()[-1])) < 1e-6
    assert float(lines[-1]) > 0.0
