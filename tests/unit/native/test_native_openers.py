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
from simulator.native.build.signatures import Entry, Signature
from simulator.native.build.store import Store
from simulator.native.calls import Call

folder = Path(sys.argv[1])
source = folder / "opened.py"
source.write_text('''
from typing import NamedTuple
import numpy as np
from simulator.native.kernels import compiled, opener, view

class Views(NamedTuple):
    count: int
    first: np.ndarray
    table: np.ndarray
    nowhere: np.ndarray

@opener
def open_views(F, N):
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
def total(F, N):
    views = open_views(F, N)
    found = 0.0
    for k in range(views.count):
        views.first[k] += 1.0
        found += row(views, k)
        N[0] = N[0]
    return found
''')
NAME = "simulator.opened.kernels"
spec = importlib.util.spec_from_file_location(NAME, source)
made = sys.modules[NAME] = importlib.util.module_from_spec(spec)
F, N = np.arange(12.0), np.array([4, 1 << 20])
if sys.argv[2] == "python":
    spec.loader.exec_module(made)
    N[1] = 0
    print(made.total(F, N).hex(), F.tolist())
    sys.exit()
collect.import_kernels(Store(folder / "functions"), bounds=False)
spec.loader.exec_module(made)
signature = Signature(("f8:1", "i8:1"), "f8")
compiled = lowering.lowered(made.total, signature.for_numba)
target = link.here()
found = units.units([(Entry("total", compiled.fndesc.llvm_func_name, signature), compiled.library)])
level = link.level_here(target)
library = link.shared_library([*(link.object_of(unit, target, level) for unit in found),
                               link.about_ir({"total": signature}, target.levels, "stamp", target)], target)
(folder / "opened.so").write_bytes(library)
call = Call("total", ctypes.CDLL(str(folder / "opened.so"))["total_" + level.name], ["f8:1", "i8:1"], "f8")
call._code.argtypes = ctypes.c_void_p,
print(call(F, N).hex(), F.tolist())
"""


def said(folder: object, how: str) -> str:
    command = [sys.executable, "-c", PROGRAM, str(folder), how]
    environment = {**os.environ, "SIMULATOR_KERNELS": "python"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_views_are_those_of_python_and_one_that_is_not_read_is_not_found(tmp_path: object) -> None:
    """In machine code the place of `nowhere` is read from an address that does not exist, if it is read at all."""
    compiled, plain = (said(tmp_path, how) for how in ("compiled", "python"))
    assert compiled == plain
    assert "[1.0, 2.0, 3.0, 4.0," in plain
