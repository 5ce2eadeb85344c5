"""Mobility of mechanisms from textbooks, clusters, loops, and joints that have nothing to move."""

from __future__ import annotations

import pytest

from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.loops import is_planar, loop_path
from simulator.mechanism.types import Mechanism
from simulator.model.link import Inertial
from simulator.model.world import World
from simulator.spatial.pose import Pose
from tests.helpers.four_bars import slides
from tests.helpers.linkages import four_bar, planetary, platform, ring_of_hinges, slider_crank
from tests.helpers.mechanisms import findings, joint, link, mechanism, mimic, world

POINT = Inertial(1.0, moments=(0.0, 0.0, 0.0))
NOTHING = Inertial(0.0, moments=(0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("made", "count"),
    [
        (four_bar(), 1),
        (slider_crank(), 1),
        (planetary(), 2),
        (ring_of_hinges(7), 1),
        (ring_of_hinges(6), 0),
        (ring_of_hinges(9), 3),
        (platform(), 6),
        (world(link("box")), 6),
        (world(), 0),
    ],
    ids=["four-bar", "slider-crank", "planetary", "7R", "6R", "9R", "platform", "free box", "nothing"],
)
def test_mobility_of_classics(made: World, count: int) -> None:
    built = build_mechanism(made)
    assert not built.has_errors
    assert built.mobility.count == count
    assert built.mobility.count == built.mobility.joint_dof - built.mobility.loop_rows - built.mobility.coupling_rows


def test_a_ball_closes_a_planar_loop_with_two_rows() -> None:
    bars = four_bar().models[0]
    parts = [*bars.links, *bars.joints[:3]]
    pin = joint("close", "ball", "coupler", "rocker", at=bars.joints[3].X_WJ.position, must_be_loop_joint=True)
    built = mechanism(*parts, pin)
    assert (built.mobility.count, built.mobility.loop_rows, built.mobility.planar_loops) == (1, 2, 1)


@pytest.mark.parametrize(
    ("made", "planar"),
    [
        (four_bar(), True),
        (slider_crank(), True),
        (ring_of_hinges(7), False),
        (four_bar(axes=((0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0.1))), False),
    ],
)
def test_which_loops_are_planar(made: World, planar: bool) -> None:
    built = build_mechanism(made)
    (loop,) = built.loop_joints
    assert is_planar(loop, built.joints, built.bodies) is planar


def test_antiparallel_hinges_are_planar_too() -> None:
    built = build_mechanism(four_bar(axes=((0, 1, 0), (0, -1, 0), (0, 1, 0), (0, -1, 0))))
    assert built.mobility.planar_loops == 1


def test_a_slide_out_of_the_plane_is_spatial() -> None:
    bars = slider_crank().models[0]
    tilted = joint("slide", "prismatic", "world", "slider", at=(0.4, 0, 0), axes=[(1.0, 0.1, 0.0)])
    built = mechanism(*bars.links, *(tilted if item.name == "m::slide" else item for item in bars.joints))
    assert built.mobility.planar_loops == 0


def test_the_path_of_a_loop_ends_at_the_nearest_common_body() -> None:
    built = mechanism(
        *(link(name) for name in "abcd"),
        joint("wa", "revolute", "world", "a"), joint("ab", "revolute", "a", "b"), joint("ac", "revolute", "a", "c"),
        joint("cd", "revolute", "c", "d"), joint("close", "ball", "b", "d", must_be_loop_joint=True),
    )  # fmt: skip
    sides = loop_path(built.loop_joints[0], built.joints)
    names = [[built.joints[j].name.removeprefix("m::") for j in side] for side in sides]
    assert names == [["ab"], ["cd", "ac"]]


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SLANT = (1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("directions", "planar", "count"),
    [
        ((X, Z, SLANT), 1, 1),  # a wedge: two directions, the third slide follows
        ((X, Z, SLANT, X), 1, 2),
        ((X, X), 1, 1),  # two parallel rails
        ((X, Z), 1, 0),
        ((X, Y, Z), 0, 0),
        ((X, Y, Z, (1.0, 1.0, 1.0)), 0, 1),
    ],
)
def test_a_loop_of_slides_takes_as_many_rows_as_the_slides_span(
    directions: tuple[tuple[float, float, float], ...], planar: int, count: int
) -> None:
    """Nothing turns, so a loop of n slides that span d dimensions has n - d freedoms: by count as by rank."""
    built = build_mechanism(slides(*directions))
    assert (built.mobility.planar_loops, built.mobility.count) == (planar, count)
    assert Kinematics(built).rank_mobility(rest_state(built)) == count


def test_a_ball_that_closes_a_wedge_takes_two_rows() -> None:
    parts = slides(X, Z, SLANT).models[0]
    built = mechanism(*parts.links, *parts.joints[:2], joint("last", "ball", "world", "l1", must_be_loop_joint=True))
    assert (built.mobility.loop_rows, built.mobility.count) == (2, 0)
    assert Kinematics(built).rank_mobility(rest_state(built)) == 0


def cluster_names(built: Mechanism) -> list[tuple[set[str], int, int]]:
    short = [{built.joints[j].name.removeprefix("m::") for j in cluster.joints} for cluster in built.clusters]
    return [(names, len(c.loop_joints), len(c.couplings)) for names, c in zip(short, built.clusters, strict=True)]


def test_a_joint_on_its_own_is_no_cluster() -> None:
    assert mechanism(link("a"), joint("j", "revolute", "world", "a")).clusters == ()


def test_clusters_are_what_loops_and_couplings_tie() -> None:
    bars = four_bar().models[0]
    follow = {"mimic": mimic("crank_joint")}
    built = mechanism(
        *bars.links, *bars.joints, *(link(name) for name in "pqrs"),
        joint("p_hinge", "revolute", "world", "p", axis=follow), joint("alone", "revolute", "world", "q"),
        joint("r_hinge", "revolute", "world", "r"),
        joint("s_hinge", "revolute", "world", "s", axis={"mimic": mimic("r_hinge")}),
    )  # fmt: skip
    assert sorted(cluster_names(built), key=lambda found: len(found[0])) == [
        ({"r_hinge", "s_hinge"}, 0, 1),
        ({"crank_joint", "coupler_joint", "rocker_joint", "p_hinge"}, 1, 1),
    ]


def test_two_loops_that_share_a_joint_are_one_cluster() -> None:
    (cluster,) = build_mechanism(platform(3)).clusters
    assert len(cluster.loop_joints) == 2
    assert len(cluster.joints) == 7


def test_a_screw_is_a_cluster_of_its_own() -> None:
    assert cluster_names(mechanism(link("a"), joint("s", "screw", "world", "a"))) == [({"s"}, 0, 1)]


@pytest.mark.parametrize(
    ("inertial", "kind", "lacks"),
    [
        (NOTHING, "revolute", "no inertia about its axis"),
        (POINT, "revolute", "no inertia about its axis"),
        (NOTHING, "prismatic", "no mass along its axis"),
        (NOTHING, "screw", "no mass along its axis"),
        (NOTHING, "ball", "no mass"),
        (POINT, "ball", "no inertia"),
        (Inertial(1.0, moments=(0.0, 0.1, 0.1)), "ball", "no inertia"),
        (Inertial(1.0, moments=(0.0, 0.1, 0.1)), "universal", "no inertia about its axis"),
    ],
)
def test_nothing_to_move_is_an_error(inertial: Inertial, kind: str, lacks: str) -> None:
    made = world(link("a", inertial=inertial), joint("j", kind, "world", "a", axes=[(1.0, 0.0, 0.0)], line=4))
    built = build_mechanism(made, strict=True)
    found = findings(built, "NO_INERTIA")
    assert found
    assert found[0].is_error
    assert any(lacks in item.message for item in found)
    assert "m::j" in found[0].message
    assert "m::a" in found[0].message


def test_what_floats_needs_mass() -> None:
    assert findings(build_mechanism(world(link("a", inertial=NOTHING)), strict=True), "NO_INERTIA")


def test_a_point_may_float() -> None:
    """Nothing turns it, so it falls like anything else."""
    assert not build_mechanism(world(link("a", inertial=POINT)), strict=True).has_errors


@pytest.mark.parametrize(
    ("inertial", "kind"),
    [
        (Inertial(1.0, Pose((0.0, 0.5, 0.0)), (0.0, 0.0, 0.0)), "revolute"),
        (POINT, "prismatic"),
        (Inertial(0.0, moments=(0.1, 0.1, 0.1)), "revolute"),
    ],
)
def test_enough_to_move_is_enough(inertial: Inertial, kind: str) -> None:
    """A point mass off the axis, a point mass on a slide, a flywheel whose mass is neglected."""
    assert not build_mechanism(world(link("a", inertial=inertial), joint("j", kind, "world", "a"))).has_errors


def test_massless_links_are_carried_by_what_hangs_on_them() -> None:
    """A cross of a universal joint is often written as a massless link."""
    built = build_mechanism(
        world(
            link("cross", inertial=NOTHING), link("arm"),
            joint("first", "revolute", "world", "cross", axes=[(1, 0, 0)]),
            joint("second", "revolute", "cross", "arm", axes=[(0, 1, 0)]),
        )
    )  # fmt: skip
    assert not built.has_errors
