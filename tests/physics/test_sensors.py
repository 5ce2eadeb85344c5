"""Fixed joints, force-torque sensors and contacts: published readings, closed forms, Newton and Euler."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.analysis.fixed_joints import Carried, FixedJoints
from tests.helpers.documents import joint, link, model, world
from tests.helpers.repository import ROOT

XMLNS = 'xmlns:simulator="urn:simulator"'
COMPONENTS = ("force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z")


def sensor(name: str = "ft", *, frame: str = "", direction: str = "", pose: str = "") -> str:
    """A force-torque sensor."""
    frame = f"<frame>{frame}</frame>" if frame else ""
    direction = f"<measure_direction>{direction}</measure_direction>" if direction else ""
    pose = f"<pose>{pose}</pose>" if pose else ""
    return f'<sensor name="{name}" type="force_torque">{pose}<force_torque>{frame}{direction}</force_torque></sensor>'


def sensed(text: str, *sensors: str) -> str:
    """A joint with sensors."""
    return text.replace("</joint>", "".join(sensors) + "</joint>")


def fixed(name: str, parent: str, child: str, pose: str = "") -> str:
    """A fixed joint."""
    place = f"<pose>{pose}</pose>" if pose else ""
    return f'<joint name="{name}" type="fixed">{place}<parent>{parent}</parent><child>{child}</child></joint>'


def reading(run: simulator.Run, name: str) -> np.ndarray:
    """Six columns at the end of a run."""
    return np.array([run[f"reaction/{name}/{part}"][-1] for part in COMPONENTS])


def test_the_tower_of_the_gazebo_tutorial_reads_what_is_published() -> None:
    """gazebosim.org, tutorial force_torque_sensor: two links of 10 kg on each other, g = 9.8: joint_01 between the
    world and the lower one reads (0, 0, -196) N, what the links do to the world. Between both it is -98 N; the moment
    is zero as they are in line."""
    text = world(
        model(
            "model_1",
            link("link_1", mass=10.0, pose="0 0 1.5 0 0 0"),
            link("link_2", mass=10.0, pose="0 0 2.5 0 0 0"),
            sensed(
                joint("joint_01", "revolute", parent="world", child="link_1", axis="1 0 0", pose="0 0 -0.5 0 0 0"),
                sensor(),
            ),
            sensed(
                fixed("joint_12", "link_1", "link_2", "0 0 -0.5 0 0 0"),
                sensor(),
                sensor("up", direction="parent_to_child"),
            ),
        )
    )
    run = simulator.load(text).run(0.002, reactions=True)
    np.testing.assert_allclose(reading(run, "model_1::joint_01/ft"), [0, 0, -196, 0, 0, 0], atol=1e-9)
    np.testing.assert_allclose(reading(run, "model_1::joint_12/ft"), [0, 0, -98, 0, 0, 0], atol=1e-9)
    np.testing.assert_allclose(reading(run, "model_1::joint_12/up"), [0, 0, 98, 0, 0, 0], atol=1e-9)
    assert "reaction/model_1::joint_12/force_x" not in run.channels


ARM = (
    link("arm", mass=2.0, pose="0.3 0 1 0.1 0.2 0.3"),
    link("hand", mass=0.7, pose="0.9 0.1 1.2 -0.4 0.5 0.2"),
    joint("hinge", "revolute", parent="world", child="arm", axis="0 1 0"),
)


def test_the_axes_of_a_sensor_are_those_of_child_parent_or_sensor() -> None:
    """One wrench in the axes of each: it comes back in those of the world by the link's rotation. The moment is about
    the joint's origin, wherever the sensor is."""
    kinds = {
        "c": sensor("c", direction="parent_to_child"),
        "p": sensor("p", frame="parent", direction="parent_to_child"),
        "s": sensor("s", frame="sensor", direction="parent_to_child", pose="0.2 0.1 0 0.3 -0.2 0.9"),
        "w": sensor("w", frame="child"),
    }
    sim = simulator.load(
        world(model("m", *ARM, sensed(fixed("weld", "arm", "hand", "0.1 0 0 0 0 1"), *kinds.values())))
    )
    run = sim.run(0.1, reactions=True, fixed_joints=True)
    wrench = reading(run, "m::weld")
    X_JS = np.array(simulator.load(world(model("j", link("a", pose="0 0 0 0.3 -0.2 0.9")))).pose("a"))[:3, :3]
    turn = np.array([[np.cos(1.0), -np.sin(1.0), 0.0], [np.sin(1.0), np.cos(1.0), 0.0], [0.0, 0.0, 1.0]])
    child, parent = sim.pose("hand")[:3, :3], sim.pose("arm")[:3, :3]
    for name, R in (("c", child), ("p", parent), ("s", child @ turn @ X_JS)):
        found = reading(run, f"m::weld/{name}")
        np.testing.assert_allclose(R @ found[:3], wrench[:3], atol=1e-12)
        np.testing.assert_allclose(R @ found[3:], wrench[3:], atol=1e-12)
    np.testing.assert_allclose(reading(run, "m::weld/w"), -reading(run, "m::weld/c"), atol=1e-12)


def test_a_fixed_joint_carries_what_a_stiff_hinge_would() -> None:
    """The same mechanism with a hinge instead of the weld, whose axis is given the acceleration 0: all six components
    are the same, also in the links' fast motion, with a load, a spring from the hand to the arm, another body on the
    hand, and gravity of the model."""
    spring = (
        f'<simulator:spring {XMLNS} link="hand" other="arm" at="0.1 0 0" other_at="0 0.2 0" stiffness="300" '
        'damping="2" '
        'free_length="0.1"/>'
    )
    load = f'<simulator:load {XMLNS} link="hand" at="0 0.1 0" force="3 sine(5,1) 1" moment="0 0.3 0" frame="link"/>'
    own = f"<simulator:gravity {XMLNS}>0 1 -3</simulator:gravity>"
    tip = (
        link("tip", mass=0.4, pose="1.1 0.1 1.3 0 0 0"),
        joint("swing", "revolute", parent="hand", child="tip", axis="1 0 0"),
    )
    found = {}
    for kind, text in {
        "fixed": fixed("weld", "arm", "hand", "0.1 0 0 0 0 1"),
        "revolute": joint("weld", "revolute", parent="arm", child="hand", axis="0 0 1", pose="0.1 0 0 0 0 1"),
    }.items():
        sim = simulator.load(world(model("m", *ARM, text, *tip, spring, load, own)))
        still = {"weld": 0.0} if kind == "revolute" else {}
        sim.set({"hinge": 0.3, "swing": -0.4}, velocity={"hinge": 4.0, "swing": -7.0, **still})
        result = sim.reactions(accelerations={"hinge": 2.0, "swing": -5.0, **still}, fixed_joints=True)
        found[kind] = result["m::weld"].array
        place = result.points[result.wrenches.rows.index("m::weld")]
        np.testing.assert_allclose(place, (sim.pose("hand") @ [0.1, 0.0, 0.0, 1.0])[:3], atol=1e-12)
    # A spring between both sides of a hinge acts beside it in both cases.
    np.testing.assert_allclose(
        found["fixed"], found["revolute"], rtol=0.0, atol=1e-10 * np.abs(found["revolute"]).max()
    )


def test_a_base_that_is_fixed_to_the_world_carries_all() -> None:
    """A mast of 2 + 0.7 kg on a fixed foot: its weight, and the moment m g x of the hand about the foot. A ring of
    fixed joints is not determined and says so, but keeps every link in balance; a joint inside of a static model is
    none."""
    foot = fixed("foot", "world", "arm")
    ring = fixed("second", "world", "hand")
    masts = (ARM[0], ARM[1], foot, fixed("weld", "arm", "hand"))
    found = simulator.load(world(model("m", *masts))).reactions(fixed_joints=True)
    np.testing.assert_allclose(found["m::foot"].array[:3], [0.0, 0.0, 2.7 * 9.8], atol=1e-12)
    np.testing.assert_allclose(found["m::foot"].array[3:], [0.1 * 0.7 * 9.8, -0.6 * 0.7 * 9.8, 0.0], atol=1e-12)
    np.testing.assert_allclose(found["m::weld"].array[:3], [0.0, 0.0, 0.7 * 9.8], atol=1e-12)
    held = simulator.load(world(model("m", *masts, ring))).reactions(fixed_joints=True)
    carried = held["m::foot"].array + held["m::second"].array
    np.testing.assert_allclose(carried[:3], [0.0, 0.0, 2.7 * 9.8], atol=1e-12)
    np.testing.assert_allclose((held["m::weld"].array + held["m::second"].array)[2], 0.7 * 9.8, atol=1e-12)
    assert not held.determined.any()
    still = world(model("m", "<static>true</static>", *masts))
    assert simulator.load(still).reactions(fixed_joints=True).wrenches.rows == ()
    alone = world(model("m", "<static>true</static>", ARM[0], foot))
    assert simulator.load(alone).reactions(fixed_joints=True).wrenches.rows == ()


GROUND = (
    '<model name="ground"><static>true</static><link name="g"><collision name="c"><geometry><plane>'
    "<normal>0 0 1</normal></plane>"
    "</geometry></collision></link></model>"
)
BOX = '<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>'


def test_a_stack_of_boxes_presses_with_its_weight() -> None:
    """Two boxes of 1 and 2 kg on the ground and each other: 3 g and 2 g, the moment about each box's centre none. 1e-6
    of the weight: the stack comes to rest to that within the first tenth of a second."""
    text = world(
        GROUND,
        model("low", link("a", BOX, pose="0 0 0.1 0 0 0")),
        model("top", link("b", BOX, mass=2.0, pose="0 0 0.3 0 0 0")),
    )
    run = simulator.load(text).run(0.3, every=0.1, reactions=True)
    np.testing.assert_allclose(reading(run, "contact/world/low::a"), [0, 0, 3 * 9.8, 0, 0, 0], atol=3e-5)
    np.testing.assert_allclose(reading(run, "contact/low::a/top::b"), [0, 0, 2 * 9.8, 0, 0, 0], atol=3e-5)
    np.testing.assert_allclose(reading(run, "contact/world/top::b"), 0.0, atol=1e-12)


def test_the_axes_of_a_sensor_turn_with_its_joint() -> None:
    """A varied pose of the joint reads as the document with that pose in it; about its own axis, a hinge moves as
    before."""
    at_joint = sensor("s", frame="sensor", pose="0 0 0 0.3 0 0")
    hinge = joint("hinge", "revolute", parent="world", child="arm", axis="0 0 1", pose="0 0 0 0 0 0.5")
    text = world(model("m", link("arm", pose="0 0 1 0.4 0 0"), sensed(hinge, at_joint)))
    written = simulator.load(text.replace("0 0 0 0 0 0.5", "0 0 0 0 0 1.2")).run(0.1, reactions=True)
    varied = simulator.load(text).varied({"hinge.pose.yaw": 1.2}).run(0.1, reactions=True)
    before = simulator.load(text).run(0.1, reactions=True)
    np.testing.assert_allclose(reading(varied, "m::hinge/s"), reading(written, "m::hinge/s"), atol=1e-11)
    assert np.abs(reading(before, "m::hinge/s") - reading(written, "m::hinge/s")).max() > 1.0


def test_a_sensor_above_the_touched_link_feels_the_ground() -> None:
    """A box of 1 kg under a block of 2 kg, welded: standing on the ground the weld carries the block, m g = 2 g;
    hanging nothing falls through it. The box is the link that is touched, for its shape is the near one."""
    block = BOX.replace('"c"', '"d"')
    text = world(
        GROUND,
        model("m", link("block", block, mass=2.0, pose="0 0 0.3 0 0 0"), link("box", BOX, pose="0 0 0.1 0 0 0"),
              sensed(fixed("weld", "block", "box"), sensor(direction="parent_to_child"))),
    )  # fmt: skip
    run = simulator.load(text).run(0.3, every=0.1, reactions=True)
    np.testing.assert_allclose(reading(run, "m::weld/ft")[:3], [0, 0, -2 * 9.8], atol=3e-5)
    assert run["reaction/contact/world/m::block/force_z"][-1] == pytest.approx(3 * 9.8, abs=3e-5)


def test_bodies_get_sums_where_pairs_are_too_many() -> None:
    """Twelve boxes make 78 pairs: one group of columns for each box."""
    boxes = [model(f"m{i}", link("a", BOX, pose=f"{i} 0 0.1 0 0 0")) for i in range(12)]
    run = simulator.load(world(GROUND, *boxes)).run(0.1, every=0.1, reactions=True)
    assert len([name for name in run.channels if name.startswith("reaction/contact/")]) == 12 * 6
    np.testing.assert_allclose(reading(run, "contact/m7::a")[:3], [0, 0, 9.8], atol=1e-4)


def test_sweeps_have_the_readings_too() -> None:
    """Of an arm that is led round, at every angle: what the run's reading would be at rest, the hand's weight in its
    own axes."""
    sim = simulator.load(world(model("m", *ARM, sensed(fixed("weld", "arm", "hand"), sensor()))))
    found = sim.analyse({"hinge": (0.0, 2.0)}, points=5)
    for i, angle in enumerate(found["hinge/position"]):
        sim.set({"hinge": float(angle)})
        weight = sim.pose("hand")[:3, :3].T @ [0.0, 0.0, -0.7 * 9.8]
        got = [found[f"reaction/m::weld/ft/force_{axis}"][i] for axis in "xyz"]
        np.testing.assert_allclose(got, weight, atol=1e-12)


def test_a_weld_on_the_coupler_of_a_loop_carries_what_moves_there() -> None:
    """A tip of 0.2 kg and 1 kg m^2 welded to the coupler: m (a - g) of its centre and I alpha in the plane, along the
    whole turn."""
    text = (ROOT / "worlds" / "four_bar.sdf").read_text(encoding="utf-8")
    tip = (
        '<link name="tip"><pose relative_to="coupler">0.3 0 0 0 0 0</pose><inertial><mass>0.2</mass></inertial></link>'
    )
    split = text.replace("</model>", tip + fixed("weld", "coupler", "tip") + "</model>")
    sim = simulator.load(split)
    found = sim.analyse({"crank_joint": (0.0, 6.0)}, points=13, velocity=5.0)
    place, _, acceleration = found.point("tip")
    fixed_joints = FixedJoints(sim._core.opened.world, sim.mechanism, {"four_bar::weld"})
    swept = found.swept
    joints = swept.sweeper.joints
    where = np.stack([joints.at(swept.points, i) for i in range(len(joints.names))], axis=1)
    wrench = fixed_joints.of(swept.motion, Carried(joints.names, swept.wrenches, where))[:, 0]
    np.testing.assert_allclose(wrench[:, :3], 0.2 * (acceleration + np.array([0.0, 0.0, 9.81])), atol=1e-10)
    body = next(i for i, item in enumerate(sim.mechanism.bodies) if item.name == "four_bar::coupler")
    np.testing.assert_allclose(wrench[:, 3:], swept.body_motion(body)[1][:, :3], atol=1e-10)
    np.testing.assert_allclose(fixed_joints.places(swept.motion)[:, 0], place, atol=1e-12)


@pytest.mark.parametrize("stated", [False, True], ids=["alike", "stated"])
def test_a_beam_that_is_clamped_at_both_ends_shares_by_the_stiffness_of_its_clamps(stated: bool) -> None:
    """A rigid beam of weight W, its centre at d from the middle of two clamps at ±a with compliances c₁, c₂ along z and
    r₁, r₂ about y. It sinks by u and tilts by p: forces (u ∓ a p)/cᵢ, moments p/rᵢ, so that with k = 1/c: k₁ + k₂, a(k₂
    - k₁) and a²(k₁ + k₂) + 1/r₁ + 1/r₂ are the stiffness of both ways to move (W, W d). A hand on the beam moves it on,
      whose weld is no part of the ring. Where nothing is
    stated, c = 1 and r = 1/(2 a)²."""
    a, d, weight = 0.4, 0.1, 3.0 * 9.8
    c, r = ((2e-6, 5e-6), (3e-5, 4e-5)) if stated else ((1.0, 1.0), (1.0 / (2 * a) ** 2,) * 2)
    clamps = []
    for i, x in enumerate((-a, a)):
        given = f'<simulator:compliance {XMLNS} moment="1e-5 {r[i]} 1e-5" force="1e-6 1e-6 {c[i]}"/>' if stated else ""
        clamps.append(fixed(f"clamp_{i}", "world", "beam", f"{x} 0 0 0 0 0").replace("</joint>", given + "</joint>"))
    hand = link("hand", mass=1.0, pose=f"{3 * d} 0 0 0 0 0")
    beam = (link("beam", mass=2.0), hand, fixed("weld", "beam", "hand"), *clamps)
    found = simulator.load(world(model("m", *beam))).reactions(fixed_joints=True)
    k = 1.0 / np.array(c)
    K = np.array([[k.sum(), a * (k[0] - k[1])], [a * (k[0] - k[1]), a * a * k.sum() + (1.0 / np.array(r)).sum()]])
    u, p = np.linalg.solve(K, (weight, -weight * d))  # p turns about y: the end at +x goes down
    for i, sign in enumerate((1.0, -1.0)):
        wrench = found[f"m::clamp_{i}"]
        assert wrench["force_z"] == pytest.approx((u + sign * a * p) * k[i], rel=1e-9)
        assert wrench["moment_y"] == pytest.approx(p / r[i], rel=1e-9)
    np.testing.assert_allclose(found["m::weld"].array[2], 9.8, atol=1e-12)
    rows = found.wrenches.rows
    assert not found.determined[[rows.index("m::clamp_0"), rows.index("m::clamp_1")]].any()
    assert found.determined[rows.index("m::weld")].all()


def test_the_mesh_that_is_touched_is_the_near_one(tmp_path: Path) -> None:
    """A mesh of a cube under another one, welded, on the ground: the weld carries what the upper one weighs, as with
    boxes."""
    corners = np.array(list(product((-0.1, 0.1), repeat=3)))
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [
        "f " + " ".join(str(i + 1) for i in triangle) for quad in quads for triangle in (quad[:3], (quad[0], *quad[2:]))
    ]
    (tmp_path / "cube.obj").write_text("\n".join(lines))
    mesh = '<collision name="c"><geometry><mesh><uri>cube.obj</uri></mesh></geometry></collision>'
    text = world(
        GROUND,
        model("m", link("block", mesh, mass=2.0, pose="0 0 0.3 0 0 0"), link("cube", mesh, pose="0 0 0.1 0 0 0"),
              sensed(fixed("weld", "block", "cube"), sensor(direction="parent_to_child"))),
    )  # fmt: skip
    (tmp_path / "m.sdf").write_text(text)
    run = simulator.load(tmp_path / "m.sdf").run(0.3, every=0.1, reactions=True)
    assert not any(np.isnan(run[name]).any() for name in run.channels)
    np.testing.assert_allclose(reading(run, "m::weld/ft")[:3], [0, 0, -2 * 9.8], atol=3e-5)
