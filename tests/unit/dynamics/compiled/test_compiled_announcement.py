"""Nobody should wonder why the first start takes minutes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.dynamics.compiled import announce, bounded, step_kernels
from simulator.dynamics.compiled.announce import Compilation, announced_compilation, kernels_ready, report_on_stderr
from simulator.dynamics.stored_kernels import StoredKernels, listening


def said_when(monkeypatch: pytest.MonkeyPatch, *, cached: bool, compiling: bool) -> list[Compilation]:
    monkeypatch.setattr(announce, "is_cached", lambda *_: cached)
    monkeypatch.setattr(announce, "is_compiling", lambda: compiling)
    said: list[Compilation] = []
    with announced_compilation(said.append):
        pass
    return said


def test_the_first_compilation_is_announced_and_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = said_when(monkeypatch, cached=False, compiling=True)
    assert str(before).startswith(f"compiling {before.done} of {before.total} dynamics kernels, once for this version")
    assert str(after).startswith("… compiled in")
    assert (before.finished, after.finished, after.kept) == (False, True, False)


@pytest.mark.parametrize(("cached", "compiling"), [(True, True), (False, False)])
def test_nothing_is_said_where_nothing_is_compiled(
    monkeypatch: pytest.MonkeyPatch, cached: bool, compiling: bool
) -> None:
    assert said_when(monkeypatch, cached=cached, compiling=compiling) == []


def test_every_kernel_is_told_once_also_inside_of_another_announcement(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(announce, "is_cached", lambda *_: False)
    monkeypatch.setattr(announce, "is_compiling", lambda: True)
    kept = StoredKernels(step_kernels.advance.py_func, tmp_path)
    kept.disable()
    said: list[Compilation] = []
    with announced_compilation(said.append), announced_compilation(said.append):
        kept.save_overload((), None)
    kept.save_overload((), None)
    assert [told.finished for told in said] == [False, False, True]
    assert said[1].before == said[0].seconds == 0.0 < said[1].seconds


def test_kernels_are_counted() -> None:
    """Those that stand alone, of this folder; numba compiles one for each signature, of which there is one."""
    assert bounded.advance_bounded.__module__ in sys.modules, "with its module all kernels are there"
    done, total = kernels_ready()
    assert 0 <= done <= total
    source = Path(announce.__file__).parent
    loaded = [
        source / f"{name.rpartition('.')[2]}.py" for name in sys.modules if name.startswith(f"{announce.__package__}.")
    ]
    decorated = sum(path.read_text("utf-8").count("\n@compiled") for path in loaded)
    assert (total, total > 100) == (decorated, True)


def test_lines_come_at_the_start_at_the_end_and_every_few_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    first = Compilation(0, 9)
    times = [0.5, 2.9, 3.1, 5.9, 9.5]
    told = [replace(first, done=1 + i, seconds=now, before=times[i - 1] if i else 0.0) for i, now in enumerate(times)]
    for compilation in [first, *told, replace(first, done=9, seconds=9.6, before=9.5, finished=True, kept=True)]:
        report_on_stderr(compilation)
    counts = [line.split()[1] for line in capsys.readouterr().err.splitlines()]
    assert counts == ["0", "3", "5", "compiled"]


def test_a_listener_hears_of_what_is_compiled_and_then_no_more(tmp_path: Path) -> None:
    """In a process of its own, with a folder for compiled code that is empty; numba's own view of the order is what
    counts."""
    program = """
from simulator.dynamics.stored_kernels import listening
from simulator.algorithms.kernels.algebra import dot
import numpy as np
said = []
with listening(lambda: said.append(len(dot.overloads))):
    dot(np.ones(3), np.ones(3))
    dot(np.ones(3), np.ones(3))
print(said)
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[1]\n", "")


def test_a_listener_goes_also_when_the_compilation_fails() -> None:
    said: list[str] = []
    with pytest.raises(ValueError, match="no"), listening(lambda: said.append("a")):
        raise ValueError("no")
    with announced_compilation(lambda _: None):
        pass
    assert said == []
