"""Entries of the library against the same functions, compiled by numba as it does without us: each function by itself,
with its own passes of LLVM, for this processor. Both give the same bits, for neither reorders sums, nor fuses products
into them, and their mathematical functions are the same ones of the C library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.native import ready
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.loops.loops import find_rows
from simulator.physics.tree.tree import kinetic_energy
from tests.helpers.linkages import four_bar, platform
from tests.helpers.mechanisms import random_state
from tests.helpers.repository import ROOT

ENTRIES = {kinetic_energy: (), find_rows: (True,)}
"""Through trees, loops and couplings; numba needs five seconds more for each one more."""

BY_NUMBA = """
import sys
from functools import partial
import numba, numpy as np
from simulator.native import kernels
from simulator.native.build import openers, view

openers.read_members()
jit = numba.njit(error_model="numpy")
opener = partial(openers.opened, kernel=jit)
vars(kernels).update(compiled=jit, entry=lambda part, **_: jit, opener=opener, view=view.view)

from simulator.physics.loops.loops import find_rows
from simulator.physics.loops.views import open_loops, open_rows
from simulator.physics.tree.tree import kinetic_energy
from simulator.physics.tree.views import open_state, open_tree

for path in sys.argv[1:]:
    given = np.load(path)
    found = {}
    for entry, named, more in (
        (kinetic_energy, (open_tree, open_state), ()),
        (find_rows, (open_tree, open_state, open_loops, open_rows), (True,)),
    ):
        numbers, sizes = given["numbers"].copy(), given["sizes"].copy()
        result = entry(*(one.views(numbers, sizes) for one in named), *more)
        assert entry.signatures, "numba has compiled it"
        found[entry.__name__] = np.append(numbers, 0.0 if result is None else result)
        found[entry.__name__ + " sizes"] = sizes
    np.savez(path, **found)
"""


def moving(mechanism: Mechanism) -> CompiledMechanism:
    """With speeds on all axes: what it is to compute has no zeros that hide an error."""
    made = CompiledMechanism(mechanism)
    made.set_state(random_state(mechanism, np.random.default_rng(3), speed=1.0))
    return made


def test_numba_and_the_library_give_the_same_bits(tmp_path: Path) -> None:
    assert ready.needed("motion") is not None, "without a library, there is nothing to compare"
    models = {"plane": moving(build_mechanism(four_bar())), "space": moving(build_mechanism(platform()))}
    paths = {name: tmp_path / f"{name}.npz" for name in models}
    for name, model in models.items():
        np.savez(paths[name], numbers=model.F, sizes=model.N)
    done = subprocess.run(
        [sys.executable, "-c", BY_NUMBA, *paths.values()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for name, model in models.items():
        by_numba = np.load(paths[name])
        for entry, more in ENTRIES.items():
            numbers, sizes = model.F.copy(), model.N.copy()
            result = entry(numbers, sizes, *more)
            found = np.append(numbers, 0.0 if result is None else result)
            label = entry.__name__
            assert found.tobytes() == by_numba[label].tobytes(), (name, label)
            assert sizes.tobytes() == by_numba[f"{label} sizes"].tobytes(), (name, label)
