"""The tables of loads as blocks of the two buffers of a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.physics.layout import buffers as at

if TYPE_CHECKING:
    from simulator.physics.tree.load_tables import LoadTables
    from simulator.spatial.arrays import Array, Ints


def load_blocks(loads: LoadTables) -> dict[int, Array | int]:
    """Float blocks of loads, and room for their wrenches."""
    return {**numbers_of_loads(loads), at.F_LOAD_NOW: 6 * loads.forces}


def numbers_of_loads(loads: LoadTables) -> dict[int, Array]:
    """Float blocks of loads."""
    return {
        at.F_LOAD: loads.load,
        at.F_PROFILE: loads.profile,
        at.F_PROFILE_TABLE: loads.profile_table,
        at.F_SPRING: loads.spring,
        at.F_SPRING_TABLE: loads.spring_table,
    }


def load_sizes(loads: LoadTables) -> dict[int, int]:
    """How many loads there are."""
    return {at.FORCES: loads.forces, at.SPRINGS: loads.springs}


def load_kinds(loads: LoadTables) -> dict[int, Ints | int]:
    """Integer blocks of loads."""
    return {at.I_LOAD: loads.load_kind, at.I_PROFILE: loads.profile_kind, at.I_SPRING: loads.spring_kind}
