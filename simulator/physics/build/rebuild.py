"""Buffers of a mechanism from those of another that has the same structure: only what follows from the numbers that
differ is found anew.

Mechanisms are frozen values that share what they have in common, so `is` tells what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.clutches import inputs_of
from simulator.model.altered import altered
from simulator.physics.build.build import (
    coupling_blocks,
    independent_freedoms,
    loop_blocks,
    mass_base,
    passive_blocks,
    plane_blocks,
    renumbered,
    tables_of_cables,
    tree_blocks,
)
from simulator.physics.layout import buffers as at
from simulator.physics.layout.flatten import meshed_alike, reduce_couplings, same_but_placed, tree_like
from simulator.physics.loops.planar import find_plane
from simulator.physics.loops.rotors import added_mass
from simulator.physics.loops.rows import loop_tables, tables_like
from simulator.physics.loops.tapes import tape_blocks
from simulator.physics.tree.load_blocks import load_kinds, numbers_of_loads
from simulator.physics.tree.load_tables import load_tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.mechanism.types import Mechanism
    from simulator.model.joint import Axis
    from simulator.physics.build.build import Parts
    from simulator.physics.build.simple import SimpleNodes
    from simulator.physics.layout.flatten import Reduction, Tree
    from simulator.physics.loops.rows import LoopTables
    from simulator.physics.tree.cable_tables import CableTables
    from simulator.physics.tree.load_tables import LoadTables
    from simulator.spatial.arrays import Array


def parts_like(parts: Parts, before: Mechanism, mechanism: Mechanism, added_inertia: Array | None) -> Parts | None:
    """What `build_buffers` makes of `mechanism`, from what it made of `before`; the state is that of `parts`, without
    efforts.

    None where the structure differs: other bodies, joints, axes or loads, or couplings that are solved for other
    coordinates.
    """
    tree = parts.tree if _same_bodies(before, mechanism) else tree_like(parts.tree, before, mechanism)
    reduction = None if tree is None else _reduction_like(parts, before, mechanism, tree)
    if tree is None or reduction is None:
        return None
    falls_alike = mechanism.gravity == before.gravity
    tables = _tables_like(parts, before, mechanism, tree, added_inertia)
    if tables is None:
        return None
    inputs = inputs_of(mechanism)
    same_loads = mechanism.loads is before.loads and inputs == inputs_of(before)
    same_passive = mechanism.axes is before.axes and same_loads
    loaded = bool(mechanism.loads) or bool(inputs)
    loads = load_tables(mechanism.loads, tree, inputs) if loaded or not same_passive else None
    if loads is not None and not same_loads and not _same_loads(parts, loads):
        return None
    cables = tables_of_cables(mechanism, tree)
    if not _same_cables(parts, cables) or (cables.nodes and not meshed_alike(tree, mechanism)):
        return None
    other = altered(parts, F=parts.F.copy(), N=parts.N.copy(), tree=tree, reduction=reduction, tables=tables)
    _write_blocks(other, {**_blocks_of_loops(parts.tables, tables), **cables.float_blocks()})
    if loads is not None:
        _write_blocks(other, {} if same_passive else passive_blocks(mechanism, tree, tables, loads))
        _write_blocks(other, numbers_of_loads(loads) if loaded else {})
    at.block(other.F, other.N, at.F_TAU)[:] = 0.0
    if tree is parts.tree and reduction is parts.reduction and falls_alike:
        return other
    simple = parts.simple
    if not falls_alike:
        simple = simple.of(tree, mechanism.gravity)
        other = _with_gravity(other, mechanism, simple)
    elif tree is not parts.tree:
        simple = simple.like(parts.tree, tree, mechanism.gravity)
    entries = [*simple.mass(tree, reduction), *added_mass(tree, reduction, tables.axis_of, added_inertia)]
    base = mass_base(at.int_block(other.N, at.I_HROW), len(at.block(other.F, other.N, at.F_HBASE)), entries)
    _write_blocks(other, {at.F_HBASE: base})
    if reduction is not parts.reduction:
        _write_blocks(other, coupling_blocks(reduction))
        other.N[at.IDENTITY] = int(reduction.is_identity(tree.of_nodes))
    return other if tree is parts.tree else _with_bodies(other, parts.tree, mechanism, simple)


def numbers_like(parts: Parts, before: Mechanism, mechanism: Mechanism, added_inertia: Array | None) -> Array | None:
    """F of `parts_like`, where N is that of `parts`, and axes have the same directions and the same limits of effort
    and velocity. None where anything else differs, or couplings that are not ideal or have curves."""
    if not _couplings_alike(before, mechanism) or not _axes_alike(before, mechanism):
        return None
    found = parts_like(parts, before, mechanism, added_inertia)
    return found.F if found is not None and np.array_equal(found.N, parts.N) else None


def _couplings_alike(before: Mechanism, mechanism: Mechanism) -> bool:
    """Whether nothing differs but factors and constants of ideal couplings."""
    both = (*before.couplings, *mechanism.couplings)
    straight = all(coupling.real.is_ideal and coupling.curve is None for coupling in both)
    return mechanism.couplings is before.couplings or straight


def _axes_alike(before: Mechanism, mechanism: Mechanism) -> bool:
    """Whether nothing differs but what resists axes and how far they go."""
    pairs = zip(before.axes, mechanism.axes, strict=True) if mechanism.axes is not before.axes else ()
    return all(old is new or _bounds(old.axis) == _bounds(new.axis) for old, new in pairs)


def _bounds(axis: Axis) -> tuple[object, ...]:
    return axis.effort, axis.velocity, axis.initial_position, axis.xyz_joint


def _tables_like(
    parts: Parts, before: Mechanism, mechanism: Mechanism, tree: Tree, added_inertia: Array | None
) -> LoopTables | None:
    """None where there are other rows."""
    loops, others = before.loop_joints, mechanism.loop_joints
    if mechanism.couplings is before.couplings and len(loops) == len(others):
        if mechanism.joints is before.joints and others is loops:
            return parts.tables
        has_rotors = bool(parts.tables.rotor) or (added_inertia is not None and added_inertia.any())
        if not has_rotors and all(same_but_placed(a, b) for a, b in zip(loops, others, strict=True)):
            return tables_like(parts.tables, mechanism, tree)
    tables = loop_tables(mechanism, tree, added_inertia)
    return tables if _structure(tables) == _structure(parts.tables) else None


def _blocks_of_loops(before: LoopTables, tables: LoopTables) -> dict[int, Array]:
    """Those that differ."""
    if tables is before:
        return {}
    if tables.u is before.u:  # it is `tables_like`
        return {at.F_LOOP_X: np.array(tables.X)}
    formulas, _ = tape_blocks(tables.tapes, len(tables.all_terms))
    return {**loop_blocks(tables), **{k: v for k, v in formulas.items() if not isinstance(v, int)}}


def _structure(tables: LoopTables) -> tuple[object, ...]:
    """What rows and rotors of loops there are, whatever their numbers."""
    formulas = {
        row: (tape.code, len(tape.numbers), [len(curve.pieces) for curve in tape.curves])
        for row, tape in tables.tapes.items()
    }
    terms = [[term[:2] for term in row] for row in tables.all_terms]
    return tables.kind, tables.loop, tables.axis_kind, terms, len(tables.plays), formulas


def _same_bodies(before: Mechanism, mechanism: Mechanism) -> bool:
    return mechanism.joints is before.joints and mechanism.bodies is before.bodies


def _same_loads(parts: Parts, loads: LoadTables) -> bool:
    """Whether as many loads act on the same nodes, along profiles and tables of the same kinds and lengths."""
    same_kinds = all(
        np.array_equal(at.int_block(parts.N, index), np.ravel(kinds)) for index, kinds in load_kinds(loads).items()
    )
    sizes = {index: len(at.block(parts.F, parts.N, index)) for index in numbers_of_loads(loads)}
    return same_kinds and all(sizes[index] == numbers.size for index, numbers in numbers_of_loads(loads).items())


def _same_cables(parts: Parts, cables: CableTables) -> bool:
    """Whether as many cables pass the same nodes."""
    found = cables.int_blocks().items()
    return all(np.array_equal(at.int_block(parts.N, index), np.ravel(kinds)) for index, kinds in found)


def _reduction_like(parts: Parts, before: Mechanism, mechanism: Mechanism, tree: Tree) -> Reduction | None:
    """q = G y + c; None where other coordinates are independent."""
    if mechanism.couplings is before.couplings:
        return parts.reduction
    if not meshed_alike(tree, mechanism):
        return None
    old = parts.reduction
    found = renumbered(reduce_couplings(mechanism, tree), parts.order) if len(parts.order) == old.independents else old
    same = np.array_equal(found.index, old.index) and np.array_equal(found.ptr, old.ptr)
    return found if same and np.array_equal(independent_freedoms(found), parts.independent_freedom) else None


def _with_gravity(parts: Parts, mechanism: Mechanism, simple: SimpleNodes) -> Parts:
    """With another gravity, whose part in the plane is no matter where nothing moves in one."""
    gravity = np.array(mechanism.gravity)
    flat = parts.plane.basis[:2] @ gravity if parts.plane.fits else np.zeros(2)
    _write_blocks(parts, {at.F_GRAVITY: gravity, at.F_PLANE_GRAVITY: flat, at.F_SIMPLE: simple.numbers})
    return altered(parts, plane=altered(parts.plane, gravity=flat), simple=simple)


def _with_bodies(parts: Parts, before: Tree, mechanism: Mechanism, simple: SimpleNodes) -> Parts:
    """What follows from poses and inertias of the nodes."""
    tree, tables = parts.tree, parts.tables
    plane = parts.plane.like(before, tree, tables)
    if plane is None:
        plane = find_plane(tree, tables, simple.order[: int(parts.N[at.ACTIVE])], mechanism.gravity)
    _write_blocks(parts, {**tree_blocks(tree), **plane_blocks(plane), at.F_SIMPLE: simple.numbers})
    com = np.array([body.com for body in mechanism.bodies[1:]], dtype=float).reshape(-1, 3)
    return altered(parts, plane=plane, simple=simple, com=com)


def _write_blocks(parts: Parts, blocks: Mapping[int, Array]) -> None:
    """Write blocks into the buffers."""
    for index, content in blocks.items():
        at.block(parts.F, parts.N, index)[:] = content.ravel()
