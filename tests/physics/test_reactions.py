"""What joints carry: Newton and Euler for every body, and closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.analysis.reactions import Balance, Reactions
from simulator.kinematics.kinematics import Kinematics
from simulator.mechanism.types import JointKind
from simulator.physics.compiled.model import CompiledMechanism
from tests.helpers.documents import joint, link, model, world
from tests.helpers.newton_euler import axis_components, body_accelerations, joint_wrenches, required_wrenches
from tests.helpers.random_mechanisms import consistent_state, random_mechanism
from tests.helpers.repository import ROOT

ROUND_OFF = 1e-10
"""Of the greatest wrench: bodies are summed in another order and about another point than in the program, thousands of
operations each."""
NOT_IDEAL = ("backlash_arm", "belt_drive", "clutch_drive", "crane", "power_split", "worm_hoist")
"""Worlds whose couplings lose power, have play or are elastic; what these carry follows from the motion before, so
that a state and efforts do not determine it. (`test_columns_balance.py` balances them in their motion.)"""
WORLDS = sorted(path.stem for path in Path(ROOT, "worlds").glob("*.sdf") if "1024" not in path.stem)


@pytest.mark.parametrize("driven", [False, True], ids=["free", "driven"])
@pytest.mark.parametrize("name", [name for name in WORLDS if name not in NOT_IDEAL])
def test_every_body_is_in_balance(name: str, driven: bool) -> None:
    """m a = Σ F and d(I ω)/dt = Σ M for every body, from a recursion of spatial vectors about the world's origin; and
    along every axis a joint does what its effort, damper and spring do, nothing where there are none."""
    sim = simulator.load(name, solver="reduced")
    sim.run(20 * sim.dt)
    generator = np.random.default_rng(15)
    efforts = {info.name: float(generator.normal()) if driven else 0.0 for info in sim.mechanism.axes if info.in_tree}
    found = sim.reactions(efforts)
    mechanism, state, kinematics = sim.mechanism, sim.moment.state, sim._core.kinematics
    poses = kinematics.body_matrices(state)
    accelerations = sim.forward_dynamics(efforts).array
    motion = body_accelerations(sim, sim._core.equations.rates(state), accelerations)
    needed = required_wrenches(mechanism, poses, *motion)
    carried = joint_wrenches(mechanism, found.wrenches.rows, found.wrenches.array, found.points)
    scale = max(float(np.abs(found.wrenches.array).max(initial=0.0)), 1.0)
    np.testing.assert_allclose(carried[1:], needed[1:], rtol=0.0, atol=ROUND_OFF * scale)
    assert np.abs(found.efforts.array).max(initial=0.0) < ROUND_OFF * scale, "the motion needs efforts that nobody gave"
    tied = _coupled_efforts(sim, found)
    along = axis_components(mechanism, poses, state.position, found.wrenches.rows, found.wrenches.array)
    for axis, value in along.items():
        info = mechanism.axes[axis]
        spring = info.axis.spring_stiffness * (state.position[axis] - info.axis.spring_reference)
        known = efforts.get(info.name, 0.0) - info.axis.damping * state.velocity[axis] - spring + tied[axis]
        rotor = (
            float(sim._core.rotors[axis] @ np.nan_to_num(found.accelerations.array))
            if sim._core.rotors is not None
            else 0.0
        )
        assert value == pytest.approx(known - rotor, abs=ROUND_OFF * scale), info.name


@pytest.mark.parametrize("name", NOT_IDEAL)
def test_other_motions_of_couplings_that_are_not_ideal_are_refused(name: str) -> None:
    """Before a first step, under given efforts, and with given accelerations; not in the motion of the simulation."""
    sim = simulator.load(name)
    axis = sim.mechanism.axes[sim.mechanism.independent_axes()[0]].name
    with pytest.raises(simulator.UsageError, match=r"is not ideal|the tension of the cable"):
        sim.reactions()
    sim.run(5 * sim.dt)
    with pytest.raises(simulator.UsageError, match=r"is not ideal|the tension of the cable"):
        sim.reactions({axis: 0.1})
    with pytest.raises(simulator.UsageError, match=r"is not ideal|the tension of the cable"):
        sim.reactions(accelerations={axis: 0.1})
    assert np.isfinite(sim.reactions().wrenches.array).all()


def _coupled_efforts(sim: simulator.Simulation, found: Reactions) -> np.ndarray:
    """What couplings do along every axis."""
    result = np.zeros(len(sim.mechanism.axes))
    for coupling, effort in zip(sim.mechanism.couplings, found.couplings.array, strict=True):
        curve = coupling.curve
        terms = coupling.terms if curve is None else curve.slopes(sim.moment.state.position)
        for axis, factor in terms:
            result[axis] += factor * effort
    return result


def test_what_floats_is_held_by_nothing() -> None:
    """The joint of a floating body has no column, and what it would carry is zero: nothing pushes a free body but
    gravity."""
    sim = simulator.load("gripper")
    names = sim.reactions().wrenches.rows
    floating = [item.name for item in sim.mechanism.joints if item.kind is JointKind.FREE]
    assert floating
    assert not set(floating) & set(names)


def test_a_pendulum_pulls_at_its_hinge() -> None:
    """At angle q from hanging and speed w the rod is pulled by m (g cos q + r w²) along itself, and pushed by m (g sin
    q + r q̈) across, with q̈ = -m g r sin q / (I + m r²): a textbook pendulum. Ten digits: a handful of operations."""
    m, r, inertia, g, q, w = 2.0, 0.5, 1.0, 9.8, 0.7, 1.5
    text = world(
        model(
            "m",
            f'<link name="rod"><inertial><pose>0 0 -{r} 0 0 0</pose><mass>{m}</mass><inertia><ixx>1</ixx>'
            f"<iyy>{inertia}</iyy><izz>1</izz></inertia></inertial></link>",
            joint("hinge", "revolute", parent="world", child="rod", axis="0 1 0"),
        )
    )
    sim = simulator.load(text)
    sim.set({"hinge": q}, velocity={"hinge": w})
    wrench = sim.reactions()["hinge"]
    qdd = -m * g * r * np.sin(q) / (inertia + m * r * r)
    along, across = np.array([-np.sin(q), 0.0, -np.cos(q)]), np.array([-np.cos(q), 0.0, np.sin(q)])
    a = r * qdd * across - r * w * w * along
    force = m * (a + np.array([0.0, 0.0, g]))
    np.testing.assert_allclose(wrench.array[:3], force, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(wrench.array[3:], 0.0, atol=1e-10)


def test_a_joint_that_is_written_the_other_way_round_carries_the_opposite_at_its_childs_frame() -> None:
    """The document's child may be the inboard body. A slide of 1 kg hangs 0.3 m below a hinge's body: it is the same
    mechanism."""
    rod, bob = link("rod"), link("bob", pose="0 0 -0.3 0 0 0")
    hinge = joint("hinge", "revolute", parent="world", child="rod", axis="0 1 0")
    slide = {
        "down": joint("slide", "prismatic", parent="rod", child="bob", axis="0 0 1"),
        "up": joint("slide", "prismatic", parent="bob", child="rod", axis="0 0 1"),
    }
    found = {}
    for way, text in slide.items():
        sim = simulator.load(world(model("m", rod, bob, hinge, text)))
        sim.set({"slide": 0.2 if way == "down" else -0.2, "hinge": 0.4})
        found[way] = sim.reactions(accelerations={"slide": 0.0, "hinge": 0.5})
    down, up = found["down"]["slide"].array, found["up"]["slide"].array
    np.testing.assert_allclose(up[:3], -down[:3], atol=1e-12)
    places = [found[way].points[found[way].wrenches.rows.index("m::slide")] for way in slide]
    shifted = -(down[3:] + np.cross(places[0] - places[1], down[:3]))
    np.testing.assert_allclose(up[3:], shifted, atol=1e-12)


def test_what_stands_on_the_ground_is_carried_by_it_and_by_its_joint() -> None:
    """A rod hinged at one end lies with the other on the ground: of its weight each end carries half. 1e-9: the
    contact's force is the mean of a step."""
    text = world(
        '<model name="ground"><static>true</static><link name="g"><collision name="c"><geometry><plane>'
        "<normal>0 0 1</normal></plane>"
        "</geometry></collision></link></model>",
        model(
            "m",
            '<link name="rod"><pose>0 0 0.1 0 0 0</pose><inertial><pose>0.5 0 0 0 0 0</pose><mass>2</mass>'
            "<inertia><ixx>.1</ixx>"
            '<iyy>.1</iyy><izz>.1</izz></inertia></inertial><collision name="c"><pose>1 0 0 0 0 0</pose><geometry>'
            "<sphere><radius>0.1</radius></sphere></geometry><surface><friction><ode><mu>0</mu><mu2>0</mu2>"
            "</ode></friction></surface>"
            "</collision></link>",  # with friction, hinge and ground could press on each other by any force along x
            joint("hinge", "revolute", parent="world", child="rod", axis="0 1 0"),
        ),
    )
    sim = simulator.load(text)
    sim.run(0.05)
    wrench = sim.reactions()["hinge"]
    assert wrench["force_z"] == pytest.approx(9.8, abs=1e-9)
    assert wrench["force_x"] == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(sim.reactions().accelerations.array, 0.0, atol=1e-8)


def test_efforts_or_accelerations() -> None:
    """Both at once is a contradiction."""
    with pytest.raises(simulator.UsageError, match="not both"):
        simulator.load("four_bar").reactions({"crank_joint": 1.0}, accelerations={"crank_joint": 1.0})


def test_a_shaft_in_two_bearings_shares_its_load_by_their_stiffness() -> None:
    """One body on two hinges in line: 6 - 2 · 5 = -4 freedoms by count, five redundant rows. Its weight W acts at d
    beside the axis, the bearings stand 2 a apart along it. Along the axis W is shared as c₂ : c₁. The tilting moment W
    d = 2 a H + M₁ + M₂ does the least work in radial compliances r and moment compliances m where H = 2 a λ / (r₁ +
    r₂), Mᵢ = λ / mᵢ (theorem of Menabrea)."""
    d, a, mass = 0.3, 0.4, 5.0
    axial, radial, moment = (2e-8, 6e-8), (1e-8, 3e-8), (4e-7, 1e-7)
    joints = [
        f'<joint name="bearing_{i}" type="revolute"><pose>0 0 {(-1) ** i * a} 0 0 0</pose><parent>world</parent>'
        "<child>shaft</child>"
        f'<axis><xyz>0 0 1</xyz></axis><simulator:compliance moment="{moment[i]} {moment[i]} 0" '
        f'force="{radial[i]} {radial[i]} {axial[i]}"/></joint>'
        for i in (0, 1)
    ]
    link_ = (
        f'<link name="shaft"><inertial><pose>{d} 0 0 0 0 0</pose><mass>{mass}</mass><inertia><ixx>.1</ixx>'
        "<iyy>.1</iyy><izz>.1</izz></inertia></inertial></link>"
    )
    text = world(model("m", link_, *joints)).replace("<sdf ", '<sdf xmlns:simulator="urn:simulator" ')
    sim = simulator.load(text)
    assert [item.rows for item in sim.mechanism.loop_joints] == [5]
    found = sim.reactions()
    weight = mass * 9.8
    pull = weight * d / (4.0 * a * a / sum(radial) + 1.0 / moment[0] + 1.0 / moment[1])
    for i in (0, 1):
        wrench = found[f"bearing_{i}"]
        assert wrench["force_z"] == pytest.approx(weight * axial[1 - i] / sum(axial), rel=1e-9)
        assert abs(wrench["force_x"]) == pytest.approx(2.0 * a * pull / sum(radial), rel=1e-9)
        assert abs(wrench["moment_y"]) == pytest.approx(pull / moment[i], rel=1e-9)
    assert not found.determined[:, [0, 2]].any()


@pytest.mark.parametrize("first", [0, 10])
def test_inverse_dynamics_returns_what_forward_dynamics_was_given(first: int) -> None:
    """On random closed and coupled mechanisms, in motion: beside the efforts that were given, none are needed."""
    for seed in range(first, first + 10):
        generator = np.random.default_rng(seed)
        mechanism = random_mechanism(seed)
        state = consistent_state(CompiledMechanism(mechanism), generator)
        efforts = np.where([info.in_tree for info in mechanism.axes], generator.normal(size=len(mechanism.axes)), 0.0)
        found = Balance(Kinematics(mechanism).as_meant).under(state, efforts)
        scale = max(1.0, float(np.abs(found.wrenches.array).max(initial=0.0)))
        assert float(np.abs(found.efforts.array).max(initial=0.0)) < ROUND_OFF * scale, seed
