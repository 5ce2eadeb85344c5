"""A simulation with other numbers is that of the document with these numbers in it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import simulator
from simulator.engine.strategies.rows import RowsDynamics
from simulator.errors import AssemblyError, UnknownNameError, UsageError
from tests.helpers.documents import joint, link, model, world
from tests.helpers.repository import ROOT

Edit = Callable[[str], str]


def _text(name: str) -> str:
    """An example without its meshes, which have their folder beside it."""
    return (ROOT / "worlds" / f"{name}.sdf").read_text().replace("../assets", str(ROOT / "assets"))


def _swap(before: str, after: str, nth: int = 0) -> Edit:
    """The document with one place of it changed: the `nth` one."""

    def edit(text: str) -> str:
        parts = text.split(before)
        assert len(parts) > nth + 1, f"{before} is not there"
        return before.join(parts[: nth + 1]) + after + before.join(parts[nth + 1 :])

    return edit


AXIS = "<xyz>0 -1 0</xyz>"
CASES: list[tuple[str, dict[str, float], list[Edit]]] = [
    ("four_bar", {"crank_joint.damping": 0.1}, [_swap(AXIS, f"{AXIS}<dynamics><damping>0.1</damping></dynamics>")]),
    (
        "four_bar",
        {"rocker_joint.spring_stiffness": 2.0, "rocker_joint.spring_reference": 0.3},
        [
            _swap(
                AXIS,
                f"{AXIS}<dynamics><spring_stiffness>2</spring_stiffness>"
                "<spring_reference>0.3</spring_reference></dynamics>",
                2,
            )
        ],
    ),
    (
        "four_bar",
        {"closing_joint.damping": 0.05},
        [_swap(AXIS, f"{AXIS}<dynamics><damping>0.05</damping></dynamics>", 3)],
    ),
    (
        "four_bar",
        {"crank_joint.friction": 0.02},
        [_swap(AXIS, f"{AXIS}<dynamics><friction>0.02</friction></dynamics>")],
    ),
    (
        "four_bar",
        {"crank_joint.upper": 0.1},
        [_swap(AXIS, f"{AXIS}<limit><lower>-1e16</lower><upper>0.1</upper></limit>")],
    ),
    ("four_bar", {"coupler.mass": 2.0}, [_swap("<mass>0.35</mass>", "<mass>2.0</mass>")]),
    ("four_bar", {"coupler.com.x": 0.1}, [_swap("<pose>0.175 0 0 0 0 0</pose>", "<pose>0.1 0 0 0 0 0</pose>")]),
    (
        "four_bar",
        {"rocker.inertia.iyy": 0.01, "rocker.inertia.izz": 0.01},
        [_swap("<iyy>0.00225</iyy><izz>0.00225</izz>", "<iyy>0.01</iyy><izz>0.01</izz>")],
    ),
    (
        "four_bar",
        {"closing_joint.pose.x": 0.42},
        [_swap("<pose>0.3 0 0 0 0 0</pose>", "<pose>0.42 0 0 0 0 0</pose>", 0)],
    ),
    (
        "four_bar",
        {"closing_joint.pose.z": 0.05, "coupler.mass": 0.5},
        [
            _swap("<pose>0.3 0 0 0 0 0</pose>", "<pose>0.3 0 0.05 0 0 0</pose>"),
            _swap("<mass>0.35</mass>", "<mass>0.5</mass>"),
        ],
    ),
    (
        "rack_and_pinion",
        {"rack_joint.multiplier": 0.03},
        [_swap("<multiplier>0.02</multiplier>", "<multiplier>0.03</multiplier>")],
    ),
    (
        "four_bar",
        {"closing_joint.pose.pitch": 0.3, "closing_joint.pose.x": 0.32, "coupler_joint.pose.pitch": 0.2},
        [
            _swap("<pose>0.3 0 0 0 0 0</pose>", "<pose>0.32 0 0 0 0.3 0</pose>"),
            _swap("<child>coupler</child>", "<child>coupler</child><pose>0 0 0 0 0.2 0</pose>"),
        ],
    ),
    ("four_bar", {"world.gravity.z": -1.6}, [_swap("<gravity>0 0 -9.81</gravity>", "<gravity>0 0 -1.6</gravity>")]),
    (
        "four_bar",
        {"crank_joint.direction.y": 1.0, "rocker_joint.direction.y": 2.0},
        [_swap(AXIS, "<xyz>0 1 0</xyz>"), _swap(AXIS, "<xyz>0 2 0</xyz>", 1)],
    ),
    ("rack_and_pinion", {"rack.mass": 3.0}, [_swap("<mass>1</mass>", "<mass>3</mass>")]),
]


LOADS = """<simulator:gravity xmlns:simulator="urn:simulator">0 0.5 -5</simulator:gravity>
<simulator:load xmlns:simulator="urn:simulator" link="coupler" at="0.1 0 0" force="0 0 sine(2, 1.5)"
  moment="0 0.01 0" frame="link"/>
<simulator:spring xmlns:simulator="urn:simulator" link="rocker" at="0.1 0 0.02" other="crank"
  stiffness="30" damping="0.5" free_length="0.2"/>
<simulator:spring xmlns:simulator="urn:simulator" link="rocker" at="0.2 0 0" other="world"
  table="0.1 -1 0.3 2 0.9 4"/>
</model>"""


@pytest.mark.parametrize(("name", "values", "edits"), CASES, ids=[", ".join(values) for _, values, _ in CASES])
def test_numbers_are_those_of_the_document(name: str, values: dict[str, float], edits: list[Edit]) -> None:
    _compare(_text(name), values, edits)


@pytest.mark.parametrize(("values", "edits"), [(values, edits) for name, values, edits in CASES if name == "four_bar"])
def test_loads_and_weights_of_a_document_go_with_its_numbers(values: dict[str, float], edits: list[Edit]) -> None:
    """Forces, springs between points and gravity of a model, whose weights change with the masses."""
    _compare(_text("four_bar").replace("</model>", LOADS), values, edits)


@pytest.mark.parametrize(
    ("values", "edit"),
    [
        ({"load1.at.x": 0.2}, _swap('at="0.1 0 0" force', 'at="0.2 0 0" force')),
        ({"load1.force.x": 1.5}, _swap('force="0 0 sine', 'force="1.5 0 sine')),
        ({"load1.moment.y": 0.05}, _swap("0 0.01 0", "0 0.05 0")),
        (
            {"spring1.stiffness": 60.0, "spring1.free_length": 0.1},
            _swap('30" damping="0.5" free_length="0.2', '60" damping="0.5" free_length="0.1'),
        ),
        ({"spring1.damping": 1.0}, _swap('damping="0.5"', 'damping="1"')),
        (
            {"spring1.at.y": 0.05, "spring1.other_at.x": 0.03},
            _swap('at="0.1 0 0.02" other="crank"', 'at="0.1 0.05 0.02" other="crank" other_at="0.03 0 0"'),
        ),
        ({"spring2.at.x": 0.25}, _swap('at="0.2 0 0"', 'at="0.25 0 0"')),
    ],
)
def test_numbers_of_loads_are_those_of_the_document(values: dict[str, float], edit: Edit) -> None:
    _compare(_text("four_bar").replace("</model>", LOADS), values, [edit])


def test_gravity_of_a_model_stays_where_that_of_the_world_changes() -> None:
    """The same motion, and what a weld carries: 2 m/s² of its own, wherever the world is."""
    own = '<simulator:gravity xmlns:simulator="urn:simulator">0 0 -2</simulator:gravity>'
    weld = '<joint name="weld" type="fixed"><parent>arm</parent><child>tip</child></joint>'
    text = world(
        model("m", link("arm"), link("tip", pose="1 0 0 0 0 0"), own, weld,
              joint("hinge", "revolute", parent="world", child="arm", axis="0 1 0"))
    )  # fmt: skip
    sim = simulator.load(text)
    moon = sim.varied({"world.gravity.z": -1.6, "world.gravity.x": 0.7})
    np.testing.assert_allclose(moon.forward_dynamics(), sim.forward_dynamics(), rtol=1e-12)
    runs = [one.run(0.1, reactions=True, fixed_joints=True) for one in (sim, moon)]
    for part in ("force_x", "force_z", "moment_y"):
        first, second = (run[f"reaction/m::weld/{part}"] for run in runs)
        np.testing.assert_allclose(first, second, atol=1e-11)


def test_gripping_depends_on_friction_and_size() -> None:
    """Contacts of a varied simulation are those of the document with these numbers."""
    sim = simulator.load("gripper")
    name = next(name for name in sim.parameters() if "::box::" in name and name.endswith(".mu"))
    collision = name.removesuffix(".mu")
    varied = sim.varied({name: 0.0, f"{collision}.size.z": sim.parameters()[f"{collision}.size.z"].value + 0.02})
    varied.step(30)
    sim.step(30)
    assert varied.pose("box")[2, 3] > sim.pose("box")[2, 3] + 0.001, "it is pushed out of the table below"


def _compare(text: str, values: dict[str, float], edits: list[Edit]) -> None:
    fast = simulator.load(text).varied(values)
    for edit in edits:
        text = edit(text)
    fresh = simulator.load(text)
    np.testing.assert_allclose(fast.positions, fresh.positions, atol=1e-9)
    np.testing.assert_allclose(fast.mass_matrix(), fresh.mass_matrix(), rtol=1e-9)
    np.testing.assert_allclose(fast.forward_dynamics(), fresh.forward_dynamics(), rtol=1e-8, atol=1e-8)
    drive = {fast.independent.names[0]: simulator.effort(0.005)}
    a, b = (sim.run(0.1, drives=drive, every=0.02) for sim in (fast, fresh))
    np.testing.assert_allclose(a.array, b.array, rtol=1e-6, atol=1e-8)


def test_the_pose_cases_change_what_happens() -> None:
    """The case above would say little if 0.42 m were no other mechanism than 0.3 m."""
    sim = simulator.load("four_bar")
    assert abs(sim.varied({"closing_joint.pose.x": 0.42}).mass_matrix()[0, 0] / sim.mass_matrix()[0, 0] - 1.0) > 0.01


def test_the_original_stays_as_it_is() -> None:
    sim = simulator.load("four_bar")
    before = sim.mass_matrix().array
    heavy = sim.varied({"coupler.mass": 20.0})
    heavy.step(10)
    np.testing.assert_array_equal(sim.mass_matrix().array, before)
    assert sim.time == 0.0
    light = heavy.varied({"coupler.mass": 0.35})
    light.set(crank_joint=0.0)
    np.testing.assert_allclose(light.mass_matrix(), before, rtol=1e-10)


def test_the_state_is_carried_over() -> None:
    """The crank stays where it is and as fast as it is; the rocker follows the new lengths. Drives come along."""
    sim = simulator.load("four_bar")
    sim.drive("crank_joint", simulator.velocity(2.0))
    sim.set(crank_joint=0.5, velocity={"crank_joint": 2.0})
    longer = sim.varied({"closing_joint.pose.x": 0.31})
    assert longer.positions["crank_joint"] == pytest.approx(0.5, abs=1e-12)
    assert longer.velocities["crank_joint"] == pytest.approx(2.0, abs=1e-12)
    assert abs(longer.positions["rocker_joint"] - sim.positions["rocker_joint"]) > 1e-4
    longer.step(10)
    assert longer.velocities["crank_joint"] == pytest.approx(2.0, rel=1e-4)
    faster = simulator.load("rack_and_pinion")
    faster.set(pinion_joint=0.5, velocity={"pinion_joint": 1.0})
    faster = faster.varied({"rack_joint.multiplier": 0.03, "rack_joint.offset": 0.1})
    assert faster.positions["rack_joint"] == pytest.approx(0.5 * 0.03 + 0.1, abs=1e-12)
    assert faster.velocities["rack_joint"] == pytest.approx(0.03, abs=1e-12)


def test_a_sweep_of_a_law() -> None:
    """J + m r² for each pitch radius r."""
    sim = simulator.load("rack_and_pinion")
    for radius in np.linspace(0.01, 0.04, 7):
        varied = sim.varied({"rack_joint.multiplier": radius})
        assert varied.mass_matrix()[0, 0] == pytest.approx(1e-4 + radius**2, rel=1e-12)
        varied.run(0.01, drives={"pinion_joint": simulator.effort(0.01)}, every=0.01)
        assert varied.velocities["pinion_joint"] == pytest.approx(0.01 * 0.01 / (1e-4 + radius**2), rel=1e-9)


def test_contacts_and_gear_strategies_can_be_varied_too() -> None:
    """Half the mass of the box, half the force of the table on it: contacts bear the weight."""
    for solver in ("rows", "gear"):
        sim = simulator.load("gripper", solver=solver).varied({"box.mass": 0.1})
        sim.step(50)
        assert np.isfinite(sim.positions.array).all()


@pytest.mark.parametrize(
    ("document", "number"),
    [("gripper", {"box.mass": 0.3}), ("gripper", {"cube.mu": 0.4}), ("geneva", {"crank.com.x": 0.01})],
)
def test_what_touches_moves_as_in_an_engine_of_its_own(
    document: str, number: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, also from where a simulation has gone."""
    base = simulator.load(document)
    base.step(30)
    alike = base.varied(number)
    monkeypatch.setattr(RowsDynamics, "like", lambda *_: None)
    base = simulator.load(document)
    base.step(30)
    alone = base.varied(number)
    np.testing.assert_array_equal(alike.run(0.1).array, alone.run(0.1).array)


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("crank_joint", 1.0, "is not a parameter: write NAME.FIELD with FIELD one of damping"),
        ("crank_joint.colour", 1.0, "is not a parameter"),
        ("crank_joint.damping", math.nan, "must be a finite number"),
        ("crank_joint.damping", -0.1, "must be 0 N·m·s/rad or more"),
        ("rocker.inertia.iyy", 0.01, "no body has the inertia that 'four_bar::rocker' would have"),
        ("coupler.mass", 0.0, "the mass of 'four_bar::coupler' must be more than 0"),
        ("crank_joint.lower", math.inf, "limits of 'four_bar::crank_joint' would be inf to inf"),
    ],
)
def test_values_that_cannot_be(parameter: str, value: float, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulator.load("four_bar").varied({parameter: value})


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        ("crnk.damping", "axis"),
        ("copler.mass", "link"),
        ("clsing_joint.pose.x", "joint"),
        ("crank_joint.offset", "follower"),
    ],
)
def test_names_that_do_not_exist(parameter: str, kind: str) -> None:
    with pytest.raises(UnknownNameError, match=f"no {kind} is named"):
        simulator.load("four_bar").varied({parameter: 0.1})


def test_lengths_that_cannot_be_assembled_say_so_when_they_are_used() -> None:
    """The crank stays where it is; with a rocker that short there is no place where the loop closes."""
    sim = simulator.load("four_bar")
    sim.set(crank_joint=2.0)
    with pytest.raises(AssemblyError, match="closing_joint"):
        sim.varied({"closing_joint.pose.x": 0.02}).positions  # noqa: B018


def test_copies_that_run_side_by_side_share_no_call() -> None:
    """The table of a call holds what a step reads and writes: with one for two threads, each would move the other's
    mechanism, or none."""
    sim = simulator.load("four_bar")
    engines = [sim.varied({"coupler.mass": mass})._core.ready() for mass in (0.5, 1.5)]
    calls = [engine.core.bounded._advance_block for engine in engines if engine.core.bounded is not None]
    assert len(calls) == 2
    assert calls[0] is not calls[1]


def test_a_body_that_floats_keeps_its_velocity_where_numbers_are_varied() -> None:
    """The hook of the crane is thrown by its document; a number that differs by nothing changes nothing."""
    sim = simulator.load("crane")
    other = sim.varied({"crane::hoist.length": float(sim.parameters()["crane::hoist.length"].value)})
    expected, found = sim.run(0.05), other.run(0.05)
    assert found["energy/kinetic"] == pytest.approx(expected["energy/kinetic"], rel=1e-12)
    assert expected["energy/kinetic"][0] > 0.1
