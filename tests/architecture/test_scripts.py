"""scripts/run and its parts: what they say without a display, without libraries, without Python, and when setup is
redone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.helpers.checkout import Checkout, fake_python
from tests.helpers.repository import ROOT, files_below, named

SCRIPTS = [path for path in files_below("scripts", ".ci") if path.suffix in ("", ".sh")]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.parametrize("path", SCRIPTS, ids=named)
def test_bash_can_read_it(path: Path) -> None:
    result = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert os.access(path, os.X_OK) == (path.suffix == "")


@pytest.mark.parametrize("arguments", [[], ["worlds/rack_and_pinion.sdf"], ["view", "rack_and_pinion"]])
def test_no_display_is_said_before_anything_is_installed(checkout: Checkout, arguments: list[str]) -> None:
    result = checkout.run("scripts/run", *arguments)
    assert result.returncode == 1
    assert result.stdout == ""
    assert "simulator run" in result.stderr
    assert "simulator render" in result.stderr
    assert "scripts/run run worlds/rack_and_pinion.sdf --duration" in result.stderr
    assert "scripts/run render worlds/rack_and_pinion.sdf -o" in result.stderr
    assert not (checkout.root / ".venv").exists()


@pytest.mark.parametrize("variable", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_any_display_will_do(checkout: Checkout, variable: str) -> None:
    checkout.environment_ready()
    checkout.command("ldd")
    result = checkout.run("env", f"{variable}=somewhere", "scripts/run", "a.sdf")
    assert (result.returncode, result.stdout) == (0, "a.sdf\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "a.sdf", "--duration", "1"],
        ["check", "a.sdf"],
        ["view", "--help"],
        ["--version"],
        ["--show-completion", "zsh"],
        ["desktop", "install"],
    ],
)
def test_text_needs_neither_display_nor_libraries(checkout: Checkout, arguments: list[str]) -> None:
    checkout.environment_ready()
    checkout.command("ldd", "echo libxcb-cursor.so.0 '=> not found'")
    result = checkout.run("scripts/run", *arguments)
    assert (result.returncode, result.stdout.split(), result.stderr) == (0, arguments, "")


def test_a_survey_is_a_command_of_the_program(checkout: Checkout) -> None:
    checkout.environment_ready()
    result = checkout.run("scripts/survey", "models", "--help")
    assert (result.returncode, result.stdout.split(), result.stderr) == (0, ["survey", "models", "--help"], "")


def test_a_document_is_looked_for_here_and_then_in_the_checkout(checkout: Checkout, tmp_path: Path) -> None:
    checkout.environment_ready()
    for path in (checkout.root / "worlds/a.sdf", checkout.root / "worlds/b.sdf", tmp_path / "worlds/b.sdf"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    arguments = ["compare", "worlds/a.sdf", "worlds/b.sdf", "worlds/c.sdf", "-o", "worlds/a.sdf"]
    result = checkout.run(str(checkout.root / "scripts/run"), *arguments, cwd=tmp_path)
    there = str(checkout.root / "worlds/a.sdf")
    assert result.stdout.split() == ["compare", there, "worlds/b.sdf", "worlds/c.sdf", "-o", "worlds/a.sdf"]


def test_the_program_hands_its_exit_code_through(checkout: Checkout) -> None:
    checkout.environment_ready()
    checkout.command("simulator", "exit 3", folder=checkout.root / ".venv/bin")
    assert checkout.run("scripts/run", "run", "a.sdf").returncode == 3


def test_setup_runs_once_and_again_when_its_files_change(checkout: Checkout) -> None:
    checkout.environment_there()
    first = checkout.run("scripts/run", "run", "a.sdf")
    assert first.returncode == 0, first.stderr
    assert "[2/3] installing packages" in first.stderr
    assert checkout.run("scripts/run", "run", "a.sdf").stderr == ""
    (checkout.root / "constraints.txt").write_text("numpy==2\n", encoding="utf-8")
    assert "[2/3] installing packages" in checkout.run("scripts/run", "run", "a.sdf").stderr
    assert "constraints.txt -e" in [call for call in checkout.calls_of("python") if "pip install" in call][-1]


def test_a_failed_setup_shows_why_and_is_tried_again(checkout: Checkout) -> None:
    checkout.environment_there()
    failed = checkout.run("scripts/run", "run", "a.sdf", FAKE_PIP_CODE="1")
    assert failed.returncode == 1
    assert "pip says hello" in failed.stderr
    assert str(checkout.root / ".venv/setup.log") in failed.stderr
    assert checkout.run("scripts/run", "run", "a.sdf").returncode == 0


def test_a_setup_without_a_terminal_names_the_packages_that_it_is_at(checkout: Checkout) -> None:
    """pip says nothing while it installs what it has fetched: what is there of it is counted."""
    checkout.environment_there()
    packages = checkout.root / ".venv/lib/python3.11/site-packages"
    checkout.command(
        "python",
        f"""case "$*" in *'pip install'*)
            echo 'Collecting numpy>=1.26 (from simulator==0.1.0)'; sleep 1.5
            echo '  Downloading numpy-2.4.6-cp311-manylinux.whl (16.9 MB)'; sleep 1.5
            echo 'Installing collected packages: llvmlite, numpy, PyQt6-Qt6, numba'
            mkdir -p {packages}/llvmlite-0.50.dist-info {packages}/numpy-2.4.6.dist-info; sleep 1.5 ;;
        esac""",
        folder=checkout.root / ".venv/bin",
    )
    said = checkout.bash("every=1; is_supported() { true; }; build_environment runtime").stderr
    assert re.search(r"^    \d s: looking for numpy$", said, re.MULTILINE), said
    assert re.search(r"^    \d s: downloading numpy-2.4.6 \(16.9 MB\)$", said, re.MULTILINE)
    assert re.search(r"^    \d s: installing 3 of 4 packages, 50 %: PyQt6-Qt6$", said, re.MULTILINE)


def test_starts_at_the_same_time_install_once(checkout: Checkout) -> None:
    checkout.environment_there()
    with ThreadPoolExecutor() as pool:
        starts = [pool.submit(checkout.run, "scripts/run", "run", "a.sdf", FAKE_PIP_SECONDS="1") for _ in range(3)]
    assert [start.result().returncode for start in starts] == [0, 0, 0]
    assert len([call for call in checkout.calls_of("python") if "pip install" in call]) == 1


def test_missing_libraries_without_rights_print_the_line_to_type(checkout: Checkout) -> None:
    checkout.environment_ready()
    checkout.command("ldd", "printf '\\t%s => not found\\n' libxcb-cursor.so.0 libglib-2.0.so.0 libstrange.so.1")
    checkout.command("id", "echo 1000")
    checkout.command("sudo", "exit 1")
    checkout.command("apt-get")
    checkout.command("apt-cache", 'case "${*: -1}" in libxcb-cursor0 | libglib2.0-0t64) echo "Package: it" ;; esac')
    result = checkout.run("scripts/run", "a.sdf", DISPLAY=":9")
    assert result.returncode == 1
    assert "libxcb-cursor.so.0" in result.stderr
    assert "libstrange.so.1" in result.stderr
    assert "    sudo apt-get install -y libglib2.0-0t64 libxcb-cursor0\n" in result.stderr
    assert checkout.calls_of("apt-get") == []


@pytest.mark.parametrize("user", ["0", "1000"])
def test_missing_libraries_are_installed_where_nobody_has_to_be_asked(checkout: Checkout, user: str) -> None:
    checkout.environment_ready()
    checkout.command("id", f"echo {user}")
    checkout.command("sudo", '[[ $1 != -n ]] || shift; "$@"')
    checkout.command("apt-cache", "echo Package: it")
    checkout.command("apt-get", f"echo $DEBIAN_FRONTEND; [[ $* != *install* ]] || touch {checkout.root}/installed")
    checkout.command("ldd", f"[[ -e {checkout.root}/installed ]] || echo 'libxcb-cursor.so.0 => not found'")
    result = checkout.run("scripts/run", "a.sdf", DISPLAY=":9")
    assert (result.returncode, result.stdout) == (0, "a.sdf\n"), result.stderr
    (install,) = checkout.calls_of("apt-get")
    assert install.endswith(" install -y --no-install-recommends libxcb-cursor0")
    assert "noninteractive" in (checkout.root / ".venv/setup.log").read_text(encoding="utf-8")
    assert bool(checkout.calls_of("sudo")) == (user != "0")


@pytest.mark.parametrize("known", ["no list", "an old list"])
def test_lists_of_packages_are_renewed_where_they_lack_something(checkout: Checkout, known: str) -> None:
    checkout.environment_ready()
    checkout.command("id", "echo 0")
    fresh = f"{checkout.root}/fresh"
    checkout.command(
        "apt-cache", "echo Package: it" if known == "an old list" else f"[[ ! -e {fresh} ]] || echo Package: it"
    )
    checkout.command("apt-get", f"case $* in *update*) touch {fresh} ;; *) [[ -e {fresh} ]] ;; esac")
    checkout.command("ldd", f"[[ -e {fresh} ]] || echo 'libxcb-cursor.so.0 => not found'")
    result = checkout.run("scripts/run", "a.sdf", DISPLAY=":9")
    assert (result.returncode, result.stdout) == (0, "a.sdf\n"), result.stderr
    calls = [call.split()[-1] if "update" in call else "install" for call in checkout.calls_of("apt-get")]
    assert calls == (["install", "update", "install"] if known == "an old list" else ["update", "install"])


def test_the_version_is_told_before_anything_is_installed(checkout: Checkout) -> None:
    (checkout.root / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n', encoding="utf-8")
    result = checkout.run("scripts/run", "--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, "simulator 1.2.3\n", "")
    assert not (checkout.root / ".venv").exists()


def test_help_installs_the_command_line_only_and_the_rest_comes_later(checkout: Checkout) -> None:
    checkout.environment_there()
    assert "[2/2]" in checkout.run("scripts/run", "run", "--help").stderr
    assert checkout.run("scripts/run", "--help").stderr == ""
    (installed,) = [call for call in checkout.calls_of("python") if "pip install" in call]
    assert installed.endswith("constraints.txt typer")
    assert "[3/3]" in checkout.run("scripts/run", "run", "a.sdf").stderr
    assert checkout.run("scripts/run", "--help").stdout == "--help\n"


def test_where_bullet_has_no_wheel_the_program_starts_without_and_says_so(checkout: Checkout) -> None:
    checkout.environment_there()
    result = checkout.run("scripts/run", "run", "a.sdf", FAKE_NO_BULLET="1")
    assert (result.returncode, result.stdout) == (0, "run\na.sdf\n")
    assert "PyBullet has no wheel for Python 3.11.0" in result.stderr
    assert "`scripts/run --with-bullet`" in result.stderr
    assert checkout.run("scripts/run", "run", "a.sdf", FAKE_NO_BULLET="1").stderr == ""


def test_bullet_is_compiled_once_and_kept(checkout: Checkout) -> None:
    checkout.environment_there()
    (checkout.root / "pyproject.toml").write_text('bullet = ["pybullet==3.2.7"]\n', encoding="utf-8")
    checkout.command("g++")
    checkout.command("id", "echo 0")
    checkout.command("apt-get")
    checkout.command("apt-cache", "echo Package: it")
    built = checkout.run("scripts/run", "--with-bullet", FAKE_NO_BULLET="1")
    assert (built.returncode, built.stdout) == (0, "")
    assert "compiling PyBullet" in built.stderr
    assert "has no wheel" not in built.stderr
    assert "python3.11-dev" in checkout.calls_of("apt-get")[0]
    kept = Path(checkout.environment["HOME"]) / ".cache/simulator/wheels"
    assert [path.name for path in kept.iterdir()] == [f"pybullet-3.2.7-cp311-cp311-linux_{os.uname().machine}.whl"]
    (checkout.root / "constraints.txt").write_text("numpy==2\n", encoding="utf-8")
    again = checkout.run("scripts/run", "run", "a.sdf", FAKE_NO_BULLET="1")
    assert (again.returncode, "compiling PyBullet" in again.stderr, "no wheel" in again.stderr) == (0, False, False)
    assert len([call for call in checkout.calls_of("python") if "pip wheel" in call]) == 1


def test_a_compiler_that_is_missing_is_named_where_it_cannot_be_installed(checkout: Checkout) -> None:
    checkout.environment_there()
    checkout.command("id", "echo 1000")
    checkout.command("sudo", "exit 1")
    checkout.command("apt-get")
    checkout.command("apt-cache", "echo Package: it")
    result = checkout.run("scripts/run", "--with-bullet", FAKE_NO_BULLET="1")
    assert result.returncode == 1
    assert re.search(r"sudo apt-get install -y (g\+\+ )?python3\.11-dev\n", result.stderr)


def test_an_interpreter_that_is_too_old_is_named(checkout: Checkout) -> None:
    python = fake_python(checkout, "python3.9")
    result = checkout.run("scripts/run", "run", "a.sdf", SIMULATOR_PYTHON=str(python), FAKE_RELEASE="3.9")
    assert result.returncode == 1
    assert "needs Python 3.10 to 3.14" in result.stderr
    assert "python3.9 is Python 3.9.0" in result.stderr
    assert "sudo apt-get install -y python3 python3-venv" in result.stderr


def test_a_python_without_venv_names_its_package(checkout: Checkout) -> None:
    fake_python(checkout)
    checkout.command("id", "echo 1000")
    checkout.command("sudo", "exit 1")
    checkout.command("apt-get")
    checkout.command("apt-cache", "echo Package: it")
    result = checkout.run("scripts/run", "run", "a.sdf", SIMULATOR_PYTHON="python3.11", FAKE_NO_VENV="1")
    assert result.returncode == 1
    assert "    sudo apt-get install -y python3.11-venv\n" in result.stderr


def test_ci_runs_the_same_script() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "exec scripts/test\n" in text


@pytest.mark.skipif(shutil.which("script") is None, reason="nothing here makes a terminal")
def test_a_terminal_gets_one_line_that_changes_and_does_not_fold(checkout: Checkout) -> None:
    """The output of the terminal is recorded as it comes, and the stage ends at the awaited text, however many seconds
    pass until then."""
    title, long = f"[1/1] a title ({'x' * 60})", "a-package-" + "y" * 60
    lines = (
        "set -euo pipefail",
        "source scripts/lib/common.sh",
        'mkdir -p "$venv"',
        "stty cols 60",
        'shown() { until (($(grep -oE "$2" seen | sort -u | wc -l) >= $1)); do sleep 0.1; done; }',
        "pip() {",
        "    echo Collecting numpy",
        "    shown 2 '[0-9]+ s: looking for numpy'",
        f"    echo Collecting {long}",
        "    shown 1 '[0-9]+ s: looking for a-package'",
        "}",
        f"stage '{title}' pip",
    )
    (checkout.root / "one_stage").write_text("\n".join(lines), encoding="utf-8")
    checkout.run("script", "-qefc", "timeout --foreground 50 bash one_stage", "seen", TERM="xterm")
    seen = (checkout.root / "seen").read_bytes().decode().replace("\r\n", "\n")
    parts = seen.partition("\n")[2].partition("\n\nScript done")[0].split("\r\x1b[K")
    ticks = [re.fullmatch(r"\[1/1\] a title … (\d+) s: looking for (\S+)", part) for part in parts[1:-1]]
    assert all(ticks), seen
    found = [(int(tick[1]), tick[2]) for tick in ticks if tick]
    assert len({seconds for seconds, name in found if name == "numpy"}) >= 2, seen
    assert any(long.startswith(name) and name != "numpy" for _, name in found), seen
    assert max(map(len, parts[:-1])) < 60, seen
    assert re.fullmatch(re.escape(title) + r" … \d+ s", parts[-1].rstrip()), seen
