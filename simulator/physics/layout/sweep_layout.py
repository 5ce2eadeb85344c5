"""What kernels of positions without time are given: what is moved, what acts, and room to work in.

The unknowns are the independent coordinates y of a compiled mechanism (m of them). Their equations are the active rows
of its loops, then the axes that are moved, then freedoms that are locked, so that the matrix J of all of them, shape
(m, m), is regular where the moved axes determine the position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import by_address

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array2, Array3, IntArray
    from simulator.spatial.arrays import Array


IN_WORLD, IN_LINK = 0, 1
"""Axes that a load is in."""


@by_address
class Sweep(NamedTuple):
    """What is moved, held and loaded, and room to work in.

    `rank`: rows of loops that are solved. `move` (n_moves,): codes of the moved axes, a freedom or -1 - place of a loop
    axis; `rate` (n_moves,): how fast each goes when the first goes with 1. `lock` (n_locks,): freedoms that stay.
    `codes` (n_axes,). `added` (m, m): inertia of rotors over the independent coordinates. `compliance` (nodes + loops,
    6): of joints, about and along the axes of their frames [rad/(N m), m/N]; nodes that end no joint have none.
    `load_node`, `load_axes` (n_loads,), `load` (n_loads, 9): point in the node's frame [m], force [N], moment [N m].

    Room: `J` (m, m), `pivot` (m,), `x` and `unit` and `bend` (m,): the latter are dy/ds and d²y/ds² of the motion in
    which the first moved axis goes with s; `qdd` (freedoms,), `extra` (nodes, 6), `loop` (loops, 6), `wrench`
    (redundant, nodes + loops, 6) of stresses, `normal` (redundant, redundant), `share` (redundant,), `mix` (redundant,
    m), `kept` (positions,), `begin` (n_moves,), `goal` (1, n_moves), `asked` (n_moves,): accelerations for `prescribe`,
    zero otherwise. `speed` (2,): velocity and acceleration of the first axis. `regular` (3,): of the J that was
    factored last, see `Points`, the greatest magnitude of it so far, and its slope over the way of the first axis, 0
    where that is not known.
    """

    rank: int
    move: IntArray
    rate: Array
    lock: IntArray
    codes: IntArray
    added: Array2
    compliance: Array2
    load_node: IntArray
    load_axes: IntArray
    load: Array2
    J: Array2
    pivot: IntArray
    x: Array
    unit: Array
    bend: Array
    qdd: Array
    extra: Array2
    loop: Array2
    wrench: Array3
    normal: Array2
    share: Array
    mix: Array2
    kept: Array
    begin: Array
    goal: Array2
    asked: Array
    speed: Array
    regular: Array


class Points(NamedTuple):
    """What a sweep finds at n points. Kinematics are those of the motion whose first moved axis goes with velocity 1
    and acceleration 0.

    `position`, `rate`, `bend` (n, n_axes): of all axes, and d/ds and d²/ds² of them. `frame` (n, nodes, 12): rotation
    (9) and origin (3) of nodes in the world; `twist`, `acceleration` (n, nodes, 6): spatial, about the origins.
    `wrench` (n, nodes + loops, 6): moment and force by the parent on the child about the node's origin, or the child's
    frame of a loop joint, world axes. `effort` (n, freedoms): component of the node's wrench along each freedom. `held`
    (n, m - rank): efforts on moved axes and locked freedoms. `row` (n, rows): multipliers of loop rows. `open` (n,
    nodes + loops, 6): by how much redundant rows change each component, at most. `regular` (n,): least pivot of J over
    the greatest, signed. `y` (n, positions): the independent positions. `given` (n, freedoms): accelerations of
    freedoms, of `observe_each` alone.
    """

    position: Array2
    rate: Array2
    bend: Array2
    frame: Array3
    twist: Array3
    acceleration: Array3
    wrench: Array3
    effort: Array2
    held: Array2
    row: Array2
    open: Array3
    regular: Array
    y: Array2
    given: Array2
