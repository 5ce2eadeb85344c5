"""Loop joints as rows: which directions a joint of a real type does not leave free, and which couplings its axes take
part in."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.loops import loop_path
from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.model.altered import altered
from simulator.physics.loops.loops import AXIS, CURVED, LINE, TURN
from simulator.physics.loops.rotors import divided_inertia
from simulator.records import dataclass
from simulator.spatial.rotation import across

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.mechanism.curved import CurvedLaw
    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.model.tape import Tape
    from simulator.physics.layout.flatten import Tree
    from simulator.spatial.arrays import Array


@dataclass
class LoopTables:
    """Everything that the loop kernels read; see `layout` for the blocks. `terms` are those of rows, then of rotors,
    whose inertias are `rotor`; behind these come `plays`, the terms of real couplings along curves, which are no rows.
    `tapes`: φ by row or play; `of_coupling`: rows and plays of couplings, by their index."""

    X: list[Array] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    path: list[list[tuple[int, int]]] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    loop: list[int] = field(default_factory=list)
    u: list[Array] = field(default_factory=list)
    w: list[Array] = field(default_factory=list)
    target: list[float] = field(default_factory=list)
    terms: list[list[tuple[int, int, float]]] = field(default_factory=list)
    axis_kind: list[int] = field(default_factory=list)
    axis_loop: list[int] = field(default_factory=list)
    axis_vectors: list[Array] = field(default_factory=list)
    axis_of: dict[int, int] = field(default_factory=dict)
    rotor: list[float] = field(default_factory=list)
    plays: list[list[tuple[int, int, float]]] = field(default_factory=list)
    tapes: dict[int, Tape] = field(default_factory=dict)
    of_coupling: dict[int, int] = field(default_factory=dict)

    def add(self, kind: int, loop: int, *, u: Array | None = None, w: Array | None = None, target: float = 0.0) -> None:
        """Append a row of one loop joint."""
        self.kind.append(kind)
        self.loop.append(loop)
        self.u.append(np.zeros(3) if u is None else u)
        self.w.append(np.zeros(3) if w is None else w)
        self.target.append(target)
        self.terms.append([])

    @property
    def all_terms(self) -> list[list[tuple[int, int, float]]]:
        """Of rows, rotors and plays along curves."""
        return [*self.terms, *self.plays]


def loop_tables(mechanism: Mechanism, tree: Tree, added_inertia: Array | None = None) -> LoopTables:
    """Rows of all loop joints by their real type, then of couplings with loop axes or along curves; rotors that turn
    with loop axes; plays along curves. `added_inertia`: see `CompiledMechanism`."""
    tables = LoopTables()
    for index, loop in enumerate(mechanism.loop_joints):
        _place(tables, mechanism, tree, loop)
        _add_axes(tables, loop, index)
        _add_lines(tables, loop, index)
        _add_turns(tables, loop, index)
    plays = {mesh.coupling for mesh in tree.meshes or () if mesh.is_curved}
    for index, coupling in enumerate(mechanism.couplings):
        if index in plays:
            continue
        if coupling.curve is not None:
            tables.add(CURVED, 0)
            tables.terms[-1] = _terms_of_curve(tables, tree, coupling.curve)
            tables.tapes[len(tables.kind) - 1] = coupling.curve.tape
            tables.of_coupling[index] = len(tables.kind) - 1
        elif coupling.ties and any(axis in tables.axis_of for axis, _ in coupling.terms):
            tables.of_coupling[index] = len(tables.kind)
            tables.add(AXIS, 0, target=coupling.constant)
            tables.terms[-1] = _terms(tables, tree, coupling.terms)
    if added_inertia is not None:
        for inertia, row in divided_inertia(added_inertia, tables.axis_of)[0]:
            tables.rotor.append(inertia)
            tables.terms.append(_terms(tables, tree, [(int(axis), float(row[axis])) for axis in np.flatnonzero(row)]))
    for index in sorted(plays):
        curve = mechanism.couplings[index].curve
        assert curve is not None
        tables.of_coupling[index] = len(tables.all_terms)
        tables.tapes[len(tables.all_terms)] = curve.tape
        tables.plays.append(_terms_of_curve(tables, tree, curve))
    return tables


def _terms_of_curve(tables: LoopTables, tree: Tree, curve: CurvedLaw) -> list[tuple[int, int, float]]:
    """As `_terms`; the coefficients are the slopes where the mechanism is."""
    return _terms(tables, tree, ((axis, 0.0) for axis in curve.axes))


def _terms(tables: LoopTables, tree: Tree, terms: Iterable[tuple[int, float]]) -> list[tuple[int, int, float]]:
    """(loop axis or -1, freedom or -1, coefficient) of axes with coefficients."""
    return [(tables.axis_of.get(axis, -1), int(tree.freedom_of_axis[axis]), factor) for axis, factor in terms]


def tables_like(tables: LoopTables, mechanism: Mechanism, tree: Tree) -> LoopTables:
    """Those of `mechanism`, whose loop joints differ from those of `tables` by where they are, and by nothing else."""
    return altered(tables, X=[X for loop in mechanism.loop_joints for X in _frames(tree, loop)])


def _frames(tree: Tree, loop: MechanismJoint) -> list[Array]:
    """Both frames of a loop joint in their nodes, or in the world, shape (3, 4) each."""
    sides = ((loop.parent, loop.X_PJ), (loop.child, loop.X_CJ))
    return [(X if body == WORLD_BODY else tree.X_LB[body] @ X).matrix()[:3] for body, X in sides]


def _place(tables: LoopTables, mechanism: Mechanism, tree: Tree, loop: MechanismJoint) -> None:
    tables.nodes += [int(tree.node_of_body[body]) if body != WORLD_BODY else -1 for body in (loop.parent, loop.child)]
    tables.X += _frames(tree, loop)
    parent_side, child_side = loop_path(loop, mechanism.joints)
    last_node = {joint: int(tree.node_of_body[joint + 1]) for joint in (*parent_side, *child_side)}
    path = []
    for sign, side in ((-1, parent_side), (1, child_side)):
        for joint in side:
            inboard = mechanism.joints[joint].parent
            stop = int(tree.node_of_body[inboard]) if inboard != WORLD_BODY else -1
            node = last_node[joint]
            # Only nodes between the common ancestor and the joint move its two frames against each other.
            while node != stop:
                path.append((node, sign))
                node = int(tree.parent[node])
    tables.path.append(path)


def _add_axes(tables: LoopTables, loop: MechanismJoint, index: int) -> None:
    turns = [np.array(m.direction) for m in loop.motions if m.kind is MotionKind.ROTATION]
    hand: Array
    for motion in loop.motions:
        direction = np.array(motion.direction)
        if motion.kind is MotionKind.TRANSLATION:
            kind = 1
            hand = np.zeros(3)
        elif len(turns) == 2:
            # The angles of a universal joint are measured from the other axis, which closes its cross.
            kind = 0 if motion is loop.motions[0] else 2
            hand = turns[1] if kind == 0 else turns[0]
        else:
            kind = 0
            hand = across(direction)[0]
        tables.axis_of[motion.axis] = len(tables.axis_kind)
        tables.axis_kind.append(kind)
        tables.axis_loop.append(index)
        tables.axis_vectors.append(np.concatenate((direction, hand)))


def _add_lines(tables: LoopTables, loop: MechanismJoint, index: int) -> None:
    sliding = [np.array(m.direction) for m in loop.motions if m.kind is MotionKind.TRANSLATION]
    # Gaps along what slides are no gaps.
    directions = list(np.eye(3)) if not sliding else list(_complement(np.array(sliding)))
    for direction in directions:
        tables.add(LINE, index, u=direction)


def _add_turns(tables: LoopTables, loop: MechanismJoint, index: int) -> None:
    if loop.kind is JointKind.BALL:
        return
    turns = [np.array(m.direction) for m in loop.motions if m.kind is MotionKind.ROTATION]
    if not turns:
        axes = np.eye(3)
        for i in range(3):
            tables.add(TURN, index, u=axes[(i + 1) % 3], w=axes[i])
    elif len(turns) == 1:
        for direction in across(turns[0]):
            tables.add(TURN, index, u=direction, w=turns[0])
    else:
        # The cross of a universal joint keeps the angle between its two arms.
        tables.add(TURN, index, u=turns[0], w=turns[1], target=float(turns[0] @ turns[1]))


def _complement(directions: Array) -> Array:
    """Orthonormal vectors perpendicular to the given ones, shape (3 - k, 3)."""
    rows: Array = np.linalg.svd(directions)[2][np.linalg.matrix_rank(directions) :]
    return rows
