"""A point of a mechanism led by hand: it goes to the line of sight where it can, and stops where it cannot, loops
closed.

Loops are closed to 1e-12 m and rad by the code itself. Angles at which the point of a mechanism of one freedom comes to
rest are known to 1e-4 rad: there the distance from the line is least, so that it tells no better than the root of the
1e-9 it is found to."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from simulator.kinematics.assembly import residual_of
from simulator.kinematics.dragging import Dragged, Dragging, Hindrance, Sight
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import starting_pose
from simulator.kinematics.state import JointState
from simulator.mechanism.types import Mechanism
from simulator.session.open.opening import open_document
from tests.helpers import documents
from tests.helpers.checkout import ROOT

Y = np.array([0.0, 1.0, 0.0])
CLOSED = 1e-12
LOOPED = ("four_bar", "slider_crank", "peaucellier", "bennett", "sarrus", "stewart", "scissor_lift")


def mechanism_of(path: Path) -> Mechanism:
    return open_document(path).mechanism


class Bench:
    """One gesture on a point of a link of a mechanism at its start."""

    def __init__(self, mechanism: Mechanism, link: str, at: tuple[float, float, float]) -> None:
        self.kinematics = Kinematics(mechanism).as_meant
        self.axis = {info.name.rpartition("::")[2]: i for i, info in enumerate(mechanism.axes)}
        body = next(
            i for i, item in enumerate(mechanism.bodies) if any(x.name.endswith(f"::{link}") for x in item.links)
        )
        self.dragging = Dragging(self.kinematics, body, np.array(at))
        self.state: JointState = starting_pose(self.kinematics, {}).state

    @property
    def place(self) -> np.ndarray:
        pose = self.kinematics.body_matrices(self.state)[self.dragging.body]
        return np.asarray(pose[:3, 3] + pose[:3, :3] @ self.dragging.point)

    def to(self, *target: float, along: np.ndarray = Y) -> Dragged:
        found = self.dragging.toward(self.state, Sight(np.array(target), along))
        self.state = found.state
        assert np.abs(residual_of(self.kinematics, found.state, {})).max(initial=0.0) < CLOSED
        return found

    def position(self, joint: str) -> float:
        return float(self.state.position[self.axis[joint]])


@pytest.fixture
def rocker() -> Bench:
    """The rocker's far pin of worlds/four_bar.sdf, whose ground pin is at (0.2, 0, 0.16)."""
    return Bench(mechanism_of(ROOT / "worlds" / "four_bar.sdf"), "rocker", (0.3, 0.0, 0.0))


START = 1.79577497339621
"""Absolute angle of the rocker in the document."""


def toward(angle: float, distance: float = 0.3) -> tuple[float, float, float]:
    return (0.2 + distance * math.cos(angle), 0.0, 0.16 + distance * math.sin(angle))


def test_the_rocker_follows_a_line_that_it_can_reach(rocker: Bench) -> None:
    for angle in (1.9, 2.2, 2.4, 2.0):
        found = rocker.to(*toward(angle))
        assert found.hindrance is Hindrance.NOTHING
        assert found.gap < 1e-9
        assert START + rocker.position("rocker_joint") == pytest.approx(angle, abs=1e-8)


def test_the_rocker_stops_at_its_dead_points_and_comes_back_the_same_way(rocker: Bench) -> None:
    """Crank and coupler in line: the far pin is 0.35 ± 0.1 m from the crank's pivot, which is 0.4 m from the rocker's,
    so cos = (d² - 0.4² - 0.3²) / (2 · 0.4 · 0.3)."""
    stretched, folded = (math.acos((d * d - 0.25) / 0.24) for d in (0.45, 0.25))
    rocker.to(*toward(2.1))
    crank = rocker.position("crank_joint")
    for beyond, dead in ((2.8, folded), (1.2, stretched)):
        for _ in range(3):
            found = rocker.to(*toward(beyond))
        assert found.hindrance is Hindrance.DEAD_POINT
        assert found.axes == (rocker.axis["rocker_joint"],)
        assert START + rocker.position("rocker_joint") == pytest.approx(dead, abs=1e-6)
        rocker.to(*toward(2.1))
        assert rocker.position("crank_joint") == pytest.approx(crank, abs=1e-7)


def test_the_crank_goes_round_and_counts_turns() -> None:
    bench = Bench(mechanism_of(ROOT / "worlds" / "four_bar.sdf"), "crank", (0.1, 0.0, 0.0))
    for angle in np.linspace(math.pi / 3, math.pi / 3 + 4.0 * math.pi, 60).tolist():
        found = bench.to(-0.2 + 0.2 * math.cos(angle), 0.0, 0.16 + 0.2 * math.sin(angle))
        assert found.hindrance is Hindrance.OUT_OF_REACH
        assert found.gap == pytest.approx(0.1, abs=1e-8)
    assert bench.position("crank_joint") == pytest.approx(4.0 * math.pi, abs=1e-4)


def test_it_stops_at_a_limit_and_names_it(tmp_path: Path) -> None:
    limit = "<limit><lower>-0.5</lower><upper>0.7</upper></limit>"
    joint = documents.joint("hinge", "revolute", limit, parent="world", child="bar", axis="0 -1 0")
    path = tmp_path / "bar.sdf"
    path.write_text(documents.world(documents.model("m", documents.link("bar"), joint)))
    bench = Bench(mechanism_of(path), "bar", (1.0, 0.0, 0.0))
    found = bench.to(0.0, 0.0, 2.0)
    assert (found.hindrance, found.axes) == (Hindrance.LIMIT, (0,))
    assert bench.position("hinge") == pytest.approx(0.7, abs=1e-12)
    assert bench.to(1.0, 0.0, 0.0).hindrance is Hindrance.NOTHING
    assert bench.position("hinge") == pytest.approx(0.0, abs=1e-9)


def test_of_two_slides_the_one_moves_that_has_less_to_carry(tmp_path: Path) -> None:
    """x = a + b with the least m a² + n (a + b)², the mass metric, is a = 0 whatever the masses; with the least a² +
    b², the metric of the joints, it would be a = b."""
    path = tmp_path / "slides.sdf"
    joints = [
        documents.joint("a", "prismatic", parent="world", child="big", axis="1 0 0"),
        documents.joint("b", "prismatic", parent="big", child="small", axis="1 0 0"),
    ]
    parts = (documents.link("big", mass=5.0), documents.link("small", mass=0.5), *joints)
    path.write_text(documents.world(documents.model("m", *parts)))
    bench = Bench(mechanism_of(path), "small", (0.0, 0.0, 0.0))
    assert bench.to(0.3, 0.0, 0.0).gap < 1e-8
    assert bench.position("a") == pytest.approx(0.0, abs=1e-9)
    assert bench.position("b") == pytest.approx(0.3, abs=1e-8)


def test_a_body_that_floats_follows_and_one_that_cannot_move_says_so(tmp_path: Path) -> None:
    path = tmp_path / "two.sdf"
    hinge = documents.joint("hinge", "revolute", parent="world", child="wheel")
    path.write_text(documents.world(documents.model("m", documents.link("box"), documents.link("wheel"), hinge)))
    mechanism = mechanism_of(path)
    box = Bench(mechanism, "box", (0.0, 0.0, 0.0))
    assert box.to(0.2, 0.0, 0.1).gap < 1e-8
    assert box.place == pytest.approx([0.2, 0.0, 0.1], abs=1e-8)
    assert Bench(mechanism, "wheel", (0.0, 0.0, 0.0)).to(0.2, 0.0, 0.1).hindrance is Hindrance.IMMOVABLE


@pytest.mark.parametrize("name", LOOPED)
def test_loops_stay_closed_and_the_branch_is_kept(name: str) -> None:
    """A cursor that wanders at random by 4 mm an event: no axis may jump to another assembly, half a radian away at
    least."""
    mechanism = mechanism_of(ROOT / "worlds" / f"{name}.sdf")
    body = mechanism.bodies[-1]
    bench = Bench(mechanism, body.links[0].name.rpartition("::")[2], body.com)
    generator, start = np.random.default_rng(1), bench.place
    along = np.array([0.48, -0.8, 0.36])
    way = start + np.cumsum(generator.normal(scale=0.004, size=(20, 3)), axis=0)
    for target in way:
        before = bench.state
        found = bench.to(*target, along=along)
        assert np.isfinite(found.state.position).all()
        assert np.abs(found.state.position - before.position).max() < 0.6
