"""Compiled code on disk that is damaged, or that cannot be kept, costs time and a line, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.dynamics.kernel_cache import throw_away_unused, use
from simulator.dynamics.sealed import UNFINISHED, DamagedError, is_sealed, read_sealed, write_sealed
from tests.helpers.repository import ROOT

KERNELS = """
from simulator.dynamics.jit import compiled, compiled_for

@compiled
def twice(x):
    return x + x

@compiled_for("float64(float64)")
def half(x):
    return 0.5 * x
"""
PROGRAM = "import small; print(small.twice(2.0), small.half(3.0), len(small.twice.stats.cache_hits))"
COMPILED, LOADED = "4.0 1.5 0\n", "4.0 1.5 1\n"
Damage = Callable[[Path], object]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the compiled code of two small kernels is kept."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "small.py").write_text(KERNELS, encoding="utf-8")
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def kept_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources and cache as a first process leaves them."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "sources").mkdir()
    (folder / "sources" / "small.py").write_text(KERNELS, encoding="utf-8")
    assert start(folder / "cache") == (COMPILED, [])
    return folder


@pytest.fixture
def kept(kept_once: Path, tmp_path: Path) -> Path:
    """As `home`, after a first process."""
    shutil.copytree(kept_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "cache"


def start(home: Path, largest: int | None = None, program: str = PROGRAM) -> tuple[str, list[str]]:
    """What a new process finds, and the lines that it says; `largest` [bytes] is the size that files may have."""

    sources = home.parent / "sources"
    limit = () if largest is None else ("prlimit", f"--fsize={largest}")
    surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(home), "PYTHONPATH": f"{sources}:{ROOT}"}
    done = subprocess.run(
        [*limit, sys.executable, "-c", program], cwd=home.parent, env=surroundings, capture_output=True, text=True,
        check=True, timeout=120,
    )  # fmt: skip
    return done.stdout, done.stderr.splitlines()


def files(home: Path) -> list[Path]:
    return sorted(path for path in home.rglob("*") if path.is_file())


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zeroed_at_the_end(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] + bytes(len(content) - len(content) // 2))


def one_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) * 2 // 3] ^= 4
    path.write_bytes(bytes(content))


def test_what_is_kept_is_used(kept: Path) -> None:
    assert [path.name.partition("-")[0] for path in files(kept)] == ["small.half", "small.twice"]
    assert start(kept) == (LOADED, [])


def test_kept_code_goes_into_what_is_compiled_later(kept: Path) -> None:
    """Its intermediate code is parsed only then. `numba` would not tell a function that it has compiled for itself from
    one that it has read: the hits do."""
    (kept.parent / "sources" / "later.py").write_text(
        "from simulator.dynamics.jit import compiled\nfrom small import twice\n\n"
        "@compiled\ndef fourfold(x):\n    return twice(twice(x))\n",
        encoding="utf-8",
    )
    program = (
        "import small, later; print(small.twice(2.0), later.fourfold(2.0), len(small.twice.stats.cache_hits), "
        "len(later.fourfold.stats.cache_hits))"
    )
    assert start(kept, program=program) == ("4.0 8.0 1 0\n", [])
    assert start(kept, program=program) == ("4.0 8.0 1 1\n", [])


def test_code_is_parsed_only_when_it_is_asked_for(kept: Path) -> None:
    program = (
        "import small; small.twice(2.0); (made,) = small.twice.overloads.values(); print(made.library._parsed is None, "
        "'fadd' in str(made.library._shared_module), made.library._parsed is None)"
    )
    assert start(kept, program=program) == ("True True False\n", [])


def test_functions_of_others_are_cached_as_numba_does(kept: Path) -> None:
    """A process that runs kernels compiles and caches a function that is not ours; one without them reads it."""
    (kept.parent / "sources" / "foreign.py").write_text(
        "from numba import njit\n\n@njit(cache=True)\ndef triple(x):\n    return 3.0 * x\n", encoding="utf-8"
    )
    beside = "import small, foreign; print(small.twice(2.0), foreign.triple(2.0))"
    assert start(kept, program=beside) == ("4.0 6.0\n", [])
    alone = "import foreign; print(foreign.triple(2.0), len(foreign.triple.stats.cache_hits))"
    assert start(kept, program=alone) == ("6.0 1\n", [])


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(b""), cut, zeroed_at_the_end, one_bit])
def test_damaged_code_is_told_once_and_compiled_again(kept: Path, damage: Damage) -> None:
    for path in files(kept):
        damage(path)
    found, (said,) = start(kept)
    assert found == COMPILED
    assert "was damaged" in said
    assert str(kept) in said
    assert start(kept) == (LOADED, []), "what was damaged is whole again"


def test_a_store_of_another_making_is_damaged(kept: Path) -> None:
    """The checksum is right and what is below it is not."""
    for path in files(kept):
        write_sealed(path, b"no pickle")
    assert start(kept)[0] == COMPILED
    assert start(kept) == (LOADED, [])


def test_a_place_that_cannot_be_written_is_told_once_and_stops_nothing(home: Path) -> None:
    home.write_text("a file where the folder should be", encoding="utf-8")
    found, (said,) = start(home)
    assert found == COMPILED
    assert "cannot be kept" in said
    assert "Not a directory" in said


def test_a_full_disk_is_told_once_and_leaves_nothing_behind(home: Path) -> None:
    found, (said,) = start(home, largest=1000)
    assert found == COMPILED
    assert "cannot be kept" in said
    assert files(home) == []
    assert start(home) == (COMPILED, [])


def test_files_that_a_killed_process_was_writing_go_after_a_day(tmp_path: Path) -> None:
    folder = tmp_path / "0123456789abcdef"
    (folder / "kernels").mkdir(parents=True)
    left, recent = (folder / "kernels" / f".a.nbc.{i}{UNFINISHED}" for i in range(2))
    now = 1_800_000_000.0
    for path, age in ((left, 100_000.0), (recent, 60.0)):
        path.write_bytes(b"half")
        os.utime(path, (now - age, now - age))
    use(folder, now)
    throw_away_unused(tmp_path, now)
    assert (left.exists(), recent.exists()) == (False, True)


def test_a_seal_tells_what_was_written_from_what_was_not(tmp_path: Path) -> None:
    path = tmp_path / "a" / "kernel"
    assert read_sealed(path) is None
    write_sealed(path, b"code")
    assert (read_sealed(path), is_sealed(path)) == (b"code", True)
    one_bit(path)
    assert not is_sealed(path)
    with pytest.raises(DamagedError):
        read_sealed(path)
