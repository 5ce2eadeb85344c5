"""Named views of buffers in machine code: what an opener returns is found where it is read."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.helpers.repository import ROOT

PROGRAM = """
import ctypes, importlib.util, sys
from pathlib import Path
import numpy as np
from simulator.native.build import collect, link, lowering, units
from simulator.native.build.signatures import Entry, signature_of
from simulator.native.build.store import Store
from simulator.native.calls import Call

folder = Path(sys.argv[1])
source = folder / "opened.py"
source.write_text('''SOURCE''')
NAME = "simulator.opened.kernels"
spec = importlib.util.spec_from_file_location(NAME, source)
made = sys.modules[NAME] = importlib.util.module_from_spec(spec)
is_python = sys.argv[2] == "python"
if is_python:
    spec.loader.exec_module(made)
    values = VALUES
    print(made.total(*values).hex(), values[0].tolist())
    sys.exit()
collect.import_kernels(Store(folder / "functions"), bounds=False)
spec.loader.exec_module(made)
signature = signature_of(made.total.py_func)
values = VALUES
compiled = lowering.lowered(made.total, signature.for_numba)
target = link.here()
found = units.units([(Entry("total", compiled.fndesc.llvm_func_name, signature), compiled.library)])
level = link.level_here(target)
library = link.shared_library([*(link.object_of(unit, target, level) for unit in found),
                               link.about_ir({"total": signature}, target.levels, "stamp", target)], target)
(folder / "opened.so").write_bytes(library)
code = ctypes.CDLL(str(folder / "opened.so"))["total_" + level.name]
call = Call("total", code, signature.described["arguments"], "f8")
call._code.argtypes = ctypes.c_void_p,
print(call(*values).hex(), values[0].tolist())
"""
VIEWS = """
from __future__ import annotations
from typing import NamedTuple
import numpy as np
from simulator.kinematics.arrays import Floats, Ints
from simulator.native.kernels import compiled, opener, view

class Views(NamedTuple):
    count: int
    first: np.ndarray
    table: np.ndarray
    nowhere: np.ndarray

@opener
def open_views(F: Floats, N: Ints) -> Views:
    count = N[0]
    far = N[1] * N[1] * N[1]
    return Views(
        count=count,
        first=view(F, 0, (count,)),
        table=view(F, count, (count, 2)),
        nowhere=view(F, N[far], (count,)),
    )

@compiled
def row(views, k):
    return views.table[k, 0] * views.table[k, 1] + views.first[k]

@compiled
def total(F: Floats, N: Ints) -> float:
    views = open_views(F, N)
    found = 0.0
    for k in range(views.count):
        views.first[k] += 1.0
        found += row(views, k)
        N[0] = N[0]
    return found
"""
TAKEN = (
    VIEWS.replace(
        """
@compiled
def total(F: Floats, N: Ints) -> float:
    views = open_views(F, N)
""",
        """
class Others(NamedTuple):
    sizes: np.ndarray

@opener
def open_others(N: Ints) -> Others:
    return Others(sizes=view(N, 0, (2,)))

@entry("motion")
def total(views: Views, times: tuple[float, float], others: Others) -> float:
    N = others.sizes
    times = times[0] * times[1]
""",
    )
    .replace("return found", "return times * found")
    .replace("compiled, opener", "compiled, entry, opener")
)
TUPLES = """
from __future__ import annotations
from typing import NamedTuple
import numpy as np
from simulator.kinematics.arrays import Array2, BoolArray, Floats, IntArray
from simulator.native.kernels import by_address, compiled

@by_address
class Inner(NamedTuple):
    scale: float
    count: int
    table: Array2

@by_address
class Outer(NamedTuple):
    order: IntArray
    first: Inner
    marked: BoolArray
    second: Inner
    is_odd: bool

@compiled
def row(inner, k):
    return inner.scale * inner.table[k, 0] * inner.table[k, 1]

@compiled
def total(F: Floats, outer: Outer, dt: float) -> float:
    now, ahead = outer.first, outer.second
    found = 0.0
    for k in outer.order:
        if outer.marked[k]:
            found += row(now, k) + ahead.count
        F[k] = found
        now, ahead = ahead, now
    for k in range(ahead.table[1:].shape[0]):
        found += ahead.table[1:][k, 1]
    return found * dt if outer.is_odd else -found
"""


BUFFERS = "np.arange(12.0), np.array([4, 0 if is_python else 1 << 20])"
PASSED = f"*({BUFFERS}), (0.25, 2.0)"
ADDRESSED = """np.zeros(3), made.Outer(
    np.array([2, 0, 1]), made.Inner(0.5, 7, np.arange(6.0).reshape(3, 2)), np.array([True, False, True]),
    made.Inner(0.25, 3, np.arange(6.0, 12.0).reshape(3, 2)), True), 0.1"""


def said(folder: object, how: str, source: str, values: str) -> str:
    program = PROGRAM.replace("SOURCE", source).replace("VALUES", values)
    command = [sys.executable, "-c", program, str(folder), how]
    environment = {**os.environ, "SIMULATOR_KERNELS": "python"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_views_are_those_of_python_and_one_that_is_not_read_is_not_found(tmp_path: object) -> None:
    """In machine code the place of `nowhere` is read from an address that does not exist, if it is read at all."""
    compiled, plain = (said(tmp_path, how, VIEWS, BUFFERS) for how in ("compiled", "python"))
    assert compiled == plain
    assert "[1.0, 2.0, 3.0, 4.0," in plain


def test_an_entry_that_takes_views_is_called_with_their_buffers(tmp_path: object) -> None:
    """Each once, whatever stands between views of the same buffer."""
    compiled, plain = (said(tmp_path, how, TAKEN, PASSED) for how in ("compiled", "python"))
    assert compiled == plain
    assert float.fromhex(plain.split()[0]) == 0.5 * float.fromhex(said(tmp_path, "python", VIEWS, BUFFERS).split()[0])


def test_tuples_that_are_handed_on_by_address_have_the_members_of_python(tmp_path: object) -> None:
    """Arrays, numbers and tuples in tuples; which of two it is may change on the way."""
    compiled, plain = (said(tmp_path, how, TUPLES, ADDRESSED) for how in ("compiled", "python"))
    assert compiled == plain
    assert plain == f"{(38.5 * 0.1).hex()} [30.5, 30.5, 13.0]\n"  # by hand
