"""The tree algorithms against each other, against point masses, and with custom joints.

"Round-off" below is 1e-12 of the largest number compared, or of 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.helpers.joints import EMULATED, NATIVE, random_transform
from tests.helpers.multibodies import State, every_joint_tree, random_inertia, random_state, random_tree
from textbook.body_motion import body_motion
from textbook.joints.custom import CustomJoint
from textbook.joints.protocol import JointModel
from textbook.multibody import ROOT, Multibody
from textbook.plucker import rotation_part, spatial_inertia, translation_part
from textbook.tree_dynamics import (
    forward_dynamics,
    forward_dynamics_dense,
    gravity_effort,
    inverse_dynamics,
    mass_matrix,
    nonlinear_effects,
)

Array = np.ndarray
SEEDS = range(4)


def assert_same(actual: Array, expected: Array, tolerance: float = 1e-12) -> None:
    scale = max(1.0, float(np.abs(expected).max()))
    assert np.abs(actual - expected).max() <= tolerance * scale


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_after_inverse_gives_the_acceleration_back(seed: int) -> None:
    """Every joint in one tree with 35 freedoms; efforts are of the order 1e3, so round-off is scaled by them."""
    model = every_joint_tree(seed)
    state = random_state(model, np.random.default_rng(seed))
    tau = inverse_dynamics(model, state.q, state.qd, state.qdd, state.external)
    for forward in (forward_dynamics, forward_dynamics_dense):
        qdd = forward(model, state.q, state.qd, tau, state.external)
        assert np.abs(qdd - state.qdd).max() <= 1e-12 * np.abs(tau).max()


@pytest.mark.parametrize("name", NATIVE)
def test_forward_after_inverse_for_three_equal_joints(name: str) -> None:
    later = NATIVE["spherical" if name == "floating base" else name]
    model = random_tree([NATIVE[name], later, later], 20)
    state = random_state(model, np.random.default_rng(21))
    tau = inverse_dynamics(model, state.q, state.qd, state.qdd, state.external)
    assert_same(forward_dynamics(model, state.q, state.qd, tau, state.external), state.qdd, 2e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_mass_matrix_has_inverse_dynamics_for_columns(seed: int) -> None:
    model = every_joint_tree(seed)
    state = random_state(model, np.random.default_rng(seed))
    C = nonlinear_effects(model, state.q, state.qd)
    columns = [inverse_dynamics(model, state.q, state.qd, unit) - C for unit in np.eye(model.qdot_size)]
    H = mass_matrix(model, state.q)
    assert_same(H, np.array(columns).T)
    assert np.array_equal(H, H.T)
    assert np.linalg.eigvalsh(H).min() > 0.0


@pytest.mark.parametrize("name", EMULATED)
def test_split_joints_move_like_native_ones(name: str) -> None:
    """Floating base: the native joint is a custom one to the builder, which splits the built-in type."""
    models = []
    for joint in (_unsplit(NATIVE[name]), EMULATED[name]):
        random = np.random.default_rng(22)
        model, last = Multibody(), ROOT
        for step in (joint, NATIVE["revolute tilted"], joint):
            last = model.add_body(last, random_transform(random), step, random_inertia(random))
        models.append(model)
    native, split = models
    assert native.qdot_size == split.qdot_size
    assert split.body_count - native.body_count == 2 * (len(EMULATED[name].joints) - 1)
    for seed in SEEDS:
        state = random_state(split, np.random.default_rng(seed))
        _assert_same_dynamics(native, split, state)
        a, b = (body_motion(model, state.q, state.qd, state.qdd) for model in models)
        i, j = native.body_count - 1, split.body_count - 1
        assert_same(a.transform(i), b.transform(j))
        assert_same(a.spatial_velocity(i), b.spatial_velocity(j))
        assert_same(a.spatial_acceleration(i), b.spatial_acceleration(j))
        assert_same(a.jacobian(i), b.jacobian(j))


@pytest.mark.parametrize("name", NATIVE)
def test_a_custom_joint_moves_like_the_built_in_one(name: str) -> None:
    """The built-in joint runs compiled, the custom one in Python: two implementations of the same formulas."""
    models = []
    for joint in (NATIVE[name], custom(NATIVE[name])):
        random = np.random.default_rng(23)
        model, last = Multibody(), ROOT
        for step in (joint, NATIVE["revolute tilted"], NATIVE["spherical"]):
            last = model.add_body(last, random_transform(random), step, random_inertia(random))
        models.append(model)
    for seed in SEEDS:
        _assert_same_dynamics(
            models[0], models[1], random_state(models[0], np.random.default_rng(seed)), tolerance=2e-12
        )


def custom(joint: JointModel) -> CustomJoint:
    start = tuple(float(value) for value in joint.neutral())
    return CustomJoint(
        joint.velocity_size, joint.transform, joint.subspace, joint.bias, start=start, advance=joint.integrate
    )


def _unsplit(joint: JointModel) -> JointModel:
    return custom(joint) if joint is NATIVE["floating base"] else joint


def _assert_same_dynamics(a: Multibody, b: Multibody, state: State, tolerance: float = 1e-12) -> None:
    """C, H, inverse and forward dynamics without external wrenches (the bodies may be numbered differently)."""
    q, qd = state.q, state.qd
    assert_same(nonlinear_effects(a, q, qd), nonlinear_effects(b, q, qd), tolerance)
    assert_same(mass_matrix(a, q), mass_matrix(b, q), tolerance)
    tau = inverse_dynamics(a, q, qd, state.qdd)
    assert_same(tau, inverse_dynamics(b, q, qd, state.qdd), tolerance)
    assert_same(forward_dynamics(a, q, qd, tau), forward_dynamics(b, q, qd, tau), tolerance)


@dataclass
class Cloud:
    """A tree whose bodies are clouds of point masses, and its kinematics by plain products of the joints'
    transforms."""

    model: Multibody
    points: list[Array]
    masses: list[Array]

    def positions(self, q: Array) -> Array:
        """World positions of all masses, flat."""
        X = [np.eye(6)]
        found: list[Array] = []
        for body, points in zip(self.model.bodies, self.points, strict=True):
            X.append(body.joint.transform(body.position(q)) @ body.X_tree @ X[body.parent])
            E, r = rotation_part(X[-1]), translation_part(X[-1])
            found.append((r + points @ E).ravel())
        return np.concatenate(found)

    def slopes(self, q: Array) -> Array:
        """Columns: velocity of all masses per unit of qd, central differences of the fourth order."""
        h, columns = 1e-3, []
        for unit in np.eye(self.model.qdot_size):
            at = [self.positions(self.model.integrate(q, unit, k * h)) for k in (-2, -1, 1, 2)]
            columns.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h))
        slopes: Array = np.array(columns).T
        return slopes


def cloud_tree(names: list[str], seed: int) -> Cloud:
    random = np.random.default_rng(seed)
    cloud = Cloud(Multibody(), [], [])
    for name in names:
        points, masses = random.uniform(-0.4, 0.4, (5, 3)), random.uniform(0.2, 1.0, 5)
        com = masses @ points / masses.sum()
        arms = points - com
        about_com = np.einsum("k,kij->ij", masses, [a @ a * np.eye(3) - np.outer(a, a) for a in arms])
        inertia = spatial_inertia(float(masses.sum()), com, about_com)
        cloud.model.append_body(random_transform(random), NATIVE[name], inertia)
        cloud.points.append(points)
        cloud.masses.append(np.repeat(masses, 3))
    return cloud


@pytest.mark.parametrize(
    "names",
    [
        ["revolute tilted", "prismatic", "helical"],
        ["planar", "euler zyx", "revolute x"],
        ["spherical", "translation", "euler yxz"],
        ["euler xyz", "spherical", "euler zxy"],
    ],
)
def test_point_masses_have_the_same_mass_matrix_and_weight(names: list[str]) -> None:
    """H = Σ m J.T J and τ = -Σ m J.T g with J from differences of positions, good to 1e-10: nothing of the kernels is
    used."""
    cloud = cloud_tree(names, 24)
    q = random_state(cloud.model, np.random.default_rng(25)).q
    J, m = cloud.slopes(q), np.concatenate(cloud.masses)
    assert mass_matrix(cloud.model, q) == pytest.approx(J.T @ (m[:, None] * J), abs=1e-8)
    weight = m * np.tile(cloud.model.gravity, len(m) // 3)
    assert gravity_effort(cloud.model, q) == pytest.approx(-J.T @ weight, abs=1e-8)


def test_point_masses_have_the_same_bias() -> None:
    """C at gravity 0 is Σ m J.T (dJ/dt qd), the accelerations of the masses at qdd = 0, by differences along the
    motion."""
    cloud = cloud_tree(["planar", "spherical", "helical", "euler zyx"], 26)
    cloud.model.gravity = np.zeros(3)
    state, h = random_state(cloud.model, np.random.default_rng(27)), 1e-4
    m = np.concatenate(cloud.masses)
    rates = [cloud.slopes(cloud.model.integrate(state.q, state.qd, k * h)) @ state.qd for k in (-1, 1)]
    expected = cloud.slopes(state.q).T @ (m * (rates[1] - rates[0]) / (2 * h))
    assert nonlinear_effects(cloud.model, state.q, state.qd) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_changes_by_the_power_of_efforts_and_wrenches(seed: int) -> None:
    """d/dt (T + V) = τ·qd + Σ f·v along the true motion, central differences of the energy (good to 1e-7 of it)."""
    model = every_joint_tree(seed)
    state, h = random_state(model, np.random.default_rng(seed)), 1e-5
    qdd = forward_dynamics(model, state.q, state.qd, state.tau, state.external)
    energies = []
    for k in (-1, 1):
        middle = state.qd + 0.5 * k * h * qdd
        motion = body_motion(model, model.integrate(state.q, middle, k * h), state.qd + k * h * qdd)
        energies.append(motion.kinetic_energy() + motion.potential_energy())
    now = body_motion(model, state.q, state.qd)
    power = state.tau @ state.qd + float(np.sum(state.external * now.v))
    scale = abs(now.kinetic_energy()) + abs(now.potential_energy()) + abs(power)
    assert (energies[1] - energies[0]) / (2 * h) == pytest.approx(power, abs=float(1e-6 * scale))


def test_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix() -> None:
    model = every_joint_tree(1)
    state = random_state(model, np.random.default_rng(1))
    expected = 0.5 * state.qd @ mass_matrix(model, state.q) @ state.qd
    assert body_motion(model, state.q, state.qd).kinetic_energy() == pytest.approx(expected, rel=1e-12)
