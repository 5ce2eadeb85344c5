"""The table of `scripts/bench start`, and the changes of kernels that it makes."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.from_nothing import LEAF, ROOT_KERNEL, Measured, _change, as_markdown
from tests.helpers.repository import PACKAGE


def test_what_takes_longer_than_wanted_is_bold() -> None:
    measured = Measured()
    measured.add("quick", 0.5, 1.0)
    measured.add("slow", 39.71, 8.0, "µs")
    measured.add("peer", 11.7)
    rows = as_markdown(measured).splitlines()[-3:]
    assert rows == ["| quick | 0.5 s | 1 s |", "| slow | **39.7 µs** | 8 µs |", "| peer | 11.7 s |  |"]


def test_a_change_of_kernels_is_one_and_is_python(tmp_path: Path) -> None:
    for file in (LEAF, ROOT_KERNEL):
        path = tmp_path / "changed.py"
        before = (PACKAGE / file).read_text(encoding="utf-8")
        path.write_text(before, encoding="utf-8")
        _change(path)
        after = path.read_text(encoding="utf-8")
        assert after.count("_changed = 1") > 2
        compile(after, "changed.py", "exec")
