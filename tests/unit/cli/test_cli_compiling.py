"""How the compilation of kernels shows: a line every few seconds, or a bar."""

from __future__ import annotations

import io
import re
import sys
import threading
from dataclasses import replace

import pytest

from simulator.cli.compiling import Bar, Lines, compilation_shown
from simulator.dynamics.compiled.announce import Compilation

FIRST = Compilation(0, 9)


class Terminal(io.StringIO):
    """A terminal that keeps what it was told."""

    def isatty(self) -> bool:
        return True


def test_lines_go_on_while_a_single_kernel_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines(every=0.01)
    said, again = "", threading.Event()
    lines(FIRST)
    lines(replace(FIRST, done=4, seconds=7.0))
    while said.count("compiling 4 of 9") < 3 and not again.wait(0.01):
        said += capsys.readouterr().err
    lines(replace(FIRST, done=9, seconds=8.0, finished=True, kept=True))
    last = capsys.readouterr().err
    assert said.startswith("compiling 0 of 9 dynamics kernels, once for this version (less than a minute to go) …\n")
    assert re.search(r"compiling 4 of 9 [^\n]* … 7 s\n", said)
    assert last.endswith("… compiled in 8 s, kept on disk for the next time\n")


def test_nothing_is_said_and_nothing_runs_where_nothing_is_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    with compilation_shown() as show:
        assert isinstance(show, Lines)
    assert (capsys.readouterr().err, threading.active_count()) == ("", before)


def test_a_failure_ends_the_lines() -> None:
    def interrupted() -> None:
        with compilation_shown() as show:
            show(FIRST)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [thread.name for thread in threading.enumerate() if "compilation" in thread.name] == []


def test_a_terminal_gets_a_bar_and_then_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with compilation_shown() as show:
        assert isinstance(show, Bar)
        show(FIRST)
        told = terminal.getvalue()
        assert 0 <= told.rfind("\x1b[?25l") < told.rfind("\x1b[?25h"), "Ctrl-C ends the program and leaves a cursor"
        show(replace(FIRST, done=3, seconds=1.0))
        show(replace(FIRST, done=9, seconds=2.0, finished=True))
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    assert "3 of 9 dynamics kernels, once for this version" in plain
    assert plain.rstrip().endswith("… compiled in 2 s")
