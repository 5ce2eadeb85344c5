"""Cluster trees for tests: random frames and inertias, one robot per kind of cluster joint, and random states that
close their loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.errors import AssemblyError
from simulator.spatial.rotation import matrix_from_axis_angle
from textbook.clusters.builder import ClusterTreeBuilder
from textbook.clusters.geared import RevolutePairWithRotor, RevoluteTripleWithRotor, RevoluteWithRotor
from textbook.clusters.generic import FourBar, Generic
from textbook.clusters.single import Free, Revolute, RevolutePair
from textbook.clusters.tree import Cluster, ClusterTree, TreeState
from textbook.constraints.base import ImplicitConstraint
from textbook.constraints.explicit import explicit
from textbook.constraints.four_bar import FourBar as FourBarLoop
from textbook.constraints.implicit import Implicit, implicit
from textbook.constraints.newton import close
from textbook.joints.single import Revolute as Hinge
from textbook.plucker import motion_transform, spatial_inertia

Array = NDArray[np.float64]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
WELL_CONDITIONED = 0.2


def random_frame(random: np.random.Generator) -> Array:
    axis = random.normal(size=3)
    E = matrix_from_axis_angle(axis / np.linalg.norm(axis), random.uniform(-3, 3))
    return motion_transform(E, random.uniform(-0.5, 0.5, size=3))


def random_inertia(random: np.random.Generator) -> Array:
    """A physical one: point masses, so that the moments satisfy the triangle inequality."""
    points = random.uniform(-0.3, 0.3, size=(6, 3))
    points -= points.mean(axis=0)
    mass = random.uniform(0.5, 2.0)
    about = sum((float(p @ p) * np.eye(3) - np.outer(p, p)) for p in points) * (mass / 6) + 0.01 * np.eye(3)
    return spatial_inertia(mass, random.uniform(-0.3, 0.3, size=3), about)


@dataclass
class Maker:
    """Adds clusters with random frames to a builder."""

    random: np.random.Generator
    builder: ClusterTreeBuilder

    def body(self, name: str, parent: str) -> None:
        self.builder.register_body(name, random_inertia(self.random), parent, random_frame(self.random))

    def free(self, name: str) -> str:
        self.body(name, "ground")
        self.builder.close_cluster(name, Free())
        return name

    def geared(self, name: str, parent: str, ratio: float = 6.0) -> str:
        self.body(name, parent)
        self.body(f"{name}:rotor", parent)
        self.builder.close_cluster(name, RevoluteWithRotor(ratio, self.axis(), self.axis()))
        return name

    def pair(self, name: str, parent: str) -> str:
        for part, on in (("1", parent), ("r1", parent), ("r2", parent), ("2", f"{name}1")):
            self.body(name + part, on)
        axes = (self.axis(), self.axis(), self.axis(), self.axis())
        self.builder.close_cluster(name, RevolutePairWithRotor((6.0, 6.0), ((2.0,), (2.0, 1.0)), axes))
        return f"{name}2"

    def triple(self, name: str, parent: str) -> str:
        chain = (("1", parent), ("2", f"{name}1"), ("3", f"{name}2"), ("r1", parent), ("r2", parent), ("r3", parent))
        for part, on in chain:
            self.body(name + part, on)
        axes = tuple(self.axis() for _ in range(6))
        belts = ((1.0,), (1.0, 1.0), (-1.0, 1.0, -1.0))
        triple = RevoluteTripleWithRotor((6.0, 6.0, 6.0), belts, axes)  # type: ignore[arg-type]
        self.builder.close_cluster(name, triple)
        return f"{name}3"

    def four_bar(self, name: str, parent: str, loop: FourBarLoop | None = None) -> str:
        for part, on in (("crank", parent), ("rocker", parent), ("coupler", f"{name}crank")):
            self.body(name + part, on)
        self.builder.close_cluster(name, FourBar(loop or CRANK_ROCKER, self.axis()))
        return f"{name}coupler"

    def six_bar(self, name: str, parent: str) -> str:
        for part, on in (("a1", parent), ("a2", f"{name}a1"), ("a3", f"{name}a2"), ("b1", parent), ("b2", f"{name}b1")):
            self.body(name + part, on)
        hinge = Hinge(Z)
        self.builder.close_cluster(name, Generic((hinge,) * 5, six_bar_loop()))
        return f"{name}a3"

    def axis(self) -> Any:
        return (X, Y, Z)[int(self.random.integers(3))]


CRANK_ROCKER = FourBarLoop(0.1, 0.35, 0.3, (0.4, 0.0))


def six_bar_loop() -> Implicit:
    """Five moving bars of a planar hexagon: path a of three, path b of two and the ground; 2 rows, 3 independents."""

    def phi(q: Any) -> Any:
        a1, a2, a3 = q[0], q[0] + q[1], q[0] + q[1] + q[2]
        b1, b2 = q[3], q[3] + q[4]
        x = 0.5 * np.cos(a1) + 0.6 * np.cos(a2) + 0.5 * np.cos(a3) - 0.9 - 0.5 * np.cos(b1) - 0.6 * np.cos(b2)
        y = 0.5 * np.sin(a1) + 0.6 * np.sin(a2) + 0.5 * np.sin(a3) - 0.5 * np.sin(b1) - 0.6 * np.sin(b2)
        return [x, y]

    return implicit(phi, np.array([2.0, -0.9, -0.7, 1.3, 0.4]))


def maker(seed: int) -> Maker:
    random = np.random.default_rng(seed)
    return Maker(random, ClusterTreeBuilder(np.concatenate((np.zeros(3), random.normal(size=3) * 5.0))))


def geared_chain() -> ClusterTree:
    m = maker(1)
    m.geared("c", m.geared("b", m.geared("a", "ground")), 9.33)
    return m.builder.build()


def humanoid_leg() -> ClusterTree:
    m = maker(2)
    m.pair("knee", m.geared("hip", m.geared("yaw", m.free("torso"))))
    return m.builder.build()


def triple_arm() -> ClusterTree:
    m = maker(3)
    m.geared("gripper", m.triple("arm", m.geared("base", "ground")), 2.0)
    return m.builder.build()


def four_bar_robot() -> ClusterTree:
    m = maker(4)
    m.geared("tool", m.four_bar("bar", "ground"))
    return m.builder.build()


def six_bar_robot() -> ClusterTree:
    m = maker(5)
    m.six_bar("six", "ground")
    return m.builder.build()


def mixed_tree() -> ClusterTree:
    """15 bodies: geared, belt pair, four-bar, belt triple, on different bodies of their parents."""
    m = maker(6)
    first = m.geared("base", "ground")
    m.pair("leg", first)
    m.four_bar("bar", "leg1")
    m.triple("arm", "barrocker")
    return m.builder.build()


def pair_and_hinge() -> ClusterTree:
    m = maker(7)
    m.body("l1", "ground")
    m.body("l2", "l1")
    m.builder.close_cluster("pair", RevolutePair(X, Y))
    m.body("l3", "l1")
    m.builder.close_cluster("hinge", Revolute(Z))
    return m.builder.build()


def cam(y: Any) -> Any:
    return [y[0], 0.3 * np.sin(2 * y[0]) + y[0], y[1], np.cos(y[0]) * y[1]]


def cam_robot() -> ClusterTree:
    """Four bodies whose positions are functions of two independent ones: an explicit constraint that is not linear."""
    m = maker(8)
    for name, parent in (("c1", "ground"), ("c2", "c1"), ("c3", "ground"), ("c4", "c3")):
        m.body(name, parent)
    m.builder.close_cluster("cam", Generic((Hinge(X), Hinge(Y), Hinge(Z), Hinge(X)), explicit(cam, (0.0, 0.1))))
    m.geared("tool", "c2")
    return m.builder.build()


ROBOTS: dict[str, Callable[[], ClusterTree]] = {
    "geared chain": geared_chain,
    "humanoid leg": humanoid_leg,
    "triple arm": triple_arm,
    "four-bar": four_bar_robot,
    "six-bar": six_bar_robot,
    "mixed": mixed_tree,
    "pair": pair_and_hinge,
    "cam": cam_robot,
}


def random_state(tree: ClusterTree, random: np.random.Generator) -> TreeState:
    """Any positions with closed loops, away from dead points, and any velocities."""
    q = [random_position(cluster, random) for cluster in tree.clusters]
    return TreeState(np.concatenate(q), random.normal(size=tree.freedoms))


def random_position(cluster: Cluster, random: np.random.Generator) -> Array:
    constraint = cluster.joint.constraint
    if not isinstance(constraint, ImplicitConstraint):
        y = random.normal(size=constraint.position_size)
        if constraint.span_positions != constraint.span_size:
            y[3:7] /= np.linalg.norm(y[3:7])
        return constraint.spanning(y)
    for _ in range(300):
        try:
            q = close(constraint, random.uniform(-3, 3, size=constraint.span_positions)).q
        except AssemblyError:
            continue
        if constraint.conditioning(q) > WELL_CONDITIONED * 0.3:
            return q
    raise AssertionError("no position found")


def wrenches(tree: ClusterTree, random: np.random.Generator) -> Array:
    """A random couple and force on every body."""
    result: Array = random.normal(size=(len(tree.body_names), 6))
    return result
