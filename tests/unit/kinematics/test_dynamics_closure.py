"""How loops hold a mechanism along its motion, and which motions meet at singular positions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.kinematics.closure import ClosedCluster, Motion, closure_of, mobility_along
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.session.open.opening import open_document
from tests.helpers.linkages import four_bar
from tests.physics.worlds import example

FLAT = (0.0, 0.0, 0.0)


def the_cluster(mechanism: Mechanism) -> ClosedCluster:
    (cluster,) = closure_of(Kinematics(mechanism), rest_state(mechanism)).clusters
    return cluster


def rates(mechanism: Mechanism, motion: Motion) -> dict[str, float]:
    """Of a motion with one freedom, that of the crank as 1."""
    columns = Kinematics(mechanism).layout.of_axis
    values = {
        info.name.split("::")[-1]: float(motion.tangent[column, 0])
        for info, column in zip(mechanism.axes, columns, strict=True)
        if column >= 0
    }
    return {name: value / values["crank_joint"] for name, value in values.items()}


def test_a_linkage_away_from_singular_positions_is_regular() -> None:
    mechanism = build_mechanism(four_bar())
    cluster = the_cluster(mechanism)
    assert (cluster.rank_here, cluster.rank, cluster.mobility) == (2, 2, 1)
    assert not cluster.is_singular
    assert mobility_along(Kinematics(mechanism), rest_state(mechanism)) == 1


@pytest.mark.parametrize(("world", "mobility"), [("bennett", 1), ("sarrus", 1), ("peaucellier", 1), ("stewart", 6)])
def test_a_linkage_with_rows_that_follow_everywhere_is_regular(world: str, mobility: int) -> None:
    """Rows of Bennett's and Sarrus' linkages are redundant along all of their motion: no singular position."""
    mechanism = open_document(example(world)).mechanism
    closure = closure_of(Kinematics(mechanism), rest_state(mechanism))
    assert closure.singular == ()
    assert sum(item.mobility for item in closure.clusters) == mobility


def test_parallelogram_and_antiparallelogram_meet_where_all_bars_are_in_line() -> None:
    """Ground 0.4 and crank 0.1: along the parallelogram the rocker turns as the crank does and the coupler not at all;
    along the crossed one tan(rocker/2) = -k tan(crank/2) with k = (0.4 + 0.1)/(0.4 - 0.1), so -k at zero, and the
    coupler follows from the loop. Tolerance: round-off of the poses at 1e-3 rad, from which tangents are extrapolated,
    over the singular value there."""
    mechanism = build_mechanism(four_bar(ground=0.4, crank=0.1, coupler=0.4, rocker=0.1, angles=FLAT))
    cluster = the_cluster(mechanism)
    assert (cluster.rank_here, cluster.rank, cluster.mobility) == (1, 2, 1)
    assert cluster.is_singular
    assert not cluster.is_rigid
    found = sorted((rates(mechanism, motion) for motion in cluster.motions), key=lambda each: each["rocker_joint"])
    k = 0.5 / 0.3
    # the tip of the coupler moves up by the crank's 0.1 and the coupler's 0.4, the rocker's by its 0.1
    crossed_coupler = (-k * 0.1 - 0.1) / 0.4 - 1.0
    assert found[0] == pytest.approx(
        {"crank_joint": 1.0, "coupler_joint": crossed_coupler, "rocker_joint": -k}, abs=1e-7
    )
    assert found[1] == pytest.approx({"crank_joint": 1.0, "coupler_joint": -1.0, "rocker_joint": 1.0}, abs=1e-7)


def test_motions_through_bars_in_line_are_not_bent_there() -> None:
    """A mirror along the bars turns all angles round and leaves the position as it is, so it turns each motion through
    it round, too: the angles are odd functions of the way, and their second derivatives vanish. 1e-5: rounding of the
    poses at 1e-3 rad, over the square of that distance."""
    mechanism = build_mechanism(four_bar(ground=0.4, crank=0.1, coupler=0.4, rocker=0.1, angles=FLAT))
    motions = the_cluster(mechanism).motions
    assert len(motions) == 2
    for motion in motions:
        assert np.abs(motion.curvature).max() < 1e-5


def test_three_bars_stretched_to_the_fourth_are_rigid_to_second_order() -> None:
    mechanism = build_mechanism(four_bar(ground=0.6, crank=0.2, coupler=0.2, rocker=0.2, angles=(0.0, 0.0, math.pi)))
    cluster = the_cluster(mechanism)
    assert (cluster.rank_here, cluster.mobility) == (1, 0)
    assert cluster.is_rigid
    assert cluster.motions == ()
    assert mobility_along(Kinematics(mechanism), rest_state(mechanism)) == 0


def test_the_generic_pose_is_closed_and_has_the_rank_of_the_motion() -> None:
    mechanism = build_mechanism(four_bar(ground=0.4, crank=0.1, coupler=0.4, rocker=0.1, angles=FLAT))
    kinematics = Kinematics(mechanism)
    closure = closure_of(kinematics, rest_state(mechanism))
    again = closure_of(kinematics, closure.generic).clusters[0]
    assert (again.rank_here, again.rank) == (2, 2)
    assert np.abs(closure.generic.position).max() > 0.01
