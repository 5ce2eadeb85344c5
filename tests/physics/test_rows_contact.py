"""Strategy `rows` where bodies touch: closed forms of sliding, rolling, bouncing, pressing and hitting, through
couplings and loops.

Contact forces are rows solved to round-off, so most tolerances are a few hundred roundings; where they are wider the
test says why."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.model.profiles import Constant
from tests.helpers.documents import mimic
from tests.physics.axes import body, pressed
from tests.physics.solids import ball_shape, box_shape, ground, solid, wall
from tests.physics.worlds import advance, example, joint, link, make_steps, model, running, world

Write = Callable[..., Path]
G = 9.8
CRATE = box_shape("0.2 0.2 0.1")


def tilted(degrees: float) -> str:
    """Gravity as felt on an incline that falls along x."""
    angle = math.radians(degrees)
    return f"{G * math.sin(angle)!r} 0 {-G * math.cos(angle)!r}"


def crate(name: str, height: float, mu: float) -> str:
    shape = solid("b", CRATE, inertia="0.01 0.01 0.01", pose=f"0 0 {height!r} 0 0 0", mu=mu)
    return model(shape, name=name)


# --- pressing, gripping, hitting through couplings
# ----------------------------------------------------------------------


def rack_before_a_block(gap: float) -> str:
    return world(
        wall(box_shape("0.1 0.2 0.2"), pose=f"{0.15 + gap!r} 0 0 0 0 0")
        + model(
            solid("rack", box_shape("0.2 0.02 0.02")),
            link("pinion", mass=0.5, inertia="1e-4 1e-4 1e-4", pose="0 0.5 0 0 0 0"),
            joint("pinion_joint", "revolute", "pinion"),
            joint("rack_joint", "prismatic", "rack", axis="1 0 0", inside_axis=mimic("pinion_joint", 0.02)),
        )
    )


def test_a_pinion_presses_its_rack_against_a_block(write_document: Write) -> None:
    """At rest the force is torque / radius = 0.01 / 0.02 N; 1e-9 relative is asked for, the residual stays below
    1e-12."""
    with running(write_document(rack_before_a_block(0.05)), drives=("pinion_joint=effort:0.01",)) as engine:
        worst = make_steps(engine, 2000).coupling
        snapshot = engine.snapshot()
        assert pressed(engine, "m::rack", "wall::body") == pytest.approx(0.5, rel=1e-9)
        assert abs(snapshot.velocity[1]) <= 1e-12
        assert snapshot.position[1] == pytest.approx(0.05, abs=2e-6), "contacts may overlap by their slop of 1e-6 m"
        assert worst <= 1e-12
        assert abs(snapshot.energy.error) <= 1e-12


def test_the_gripper_holds_its_box_without_slip() -> None:
    """Three seconds: after the lift has settled nothing changes any more: the box moves with the fingers
    within 1e-9 m. The pads press with half of the 20 N each."""
    with running(example("gripper"), drives=("left_finger_joint=effort:20",)) as engine:
        box = next(index for name, index in engine.mechanism.link_bodies().items() if name.startswith("box::"))
        lift = engine.mechanism.axis_index("lift_joint")
        assert lift is not None
        advance(engine, 0.4)
        engine.set_drive(lift, Drive(DriveKind.POSITION, Constant(0.15)))
        advance(engine, 1.2)
        before = engine.snapshot()
        worst = 0.0
        for _ in range(14):
            advance(engine, 0.1)
            worst = max(worst, engine.snapshot().worst_coupling_residual())
        after = engine.snapshot()
        lifted = after.body_poses[box, 2] - before.body_poses[box, 2]
        assert after.position[lift] == pytest.approx(0.15, abs=1e-6)
        assert lifted == pytest.approx(after.position[lift] - before.position[lift], abs=1e-9)
        assert np.abs(after.body_poses[box, :2] - before.body_poses[box, :2]).max() <= 1e-9
        on_box = sum(contact.force for contact in engine.contacts() if box in contact.bodies)
        assert on_box == pytest.approx(20.0, rel=1e-9)
        assert worst <= 1e-9


@pytest.mark.parametrize("inertia", [4e-4, 4e-3])
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_hit_box_takes_what_the_reflected_inertia_says(
    write_document: Write, inertia: float, restitution: float
) -> None:
    """A rack of 1 kg with a flywheel geared 50 rad/m to it weighs M = 1 + 2500 J: common speed u = M v / (M + 1), and
    restitution e parts them by e v. One impulse, solved to round-off: 1e-12 relative."""
    parts = model(
        solid("rack", box_shape("0.2 0.02 0.02"), mu=0.0, restitution=restitution),
        link("fly", mass=0.5, inertia=f"{inertia!r} {inertia!r} {inertia!r}", pose="0 0.5 0 0 0 0"),
        joint("rack_joint", "prismatic", "rack", axis="1 0 0"),
        joint("fly_joint", "revolute", "fly", inside_axis=mimic("rack_joint", 50.0)),
    )
    struck = solid(
        "b", box_shape("0.1 0.1 0.1"), inertia="0.01 0.01 0.01", pose="0.2 0 0 0 0 0", mu=0.0, restitution=restitution
    )
    with running(write_document(world(parts + model(struck, name="box"), gravity="0 0 0"))) as engine:
        engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(0.2)))
        advance(engine, 0.1)
        engine.set_drive(0, None)
        v = float(engine.snapshot().velocity[0])
        advance(engine, 0.4)
        snapshot = engine.snapshot()
        heavy = 1.0 + 2500.0 * inertia
        common = heavy * v / (heavy + 1.0)
        box = snapshot.body_velocities[body(engine, "box::b")]
        assert snapshot.velocity[0] == pytest.approx(common - restitution * v / (heavy + 1.0), rel=1e-12)
        assert box[3] == pytest.approx(common + restitution * v * heavy / (heavy + 1.0), rel=1e-12)
        assert np.abs(np.delete(box, 3)).max() <= 1e-12
        assert snapshot.velocity[1] == pytest.approx(50.0 * snapshot.velocity[0], rel=1e-14)
        assert abs(snapshot.energy.error) <= 1e-14


def test_a_carrier_presses_through_a_row_of_three_axes(write_document: Write) -> None:
    """Sun, planet and a moving carrier, p = -2 (s - c), the arm of the carrier against a block: with c at rest the sun
    has s'' = 1 / (0.02 + 4 * 0.01), and the block bears 0.5 + 2 * 0.01 * 2 s'' - 0.01 * 2 s'' = 1.5 N m at the arm's
    lever."""
    gearbox = (
        '<joint name="gears" type="gearbox"><parent>sun</parent><child>planet</child><gearbox_ratio>2</gearbox_ratio>'
        "<gearbox_reference_body>carrier</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis><axis2>"
        "<xyz>0 0 1</xyz></axis2></joint>"
    )
    parts = model(
        solid("carrier", ball_shape(0.1), inertia="0.1 0.1 0.1", at="0.5 0 0 0 0 0", mu=0.0),
        link("sun", inertia="0.02 0.02 0.02"),
        link("planet", inertia="0.01 0.01 0.01", pose="0.2 0 0 0 0 0"),
        joint("jc", "revolute", "carrier"),
        joint("js", "revolute", "sun"),
        joint("jp", "revolute", "planet", parent="carrier"),
        gearbox,
    )
    block = wall(box_shape("0.1 0.1 0.2"), pose="0.5 0.16 0 0 0 0", mu=0.0)
    path = write_document(world(block + parts, gravity="0 0 0"))
    with running(path, drives=("js=effort:1", "jc=effort:0.5")) as engine:
        assert [len(coupling.terms) for coupling in engine.mechanism.couplings] == [3]
        advance(engine, 0.1)
        before = engine.snapshot()
        advance(engine, 0.2)
        after = engine.snapshot()
        carrier, sun = 0, 1
        assert (after.velocity[sun] - before.velocity[sun]) / 0.2 == pytest.approx(1.0 / 0.06, rel=1e-9)
        assert abs(after.velocity[carrier]) <= 1e-12
        lever = 0.5 * math.cos(after.position[carrier])
        assert pressed(engine, "m::carrier") == pytest.approx(1.5 / lever, rel=1e-9)
        assert after.worst_coupling_residual() <= 1e-12
        assert abs(after.energy.error) <= 1e-12


def test_what_does_not_bounce_lands(write_document: Write) -> None:
    """A ball of restitution 0 is on the ground after its fall, not somewhere above it, and stays; the contact takes all
    of its fall."""
    falling = solid("b", ball_shape(0.1), inertia="0.004 0.004 0.004", pose="0 0 1.1 0 0 0")
    with running(write_document(world(ground() + model(falling, name="ball")))) as engine:
        lowest = 1.0
        until = math.sqrt(2.0 / G)
        for _ in range(round(until / engine.dt) + 3):
            engine.step()
            lowest = min(lowest, float(engine.snapshot().body_poses[1, 2]) - 0.1)
        snapshot = engine.snapshot()
        assert lowest >= -1e-12
        assert snapshot.body_poses[1, 2] == pytest.approx(0.1, abs=1e-9)
        assert np.abs(snapshot.body_velocities[1]).max() <= 1e-9
        assert snapshot.energy.contact == pytest.approx(-G, rel=1e-9)
        assert snapshot.energy.dissipated == 0.0
        assert abs(snapshot.energy.error) <= 1e-12


# --- sliding, resting, rolling, bouncing
# --------------------------------------------------------------------------------


def test_a_box_slides_stops_and_stays(write_document: Write) -> None:
    """Thrown at 1 m/s: v = 1 - mu g t exactly while it slides (the deceleration is constant), 1 / (2 mu g) to the stop,
    then rest. The step in which it stops ends at rest, so the way is short by less than dt v there: mu g dt^2 = 4e-6
    m."""
    flat = world(ground(0.4) + crate("box", 0.05, 0.4))
    with running(write_document(flat)) as engine:
        push(engine, "box::b", (1.0, 0.0, 0.0))
        advance(engine, 0.1)
        snapshot = engine.snapshot()
        assert snapshot.body_velocities[1, 3] == pytest.approx(1.0 - 0.4 * G * 0.1, rel=1e-12)
        assert snapshot.body_poses[1, 0] == pytest.approx(0.1 - 0.5 * 0.4 * G * 0.01, rel=1e-12)
        advance(engine, 0.3)
        stopped = engine.snapshot()
        assert stopped.body_poses[1, 0] == pytest.approx(1.0 / (2 * 0.4 * G), abs=4e-6)
        advance(engine, 1.0)
        rest = engine.snapshot()
        assert np.abs(rest.body_poses[1] - stopped.body_poses[1]).max() <= 1e-12
        assert np.abs(rest.body_velocities[1]).max() <= 1e-12
        assert rest.energy.contact == pytest.approx(-0.5, rel=1e-9)


def push(engine: Engine, link_name: str, velocity: tuple[float, float, float]) -> None:
    """Give a free body a velocity."""
    snapshot = engine.snapshot()
    velocities = snapshot.body_velocities.copy()
    velocities[body(engine, link_name), 3:] = velocity
    moving = replace(snapshot, body_velocities=velocities)
    mass = engine.mechanism.bodies[body(engine, link_name)].mass
    kinetic = 0.5 * mass * float(np.dot(velocity, velocity))
    engine.resume(replace(moving, energy=replace(snapshot.energy, kinetic=snapshot.energy.kinetic + kinetic)))


@pytest.mark.parametrize(("degrees", "mu"), [(20.0, 0.5), (30.0, 0.5), (40.0, 0.2), (10.0, 0.0)])
def test_a_block_on_an_incline(write_document: Write, degrees: float, mu: float) -> None:
    """It stays where tan a < mu, else slides with g (sin a - mu cos a); both are exact for constant forces."""
    angle = math.radians(degrees)
    with running(write_document(world(ground(mu) + crate("box", 0.05, mu), gravity=tilted(degrees)))) as engine:
        advance(engine, 1.0)
        snapshot = engine.snapshot()
        expected = max(0.0, G * (math.sin(angle) - mu * math.cos(angle)))
        assert snapshot.body_velocities[1, 3] == pytest.approx(expected, rel=1e-10, abs=1e-12)
        assert snapshot.body_poses[1, 0] == pytest.approx(0.5 * expected, rel=1e-10, abs=1e-12)
        assert np.abs(np.delete(snapshot.body_velocities[1], 3)).max() <= 1e-10
        assert pressed(engine, "box::b") == pytest.approx(G * math.cos(angle), rel=1e-9)


def test_a_slope_just_below_and_above_the_friction_angle(write_document: Write) -> None:
    """atan 0.5 = 26.565 degrees: at 26.5 it rests, at 26.6 it creeps away."""
    for degrees, moves in ((26.5, False), (26.6, True)):
        with running(write_document(world(ground(0.5) + crate("box", 0.05, 0.5), gravity=tilted(degrees)))) as engine:
            advance(engine, 0.5)
            assert (engine.snapshot().body_velocities[1, 3] > 1e-3) == moves
            assert moves or np.abs(engine.snapshot().body_velocities[1]).max() <= 1e-7


def test_two_boxes_stand_on_each_other(write_document: Write) -> None:
    """Two seconds without a drift: m g between them, 2 m g on the ground."""
    with running(write_document(world(ground(0.5) + crate("low", 0.05, 0.5) + crate("high", 0.15, 0.5)))) as engine:
        start = engine.snapshot().body_poses
        advance(engine, 2.0)
        snapshot = engine.snapshot()
        assert np.abs(snapshot.body_poses - start).max() <= 1e-12
        assert np.abs(snapshot.body_velocities).max() <= 1e-12
        assert pressed(engine, "low::b", "high::b") == pytest.approx(G, rel=1e-9)
        assert pressed(engine, "low::b", "ground::plane") == pytest.approx(2 * G, rel=1e-9)


def test_a_ball_bounces_lower_by_the_square_of_its_restitution(write_document: Write) -> None:
    """Peaks h e^2n. The impulse comes at the start of the step in which it would go through, up to v dt above the
    ground, where the speed is smaller: each bounce keeps up to (1 - e^2) v dt more of its height, and the errors of
    earlier bounces shrink with e^2."""
    e, dt = 0.8, 1e-3
    falling = solid("b", ball_shape(0.1), inertia="0.004 0.004 0.004", pose="0 0 1.1 0 0 0", restitution=e)
    with running(write_document(world(ground(1.0, e) + model(falling, name="ball"))), dt=dt) as engine:
        heights = []
        for _ in range(3300):
            engine.step()
            heights.append(float(engine.snapshot().body_poses[1, 2]) - 0.1)
        peaks = [b for a, b, c in zip(heights, heights[1:], heights[2:], strict=False) if a < b >= c]
        allowed = 0.0
        for n, peak in enumerate(peaks[:5], 1):
            allowed = e * e * allowed + (1 - e * e) * dt * math.sqrt(2 * G * e ** (2 * n - 2))
            assert e ** (2 * n) - G * dt * dt <= peak <= e ** (2 * n) + allowed + G * dt * dt
        assert len(peaks) >= 5
        assert min(heights) >= 0.0
        energy = engine.snapshot().energy
        assert abs(energy.error) <= 1e-12


SHAPES = {
    "ball": (ball_shape(0.1), "0 0 0 0 0 0"),
    "cylinder": ("<cylinder><radius>0.1</radius><length>0.2</length></cylinder>", f"0 0 0 {math.pi / 2!r} 0 0"),
    "capsule": ("<capsule><radius>0.1</radius><length>0.2</length></capsule>", f"0 0 0 {math.pi / 2!r} 0 0"),
}


FLOORS = {"plane": ground(), "box": wall(box_shape("20 20 1"), pose="0 0 -0.5 0 0 0", name="ground")}


@pytest.mark.parametrize("floor", list(FLOORS))
@pytest.mark.parametrize("shape", list(SHAPES))
def test_rolling_down_an_incline(write_document: Write, shape: str, floor: str) -> None:
    """Without slip the acceleration is g sin a / (1 + I / m r^2): 5/7 g sin a for I = 0.4 m r^2. The step integrates it
    exactly; the axis of its force is frozen for a step, which costs less than 1e-8 of the speed after a second of
    rolling."""
    angle = math.radians(20.0)
    geometry, at = SHAPES[shape]
    rolling = solid("b", geometry, inertia="0.004 0.004 0.004", pose="0 0 0.1 0 0 0", at=at)
    with running(write_document(world(FLOORS[floor] + model(rolling, name="ball"), gravity=tilted(20.0)))) as engine:
        advance(engine, 1.0)
        snapshot = engine.snapshot()
        expected = 5.0 / 7.0 * G * math.sin(angle)
        assert snapshot.body_velocities[1, 3] == pytest.approx(expected, rel=1e-8)
        assert snapshot.body_velocities[1, 1] == pytest.approx(expected / 0.1, rel=1e-8)
        assert snapshot.body_poses[1, 2] == pytest.approx(0.1, abs=1e-8)
        assert pressed(engine, "ball::b") == pytest.approx(G * math.cos(angle), rel=1e-6)
        assert abs(snapshot.energy.error) <= 1e-8


def test_a_ball_that_starts_to_slip_ends_rolling(write_document: Write) -> None:
    """A ball thrown without spin slides until it rolls at 5/7 of its speed; mu g t = 2/7 v says when."""
    thrown = solid("b", ball_shape(0.1), inertia="0.004 0.004 0.004", pose="0 0 0.1 0 0 0", mu=0.3)
    with running(write_document(world(ground(0.3) + model(thrown, name="ball")))) as engine:
        push(engine, "ball::b", (1.4, 0.0, 0.0))
        until = 2.0 / 7.0 * 1.4 / (0.3 * G)
        advance(engine, 0.1)
        assert engine.snapshot().body_velocities[1, 3] == pytest.approx(1.4 - 0.3 * G * 0.1, rel=1e-9)
        advance(engine, until)
        snapshot = engine.snapshot()
        assert snapshot.body_velocities[1, 3] == pytest.approx(1.0, rel=1e-6)
        assert snapshot.body_velocities[1, 1] == pytest.approx(10.0, rel=1e-6)


@pytest.mark.parametrize("shape", ["ball", "cylinder"])
def test_a_wheel_geared_to_a_flywheel_drives_its_cart(write_document: Write, shape: str) -> None:
    """I_w + 9 I_f + m r^2 is what the torque on the wheel feels: a planar mechanism, in which a contact has one tangent
    that can move and one that cannot."""
    geometry, at = SHAPES[shape]
    parts = model(
        link("slide", mass=0.001, inertia="1e-6 1e-6 1e-6", pose="0 0 0.1 0 0 0"),
        link("cart", inertia="0.1 0.1 0.1", pose="0 0 0.1 0 0 0"),
        solid("wheel", geometry, inertia="0.005 0.005 0.005", pose="0 0 0.1 0 0 0", at=at),
        link("fly", mass=0.5, inertia="0.002 0.002 0.002", pose="0 0 0.5 0 0 0"),
        joint("x", "prismatic", "slide", axis="1 0 0"),
        joint("z", "prismatic", "cart", parent="slide"),
        joint("w", "revolute", "wheel", parent="cart", axis="0 1 0"),
        joint("f", "revolute", "fly", parent="cart", axis="0 1 0", inside_axis=mimic("w", -3.0)),
    )
    with running(write_document(world(ground() + parts)), drives=("w=effort:0.5",)) as engine:
        advance(engine, 1.0)
        snapshot = engine.snapshot()
        speed = 0.5 * 0.1 / (0.005 + 9 * 0.002 + 2.501 * 0.01)
        assert snapshot.velocity[0] == pytest.approx(speed, rel=1e-10)
        assert snapshot.velocity[2] == pytest.approx(10 * speed, rel=1e-10)
        assert snapshot.velocity[3] == pytest.approx(-30 * speed, rel=1e-10)
        assert pressed(engine, "m::wheel") == pytest.approx(2.5 * G, rel=1e-9)
        assert abs(snapshot.energy.error) <= 1e-12


def test_all_joints_of_an_arm_are_driven_while_it_lies_on_the_ground(write_document: Write) -> None:
    """Ten motors that pull at each other and a contact at the tip: the drives hold every joint at rest to round-off."""
    n = 10
    links = [
        link(f"l{i}", inertia="0.001 0.02 0.02", com="0.25 0 0", pose=f"{0.5 * i} 0 0.1 0 0 0") for i in range(n - 1)
    ]
    tip = solid("l9", ball_shape(0.1), inertia="0.02 0.02 0.02", pose="4.5 0 0.1 0 0 0", at="0.4 0 0 0 0 0")
    hinges = [joint(f"j{i}", "revolute", f"l{i}", parent=f"l{i - 1}" if i else "world", axis="0 1 0") for i in range(n)]
    drives = tuple(f"j{i}=velocity:0" for i in range(n))
    with running(write_document(world(ground() + model(*links, tip, *hinges))), drives=drives) as engine:
        advance(engine, 0.5)
        snapshot = engine.snapshot()
        assert np.abs(snapshot.velocity).max() <= 1e-11
        assert np.abs(snapshot.position).max() <= 1e-11
