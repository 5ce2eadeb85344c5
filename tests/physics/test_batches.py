"""Functions of arrays of states against closed forms, against the same asked one state at a time, and against their own
inverse.

Tolerances: closed forms take a dozen operations on numbers of order 1 to 10, so 1e-12 is a thousand times round-off;
what is asked in two ways comes of the same equations, factored in another order, so 1e-12 again, times how much worse
the scissor lift's many loops are conditioned (1e-10).
"""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from simulator.errors import DocumentError, SimulatorError
from tests.helpers.documents import joint, link, model, world
from tests.unit.api.test_api_matrices import G, pendulum, pendulum_bias, pendulum_mass

Array = NDArray[np.float64]

WORLDS = [
    "belt_arm", "bennett", "differential", "four_bar", "gearbox", "hoeken", "peaucellier", "planetary",
    "rack_and_pinion", "sarrus", "scissor_lift", "screw_press", "slider_crank", "stewart", "telescope", "wrist",
]  # fmt: skip
CRANK, ROD = 0.3, 0.8
MASSES = {"crank": 2.0, "rod": 1.5, "piston": 0.7}


def slider_crank() -> simulator.Simulation:
    """In the plane of x and z, turned by θ from x towards z: a crank of CRANK, a rod of ROD [m], a piston on x. Centres
    of mass are at the pivot, the crank pin and the wrist pin, inertias 1 kg m²."""
    return simulator.load(
        world(
            model(
                "m",
                link("crank", mass=MASSES["crank"]),
                link("rod", mass=MASSES["rod"], pose=f"{CRANK} 0 0 0 0 0"),
                link("piston", mass=MASSES["piston"], pose=f"{CRANK + ROD} 0 0 0 0 0"),
                joint("crank_joint", "revolute", parent="world", child="crank", axis="0 -1 0"),
                joint("rod_joint", "revolute", parent="crank", child="rod", axis="0 -1 0"),
                joint("piston_joint", "prismatic", parent="world", child="piston", axis="1 0 0"),
                joint("wrist_joint", "revolute", parent="piston", child="rod", axis="0 -1 0", pose=f"{ROD} 0 0 0 0 0"),
            )
        )
    )


def reduced_inertia(angle: Any) -> Any:
    """J of T = ½ J θ̇², from sin φ = -r sin θ / l for the rod's angle φ and x = r cos θ + l cos φ for the piston."""
    sine = -CRANK * np.sin(angle) / ROD
    cosine = np.sqrt(1.0 - sine**2)
    turn = -CRANK * np.cos(angle) / (ROD * cosine)
    slide = -CRANK * np.sin(angle) - ROD * sine * turn
    return 1.0 + MASSES["rod"] * CRANK**2 + turn**2 + MASSES["piston"] * slide**2


def test_slider_crank() -> None:
    """Lagrange: τ = J θ̈ + ½ J' θ̇² + m_rod g r cos θ. J' by a complex step, which has no error of differences (Squire
    and Trapp, SIAM Review 40, 1998)."""
    sim, angle = slider_crank(), np.linspace(-3.0, 9.0, 101)
    speed, bend = 3.0 * np.cos(angle), np.linspace(-2.0, 2.0, 101)
    Q, V = sim.assemble({"crank_joint": angle}, velocity={"crank_joint": speed})
    rod = np.arcsin(-CRANK * np.sin(angle) / ROD)
    assert np.array_equal(Q[:, 0], angle)
    np.testing.assert_allclose(Q[:, 1], rod - angle, atol=1e-12)
    np.testing.assert_allclose(Q[:, 2], CRANK * np.cos(angle) + ROD * np.cos(rod) - CRANK - ROD, atol=1e-12)
    slope = np.imag(reduced_inertia(angle + 1e-30j)) / 1e-30
    wanted = reduced_inertia(angle) * bend + 0.5 * slope * speed**2
    wanted += MASSES["rod"] * G * CRANK * np.cos(angle)
    efforts = sim.inverse_dynamics(Q, V, {"crank_joint": bend})
    np.testing.assert_allclose(efforts[:, 0], wanted, rtol=1e-12, atol=1e-11)
    assert not efforts[:, 1:].any()
    pins = sim.poses(Q)[:, sim.links.index("m::rod"), [0, 2], 3]
    np.testing.assert_allclose(pins, CRANK * np.stack((np.cos(angle), np.sin(angle)), axis=1), atol=1e-12)


def test_double_pendulum() -> None:
    """Spong, Robot Modeling and Control, section 6.4, at 200 states at random."""
    sim, generator = pendulum(), np.random.default_rng(0)
    Q, V, A, T = generator.uniform(-3.0, 3.0, (4, 200, 2))
    mass = np.array([pendulum_mass(q[1]) for q in Q])
    bias = np.array([pendulum_bias(tuple(q), tuple(v)) for q, v in zip(Q, V, strict=True)])
    wanted = (mass @ A[:, :, None])[..., 0] + bias
    np.testing.assert_allclose(sim.inverse_dynamics(Q, V, A), wanted, rtol=1e-11, atol=1e-11)
    free = np.linalg.solve(mass, (T - bias)[..., None])[..., 0]
    np.testing.assert_allclose(sim.forward_dynamics(Q, V, T), free, rtol=1e-11, atol=1e-11)


def test_pendulum_held_up() -> None:
    """m g c sin q holds a pendulum that hangs at 0: only positions are given."""
    sim = simulator.load(
        world(
            model(
                "p",
                link("base"),
                '<link name="bob"><inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass></inertial></link>',
                joint("fix", "fixed", parent="world", child="base"),
                joint("j", "revolute", parent="base", child="bob", axis="0 1 0"),
            )
        )
    )
    q = np.linspace(-3.0, 3.0, 25)[:, None]
    np.testing.assert_allclose(sim.inverse_dynamics(q), 2.0 * G * 0.5 * np.sin(q), atol=1e-13)


@pytest.mark.parametrize("name", WORLDS)
def test_many_states_are_as_one_after_the_other(name: str) -> None:
    sim = simulator.load(name)
    assert compared(sim, 1e-10 if name == "scissor_lift" else 1e-12) > 0


@pytest.mark.corpus
def test_documents_that_were_not_written_here(corpus: Path) -> None:
    """As above, for all documents whose motion is one of axes: more than ten of them."""
    done = 0
    for path in sorted(corpus.glob("documents/**/*.[su][dr][fd]*")):
        with warnings.catch_warnings(), contextlib.suppress(DocumentError, simulator.UsageError):
            warnings.simplefilter("ignore")
            sim = simulator.load(path)
            named = set(sim.independent.names)
            if len(sim.mechanism.axes) < 100 and named and named <= set(sim.positions.names):  # none floats
                done += compared(sim, 1e-11) > 0
    assert done > 10


def compared(sim: simulator.Simulation, tolerance: float) -> int:
    """Compare everything at states around the present one; at how many."""
    names, count, generator = sim.independent.names, 5, np.random.default_rng(1)
    axes = [sim.positions.names.index(name) for name in names]
    ends = [(sim.mechanism.axes[axis].axis.lower, sim.mechanism.axes[axis].axis.upper) for axis in axes]
    around = [sim.positions[name] + generator.uniform(-0.05, 0.05, count) for name in names]
    asked = {n: np.clip(x, *end) if end[0] <= end[1] else x for n, x, end in zip(names, around, ends, strict=True)}
    Q, V = sim.assemble(asked, velocity={name: generator.uniform(-0.2, 0.2, count) for name in names})
    bend = {name: generator.uniform(-1.0, 1.0, count) for name in names}
    T, W, X = sim.inverse_dynamics(Q, V, bend), sim.wrenches(Q, V, bend), sim.poses(Q)
    J = sim.jacobians(sim.links[-1], Q, (0.1, 0.2, 0.3))
    A = sim.forward_dynamics(Q, V, T)
    found = np.flatnonzero(np.isfinite(T).all(axis=1))
    # What efforts bring about is what they were asked for.
    np.testing.assert_allclose(
        A[:, axes], np.stack(list(bend.values()), axis=1), rtol=100 * tolerance, atol=100 * tolerance
    )
    np.testing.assert_allclose(sim.inverse_dynamics(Q, V, A), T, rtol=100 * tolerance, atol=100 * tolerance)
    for i in found.tolist():
        with contextlib.suppress(SimulatorError):  # a velocity limit, or a document whose axes are out of line
            sim.set(Q[i], velocity=V[i])
            if sim.independent.names != names:
                continue
            each = {name: float(bend[name][i]) for name in names}
            _close(T[i, axes], sim.inverse_dynamics(each).array, tolerance)
            free = sim.forward_dynamics(dict(zip(sim.positions.names, T[i], strict=True)))
            both = [name for name in sim.positions.names if name in free.names]
            _close(A[i, [sim.positions.names.index(n) for n in both]], [free[name] for name in both], tolerance)
            _close(X[i], [sim.pose(name) for name in sim.links], tolerance)
            _close(J[i], sim.jacobian(sim.links[-1], (0.1, 0.2, 0.3)).array, tolerance)
            _close(W[i], sim.reactions(accelerations=each).wrenches.array, tolerance)
    return len(found)


def _close(found: Array, wanted: object, tolerance: float) -> None:
    """To that part of the largest entry, or of 1."""
    numbers = np.asarray(wanted, dtype=float)
    known = np.isfinite(numbers)
    size = max(1.0, float(np.abs(numbers[known]).max(initial=0.0)))
    np.testing.assert_allclose(found[known], numbers[known], rtol=0.0, atol=tolerance * size)
