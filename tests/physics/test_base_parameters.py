"""Regressors and base parameters against published counts and closed forms.

Tolerance 1e-9 of the efforts: sums of some hundred products, loops closed to 1e-12 or better. Factors of base
parameters come from least squares of a well-conditioned matrix, 1e-6 with loops, closed to 1e-10 at random states.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator import Simulation
from tests.helpers.documents import joint, link, model, world
from tests.helpers.planar_forms import four_bar
from tests.helpers.repository import files_below

EXACT = 1e-9
FACTORS = 1e-6
PASSIVE = (".damping", ".friction", ".spring_stiffness", ".spring_preload")
NOT_IDEAL = ("backlash_arm", "belt_drive", "clutch_drive", "crane", "power_split", "worm_hoist")
WORLDS = [
    path.stem
    for path in files_below("worlds")
    if path.suffix == ".sdf" and path.stem not in ("gear_train_1024", *NOT_IDEAL)
]


def inertial(names: tuple[str, ...]) -> list[str]:
    """Parameters of links."""
    return [name for name in names if not name.endswith(PASSIVE)]


def moving(name: str) -> tuple[Simulation, dict[str, float]]:
    """A world that moves, and accelerations."""
    sim = simulator.load(name)
    axes = [axis for axis in sim.independent.names if axis in sim.positions.names]
    sim.set({axis: float(sim.positions[axis]) + 0.02 for axis in axes}, velocity=dict.fromkeys(axes, 0.06))
    return sim, {axis: 0.5 + 0.1 * k for k, axis in enumerate(sim.independent.names)}


@pytest.mark.parametrize("name", WORLDS)
def test_efforts_are_linear_in_standard_parameters(name: str) -> None:
    sim, accelerations = moving(name)
    found = sim.regressor(accelerations)
    smooth = np.array([not column.endswith(".friction") for column in found.matrix.columns])
    efforts = found.matrix.array[:, smooth] @ found.parameters.array[smooth] + found.rest.array
    wanted = sim.inverse_dynamics(accelerations).array
    assert efforts == pytest.approx(wanted, abs=EXACT * max(1.0, float(np.abs(wanted).max())))


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "bennett", "planetary", "rack_and_pinion", "stewart"])
def test_base_parameters_give_the_same_efforts(name: str) -> None:
    sim, accelerations = moving(name)
    base, Y = sim.base_parameters(), sim.regressor(accelerations).matrix
    columns = [Y.columns.index(kept) for kept in base.kept]
    assert np.abs(Y.array - Y.array[:, columns] @ base.map.array).max() <= FACTORS * np.abs(Y.array).max()


def puma() -> str:
    """A PUMA 560: six turns, all with links of unknown inertia, by the Denavit-Hartenberg parameters of Corke and
    Armstrong-Hélouvry (1994): a2 = 0.4318, a3 = 0.0203, d3 = 0.15005, d4 = 0.4318 [m]."""
    # Alpha, a, d of each link, distal convention: X_i = Rz(q) Tz(d) Tx(a) Rx(alpha).
    table = [
        (math.pi / 2, 0.0, 0.0),
        (0.0, 0.4318, 0.0),
        (-math.pi / 2, 0.0203, 0.15005),
        (math.pi / 2, 0.0, 0.4318),
        (-math.pi / 2, 0.0, 0.0),
        (0.0, 0.0, 0.0),
    ]
    parts, before = [], "world"
    for i in range(6):
        alpha, a, d = table[i - 1] if i else (0.0, 0.0, 0.0)
        name, relative = f"l{i + 1}", f' relative_to="{before}"' if i else ""
        pose = f"<pose{relative}>{a!r} 0 {d!r} {alpha!r} 0 0</pose>"
        parts.append(link(name).replace(f'<link name="{name}">', f'<link name="{name}">{pose}'))
        parts.append(joint(f"j{i + 1}", "revolute", parent=before, child=name))
        before = name
    return world("<gravity>0 0 -9.81</gravity>", model("puma", *parts))


def test_the_puma_has_36() -> None:
    """Mayeda, Yoshida and Osuka, Base parameters of manipulator dynamic models, 1990, and Khalil and Dombre, Modeling,
    Identification and Control of Robots, 2002, section 9.4: 36 of 60."""
    base = simulator.load(puma()).base_parameters()
    assert len(inertial(base.kept)) == 36


def test_two_links_in_a_plane() -> None:
    """Under gravity: m1 c1 + m2 l and J1 + m2 l² of the first link, m2 c2 and J2 of the second, with c in two
    directions (Khalil and Dombre, section 9.4)."""
    text = world(
        "<gravity>0 0 -9.81</gravity>",
        model(
            "m",
            link("a"),
            link("b", pose="0.7 0 0 0 0 0"),
            joint("first", "revolute", parent="world", child="a", axis="0 -1 0"),
            joint("second", "revolute", parent="a", child="b", axis="0 -1 0"),
        ),
    )
    base = simulator.load(text).base_parameters()
    names = {
        *("m::a.moment.x", "m::a.moment.z", "m::a.origin_inertia.iyy"),
        *("m::b.moment.x", "m::b.moment.z", "m::b.origin_inertia.iyy"),
    }
    assert {*inertial(base.kept)} <= names | {"m::b.mass"}
    assert len(inertial(base.kept)) == 6
    assert [name for name in base.kept if name.endswith(PASSIVE)] == [
        *("m::first.damping", "m::first.friction", "m::second.damping", "m::second.friction"),
    ]
    row = base.map["m::a.moment.x"]
    assert row["m::b.mass"] == pytest.approx(0.7, rel=FACTORS)
    assert base.map["m::a.origin_inertia.iyy", "m::b.mass"] == pytest.approx(0.49, rel=FACTORS)
    assert {"m::a.mass", "m::a.origin_inertia.ixx", "m::b.moment.y"} <= {*base.absent}


def test_a_four_bar_has_as_many_as_its_lagrangian() -> None:
    """Rank of the twelve functions of θ that m, m c and J of three bars have as factors in J(θ), J'(θ) and V'(θ)."""
    lengths = {"crank.length": 0.1, "coupler.length": 0.35, "rocker.length": 0.3, "rocker_joint.parent_pose.x": 0.4}
    fixed = {"world.gravity.x": 0.0, "world.gravity.z": -9.81}
    bodies = ("crank", "coupler", "rocker")
    nothing = {f"{body}.{part}": 0.0 for body in bodies for part in ("mass", "com.x", "com.z", "inertia.iyy")}
    generator, rows = np.random.default_rng(3), []
    for _ in range(60):
        angle, speed, acceleration = generator.uniform(-3.0, 3.0), *generator.standard_normal(2) * 10.0
        columns = []
        for body in bodies:
            for unit in np.eye(4):
                # m c with a mass of 1e9 is m c without one: J and V' are linear in m, m c and J about the pin.
                columns.append(_column(body, unit, {**lengths, **fixed, **nothing}, angle, (speed, acceleration)))
        rows.append(columns)
    W = np.array(rows)
    W = W / np.linalg.norm(W, axis=0).clip(1e-30)
    rank = int(np.sum(np.linalg.svd(W, compute_uv=False) > 1e-8))
    base = simulator.load("four_bar").base_parameters()
    assert len(inertial(base.kept)) == rank == 8


def _column(body: str, unit: np.ndarray, numbers: dict[str, float], angle: float, motion: tuple[float, float]) -> float:
    """Effort per unit of m, m c_x, m c_z or J about the pin of a bar: with a mass m, J = -m c² about the centre gives
    one about the pin that has none of c."""
    mass, x, z, moment = unit.tolist()

    def effort(m: float, cx: float, cz: float, about_pin: float) -> float:
        given = {
            **numbers,
            f"{body}.mass": m,
            f"{body}.com.x": cx,
            f"{body}.com.z": cz,
            f"{body}.inertia.iyy": about_pin - m * (cx * cx + cz * cz),
        }
        return float(np.real(four_bar(given, angle).effort(given, (), *motion)))

    return effort(1.0, x, z, moment) - (0.0 if mass else effort(1.0, 0.0, 0.0, 0.0))


def test_what_cannot_be_told_apart_is_named() -> None:
    """In a four-bar the mass of the coupler by itself is in no effort that those of its neighbours could not make."""
    base = simulator.load("four_bar").base_parameters()
    with_coupler = [kept for kept, terms in base.combinations.items() if "four_bar::coupler.mass" in terms]
    assert with_coupler
    assert "four_bar::crank.origin_inertia.ixx" in base.absent
    assert base.values.array == pytest.approx(base.map.array @ simulator.load("four_bar").regressor().parameters.array)
    assert "four_bar::coupler.mass" in repr(base)


def test_parameters_that_trade_off_are_named() -> None:
    """Of a rocker about its pivot, efforts depend on m c and J + m c² only: with m = 0.3 kg and c = 0.15 m, dc + 0.5 dm
    and dJ - 0.0225 dm are what they tell of three numbers."""
    sim = simulator.load("four_bar")
    found = sim.base_parameters(["rocker.mass", "rocker.com.x", "rocker.inertia.iyy", "coupler.length"])
    assert len(found) == 3
    assert np.abs(found.map.array @ [1.0, -0.5, 0.0225, 0.0]).max() < FACTORS
    assert all("coupler.length" not in terms for terms in found.combinations.values())
    apart = sim.base_parameters(["coupler.mass", "coupler_joint.damping", "rocker.com.x"])
    assert len(apart) == 3
    assert not apart.combinations
    with pytest.raises(simulator.UsageError, match="open or jam"):
        sim.base_parameters(["rocker.mass", "rocker_joint.child_pose.y"])


def test_what_cannot_move_has_no_base_parameters() -> None:
    text = world(model("m", link("a"), joint("weld", "fixed", parent="world", child="a")))
    with pytest.raises(simulator.UsageError, match="nothing can move"):
        simulator.load(text).base_parameters()


@pytest.mark.parametrize("name", NOT_IDEAL)
def test_couplings_that_are_not_ideal_are_refused(name: str) -> None:
    """Their losses, play and elasticity are no part of these equations."""
    sim = simulator.load(name)
    for asked in (sim.regressor, sim.base_parameters, sim.gradients, sim.inverse_dynamics, sim.forward_dynamics):
        with pytest.raises(simulator.UsageError, match=r"is not ideal|the tension of the cable"):
            asked()
