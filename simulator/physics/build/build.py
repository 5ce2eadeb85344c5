"""Fill the two buffers of a mechanism."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.clutches import inputs_of
from simulator.physics.build.simple import SimpleNodes, find_simple_nodes
from simulator.physics.layout import buffers as at
from simulator.physics.layout.flatten import (
    BALL,
    FREE,
    FREEDOMS,
    POSITIONS,
    ROTATION,
    TRANSLATION,
    Reduction,
    Tree,
    blocks,
    elimination_pattern,
    envelope,
    flatten_tree,
    reduce_couplings,
)
from simulator.physics.layout.meshes import cable_freedoms
from simulator.physics.loops.looped import looped_ints, tied_by_rotors
from simulator.physics.loops.planar import Plane, find_plane
from simulator.physics.loops.rotors import added_mass
from simulator.physics.loops.rows import LoopTables, loop_tables
from simulator.physics.loops.tapes import tape_blocks
from simulator.physics.loops.views import WORK
from simulator.physics.tree.cable_tables import CableTables, cable_tables
from simulator.physics.tree.load_blocks import load_blocks, load_kinds, load_sizes
from simulator.physics.tree.load_tables import load_tables
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.physics.tree.load_tables import LoadTables
    from simulator.spatial.arrays import Array, Ints

    Entry = tuple[int, int, float]


MOST_GUIDES = 24
"""Rows that choose a motion at a singular position: no more than that many (of what a mechanism can lack at once)."""


@dataclass(frozen=True)
class Parts:
    """Buffers and what Python needs to read them. `ypos`: position of every scalar independent (-1: of a loose joint);
    `lpos`: first position of every loose node (-1); `independent_freedom`: the freedom that each independent coordinate
    is; `order`: that of elimination, by the numbers that the independent coordinates would have in the order of
    freedoms."""

    F: Array
    N: Ints
    tree: Tree
    reduction: Reduction
    tables: LoopTables
    plane: Plane
    ypos: Ints
    lpos: Ints
    independent_freedom: Ints
    axis_of_freedom: dict[int, int]
    com: Array
    order: Ints
    simple: SimpleNodes

    @cached_property
    def places_in_nodes(self) -> Array:
        """X_LB of every body but the world, shape (n, 3, 4)."""
        return np.array([pose.matrix()[:3] for pose in self.tree.X_LB[1:]], dtype=float).reshape(-1, 3, 4)

    def independent_of_node(self, node: int) -> Ints:
        """Independent coordinates of a loose node's freedoms."""
        first = int(self.tree.first[node])
        count = FREEDOMS[int(self.tree.kind[node])]
        rows: Ints = self.reduction.index[self.reduction.ptr[first : first + count]]
        return rows

    def axis_codes(self) -> Ints:
        """Every axis as kernels know it, shape (n_axes,): a freedom of the tree, or -1 - place of a loop joint's
        axis."""
        codes: Ints = self.tree.freedom_of_axis.copy()
        for axis, place in self.tables.axis_of.items():
            codes[axis] = -1 - place
        return codes

    def spread(self, rates: Array) -> Array:
        """G times rates of the independent coordinates, shape (freedoms,)."""
        reduction = self.reduction
        result = np.zeros(self.tree.freedoms)
        np.add.at(result, reduction.freedom_of_entry, reduction.value * rates[reduction.index])
        return result


def build_buffers(mechanism: Mechanism, added_inertia: Array | None = None, *, real: bool = False) -> Parts:
    """Everything that the kernels need, at the rest state. `added_inertia` (n_axes, n_axes) and `real`: see
    `CompiledMechanism`."""
    tree = flatten_tree(mechanism, real=real)
    plain = reduce_couplings(mechanism, tree)
    tables = loop_tables(mechanism, tree, added_inertia)
    tied = tied_by_rotors(tree, plain, tables, added_inertia)
    order, left_ptr, left_columns = elimination_pattern(tree, plain, tied)
    reduction = renumbered(plain, order)
    loads = load_tables(mechanism.loads, tree, inputs_of(mechanism))
    cables = tables_of_cables(mechanism, tree)
    independent_freedom = independent_freedoms(reduction)
    ypos, lpos, start = _positions(tree, independent_freedom)
    simple = find_simple_nodes(
        tree, tables, mechanism.gravity, loads.loaded | cables.nodes | _in_bearings(mechanism, tree)
    )
    plane = find_plane(tree, tables, simple.others, mechanism.gravity)
    entries = [*simple.mass(tree, reduction), *added_mass(tree, reduction, tables.axis_of, added_inertia)]
    matrix_floats, matrix_ints = _matrix_blocks(left_ptr, left_columns, entries)
    floats = {
        **_constants(mechanism, tree, reduction, tables, loads),
        **_room(tree, reduction, tables, len(start), loads.springs),
        **matrix_floats,
    }
    floats |= {**plane_blocks(plane), at.F_SIMPLE: simple.numbers, at.F_Q: start}
    floats |= {**cables.float_blocks(), **cables.room()}
    matrix_ints |= looped_ints(tree, reduction, tables, left_ptr, left_columns)
    tape_floats, tape_ints = tape_blocks(tables.tapes, len(tables.all_terms))
    floats |= tape_floats
    matrix_ints |= {**tape_ints, **cables.int_blocks()}
    ints = {**_int_blocks(tree, reduction, tables, ypos, lpos), **matrix_ints, **_order_blocks(tree, simple)}
    sizes = _sizes(mechanism, tree, reduction, tables, simple) | load_sizes(loads) | {at.POSITIONS: len(start)}
    F, N = at.allocate(sizes, floats, ints | load_kinds(loads))
    return Parts(
        F=F,
        N=N,
        tree=tree,
        reduction=reduction,
        tables=tables,
        plane=plane,
        ypos=ypos,
        lpos=lpos,
        independent_freedom=independent_freedom,
        axis_of_freedom={int(freedom): axis for axis, freedom in enumerate(tree.freedom_of_axis) if freedom >= 0},
        com=np.array([body.com for body in mechanism.bodies[1:]], dtype=float).reshape(-1, 3),
        order=order,
        simple=simple,
    )


def tables_of_cables(mechanism: Mechanism, tree: Tree) -> CableTables:
    """Cables, where they are no couplings that are left out."""
    return cable_tables(mechanism.loads.cables if tree.meshes is not None else (), tree)


def _in_bearings(mechanism: Mechanism, tree: Tree) -> frozenset[int]:
    """Nodes whose place a step has to know: they lie in bearings that feel their load."""
    return frozenset(
        int(tree.node_of_body[joint.child])
        for joint in mechanism.joints
        if any(mechanism.axes[motion.axis].axis.bearing is not None for motion in joint.motions)
    )


def _constants(
    mechanism: Mechanism, tree: Tree, reduction: Reduction, tables: LoopTables, loads: LoadTables
) -> dict[int, Array | int]:
    """What does not change while time passes."""
    return {
        **tree_blocks(tree),
        **coupling_blocks(reduction),
        **loop_blocks(tables),
        **passive_blocks(mechanism, tree, tables, loads),
        **load_blocks(loads),
        at.F_GRAVITY: np.array(mechanism.gravity),
        at.F_PLANE_WORK: WORK * len(tree.kind),
    }


def _matrix_blocks(
    ptr: Ints, columns: Ints, entries: list[Entry]
) -> tuple[dict[int, Array | int], dict[int, Ints | int]]:
    """Where H is stored, and what does not change of it; arguments as in `envelope` and `mass_base`."""
    row, length = envelope(ptr, columns)
    begin, end = blocks(row)
    floats: dict[int, Array | int] = {at.F_H: length, at.F_HBASE: mass_base(row, length, entries)}
    return floats, {at.I_LPTR: ptr, at.I_LCOL: columns, at.I_HROW: row, at.I_BEGIN: begin, at.I_END: end}


def _order_blocks(tree: Tree, simple: SimpleNodes) -> dict[int, Ints | int]:
    """Nodes in the order of sweeps, and those without weight: what is known in closed form comes last."""
    # The same order as that of nodes, so that a count can leave the known ones out.
    placed, known = np.setdiff1d(tree.weightless, simple.nodes), np.intersect1d(tree.weightless, simple.nodes)
    return {at.I_ORDER: simple.order, at.I_WEIGHTLESS: np.concatenate((placed, known))}


def _sizes(
    mechanism: Mechanism, tree: Tree, reduction: Reduction, tables: LoopTables, simple: SimpleNodes
) -> dict[int, int]:
    return {
        at.ACTIVE: len(simple.others),
        at.WEIGHTLESS_ACTIVE: len(np.setdiff1d(tree.weightless, simple.nodes)),
        at.NODES: len(tree.kind),
        at.FREEDOMS: tree.freedoms,
        at.INDEPENDENT: reduction.independents,
        at.LOOPS: len(mechanism.loop_joints),
        at.ROWS: len(tables.kind),
        at.LOOP_AXES: len(tables.axis_kind),
        at.ROTORS: len(tables.rotor),
        at.CURVED_PLAYS: len(tables.plays),
        at.CABLES: len(cable_freedoms(tree.meshes or ())) // 2,
        at.RANK: len(tables.kind),
        at.WEIGHTLESS: len(tree.weightless),
        at.SPARE: len(tables.kind) + guides_of(reduction, tables),
        at.IDENTITY: int(reduction.is_identity(tree.of_nodes)),
    }


def plane_blocks(plane: Plane) -> dict[int, Array]:
    """What kernels know of the plane; loop axes begin at zero."""
    axes = np.zeros((len(plane.axes), 2))
    axes[:, 0] = plane.axes
    return {
        at.F_PLANE: plane.nodes,
        at.F_PLANE_LOOPS: plane.loops,
        at.F_PLANE_ROWS: plane.rows,
        at.F_PLANE_AXES: axes,
        at.F_PLANE_GRAVITY: plane.gravity,
    }


def guides_of(reduction: Reduction, tables: LoopTables) -> int:
    """How many rows there is room for at singular positions."""
    return min(reduction.independents, MOST_GUIDES) if tables.kind else 0


def renumbered(reduction: Reduction, order: Ints) -> Reduction:
    """Independent coordinates renumbered in the order of elimination."""
    place = np.zeros(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return replace(reduction, index=place[reduction.index] if len(order) else reduction.index)


def mass_base(row: Ints, length: int, entries: list[Entry]) -> Array:
    """What does not change of H, in its envelope: `entries` of simple nodes, and of what is added."""
    base = np.zeros(length)
    for a, b, value in entries:
        base[row[max(a, b)] + min(a, b)] += value
    return base


def independent_freedoms(reduction: Reduction) -> Ints:
    """An independent coordinate is the freedom whose row of G is a single one on it."""
    freedom = np.full(reduction.independents, -1, dtype=np.int64)
    for row in range(len(reduction.ptr) - 1):
        begin = reduction.ptr[row]
        end = reduction.ptr[row + 1]
        # A follower may have one entry, too, of another value; or 1 and a constant.
        single = end - begin == 1 and reduction.value[begin] == 1.0 and reduction.constant[row] == 0.0
        if single and freedom[reduction.index[begin]] < 0:
            freedom[reduction.index[begin]] = row
    return freedom


def _positions(tree: Tree, independent_freedom: Ints) -> tuple[Ints, Ints, Array]:
    """Where positions stand: scalars by independent coordinate, then loose nodes; and their values at rest."""
    loose_freedoms = {
        freedom
        for node, kind in enumerate(tree.kind)
        if kind >= 2
        for freedom in range(int(tree.first[node]), int(tree.first[node]) + FREEDOMS[int(kind)])
    }
    ypos = np.full(len(independent_freedom), -1, dtype=np.int64)
    count = 0
    for independent, freedom in enumerate(independent_freedom):
        if int(freedom) not in loose_freedoms:
            ypos[independent] = count
            count += 1
    lpos = np.full(len(tree.kind), -1, dtype=np.int64)
    values = [0.0] * count
    for node, kind in enumerate(tree.kind):
        if kind >= 2:
            lpos[node] = len(values)
            # The quaternion (x, y, z, w) of no turn ends in 1.
            values += [0.0] * (POSITIONS[int(kind)] - 1) + [1.0]
    return ypos, lpos, np.array(values)


def tree_blocks(tree: Tree) -> dict[int, Array]:
    """Constants of nodes."""
    return {at.F_X: tree.X, at.F_AXIS: tree.axis, at.F_INERTIA: tree.inertia}


def coupling_blocks(reduction: Reduction) -> dict[int, Array]:
    """Constants of couplings."""
    return {at.F_GVALUE: reduction.value, at.F_GCONST: reduction.constant}


def loop_blocks(tables: LoopTables) -> dict[int, Array]:
    """Constants of loops."""
    return {
        at.F_LOOP_X: np.array(tables.X, dtype=float),
        at.F_ROW_U: np.array(tables.u, dtype=float),
        at.F_ROW_W: np.array(tables.w, dtype=float),
        at.F_ROW_TARGET: np.array(tables.target, dtype=float),
        at.F_LAXIS_DIR: np.array(tables.axis_vectors, dtype=float),
        at.F_LCOEF: np.array([c for terms in tables.all_terms for _, _, c in terms], dtype=float),
        at.F_ROTOR: np.array(tables.rotor, dtype=float),
    }


def passive_blocks(mechanism: Mechanism, tree: Tree, tables: LoopTables, loads: LoadTables) -> dict[int, Array]:
    """Springs and dampers of axes, and between points."""
    damping, stiffness, reference = _passive(mechanism, tree)
    return {
        at.F_DAMPING: damping,
        at.F_STIFFNESS: stiffness,
        at.F_REFERENCE: reference,
        at.F_LPASSIVE: np.concatenate((_loop_passive(mechanism, tables), loads.passive)),
    }


def _room(tree: Tree, reduction: Reduction, tables: LoopTables, positions: int, springs: int) -> dict[int, Array | int]:
    """Lengths of the blocks that kernels work in."""
    n = len(tree.kind)
    k = tree.freedoms
    m = reduction.independents
    # Guides are rows that hold a mechanism to one of several motions: there must be room for them behind the others.
    guides = guides_of(reduction, tables)
    axes = len(tables.axis_kind)
    rows = len(tables.kind) + guides
    per_node = {at.F_R: 9, at.F_P: 3, at.F_VEL: 6, at.F_ACC: 6, at.F_FORCE: 6, at.F_CI: 10}
    return {
        **{block: length * n for block, length in per_node.items()},
        **dict.fromkeys(
            (
                at.F_V,
                at.F_DV,
                at.F_V0,
                at.F_VSUM,
                at.F_STEP,
                at.F_DRIVE,
                at.F_LOSS,
                at.F_DRIVE_SLOPE,
                at.F_LOSS_SLOPE,
                at.F_ADDED,
                at.F_SHIFT,
            ),
            m,
        ),
        **dict.fromkeys((at.F_DQ, at.F_Q0, at.F_QSUM), positions),
        **dict.fromkeys((at.F_BIAS, at.F_QD), k),
        at.F_PHI: rows,
        at.F_RHS: rows + 1,
        **dict.fromkeys((at.F_K, at.F_XK), (rows + 1) * m),
        **dict.fromkeys((at.F_NEAR_K, at.F_NEAR_XK), rows * m),
        at.F_GUIDE: guides * m,
        at.F_GUIDE_RHS: guides,
        at.F_PIVOT: 3,
        at.F_TAU: k + axes,
        at.F_KEPT: k + axes,
        at.F_SHOWN: k + axes + springs,
        at.F_FASTER: 2,
        at.F_S: 3 * k,
        at.F_A: rows * rows,
        at.F_LAMBDA: 2 * rows,
        at.F_LFRAME: 12 * len(tables.nodes),
        at.F_LMOTION: 21 * (len(tables.nodes) // 2),
        **dict.fromkeys((at.F_LAXIS_Q, at.F_LDRIVE, at.F_LLOSS, at.F_LDRIVE_SLOPE, at.F_LLOSS_SLOPE), axes),
        at.F_CURVED_PLAY: 3 * (len(tables.plays) + len(cable_freedoms(tree.meshes or ()))),
        at.F_FLOW: 6,
        at.F_PEAK: 1,
        at.F_CARRIED: 9 * (len(tree.kind) + len(tables.nodes) // 2),
        at.F_TIME: 2,
    }


def _passive(mechanism: Mechanism, tree: Tree) -> tuple[Array, Array, Array]:
    """Damping, spring stiffness and spring reference of every freedom."""
    damping = np.zeros(tree.freedoms)
    stiffness = np.zeros(tree.freedoms)
    reference = np.zeros(tree.freedoms)
    for axis, freedom in zip(mechanism.axes, tree.freedom_of_axis, strict=True):
        if freedom >= 0:
            damping[freedom] = axis.axis.damping
            stiffness[freedom] = axis.axis.spring_stiffness
            reference[freedom] = axis.axis.spring_reference
    return damping, stiffness, reference


def _loop_passive(mechanism: Mechanism, tables: LoopTables) -> Array:
    """Damping, spring stiffness and spring reference of every loop axis, shape (n_loop_axes, 3)."""
    rows = np.zeros((len(tables.axis_kind), 3))
    for axis, place in tables.axis_of.items():
        info = mechanism.axes[axis].axis
        rows[place] = (info.damping, info.spring_stiffness, info.spring_reference)
    return rows


def _turning(tree: Tree) -> list[int]:
    """1 for every freedom that turns, 0 for those that slide; freedoms of meshes have no node."""
    turns = {ROTATION: [1], TRANSLATION: [0], BALL: [1, 1, 1], FREE: [1, 1, 1, 0, 0, 0]}
    found = [turn for kind in tree.kind for turn in turns[int(kind)]]
    return found + [0] * (tree.freedoms - len(found))


def _int_blocks(tree: Tree, reduction: Reduction, tables: LoopTables, ypos: Ints, lpos: Ints) -> dict[int, Ints | int]:
    def ints(values: list[int]) -> Ints:
        return np.array(values, dtype=np.int64)

    def starts(groups: list[list[tuple[int, int]]] | list[list[tuple[int, int, float]]]) -> Ints:
        return ints([0, *np.cumsum([len(group) for group in groups]).tolist()])

    return {
        at.I_KIND: tree.kind,
        at.I_PARENT: tree.parent,
        at.I_FIRST: tree.first,
        at.I_TURNS: ints(_turning(tree)),
        at.I_GPTR: reduction.ptr,
        at.I_GINDEX: reduction.index,
        at.I_YPOS: ypos,
        at.I_LPOS: lpos,
        at.I_ROW_KIND: ints(tables.kind),
        at.I_ROW_LOOP: ints(tables.loop),
        at.I_ROW_ACTIVE: ints(list(range(len(tables.kind)))),
        at.I_LOOP_NODE: ints(tables.nodes),
        at.I_PATH_PTR: starts(tables.path),
        at.I_PATH_NODE: ints([node for path in tables.path for node, _ in path]),
        at.I_PATH_SIGN: ints([sign for path in tables.path for _, sign in path]),
        at.I_LAXIS_KIND: ints(tables.axis_kind),
        at.I_LAXIS_LOOP: ints(tables.axis_loop),
        at.I_TERM_PTR: starts(tables.all_terms),
        at.I_TERM_AXIS: ints([axis for terms in tables.all_terms for axis, _, _ in terms]),
        at.I_TERM_DOF: ints([freedom for terms in tables.all_terms for _, freedom, _ in terms]),
        at.I_CURVED_PLAY: ints(
            [
                *(mesh.play for mesh in tree.meshes or () if mesh.is_curved),
                *cable_freedoms(tree.meshes or ()),
            ]
        ),
        at.I_PIVOT: len(tables.kind) + guides_of(reduction, tables),
    }
