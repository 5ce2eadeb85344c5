"""The order in which a document lists its models, links and joints says nothing about how they move.

Bodies have numbers by the spanning tree, which follows from that order. What is known by number in one place and looked
up by another in a second place shows here: every example is run as it is and with its elements in other orders, and has
the same columns with the same values.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

import simulator
from tests.helpers.documents import joint, link, mimic, model, world
from tests.helpers.repository import ROOT

WORLDS = sorted(
    path.stem for path in Path(ROOT, "worlds").glob("*.sdf") if path.stem not in ("gear_train_1024", "mecanum")
)
"""All examples but the long gear train, which is `gear_train` with more gears and takes a minute."""
ROUND_OFF = 1e-10
"""Of the greatest value of a kind of column: sums have another order, and so have pivots of equations whose condition
is up to 1e5."""
TOUCHING = 1e-7
"""With contacts, whose impulses are solved to 1e-10 of their greatest, and divided by the step to have forces."""
FEATURE_RICH = "feature_rich"
TOUCHING_WORLDS = ("geneva", "gripper", "mecanum", FEATURE_RICH)
STEPS = 20
GROUND = (
    '<model name="ground"><static>true</static><link name="g"><collision name="c"><geometry><plane>'
    "<normal>0 0 1</normal></plane></geometry></collision></link></model>"
)
BOX = '<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>'


def feature_rich() -> str:
    """Welds, joints of many kinds, a law, loads, springs, a sensor, and bodies that touch the ground and each other,
    hands before arms."""
    ball = '<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>'
    feels = '<sensor name="ft" type="force_torque"/></joint>'
    return world(
        GROUND,
        model(
            "m",
            link("tool", ball, pose="1 0 0.9 0 0 0"),
            link("hand", pose="1 0 1 0 0 0"),
            link("arm", pose="0.5 0 1 0 0 0"),
            link("nut", pose="0 1 1 0 0 0"),
            link("cross", pose="0 2 1 0 0 0"),
            link("bob", ball, pose="0 3 0.5 0 0 0"),
            joint("wrist", "universal", parent="arm", child="hand", axis="1 0 0").replace(
                "</joint>", "<axis2><xyz>0 1 0</xyz></axis2></joint>"
            ),
            joint("weld", "fixed", parent="hand", child="tool").replace("</joint>", feels),
            joint("shoulder", "revolute", "<dynamics><damping>0.3</damping></dynamics>", parent="world", child="arm"),
            joint("spindle", "screw", parent="world", child="nut").replace(
                "</joint>", "<screw_thread_pitch>0.02</screw_thread_pitch></joint>"
            ),
            joint("turn", "revolute", mimic("shoulder", multiplier=-1.5), parent="nut", child="cross"),
            joint("socket", "ball", parent="world", child="bob", pose="0 0 0.5 0 0 0"),
            '<simulator:load link="hand" at="0.1 0 0" force="3 0 sine(2,1,0,0)" frame="link"/>',
            '<simulator:spring link="bob" other="cross" stiffness="40" damping="1" free_length="0.5"/>',
        ),
        model("low", "<self_collide>1</self_collide>", link("b", BOX, pose="3 0 0.1 0 0 0")),
        model("high", link("a", BOX, mass=2.0, pose="3 0 0.3 0 0 0")),
    ).replace("<sdf ", '<sdf xmlns:simulator="urn:simulator" ')


def text_of(name: str) -> str:
    """A document of an example, or of the name of that document."""
    return feature_rich() if name == FEATURE_RICH else Path(ROOT, "worlds", f"{name}.sdf").read_text(encoding="utf-8")


def in_other_order(text: str, seed: int, root: str = "platform") -> str:
    """The document with its models, and their links and joints, in another order: the reverse for seed 0.

    Links that fixed joints weld keep their order, for the first one names the body and has its frame; so do gearboxes:
    of the joints that several of them tie, each takes one that is free yet as its follower. The link called `root`
    stays the first: what floats is carried by its first link, and coordinates from there are what is integrated.
    """
    document = etree.fromstring(text.encode())
    shuffle = random.Random(seed).sample if seed else lambda items, _: items[::-1]
    for parent in (*document.iter("world"), *document.iter("model")):
        items = [child for child in parent if child.tag in ("model", "link", "joint")]
        welds = parent.findall("joint[@type='fixed']")
        welded = {weld.findtext(end) for weld in welds for end in ("parent", "child")}
        mixed = sorted(shuffle(items, len(items)), key=lambda item: item.get("name") != root)
        for group in (
            [item for item in items if item.tag == "link" and item.get("name") in welded],
            [item for item in items if item.get("type") == "gearbox"],
        ):
            places = sorted(mixed.index(item) for item in group)
            for place, item in zip(places, group, strict=True):
                mixed[place] = item
        slots = [parent.index(item) for item in items]
        for item in items:
            parent.remove(item)
        for slot, item in zip(slots, mixed, strict=True):
            parent.insert(slot, item)
    return etree.tostring(document, encoding="unicode")


def run_of(name: str, text: str) -> simulator.Run:
    """Some steps, driven by an effort on one axis; where bodies can touch, they do."""
    sim = simulator.load(text)
    axis = min(sim.mechanism.axes[i].name for i in sim.mechanism.independent_axes())
    drive, steps = simulator.effort(0.3), STEPS
    if name == "geneva":  # the pin is led into its slot
        sim.set({"crank_joint": 2.55})
        axis, drive, steps = "crank_joint", simulator.velocity(3.0), 5 * STEPS
    if name == "gripper":  # the fingers close on the box
        axis, drive, steps = "left_finger_joint", simulator.effort(20.0), 5 * STEPS
    run = sim.run(steps * sim.dt, drives={axis: drive}, reactions=True)
    assert bool(sim.contacts) == (name in TOUCHING_WORLDS)
    return run


def kind_of(channel: str) -> str:
    """Columns that are measured by the same scale."""
    group, name = channel.partition("/")[0], channel.rpartition("/")[2]
    return f"{group}/{name.partition('_')[0]}"


@pytest.mark.parametrize("name", [*WORLDS, FEATURE_RICH])
def test_another_order_of_the_document_has_the_same_columns(name: str) -> None:
    text = text_of(name)
    run = run_of(name, text)
    scale: dict[str, float] = {}
    for channel in run.channels:
        kind = kind_of(channel)
        scale[kind] = max(scale.get(kind, 1.0), float(np.abs(run[channel]).max()))
    for seed in (0,):
        other = run_of(name, in_other_order(text, seed))
        assert set(other.channels) == set(run.channels)
        for channel in run.channels:
            allowed = (TOUCHING if name in TOUCHING_WORLDS else ROUND_OFF) * scale[kind_of(channel)]
            np.testing.assert_allclose(other[channel], run[channel], rtol=0.0, atol=allowed, err_msg=channel)


def test_another_first_link_of_what_floats_moves_alike_to_second_order() -> None:
    """The platform of four wheels as a tree that grows from a wheel instead: the axes along which efforts are constant
    for a step are others. Motion is of second order in the step either way, so half the step leaves a fourth of the
    difference, within the next order: a tenth of that."""
    text = text_of("mecanum")
    differences = []
    for dt in (1e-3, 5e-4):
        runs = [
            simulator.load(document, dt=dt).run(0.02, drives={"front_left_joint": simulator.effort(0.3)})
            for document in (text, in_other_order(text, 0, root="rear_right"))
        ]
        speeds = [run["rear_right_joint/velocity"][-1] for run in runs]
        assert speeds[0] == pytest.approx(speeds[1], rel=1e-2)
        differences.append(speeds[1] - speeds[0])
    assert differences[0] / differences[1] == pytest.approx(4.0, rel=0.1)


def arm_on_the_ground(others: int = 0) -> str:
    """A foot that lies on the ground, listed before the arm that holds it, and boxes beside it."""
    return world(
        GROUND,
        model(
            "m",
            link("foot", BOX, mass=3.0, pose="0.5 0 0.1 0 0 0"),
            link("arm", pose="0 0 1 0 0 0"),
            joint("slide", "prismatic", parent="world", child="arm", axis="1 0 0"),
            joint("lift", "prismatic", parent="arm", child="foot", axis="0 0 1"),
        ),
        *(model(f"b{i}", link("l", BOX, pose=f"{i + 2} 0 0.1 0 0 0")) for i in range(others)),
    )


def test_a_link_that_is_listed_before_its_parent_has_its_contacts() -> None:
    """The foot presses with its weight, 3 g. 1e-6 of it: the foot comes to rest to that within a tenth of a second."""
    run = simulator.load(arm_on_the_ground()).run(0.1, reactions=True)
    pairs = {name.removeprefix("reaction/contact/").rpartition("/")[0] for name in run.channels if "contact/" in name}
    assert pairs - {"energy"} == {"world/m::foot"}
    assert run["reaction/contact/world/m::foot/force_z"][-1] == pytest.approx(3 * 9.8, rel=1e-6)


def test_a_link_that_is_listed_before_its_parent_has_its_sum_of_contacts() -> None:
    """As above, where so many pairs could touch that every body has one group of columns."""
    run = simulator.load(arm_on_the_ground(others=12)).run(0.1, every=0.1, reactions=True)
    assert run["reaction/contact/m::foot/force_z"][-1] == pytest.approx(3 * 9.8, rel=1e-6)
    assert not [name for name in run.channels if name.startswith("reaction/contact/m::arm/")]


def test_pairs_are_named_by_the_alphabet() -> None:
    """What lies on what has the same name whichever body the document lists first."""
    boxes = [model("low", link("a", BOX, pose="0 0 0.1 0 0 0")), model("top", link("b", BOX, pose="0 0 0.3 0 0 0"))]
    for models in (boxes, boxes[::-1]):
        run = simulator.load(world(GROUND, *models)).run(0.1, every=0.1, reactions=True)
        assert run["reaction/contact/low::a/top::b/force_z"][-1] == pytest.approx(9.8, rel=1e-5)
