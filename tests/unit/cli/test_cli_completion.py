"""What Tab gives in bash, zsh and fish, and the scripts that bring it there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from simulator.cli import completion
from tests.helpers.command import executable, surroundings
from tests.helpers.repository import ROOT

SCRIPT = executable()[0]
pytestmark = pytest.mark.skipif(not SCRIPT.endswith("simulator"), reason="shells complete commands, and there is none")


def run(*command: str, home: Path, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(SCRIPT).parent}{os.pathsep}{os.environ['PATH']}"
    changed = surroundings(HOME=str(home), PATH=path, **environment)
    return subprocess.run(command, cwd=cwd, env=changed, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def for_bash(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script that the program gives out."""
    home = tmp_path_factory.mktemp("bash")
    done = run("simulator", "--show-completion", "bash", home=home)
    assert (done.returncode, done.stderr) == (0, "")
    (home / "simulator.sh").write_text(done.stdout, encoding="utf-8")
    return home / "simulator.sh"


def completed(line: str, script: Path) -> list[str]:
    """What bash offers for the last word of a line."""
    words = line.split(" ")
    program = f"""source {script}
        COMP_WORDS=({" ".join(words[:-1])} "{words[-1]}"); COMP_CWORD={len(words) - 1}
        _simulator_completion simulator; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = run("bash", "--norc", "-c", program, home=script.parent)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("simulator desk", ["desktop"]),
        ("simulator desktop ", ["install", "remove"]),
        ("simulator four_", ["four_bar"]),
        ("simulator run four_", ["four_bar"]),
        ("simulator run four_bar --dur", ["--duration"]),
        ("simulator four_bar --pau", ["--paused"]),
        ("simulator run --solver r", ["rows", "reduced"]),
        ("simulator check four_bar gene", ["geneva"]),
        ("simulator check worlds/gear_t", ["worlds/gear_train.sdf", "worlds/gear_train_1024.sdf"]),
        ("simulator --vers", ["--version"]),
        ("simulator run four_bar --csv nothing", []),
    ],
)
def test_bash(line: str, offered: list[str], for_bash: Path) -> None:
    assert completed(line, for_bash) == offered


def test_commands_and_examples_are_offered_for_nothing(for_bash: Path) -> None:
    offered = completed("simulator ", for_bash)
    assert {"view", "run", "check", "desktop", "four_bar", "worlds/"} <= set(offered)
    assert "pyproject.toml" not in offered


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish(tmp_path: Path) -> None:
    program = "simulator --show-completion fish | source; complete -C 'simulator run four_bar --dur'"
    done = run("fish", "--no-config", "-c", program, home=tmp_path)
    assert done.stdout.split("\t")[0] == "--duration", done.stderr


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh(tmp_path: Path) -> None:
    """What the function hands to zsh's own; a line editor would be needed for the rest."""
    program = """compdef() { true }; _arguments() { print -r -- "$@" }
        source <(simulator --show-completion zsh); words=(simulator run four_); CURRENT=3; _simulator_completion"""
    done = run("zsh", "-f", "-c", program, home=tmp_path)
    assert done.stdout == '*: :(("four_bar"))\n', done.stderr


@pytest.mark.parametrize(
    ("shell", "script", "started_by"),
    [
        ("bash", ".bash_completions/simulator.sh", ".bashrc"),
        ("zsh", ".zfunc/_simulator", ".zshrc"),
        ("fish", ".config/fish/completions/simulator.fish", ""),
    ],
)
def test_installed_once_however_often(shell: str, script: str, started_by: str, tmp_path: Path) -> None:
    for _ in range(2):
        done = run("simulator", "--install-completion", shell, home=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert str(tmp_path / script) in done.stdout
    assert "_SIMULATOR_COMPLETE" in (tmp_path / script).read_text(encoding="utf-8") or shell == "zsh"
    if shell == "bash":
        assert (tmp_path / started_by).read_text(encoding="utf-8").count("simulator.sh") == 1


def test_the_shell_that_it_is_called_from_is_found(tmp_path: Path) -> None:
    done = run("bash", "-c", "simulator --show-completion; true", home=tmp_path)
    assert "complete -o default -F _simulator_completion simulator" in done.stdout


def test_a_shell_that_does_not_exist_is_2(tmp_path: Path) -> None:
    done = run("simulator", "--show-completion", "nosh", home=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "'bash', 'zsh', 'fish'" in done.stderr


def test_a_folder_that_is_the_only_one_is_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """bash puts a space behind a single match, after which a folder could not be continued."""
    monkeypatch.chdir(tmp_path)
    for name in (
        "zoo/models/bear.sdf",
        "zoo/models/cat.URDF",
        "zoo/models/readme.txt",
        "zoo/.git/x.sdf",
        "other.world",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert completion.files("zo") == ["zoo/models/bear.sdf", "zoo/models/cat.URDF"]
    assert completion.files("zoo/.g") == ["zoo/.git/x.sdf"]
    assert completion.files("oth") == ["other.world"]
    assert completion.files(f"{tmp_path}/oth") == [f"{tmp_path}/other.world"]
    assert completion.files("nowhere/x") == []
