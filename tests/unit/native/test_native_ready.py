"""Libraries when they are needed: what happens where one is missing, damaged, not wanted, or made meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simulator.native import library, ready
from simulator.native.kernels import Kernel, Repeated, entry
from simulator.native.library import file_name, home
from simulator.native.ready import Making
from simulator.native.whole import read_whole, write_whole
from tests.helpers.repository import ROOT


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As at the start of a program."""
    monkeypatch.setattr(ready, "_loaded", {})
    monkeypatch.setattr(ready, "_background", None)


def run_four_bar(**environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "simulator", "run", "four_bar", "--duration", "0.01"]
    surroundings = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)


def test_a_file_that_was_changed_is_none(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    write_whole(path, b"content")
    assert read_whole(path) == b"content"
    for damaged in (b"", b"x", path.read_bytes()[:-1], b"d" + path.read_bytes()[1:]):
        path.write_bytes(damaged)
        assert read_whole(path) is None
    assert read_whole(tmp_path / "missing") is None
    assert [one.name for one in tmp_path.iterdir()] == ["kept"]


def test_a_library_says_what_it_was_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ready.needed("motion")
    assert found is not None
    assert found.level in {"v2", "v3", "generic"}
    monkeypatch.setattr(library, "stamp", lambda: "another")
    assert library._read(found.path) is None


def test_a_damaged_library_is_made_again(tmp_path: Path) -> None:
    """From cached functions, in seconds: the cache is complete here, the library is not."""
    assert ready.needed("motion") is not None
    (tmp_path / "functions").symlink_to(home() / "functions")
    content = bytearray((home() / file_name("motion")).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / file_name("motion")).write_bytes(content)
    done = run_four_bar(SIMULATOR_KERNELS_FOLDER=str(tmp_path))
    assert done.returncode == 0
    assert "kernels made ready in" in done.stderr
    assert "kernels" not in run_four_bar(SIMULATOR_KERNELS_FOLDER=str(tmp_path)).stderr


def test_where_nothing_can_be_made_kernels_run_as_python(
    nothing_loaded: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ready, "read", lambda _: None)
    monkeypatch.setattr(ready.importlib.util, "find_spec", lambda _: None)
    assert ready.needed("motion") is None
    assert ready.needed("motion") is None
    said = capsys.readouterr().err
    assert said.count("pip install simulator[compile]") == 1
    assert "they run as Python, hundreds of times slower" in said


def test_a_build_that_fails_is_said_with_its_reason(
    nothing_loaded: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ready, "read", lambda _: None)
    monkeypatch.setattr(ready, "make", lambda *_: "no linker: install gcc")
    assert ready.needed("motion") is None
    assert "kernels cannot be compiled (no linker: install gcc)" in capsys.readouterr().err


def test_who_wants_python_gets_python(nothing_loaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(library.KERNELS, "python")
    assert ready.needed("motion") is None
    assert ready.make_in_background() is None


@entry("motion")
def doubled(a: Any) -> float:
    """A kernel that exists as Python only; libraries of the tests answer for it."""
    return 2.0 * float(a[0])


def test_a_kernel_becomes_machine_code_when_it_is_there(nothing_loaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python before, the library's code after, for who has called it before, too."""
    monkeypatch.setitem(ready._loaded, "motion", None)
    own, values = Repeated(doubled), np.array([3.0])
    assert (doubled(values), own(values)) == (6.0, 6.0)
    made = SimpleNamespace(call=lambda name, long: lambda *given: (name, given))
    monkeypatch.setitem(ready._loaded, "motion", made)
    assert doubled(values) == own(values) == ("doubled", (values,))


def test_every_thread_has_a_table_of_its_own(nothing_loaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[set[int]] = []

    def call(_: str, *, long: bool) -> Any:
        inside: set[int] = set()
        tables.append(inside)

        def called(number: int) -> int:
            assert not inside, "another thread is at work with this table"
            inside.add(number)
            time.sleep(1e-3)
            inside.remove(number)
            return number

        return called

    monkeypatch.setitem(ready._loaded, "motion", SimpleNamespace(call=call))
    kernel, found = Kernel(lambda number: -number, "motion"), list[int]()
    threads = [threading.Thread(target=lambda n=n: found.extend(kernel(n) for _ in range(20))) for n in range(4)]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(n for n in range(4) for _ in range(20))
    assert 1 <= len(tables) <= 4


def test_what_something_waits_for_is_made_first_and_shown(
    nothing_loaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rack needs nothing of contacts: that these are still being made is of no interest, and makes place for others.
    A gripper needs them as soon as there is motion."""
    took, go_on = list[Any](), threading.Semaphore(0)

    def make(part: str, listener: Any, *, nice: int) -> str:
        took.append((part, listener, nice))
        go_on.acquire()
        return ""

    def begun(count: int) -> Any:
        while len(took) < count:
            time.sleep(1e-3)
        return took[-1]

    monkeypatch.setattr(ready, "read", lambda part: f"library of {part}" if took else None)
    monkeypatch.setattr(ready, "make", make)
    background = ready.make_in_background()
    assert background is not None
    part, listener, nice = begun(1)
    assert (part, nice) == ("motion", 0)
    assert background.making is None, "nothing has been asked for"
    ready._loaded["motion"] = ready._loaded["sweeps"] = None
    listener(Making("motion", 40))
    assert background.making == Making("motion", 40)
    listener(Making("motion", 100))
    assert (ready.needed("motion"), background.making) == ("library of motion", Making("sweeps", 0))
    go_on.release()
    part, listener, nice = begun(2)
    assert (part, nice) == ("sweeps", 0)
    listener(Making("sweeps", 100))
    assert background.making is None
    go_on.release()
    part, _, nice = begun(3)
    assert (part, nice) == ("contacts", ready.LATER)
    assert background.making is None
    go_on.release()


def test_what_is_there_is_read_once(nothing_loaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by a physics process, which looks for everything before it begins."""
    seen = list[str]()
    monkeypatch.setattr(ready, "read", lambda part: seen.append(part) or f"library of {part}")
    assert ready.make_in_background() is None
    assert [ready.needed(part) for part in library.PARTS] == [f"library of {part}" for part in library.PARTS]
    assert ready.make_in_background() is None
    assert seen == [*library.PARTS]


def test_lines_come_every_few_seconds_and_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    for percent, seconds in ((0, 0.0), (1, 1.0), (10, 3.5), (20, 5.0), (30, 7.0)):
        ready.report_on_stderr(Making("contacts", percent, seconds))
    ready.report_on_stderr(Making("contacts", 100, 8.0, finished=True))
    assert capsys.readouterr().err.splitlines() == [
        "making kernels of contacts ready, once for this version: 0 %",
        "making kernels of contacts ready, once for this version: 10 %",
        "making kernels of contacts ready, once for this version: 30 %",
        "… kernels of contacts made ready in 8 s, kept on disk for the next time",
    ]


def test_an_owner_that_is_gone_leaves_its_table_to_others(
    nothing_loaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables: list[object] = []

    def call(_: str, *, long: bool) -> Any:
        def called(number: int) -> int:
            return number

        tables.append(called)
        return called

    monkeypatch.setitem(ready._loaded, "motion", SimpleNamespace(call=call))
    kernel = Kernel(lambda number: -number, "motion")
    for number in range(5):
        assert Repeated(kernel)(number) == number
    assert len(tables) == 1
    first, second = Repeated(kernel), Repeated(kernel)
    assert first(1) == second(1) == 1
    assert len(tables) == 2


def test_only_long_kernels_release_the_interpreter_lock() -> None:
    """ctypes holds it in calls of a `PyDLL`."""
    library = ready.needed("motion")
    assert library is not None
    flags = [type(code._code)._flags_ for code in (library.call("watch", long=False), library.call("watch"))]
    assert [flag & 4 for flag in flags] == [4, 0], "FUNCFLAG_PYTHONAPI of ctypes"
