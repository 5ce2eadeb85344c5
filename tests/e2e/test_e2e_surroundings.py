"""What surrounds the command is broken: closed streams, little memory, libraries that end the program. One line, the
right exit code."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from simulator.cli.faults import report_fault
from tests.helpers.command import executable, simulator, surroundings
from tests.helpers.repository import ROOT


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of bash in which `simulator` is the command."""
    command = " ".join(map(shlex.quote, executable()))
    return subprocess.run(
        ["bash", "-c", f'set -o pipefail; simulator() {{ {command} "$@"; }}; {line}'],
        cwd=ROOT, env=surroundings(**environment), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize("command", ["describe four_bar", "describe --json four_bar", "convert four_bar", "--version"])
def test_data_for_a_closed_output_is_2(command: str) -> None:
    done = shell(f"simulator {command} >&-")
    assert (done.returncode, done.stderr) == (2, "simulator: cannot write standard output: Bad file descriptor\n")


def test_a_command_without_data_needs_no_output() -> None:
    done = shell("simulator check four_bar >&-")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "0 errors" in done.stderr


def test_no_file_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    """The lowest free number is that of the next file that is opened: what is printed would go into the recording."""
    done = shell(f"simulator run four_bar --duration 0.01 --csv {tmp_path}/out.csv <&- >&- 2>&-")
    assert done.returncode == 0
    rows = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert (len(rows), rows[0][:5]) == (12, "time,")
    assert len({row.count(",") for row in rows}) == 1


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
def test_remarks_that_nobody_hears_stop_nothing(stderr: str) -> None:
    done = shell(f"simulator describe four_bar {stderr}")
    assert (done.returncode, "Four" in done.stdout) == (0, True)
    assert shell(f"simulator check nothing {stderr}").returncode == 2


@pytest.mark.parametrize("kilobytes", [100_000, 300_000, 500_000])
def test_too_little_memory_is_3(kilobytes: int) -> None:
    """Less than libraries need to be loaded: some of them would hang."""
    done = shell(f"ulimit -v {kilobytes}; simulator run four_bar --duration 0.01")
    assert done.returncode == 3
    assert re.fullmatch(r"simulator: only \d+ MB of memory are allowed \(`ulimit -v`\)[^\n]*\n", done.stderr)


@pytest.mark.parametrize(("error", "says"), [
    (MemoryError(), "not enough memory"),
    (ImportError("libx.so: failed to map segment from shared object"), "not enough memory"),
    (OSError(12, "Cannot allocate memory"), "not enough memory"),
    (ImportError("libx.so: no such file"), "cannot be loaded: libx.so: no such file"),
    (OSError(28, "No space left on device", "/home/x"), "/home/x: No space left on device"),
    (SystemExit(0), "asked this program to end (exit code 0)"),
])  # fmt: skip
def test_faults_of_the_machine_are_3_and_a_line(
    error: BaseException, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report_fault(error) == 3
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1


def test_faults_of_ours_are_3_and_tell_the_whole_story(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_fault(ZeroDivisionError("division by zero")) == 3
    assert "ZeroDivisionError" in capsys.readouterr().err


TRANSMISSION = """<sdf version="1.11"><model name="m"><link name="a"/><joint name="j" type="revolute">
<parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint><ros2_control name="h" type="system">
<joint name="j"/><transmission name="t"><plugin>their/Cable</plugin><actuator name="motor" role="actuator1"/>
<joint name="j" role="joint1"/></transmission></ros2_control></model></sdf>"""
CLASSES = {
    "import sys; sys.exit(0)": "it ends the program (exit code 0)",
    "raise ValueError('no licence')": "no licence",
    "class Cable: pass": "not a subclass of Transmission",
    "from simulator import Transmission\nclass Cable(Transmission): pass": "does not name its ACTUATORS",
    "from simulator import Transmission\nclass Cable(Transmission): ACTUATORS = JOINTS = ('actuator1',)": "TypeError",
    "import sys\nfrom simulator import Transmission\nclass Cable(Transmission):\n ACTUATORS = JOINTS = ('a',)\n"
    " def matrix(self): sys.exit(0)": "SystemExit",
}


@pytest.mark.parametrize("source", CLASSES)
def test_a_package_of_others_is_a_finding_whatever_it_does(source: str, tmp_path: Path) -> None:
    """An entry point whose module ends the program, or whose class lacks what a transmission has."""
    (tmp_path / "theirs.py").write_text(source, encoding="utf-8")
    about = tmp_path / "theirs-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[simulator.transmissions]\ntheir/Cable = theirs:Cable\n", encoding="utf-8")
    (tmp_path / "m.sdf").write_text(TRANSMISSION, encoding="utf-8")
    done = simulator("check", tmp_path / "m.sdf", PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert done.returncode == 1, done.stderr
    assert "error[TRANSMISSION_" in done.stderr
    assert CLASSES[source] in done.stderr


def test_a_library_that_ends_the_program_is_named(tmp_path: Path) -> None:
    """Exit code 0 and no word would look like success."""
    (tmp_path / "lxml.py").write_text("import sys; sys.exit(0)", encoding="utf-8")
    done = simulator("check", "four_bar", PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert done.returncode == 3
    assert re.fullmatch(rf"simulator: {tmp_path}/lxml.py:1 asked this program to end [^\n]*\n", done.stderr)
