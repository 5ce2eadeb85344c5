"""What setting a state needs: rank of the rows of loops, loop axes in the plane, closed loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import entry
from simulator.physics.build.state import refresh
from simulator.physics.loops.loops import find_rows
from simulator.physics.loops.mass import find_mass
from simulator.physics.loops.solve import factor_inertia, factor_loops
from simulator.physics.motion.free import accelerate
from simulator.physics.motion.planar import place_nodes_in_plane, turn_loop_axes
from simulator.physics.motion.projection import project
from simulator.physics.tree.tree import find_bias

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats
    from simulator.physics.loops.views import MechanismViews

PROJECTIONS, NEWTON_STEPS = 10, 20
"""Rounds of projections, each with the mass matrix of where the last one ended, and Newton steps of each."""
CLOSED = 1e-12
"""Residual [m, or 1 for directions] at which loops count as closed."""


@entry("motion")
def factor_active_rows(m: MechanismViews) -> int:
    """Factor the active rows and guides at the present pose; returns their rank."""
    refresh(m)
    find_bias(m.tree, m.state, m.loads)
    find_mass(m)
    factor_inertia(m.mass)
    find_rows(m.tree, m.state, m.loops, m.rows, True)
    return factor_loops(m.mass, m.rows)


@entry("motion")
def use_plane(m: MechanismViews, room: Floats) -> None:
    """Loop axes in the plane continue from their positions; `room` for as many."""
    plane, loops = m.plane, m.loops
    now = loops.axis_position
    if now.shape[0] == 0:
        return
    refresh(m)
    place_nodes_in_plane(m.tree, m.state, plane)
    for j in range(now.shape[0]):
        room[j] = now[j]
        plane.axis[j, 1] = 0.0
    turn_loop_axes(plane, loops)
    for j in range(now.shape[0]):
        plane.axis[j, 1], now[j] = room[j] - now[j], room[j]


@entry("motion")
def close_loops(m: MechanismViews) -> float:
    """Close the loops, make velocities consistent; returns the residual that was met last.

    The velocities are corrected with the rows of the pose before the last Newton step, so a second round sees the
    closed pose.
    """
    residual = 0.0
    for _ in range(PROJECTIONS):
        accelerate(m)
        project(m, NEWTON_STEPS, np.inf)
        residual = project(m, 1, np.inf)
        if residual < CLOSED:
            break
    return residual
