"""A mechanism's condition as plain data, for `describe --json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.condition.singular import NEAR

if TYPE_CHECKING:
    from simulator.condition.condition import Condition
    from simulator.condition.loops import LoopCondition
    from simulator.kinematics.named import NamedMatrix

LARGEST = 60
"""Largest number of freedoms that is described with K and G."""


def condition_data(condition: Condition) -> dict[str, object]:
    """Object `condition` of a mechanism: numbers, names, and K and G of small mechanisms."""
    data: dict[str, object] = {
        "sigma_min": condition.sigma_min,
        "sigma_min_dependent": condition.sigma_min_dependent,
        "condition_number": condition.condition_number,
        "distance_to_singularity": condition.distance_to_singularity,
        "distance_to_change_point": condition.distances.change_point,
        "distance_to_dead_point": dict(condition.distances.axes),
        "near_below": NEAR,
        "rank_here": condition.rank_here,
        "change_points": [
            {
                "motions": [motion.tangent[list(item.columns)].T.tolist() for motion in item.motions],
                "freedoms": [condition.K.columns[column] for column in item.columns],
                "rigid": item.is_rigid,
            }
            for item in condition.closure.singular
        ],
        "singular": [
            {"kind": item.kind, "joints": list(item.joints), "distance": item.distance, "text": item.text}
            for item in condition.singular
        ],
        "independent": list(condition.independent),
        "redundant": [row.row for row in condition.redundant],
        "contradictory": list(condition.contradictory),
        "message": condition.message,
    }
    freedoms = len(condition.K.columns)
    if freedoms > LARGEST:
        return {**data, "note": f"K and G are left out: {freedoms} freedoms, more than {LARGEST}"}
    return {**data, "K": matrix_data(condition.K), "G": matrix_data(condition.G)}


def loops_data(condition: Condition) -> list[dict[str, object]]:
    """`mechanism.loops`, in the order of `loop_joints`."""
    return [_loop(loop) for loop in condition.loops]


def _loop(loop: LoopCondition) -> dict[str, object]:
    bars = loop.four_bar
    return {
        "name": loop.joint,
        "joints": list(loop.joints),
        "type": loop.type,
        "planar": loop.planar,
        "rows": loop.rows,
        "rank": loop.rank,
        "sigma_min": loop.sigma_min,
        "branch": loop.branch,
        "sign": loop.sign,
        "grashof": None if bars is None else bars.grashof,
        "lengths": None if bars is None else dict(bars.lengths),
        "shortest": None if bars is None else list(bars.shortest),
    }


def matrix_data(matrix: NamedMatrix) -> dict[str, object]:
    """Names of rows and columns, and values row by row."""
    return {"rows": list(matrix.rows), "columns": list(matrix.columns), "values": matrix.array.tolist()}
