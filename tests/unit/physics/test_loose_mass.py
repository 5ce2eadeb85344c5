"""The mass matrix of a body that nothing holds, beside a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.physics.layout import buffers as at
from simulator.physics.layout.buffers import int_start, start
from simulator.physics.loops.mass import find_mass
from simulator.physics.tree.tree import place_nodes, rotate_inertias
from simulator.physics.tree.views import open_state, open_tree
from tests.physics.worlds import running

Write = Callable[..., Path]
DOCUMENT = """<sdf version="1.10"><world name="w">
<model name="free"><link name="b"><pose>0.3 -0.2 1 0.4 -0.7 1.1</pose>
<inertial><pose>0.1 -0.2 0.3 0 0 0</pose><mass>2</mass><inertia>
<ixx>0.3</ixx><iyy>0.4</iyy><izz>0.5</izz><ixy>0.01</ixy><ixz>-0.02</ixz><iyz>0.03</iyz></inertia></inertial></link></model>
<model name="swing"><link name="arm"><inertial><pose>0 0 -0.5 0 0 0</pose><mass>3</mass></inertial></link>
<joint name="hinge" type="revolute"><parent>world</parent><child>arm</child>
<axis><xyz>0 1 0</xyz></axis></joint></model>
</world></sdf>"""


def skew(h: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([[0.0, -h[2], h[1]], [h[2], 0.0, -h[0]], [-h[1], h[0], 0.0]])


def test_it_is_that_of_its_own_axes_wherever_it_is(write_document: Write) -> None:
    """For a twist about its origin, [[I, m c x], [-m c x, m E]] with I = I_c + m (c . c E - c c^T) (Featherstone, Rigid
    Body Dynamics Algorithms, 2.63): sums of a few products, so to rounding. It tumbles meanwhile."""
    with running(write_document(DOCUMENT), dt=1e-3) as engine:
        for _ in range(100):
            engine.step()
        dynamics: Any = engine.dynamics
        F, N = dynamics.bounded.buffers[:2]
        tree, state = open_tree(F, N), open_state(F, N)
        place_nodes(tree, state, tree.order.shape[0])
        rotate_inertias(tree, state, tree.order.shape[0])
        find_mass(F, N)
        H, row, m = start(N, at.F_H), int_start(N, at.I_HROW), int(N[at.INDEPENDENT])
        found = np.zeros((m, m))
        for i in range(m):
            for j in range(int(N[int_start(N, at.I_BEGIN) + i]), i + 1):
                found[i, j] = found[j, i] = F[H + N[row + i] + j]
    c, mass = np.array([0.1, -0.2, 0.3]), 2.0
    inertia = np.array([[0.3, 0.01, -0.02], [0.01, 0.4, 0.03], [-0.02, 0.03, 0.5]])
    inertia += mass * (c @ c * np.eye(3) - np.outer(c, c))
    wanted = np.block([[inertia, mass * skew(c)], [-mass * skew(c), mass * np.eye(3)]])
    begin = next(k for k in range(m) if found[k, k] == pytest.approx(wanted[0, 0], rel=1e-12))
    assert m == 7
    np.testing.assert_allclose(found[begin : begin + 6, begin : begin + 6], wanted, rtol=0.0, atol=1e-15)
