"""Published and derived figures of cluster joints and their algorithms.

Sources: GRBDA (arXiv 2311.13732 and its repository's robots); closed forms derived by hand for the geared double
pendulum (H11 = I + mc² + I + m(l² + c² + 2lc cos y2) + Jn² + J, H12 = I + m(c² + lc cos y2) + Jn, H22 = I + mc² + Jn²)
and the parallelogram (H = 2 Izz + ml², C = mgl cos q1). Figures are given to 8 or 9 digits, tolerances are half a unit
of the last one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from textbook.clusters import algorithms, checks, energy
from textbook.clusters.builder import ClusterTreeBuilder
from textbook.clusters.geared import RevolutePairWithRotor, RevoluteTripleWithRotor, RevoluteWithRotor
from textbook.clusters.generic import FourBar
from textbook.clusters.kinematics import kinematics
from textbook.clusters.reflected import ReflectedInertia, approximate_forward_dynamics
from textbook.clusters.state import Coordinate, make_state
from textbook.clusters.tree import ClusterTree, TreeState
from textbook.constraints.four_bar import FourBar as FourBarLoop
from textbook.constraints.implicit import implicit
from textbook.constraints.newton import close
from textbook.plucker import spatial_inertia, translation_transform

Array = NDArray[np.float64]
TAU = np.array([1.0, 2.0])


def at(x: float) -> Array:
    return translation_transform(np.array([x, 0.0, 0.0]))


def geared_pendulum() -> tuple[ClusterTree, TreeState]:
    """Two links m = l = 1, c = 0.5, I = 1 about the centre of mass, rotors J = 1e-4, n = 6; gravity 9.81 along +x."""
    link = spatial_inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 0.0, 1.0]))
    rotor = spatial_inertia(0.0, np.zeros(3), np.diag([0.0, 0.0, 1e-4]))
    builder = ClusterTreeBuilder((9.81, 0.0, 0.0))
    for name, parent, X in (("l1", "ground", at(0.0)), ("l2", "l1", at(1.0))):
        builder.register_body(name, link, parent, X)
        builder.register_body(f"{name}:rotor", rotor, parent, X)
        builder.close_cluster(name, RevoluteWithRotor(6.0))
    tree = builder.build()
    positions = [Coordinate(np.array([0.3])), Coordinate(np.array([-0.5]))]
    return tree, make_state(tree, positions, [Coordinate(np.array([0.7])), Coordinate(np.array([-0.2]))])


def test_geared_double_pendulum() -> None:
    """H11, H12 and H22 of the module's docstring at y = (0.3, -0.5)."""
    tree, state = geared_pendulum()
    motion = kinematics(tree, state)
    wanted = [[4.381282562, 1.689391281], [1.689391281, 1.2536]]
    np.testing.assert_allclose(algorithms.mass_matrix(motion), wanted, atol=5e-10)
    np.testing.assert_allclose(algorithms.bias_force(motion), [3.316575709, -1.091932325], atol=5e-10)
    np.testing.assert_allclose(algorithms.forward_dynamics(motion, TAU), [-3.08055999, 6.61790324], atol=5e-9)


@pytest.mark.parametrize(
    ("approximation", "ydd"),
    [
        (ReflectedInertia.DIAGONAL, (-3.07763865, 6.61249334)),
        (ReflectedInertia.BLOCK_DIAGONAL, (-3.07763865, 6.61249334)),
        (ReflectedInertia.NONE, (-3.09826911, 6.65940975)),
    ],
)
def test_reflected_inertia(approximation: ReflectedInertia, ydd: tuple[float, float]) -> None:
    """GRBDA's three approximations of the geared double pendulum; with one rotor to a cluster the block is the
    diagonal."""
    tree, state = geared_pendulum()
    np.testing.assert_allclose(approximate_forward_dynamics(tree, state, TAU, approximation), ydd, atol=5e-9)


def four_bar_robot(loop: FourBarLoop, bars: tuple[Array, Array, Array]) -> ClusterTree:
    """Crank, rocker, coupler about z; gravity 9.81 along −y; bars along x of their frames."""
    builder = ClusterTreeBuilder((0.0, -9.81, 0.0))
    ground = np.array([*loop.ground, 0.0])
    builder.register_body("crank", bars[0], "ground")
    builder.register_body("rocker", bars[1], "ground", translation_transform(ground))
    builder.register_body("coupler", bars[2], "crank", at(loop.crank))
    builder.close_cluster("four-bar", FourBar(loop))
    return builder.build()


@pytest.mark.parametrize(
    ("branch", "q", "G", "H", "C", "ydd"),
    [
        (1, (1.0, 1.0, -1.0), (1.0, 1.0, -1.0), 0.910346, 8.74560327, -7.40993345),
        (
            -1,
            (1.0, -2.04587567, -2.04587567),
            (1.0, -1.05678799, -1.05678799),
            0.91546786,
            8.70749611,
            -7.32685047,
        ),
    ],
    ids=["parallelogram", "crossed"],
)
def test_four_bar(branch: int, q: Any, G: Any, H: float, C: float, ydd: float) -> None:
    """The parallelogram of the module's docstring: bars 0.5, 1, 0.5 on pivots 1 m apart, m = 3.3, Izz = 0.042673,
    centres at the links' origins.

    Here in the order of the joint, (crank, rocker, coupler relative)."""
    loop = FourBarLoop(0.5, 1.0, 0.5, (1.0, 0.0))
    bar = spatial_inertia(3.3, np.zeros(3), np.diag([0.0, 0.0, 0.042673]))
    tree = four_bar_robot(loop, (bar, bar, bar))
    closed = loop.closed(1.0, branch)
    assert loop.branch(closed) == branch
    np.testing.assert_allclose(closed, q, atol=5e-9)
    state = make_state(tree, [Coordinate(closed, spanning=True)], [Coordinate(np.array([0.8]))])
    motion = kinematics(tree, state)
    np.testing.assert_allclose(motion.G[:, 0], G, atol=5e-9)
    np.testing.assert_allclose(algorithms.mass_matrix(motion), [[H]], atol=5e-9)
    np.testing.assert_allclose(algorithms.bias_force(motion), [C], atol=5e-9)
    np.testing.assert_allclose(algorithms.forward_dynamics(motion, np.array([2.0])), [ydd], atol=5e-9)


def crank_rocker() -> tuple[FourBarLoop, ClusterTree]:
    """Loop closure by two circles: ground 0.4, crank 0.1, coupler 0.35, rocker 0.3, thin rods of 1 kg/m."""

    def rod(length: float) -> Array:
        return spatial_inertia(length, np.array([length / 2, 0.0, 0.0]), np.diag([0.0, 1.0, 1.0]) * length**3 / 12)

    loop = FourBarLoop(0.1, 0.35, 0.3, (0.4, 0.0))
    return loop, four_bar_robot(loop, (rod(0.1), rod(0.3), rod(0.35)))


def test_crank_rocker_at_the_start_of_its_drop() -> None:
    """Lagrange's equation of the crank angle: θ = 60° at rest: θ̈ = −34.3058989, E = 1.12352421 J."""
    loop, tree = crank_rocker()
    q = loop.closed(math.pi / 3, 1)
    np.testing.assert_allclose([q[0], q[0] + q[2], q[1]], [1.04719755, 0.62871513, 1.79577497], atol=5e-9)
    motion = kinematics(tree, TreeState(q, np.zeros(1)))
    np.testing.assert_allclose(algorithms.forward_dynamics(motion, np.zeros(1)), [-34.3058989], atol=5e-8)
    assert energy.kinetic_energy(motion) + energy.potential_energy(motion) == pytest.approx(1.12352421, abs=5e-9)


def test_crank_rocker_drops() -> None:
    """The crank-rocker by RK4 of 0.5 ms on the reduced coordinate, against DOP853 with rtol 1e-13, at 0.1, 0.25, 0.5
    and 1 s.

    Truncation is 1.4e-8 rad and 2.0e-7 rad/s at 1 s; it was 30 times that with 1 ms and is 5e-10 rad with 0.25 ms.
    Energy to 1e-8 J."""
    loop, tree = crank_rocker()
    wanted = {
        200: (0.8351462915, -5.2232951816),
        500: (-0.6544566601, -12.8022740388),
        1000: (-4.3958545927, -4.5844269610),
        2000: (-2.5993676994, 27.3511803419),
    }

    def rate(x: Array) -> Array:
        motion = kinematics(tree, TreeState(loop.closed(float(x[0])), x[1:]))
        return np.array([x[1], algorithms.forward_dynamics(motion, np.zeros(1))[0]])

    x, dt = np.array([math.pi / 3, 0.0]), 5e-4
    for step in range(1, 2001):
        k1 = rate(x)
        k2 = rate(x + 0.5 * dt * k1)
        k3 = rate(x + 0.5 * dt * k2)
        k4 = rate(x + dt * k3)
        x = x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        if step in wanted:
            theta, speed = wanted[step]
            assert x[0] == pytest.approx(theta, abs=3e-8)
            assert x[1] == pytest.approx(speed, abs=4e-7)
    motion = kinematics(tree, TreeState(loop.closed(float(x[0])), x[1:]))
    assert energy.kinetic_energy(motion) + energy.potential_energy(motion) == pytest.approx(1.12352421, abs=1e-8)


def test_belts_of_the_humanoid_leg() -> None:
    """A link turned through n = 6 and its belts (GRBDA, RevolutePairWithRotor): n = 6, belts {2}, {2, 1}."""
    joint = RevolutePairWithRotor((6.0, 6.0), ((2.0,), (2.0, 1.0)))
    np.testing.assert_array_equal(joint.constraint.G, [[1, 0], [12, 0], [12, 12], [0, 1]])
    np.testing.assert_array_equal(joint.constraint.K, [[12, -1, 0, 0], [12, 0, -1, 12]])


def test_belts_of_the_triple_arm() -> None:
    """GRBDA, RevoluteTripleWithRotor: n = 6, belts {1}, {1, 1}, {−1, 1, −1}; K has the sign opposite to the pair's."""
    joint = RevoluteTripleWithRotor((6.0, 6.0, 6.0), ((1.0,), (1.0, 1.0), (-1.0, 1.0, -1.0)))
    B = [[6, 0, 0], [6, 6, 0], [-6, -6, 6]]
    np.testing.assert_array_equal(joint.constraint.G, [*np.eye(3), *B])
    np.testing.assert_array_equal(joint.constraint.K, np.hstack((-np.array(B), np.eye(3))))


def hip(q: Any) -> Any:
    """Tello's hip differential, q = (rotor 1, rotor 2, gimbal a, thigh b), y_k = rotor_k / 6."""
    a, b = q[2], q[3]

    def row(y: Any, s: float) -> Any:
        return (
            57 * np.sin(y) / 2500
            - 49 * np.cos(a) / 5000
            - s * 399 * np.sin(a) / 20000
            - 8 * np.cos(y) * np.cos(b) / 625
            - 57 * np.cos(a) * np.sin(b) / 2500
            - s * 7 * np.sin(y) * np.sin(a) / 625
            + s * 7 * np.sin(a) * np.sin(b) / 625
            - 8 * np.cos(a) * np.sin(y) * np.sin(b) / 625
            + 3021 / 160000
        )

    return [row(q[0] / 6, 1.0), row(q[1] / 6, -1.0)]


def knee(q: Any) -> Any:
    """Tello's knee and ankle differential, q = (rotor 1, rotor 2, shin, foot), y_k = rotor_k / 6; π is 3.1415, as in
    the robot's file."""
    pi = 3.1415
    y1, y2, shin, foot = q[0] / 6, q[1] / 6, q[2], q[3]
    d = (y1 - y2) / 2
    first = (
        21 * np.cos(d + 1979 * pi / 4500) / 6250
        - 13 * np.cos(d + 493 * pi / 1500) / 625
        - 273 * math.cos(pi / 9) / 12500
        - 7 * np.sin(d + foot + 231 * pi / 500) / 2500
        + 91 * np.sin(foot + 2 * pi / 15) / 5000
        - 147 * np.sin(foot + pi / 45) / 50000
        + 163349 / 6250000
    )
    return [first, shin - (y1 + y2) / 2]


def test_tello_hip() -> None:
    """GRBDA, Tello's hip and thigh: the zero pose is not feasible; y = 0 puts the thigh at −0.156853495; figures of
    ∂(a, b)/∂rotor."""
    loop = implicit(hip, np.zeros(4), independent=(0, 1))
    np.testing.assert_allclose(loop.residual(np.zeros(4)), [-0.00371875] * 2, atol=5e-9)
    q = close(loop, np.zeros(4)).q
    np.testing.assert_allclose(q, [0.0, 0.0, 0.0, -0.156853495], atol=5e-10)
    G = loop.maps(q, np.zeros(4)).G
    np.testing.assert_allclose(G[2:], [[0.0952381, -0.0952381], [0.08428461, 0.08428461]], atol=5e-8)
    straight = close(loop, np.zeros(4), held=(2, 3)).q
    np.testing.assert_allclose(straight[:2] / 6, [0.15685349] * 2, atol=5e-9)


def test_tello_knee_and_ankle() -> None:
    """GRBDA, Tello's knee and ankle: y = 0 puts the foot at 9.906e-5; ∂ql/∂rotor."""
    loop = implicit(knee, np.zeros(4), independent=(0, 1))
    np.testing.assert_allclose(loop.residual(np.zeros(4)), [-1.3234e-6, 0.0], atol=5e-11)
    q = close(loop, np.zeros(4)).q
    np.testing.assert_allclose(q[2:], [0.0, 9.906e-5], atol=5e-9)
    G = loop.maps(q, np.zeros(4)).G
    np.testing.assert_allclose(G[2:], [[1 / 12, 1 / 12], [-0.08873211, 0.08873211]], atol=5e-9)


def test_the_projected_spanning_tree_gives_the_same_figures() -> None:
    """The geared double pendulum by the two other methods."""
    tree, state = geared_pendulum()
    everything = checks.stacked(tree, state)
    for ydd in (
        checks.forward_by_projection(everything, TAU),
        checks.forward_by_multipliers(everything, TAU).ydd,
    ):
        np.testing.assert_allclose(ydd, [-3.08055999, 6.61790324], atol=5e-9)
