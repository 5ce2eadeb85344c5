"""The physics of a page: what its script computes with the kernels in WebAssembly, run by node, beside the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from simulator.engine import stepping
from simulator.engine.hand import Hand, Hold
from simulator.session.commands.factory import make_engine
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.share.content import live_content
from simulator.session.text.settings import typed_settings
from tests.physics.loops_in_a_plane import document
from tests.physics.test_light_wrists import PARTS
from tests.physics.test_light_wrists import document as wrist
from tests.physics.test_steps_in_halves import NARROW, SPEED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from simulator.engine.engine import Engine
    from tests.unit.session.share.conftest import Run

AFTER = 2.0
"""Seconds."""
EQUAL = 1e-12
"""[rad or m, per second]: sin, cos and atan2 of two mathematical libraries differ by their last digits, 1e-16 a step;
free four-bars and Hoeken's linkage turn these into 7e-13 in two seconds, all other worlds into less than 3e-13."""

RUN = """
    const live = await Live.load(shared);
    live.reset();
    live.advance(shared.steps);
    const own = Array.from(live.row), poses = Array.from(live.place());
    live.reset();
    live.take_in_hand();
    live.advance(shared.steps);
    return {own, poses, hand: Array.from(live.row), stopped: live.stopped};
"""


def engine_of(name: str, *drives: str) -> Engine:
    return make_engine(open_document(find_file(name)), typed_settings(drives, None))


def content_of(name: str, *drives: str) -> tuple[dict[str, Any], Engine]:
    """What a page holds of a world, and an engine at its start."""
    engine = engine_of(name, *drives)
    steps = round(AFTER / engine.dt)
    content = live_content(engine, 0.5, steps)
    engine.close()
    assert "reason" not in content
    return {**content, "steps": steps}, engine_of(name, *drives)


def moved(row: Any, axes: int) -> np.ndarray:
    """Positions and velocities of axes."""
    numbers = np.array(row, dtype=float)[1 : 1 + 3 * axes].reshape(-1, 3)
    return numbers[:, :2]


WORLDS = (
    "planetary",  # a gearbox
    "worm_hoist",  # friction that locks
    "backlash_arm",  # play
    "cam_valve",  # a curve
    "clutch_drive",
    "scissor_lift",  # loops side by side
    "stewart",  # loops in space, balls
    "mecanum",  # wheels on the ground
    "gripper",  # contacts
    "telescope",  # motors of several joints
)
"""One for each room of kernels."""
DRIVEN = [
    ("four_bar", "crank_joint=velocity:3"),
    ("hoeken", "crank_joint=velocity:sine(amplitude=4,frequency=0.7)"),
    ("gripper", "left_finger_joint=effort:-2"),
    ("geneva", "crank_joint=velocity:2"),
]


@pytest.mark.parametrize(("name", "drive"), [*((name, "") for name in WORLDS), *DRIVEN])
def test_a_page_moves_as_the_program(in_node: Run, name: str, drive: str) -> None:
    """Also with the spring and the motors of its hands, which do nothing: they add zeros."""
    content, engine = content_of(name, *((drive,) if drive else ()))
    made = in_node(content, RUN)
    engine.make_steps(content["steps"])
    n = len(engine.mechanism.axes)
    row = engine.row()
    assert made["stopped"] == ""
    np.testing.assert_allclose(moved(made["own"], n), moved(row, n), rtol=0.0, atol=EQUAL)
    np.testing.assert_allclose(
        np.array(made["poses"]).reshape(-1, 7), engine.snapshot().body_poses[1:], rtol=0.0, atol=EQUAL
    )
    np.testing.assert_allclose(moved(made["hand"], n), moved(row, n), rtol=0.0, atol=EQUAL)
    places = engine.places
    residuals = np.array(made["own"], dtype=float)[places.coupling : places.energy]
    np.testing.assert_allclose(residuals, row[places.coupling : places.energy], rtol=0.0, atol=EQUAL)


HALVED = {
    "change point": (document(NARROW), (), (), (f"m::j0={SPEED}",), 250, 1e-9),
    "halves of halves": (
        wrist(*PARTS["along the arm"][:4]),
        ("lift=position:0.93", "turn=position:1.36", "roll=position:-1.43"),
        ("turn=1.05", "roll=-0.32"),
        (),
        2,
        EQUAL,
    ),
    "after a while": (
        wrist(*PARTS["across it"][:4]),
        ("lift=position:-0.95", "turn=position:0.61", "roll=position:-0.34"),
        ("turn=-0.7", "roll=0.61"),
        (),
        221,
        1e-5,
    ),
}
"""A four-bar that passes by a change point, and light hands that motors press against their arm, where contacts give
energy in whole steps: document, drives, start, velocities, steps to just after those in halves, and by how much page
and program may differ [rad, rad/s]. Single steps of an engine are made by other code than those of a block, and round
otherwise; the change point makes that a thousandfold, and so does a hand on an edge."""


@pytest.mark.parametrize("name", HALVED)
def test_steps_are_made_in_halves_as_in_the_program(
    in_node: Run, write_document: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    halved = []
    halve = stepping.Stepper._step_in_halves

    def noted(stepper: stepping.Stepper, halvings: int) -> None:
        halved.append(halvings)
        halve(stepper, halvings)

    text, drives, start, velocities, steps, equal = HALVED[name]
    opened = open_document(write_document(text))
    settings = typed_settings(drives, start, velocities)
    engine = make_engine(opened, settings)
    content = live_content(engine, 0.5, steps)
    engine.close()
    made = in_node({**content, "steps": steps}, RUN)
    monkeypatch.setattr(stepping.Stepper, "_step_in_halves", noted)
    engine = make_engine(opened, settings)
    engine.make_steps(steps)
    assert halved
    n = len(engine.mechanism.axes)
    assert made["stopped"] == ""
    np.testing.assert_allclose(moved(made["own"], n), moved(engine.row(), n), rtol=equal, atol=equal)


def test_a_hand_pulls_as_in_the_program(in_node: Run) -> None:
    """The same spring on the same point, let go after half a second. In the program the spring comes and goes; here it
    is there all the time."""
    content, engine = content_of("four_bar")
    body = next(i for i, one in enumerate(engine.mechanism.bodies) if one.name.endswith("coupler"))
    point, target = (0.1, 0.0, 0.02), (0.3, 0.05, 0.4)
    hand = Hand(engine)
    engine.make_steps(100)
    hand.pull(Hold(body, point), target)
    spring = engine.mechanism.loads.springs[-1]
    content["bodies"][body - 1]["mass"] = spring.stiffness / (2.0 * np.pi * 1.5) ** 2
    made = in_node(
        content,
        f"""
    const live = await Live.load(shared);
    live.reset();
    live.advance(100);
    live.grab({body - 1}, {list(point)}, {list(target)});
    live.advance(500);
    const pulled = Array.from(live.row);
    live.let_go();
    live.advance(500);
    return {{pulled, after: Array.from(live.row)}};
    """,
    )
    n = len(engine.mechanism.axes)
    engine.make_steps(500)
    pulled = moved(engine.row(), n)
    hand.let_go()
    engine.make_steps(500)
    np.testing.assert_allclose(moved(made["pulled"], n), pulled, rtol=0.0, atol=EQUAL)
    np.testing.assert_allclose(moved(made["after"], n), moved(engine.row(), n), rtol=0.0, atol=EQUAL)
    free = engine_of("four_bar")
    free.make_steps(600)
    assert np.abs(moved(free.row(), n) - pulled).max() > 0.01


def test_a_motor_holds_what_it_is_given(in_node: Run) -> None:
    """A crank is brought to a position: within a millionth after its approach (time constant
    0.02 s, `rows.rows.APPROACH_TIME`); and turned at a velocity: as near as a motor counts as being at it, a thousandth
    (`impact.motors.NEAR`)."""
    content, _ = content_of("four_bar")
    made = in_node(
        content,
        """
    const live = await Live.load(shared), [motor] = shared.motors, at = 1 + 3 * motor.axis;
    live.reset();
    live.drive(motor, "position", 0.5);
    live.advance(1500);
    const held = live.row[at];
    live.drive(motor, "velocity", 2);
    live.advance(1500);
    const turned = live.row[at + 1];
    live.drive(motor, "free", 0);
    live.advance(300);
    return {held, turned, free: live.row[at + 1], stopped: live.stopped};
    """,
    )
    assert made["stopped"] == ""
    assert made["held"] == pytest.approx(0.5, abs=1e-6)
    assert made["turned"] == pytest.approx(2.0, rel=1e-3)
    assert abs(made["free"] - 2.0) > 0.1


def test_reset_is_the_start_again(in_node: Run) -> None:
    content, _ = content_of("gripper", "left_finger_joint=effort:-2")
    made = in_node(
        content,
        """
    const live = await Live.load(shared);
    live.reset();
    live.advance(300);
    const first = Array.from(live.row);
    live.drive(shared.motors[0], "velocity", 1);
    live.advance(100);
    live.reset();
    live.advance(300);
    return {first, again: Array.from(live.row)};
    """,
    )
    assert made["first"] == made["again"]


def test_what_has_no_steps_of_its_own_is_played_from_a_recording() -> None:
    pytest.importorskip("pybullet")
    engine = make_engine(open_document(find_file("gearbox")), typed_settings((), None, solver="gear"))
    assert "gear has no compiled steps" in live_content(engine, 0.5, 100)["reason"]
