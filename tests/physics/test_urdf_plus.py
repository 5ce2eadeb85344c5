"""Robots written in URDF+ move as the published figures for the same mechanisms say (GRBDA, arXiv 2311.13732 and
2411.19753).

Figures have nine digits, so results agree to 5e-9; the documents' angles of the crossed four-bar are given to the last
bit and closed by assembly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.condition.condition import condition_of
from simulator.formats.document import read_document
from simulator.mechanism.build import build_mechanism
from simulator.spatial.rotation import Vec3
from tests.helpers.urdf_plus import coupling, hinge, loop, robot
from textbook.clusters import algorithms
from textbook.clusters.from_mechanism import cluster_tree_of
from textbook.clusters.kinematics import TreeMotion, kinematics
from textbook.clusters.state import close_loops
from textbook.clusters.tree import TreeState

Write = Callable[..., Path]


def body(name: str, mass: float, izz: float, at: str = "0 0 0") -> str:
    """A link with its centre of mass at `at`; what it has about x and y does not matter in the plane."""
    inertia = f'<inertia ixx="{izz}" iyy="{izz}" izz="{izz}" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><origin xyz="{at}"/><mass value="{mass!r}"/>{inertia}</inertial></link>'


def moving(path: Path, gravity: Vec3, speeds: dict[str, float]) -> tuple[TreeMotion, list[str]]:
    """The robot at its assembled start under that gravity [m/s²], and the names of its independent axes in the tree's
    order."""
    document = read_document(path)
    assert [str(item) for item in document.diagnostics] == []
    mechanism = build_mechanism(replace(document.world(), gravity=gravity))
    start = condition_of(mechanism).state
    made = cluster_tree_of(mechanism, start)
    q, _ = made.spanning(start)
    names = [name for name in made.tree.body_names if name in speeds]
    state = close_loops(made.tree, TreeState(q, np.array([speeds[name] for name in names])))
    return kinematics(made.tree, state), names


@pytest.mark.parametrize(
    ("rocker", "coupler", "H", "C", "ydd"),
    [
        (1.0, -1.0, 0.910346, 8.74560327, -7.40993345),
        (-2.0458756701, -2.0458756701, 0.91546786, 8.70749611, -7.32685047),
    ],
    ids=["parallelogram", "crossed"],
)
def test_four_bar_of_the_paper(
    rocker: float, coupler: float, H: float, C: float, ydd: float, write_document: Write
) -> None:
    """Bars of 0.5, 1 and 0.5 m on pivots 1 m apart, 3.3 kg and 0.042673 kg m² about their own joint; crank at 1 rad,
    0.8 rad/s, 2 N m."""
    bars = [body(name, 3.3, 0.042673) for name in ("crank", "coupler", "rocker")]
    text = robot(
        '<link name="world"/>',
        *bars,
        hinge("crank_joint", "world", "crank", rpy="0 0 1"),
        hinge("coupler_joint", "crank", "coupler", at="0.5 0 0", rpy=f"0 0 {coupler!r}", independent="false"),
        hinge("rocker_joint", "world", "rocker", at="1 0 0", rpy=f"0 0 {rocker!r}", independent="false"),
        loop("closing", ("coupler", "1 0 0"), ("rocker", "0.5 0 0")),
    )
    motion, names = moving(write_document(text, "r.urdf"), (0.0, -9.81, 0.0), {"r::crank_joint": 0.8})
    assert names == ["r::crank_joint"]
    np.testing.assert_allclose(algorithms.mass_matrix(motion), [[H]], atol=5e-9)
    np.testing.assert_allclose(algorithms.bias_force(motion), [C], atol=5e-9)
    np.testing.assert_allclose(algorithms.forward_dynamics(motion, np.array([2.0])), [ydd], atol=5e-9)


def test_two_geared_links_of_the_paper(write_document: Write) -> None:
    """Rotors of 1e-4 kg m² geared 6 : 1, the second one on the first link; gravity along x (known-answer test 1).

    URDF has no massless links: the rotors weigh 1e-12 kg, which moves nothing within nine digits."""
    rotors = [body(name, 1e-12, 1e-4) for name in ("rotor1", "rotor2")]
    text = robot(
        '<link name="world"/>',
        body("link1", 1.0, 1.0, "0.5 0 0"),
        body("link2", 1.0, 1.0, "0.5 0 0"),
        *rotors,
        hinge("j1", "world", "link1", rpy="0 0 0.3"),
        hinge("j2", "link1", "link2", at="1 0 0", rpy="0 0 -0.5"),
        hinge("m1", "world", "rotor1", independent="false"),
        hinge("m2", "link1", "rotor2", at="1 0 0", independent="false"),
        coupling("gear1", "link1", "rotor1", 6.0),
        coupling("gear2", "link2", "rotor2", 6.0),
    )
    motion, names = moving(write_document(text, "r.urdf"), (9.81, 0.0, 0.0), {"r::j1": 0.7, "r::j2": -0.2})
    assert names == ["r::j1", "r::j2"]
    np.testing.assert_allclose(
        algorithms.mass_matrix(motion), [[4.381282562, 1.689391281], [1.689391281, 1.2536]], atol=5e-9
    )
    np.testing.assert_allclose(algorithms.bias_force(motion), [3.316575709, -1.091932325], atol=5e-9)
    acceleration = algorithms.forward_dynamics(motion, np.array([1.0, 2.0]))
    np.testing.assert_allclose(acceleration, [-3.08055999, 6.61790324], atol=5e-9)
