"""Kernels on their way from Python to a library, each in a process of its own, for numba is changed there."""

from __future__ import annotations

import ctypes
import math
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from simulator.native.build.link import TARGETS
from simulator.native.library import SUFFIX
from simulator.native.whole import read_whole, write_whole
from tests.helpers.binaries import symbols_of
from tests.helpers.repository import ROOT

SMALL = """
import ctypes, sys
from pathlib import Path
import numba, numpy as np
from simulator.native.build import link, lowering, units
from simulator.native.build.signatures import Entry, Signature
from simulator.native.calls import Call

lowering.change_numba()

def kernel_of(room):
    def mark(function):
        function.__module__ = "simulator." + room + ".kernels"
        return numba.njit(**lowering.OPTIONS, boundscheck={bounds})(function)
    return mark

@kernel_of("{inner}")
def half(x):
    return min(x, 0.5)

@kernel_of("{inner}")
def inner(a, k):
    return np.sqrt(a[k]) * np.sin(a[k]) - np.cos(a[k]) + half(a[k])

@kernel_of("outer")
def total(a, n):
    found = 0.0
    for k in range({begin}, n):
        found += inner(a, k) + half(0.75) - 0.5
    a[: n // 2] = found
    a[n // 2 :] = 0.0
    return found

signature = Signature(("f8:1", "i8"), "f8")
made = lowering.lowered(total, signature.for_numba)
entry = Entry("total", made.fndesc.llvm_func_name, signature)
target = link.TARGETS.get({target!r}) or link.here()
units.SHORT = {short}
made = units.units([(entry, made.library)])
print(*(f"{{unit.name}} shares {{len(unit.shared)}}, borrows {{len(unit.borrowed)}}" for unit in made), sep="; ")
code = [link.object_of(unit, target, level) for unit in made for level in target.levels]
about = link.about_ir({{"total": signature}}, target.levels, "stamp", target)
path = Path(sys.argv[1])
if path.suffix == target.suffix:
    path.write_bytes(link.shared_library([*code, about], target))
else:  # only what there is for a linker to do
    for number, one in enumerate([*code, about]):
        path.with_suffix("." + str(number)).write_bytes(one)
"""

USE = """
import ctypes, sys
import numpy as np
from simulator.native.calls import Call
library = ctypes.CDLL(sys.argv[1])
best = library.level()
for name in sys.argv[2:]:
    a = np.linspace(0.1, 1.7, 37)
    if name == 'v3' and best < 3:
        continue
    call = Call('total', library['total_' + name], ['f8:1', 'i8'], 'f8')
    call._code.argtypes = ctypes.c_void_p,
    print(call(a, {n}).hex(), a[5].hex())
assert 'numba' not in sys.modules
"""


ONE_UNIT = {"bounds": False, "begin": 0, "inner": "outer", "short": 5000, "target": ""}


def python(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def levels() -> list[str]:
    from simulator.native.build import link

    return [level.name for level in link.here().levels]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / f"small{SUFFIX}"
    done = python(SMALL.format(**ONE_UNIT), path)
    assert done.returncode == 0, done.stderr
    return path


def test_machine_code_gives_the_bits_of_python_at_every_level(library: Path) -> None:
    """Products are not fused into sums, and sums are not reordered: IEEE 754 leaves nothing open but sin and cos, which
    are the same functions of the C library for both."""
    import numpy as np

    done = python(USE.format(n=37), library, *levels())
    assert done.returncode == 0, done.stderr
    found = 0.0
    for x in np.linspace(0.1, 1.7, 37):
        found += float(np.sqrt(x)) * math.sin(x) - math.cos(x) + min(float(x), 0.5)
    assert set(done.stdout.splitlines()) == {f"{found.hex()} {found.hex()}"}


@pytest.mark.parametrize(
    ("short", "said"),
    [
        (0, {"outer shares 2, borrows 0", "inner shares 2, borrows 0"}),
        (100_000, {"outer shares 2, borrows 2", "inner shares 2, borrows 0"}),
    ],
)
def test_kernels_of_two_rooms_call_each_other_and_give_the_same_bits(
    short: int, said: set[str], library: Path, tmp_path: Path
) -> None:
    """Whether LLVM inlines a kernel of another unit or calls it changes no operation."""
    path = tmp_path / f"two{SUFFIX}"
    done = python(SMALL.format(**ONE_UNIT | {"inner": "inner", "short": short}), path)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.strip().split("; ")) == said
    one, two = (python(USE.format(n=37), path, *levels()) for path in (library, path))
    assert (one.stdout, one.returncode) == (two.stdout, 0)
    shown = subprocess.run(["nm", "-D", "--defined-only", str(path)], capture_output=True, text=True, check=True)
    assert "inner" not in shown.stdout, "what units share is not visible outside of the library"


def test_two_builds_give_the_same_bytes(library: Path, tmp_path: Path) -> None:
    again = tmp_path / f"again{SUFFIX}"
    assert python(SMALL.format(**ONE_UNIT), again).returncode == 0
    assert again.read_bytes() == library.read_bytes()


def test_a_library_needs_nothing_but_the_c_library(library: Path) -> None:
    """Neither Python nor numba's run-time: else it could not be loaded without them."""
    assert ctypes.CDLL(str(library)).level() >= 0
    said = subprocess.run(["nm", "-D", "--undefined-only", str(library)], capture_output=True, text=True, check=True)
    needed = {line.split()[-1].partition("@")[0] for line in said.stdout.splitlines()}
    assert needed - {"__cxa_finalize", "__gmon_start__"} <= {
        *("sin", "cos", "sincos", "memset"),
        *(n for n in needed if n.startswith("_ITM")),
    }


def test_with_bounds_checks_an_index_beyond_an_array_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / f"checked{SUFFIX}"
    done = python(SMALL.format(**ONE_UNIT | {"bounds": True}), path)
    assert done.returncode == 0, done.stderr
    done = python(USE.format(n=38), path, levels()[0])
    assert "IndexError: total: an index is beyond its array" in done.stderr
    assert python(USE.format(n=37), path, levels()[0]).returncode == 0


def test_with_bounds_checks_an_index_below_zero_is_an_error(tmp_path: Path) -> None:
    """Machine code does not count it from the end, as Python would."""
    path = tmp_path / f"checked{SUFFIX}"
    done = python(SMALL.format(**ONE_UNIT | {"bounds": True, "begin": -1}), path)
    assert done.returncode == 0, done.stderr
    done = python(USE.format(n=37), path, levels()[0])
    assert "IndexError: total: an index is beyond its array" in done.stderr


SHOWN = {"about", "level", "total_v2", "total_v3"}


def test_windows_is_asked_to_show_entries_and_nothing_else(tmp_path: Path) -> None:
    """Objects for Windows name what the library exports; kernels of two units and functions of numba are not among
    it."""
    done = python(SMALL.format(**ONE_UNIT | {"inner": "inner", "short": 0, "target": "windows-x86_64"}), tmp_path / "x")
    assert done.returncode == 0, done.stderr
    objects = b" ".join(path.read_bytes() for path in tmp_path.iterdir())
    assert {name.decode() for name in re.findall(rb" -export:(\w+)", objects)} == SHOWN


@pytest.mark.skipif(find_spec("ziglang") is None, reason="needs zig, which links for others: pip install ziglang")
@pytest.mark.parametrize(
    ("target", "levels", "libraries"),
    [
        ("windows-x86_64", ("v2", "v3"), {"library.dll", "api-ms-win-crt-math-l1-1-0.dll"}),
        ("macos-arm64", ("generic",), {"/usr/lib/libSystem.B.dylib"}),
        ("linux-aarch64", ("generic",), {"libm.so.6", "libc.so.6"}),
    ],
)
def test_a_library_for_another_system_shows_entries_and_needs_the_c_library_alone(
    target: str, levels: tuple[str, ...], libraries: set[str], tmp_path: Path
) -> None:
    """The library of Windows names itself, too; the linker adds two names to one of macOS."""
    path = tmp_path / f"small{TARGETS[target].suffix}"
    done = python(SMALL.format(**ONE_UNIT | {"inner": "inner", "short": 0, "target": target}), path)
    assert done.returncode == 0, done.stderr
    found = symbols_of(path)
    assert found.shown - {"mh_dylib_header", "dso_handle"} == {
        "about",
        "level",
        *(f"total_{level}" for level in levels),
    }
    assert found.needed <= {"sin", "cos", "sincos", "memset", "bzero", "sincos_stret", "dyld_stub_binder"}
    assert found.libraries <= libraries


EVERY_ENTRY = """
import sys
from pathlib import Path
from simulator.native.build.work import Build
build = Build(Path(sys.argv[1]))
for part, signatures in build.signatures.items():
    for name, signature in signatures.items():
        print(part, name, len(signature.for_numba))
"""


def test_every_entry_says_of_which_types_its_arguments_are(tmp_path: Path) -> None:
    done = python(EVERY_ENTRY, tmp_path)
    assert done.returncode == 0, done.stderr
    entries = [line.split() for line in done.stdout.splitlines()]
    assert {part for part, _, _ in entries} == {"motion", "contacts", "sweeps", "page", "fmu"}
    assert ["motion", "advance_block", "8"] in entries
    for parts in ({"motion", "contacts", "sweeps"}, {"page"}, {"fmu"}):  # two have some of the others' once more
        names = [name for part, name, _ in entries if part in parts]
        assert len(names) == len(set(names)), "a library knows its entries by their names"


STORE = """
import sys
from pathlib import Path
from simulator.native.build import lowering
from simulator.native.build.work import Build
build = Build(Path(sys.argv[1]))
made = []
save = type(build.store.of(None)).save_overload
def counted(self, arguments, result):
    made.append(self._kernel.py_func.__name__)
    save(self, arguments, result)
type(build.store.of(None)).save_overload = counted
if len(sys.argv) > 2:
    from simulator.physics.layout import buffers as layout
    vars(layout)[sys.argv[2]] += 1
build.lower('motion', 'potential_energy')
print(len(made), *made)
"""


@pytest.fixture(scope="module")
def lowered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """A folder in which a kernel and what it calls have been lowered, and their names."""
    folder = tmp_path_factory.mktemp("functions")
    return folder, set(python(STORE, folder).stdout.split())


def test_only_what_has_changed_is_lowered_again(lowered: tuple[Path, set[str]], tmp_path: Path) -> None:
    """A constant of a layout changes those functions that read it, and none of those that call them."""
    folder, first = lowered
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    second, third = (python(STORE, tmp_path, *more).stdout.split() for more in ((), ("F_GCONST",)))
    assert {"potential_energy", "open_couplings.constant", "start"} <= first
    assert second == ["0"]
    assert third == ["1", "open_couplings.constant"]


def test_what_names_a_type_in_a_module_that_has_gone_is_lowered_again(
    lowered: tuple[Path, set[str]], tmp_path: Path
) -> None:
    """Classes of views move from file to file; what is on disk still names the file in which they were."""
    folder, names = lowered
    assert "potential_energy" in names
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    path = next(tmp_path.rglob("potential_energy-*.ir"))
    content = read_whole(path)
    assert content is not None
    assert b"simulator.physics.tree.views" in content
    write_whole(path, content.replace(b"simulator.physics.tree.views", b"simulator.physics.tree.gone!"))
    assert python(STORE, tmp_path).stdout.split() == ["1", "potential_energy"]


TIDY = """
import sys
from pathlib import Path
from simulator.native.build.tidy import MONTH, tidy
home = Path(sys.argv[1])
tidy(home, (home / 'functions/old.ir').stat().st_mtime + MONTH + 1.0)
"""


def test_what_has_not_been_used_for_a_month_is_removed(tmp_path: Path) -> None:
    (tmp_path / "functions").mkdir()
    (tmp_path / "0123456789abcdef").mkdir()
    for name in ("functions/old.ir", "functions/new.ir", "motion-old.so", "0123456789abcdef/of_a_version_before.nbc"):
        (tmp_path / name).touch()
    for name in ("functions/old.ir", "motion-old.so", "0123456789abcdef"):
        os.utime(tmp_path / name, (1e9, 1e9))
    done = python(TIDY, tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["functions", "new.ir"]


REFUSED = """
import sys
from pathlib import Path
from simulator.native.build import work
build = work.Build(Path(sys.argv[1]))
work.arguments_of = lambda _: ("f8", "i8")
build.lower_early('simulator.physics.tree.tree', 'kinetic_energy')
print(len(build.store._locks))
"""


def test_a_kernel_that_annotations_say_too_little_of_locks_nobody_out(tmp_path: Path) -> None:
    """Another process would wait for it for ever."""
    done = python(REFUSED, tmp_path)
    assert (done.stdout, done.stderr) == ("0\n", "")


FAILS = """
import sys
from pathlib import Path
from simulator.native.build import work
build = work.Build(Path(sys.argv[1]))
def refuse(self, arguments, made):
    raise RuntimeError('the disk is full')
type(build.store.of(None)).save_overload = refuse
try:
    build.lower('motion', 'potential_energy')
except RuntimeError as error:
    print(error, len(build.store._locks))
"""


def test_a_kernel_that_cannot_be_lowered_locks_nobody_out(tmp_path: Path) -> None:
    """The other processes of a build would wait for this one, which has nothing more to do."""
    done = python(FAILS, tmp_path)
    assert (done.stdout, done.stderr) == ("the disk is full 0\n", "")


WITHOUT_FORKS = """
import multiprocessing, sys
multiprocessing.get_all_start_methods = lambda: ["spawn"]
from pathlib import Path
from simulator.native import library
from simulator.native.build import link
from simulator.native.build.work import Build, Order, run
linker = link.linker_for
link.linker_for = lambda target, *, portable: linker(target, portable=False)  # not zig, which links for older systems
target = link.here()
order = Order(("sweeps",), target, (link.level_here(target),), lambda part: Path(sys.argv[1], part), False)
fractions = []
run(Build(library.home() / "functions"), order, lambda _, fraction: fractions.append(fraction), processes=1)
assert fractions[-1] == 1.0 and fractions == sorted(fractions), fractions
"""


def test_a_system_without_forks_builds_the_same_library(tmp_path: Path) -> None:
    from simulator.native import ready

    made = ready.needed("sweeps")
    assert made is not None
    done = python(WITHOUT_FORKS, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "sweeps").read_bytes() == read_whole(made.path)
