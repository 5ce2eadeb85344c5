"""Runs of many variants of one mechanism in one call: what all of them begin with, and where their numbers go. The
kernel is in `variant_kernels`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import by_address

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array2, Array3, IntArray, IntArray2
    from simulator.physics.layout.sweep_layout import Sweep
    from simulator.spatial.arrays import Array


CONTINUES, BEGINS, KNOWN = range(3)
"""A motor that began before the step; one that begins or jumps in it; one whose effort is known after it, too."""
TARGET, AHEAD, CURVATURE, TOP, AT_END, NEXT_TARGET = range(6)
"""Columns of a position, see `engine.motors.Approach`."""


@by_address
class Variants(NamedTuple):
    """What is the same for all variants. Every one of them begins with the same contents of all buffers, so that it
    does not matter which ones were run before.

    `floats`, `placing`, `ints`, `bounds`, `counts`, `lines`: F, N until the state is assembled and N from then on, B, C
    and RF, with the motors that begin in the first step; `tables`: `stiffness`, `reference`, `coupling_factor` and
    `coupling_constant` of `Watch`, `lower` and `upper`, laid end to end. `places` (n_numbers,): where numbers of
    variants go, in F, RF and `tables`, laid end to end.

    `sweep` and `states` (2, n_moves), positions and velocities of the moved axes `moved` (n_moves,), assemble the
    state; where there are none, it is that of `floats`. `q_place`, `q_axis` and `v_place`, `v_axis`: where a position
    or velocity of an axis goes, see `CompiledState.places_of_axes`. `lower`, `upper`, `fastest` (n_axes,): what the
    limits allow, the first two of the variant. `scales` (3,): by how much loops may come open [m or 1], what pivots of
    the sweep usually are, and the step [s].

    `motor_line`, `motor_axis` (n_motors,): motors. `jumps` (n_jumps,): the steps that motors begin or jump in,
    ascending. What follows is said of n = n_jumps + 1 instants: the start, and the end of each of these steps.
    `jumping` (n, n_motors): CONTINUES, BEGINS or KNOWN, see below; `speeds` (n, n_motors): the velocity to begin with
    [rad/s or m/s], nan of a position; `asked` (n, n_motors, 6): a velocity and its rate, or the columns TARGET … of a
    position; `told` (n, n_axes + n_actuators): what is commanded as efforts [N m or N].

    `position`, `velocity`, `pushed` (n_axes,), `rates` (n_motors,), and `kinds`, `told_lines` and `given`, shaped as RI
    and RF, are room to work in.
    """

    floats: Array
    placing: IntArray
    ints: IntArray
    bounds: Array
    counts: IntArray
    lines: Array2
    tables: Array
    places: IntArray
    sweep: Sweep
    states: Array2
    moved: IntArray
    q_place: IntArray
    q_axis: IntArray
    v_place: IntArray
    v_axis: IntArray
    lower: Array
    upper: Array
    fastest: Array
    scales: Array
    motor_line: IntArray
    motor_axis: IntArray
    jumps: IntArray
    jumping: IntArray2
    speeds: Array2
    asked: Array3
    told: Array2
    position: Array
    velocity: Array
    pushed: Array
    rates: Array
    kinds: IntArray2
    told_lines: Array2
    given: Array2
