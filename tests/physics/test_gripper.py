"""Two mimic fingers close on a free box and lift it: couplings beside contacts."""

from __future__ import annotations

import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.model.profiles import Constant
from tests.physics.worlds import advance, example, running

pytestmark = pytest.mark.usefixtures("strategies_with_contacts")


def test_gripper_lifts_the_box() -> None:
    """Fingers close first, then the lift goes to 0.15 m: the box comes along. Friction 1 at both pads carries 2 * 10 N,
    the box weighs 2 N; Bullet's contact lets it creep by millimetres, so 2 cm are allowed."""
    with running(example("gripper"), drives=("left_finger_joint=effort:20",)) as engine:
        box = next(index for name, index in engine.mechanism.link_bodies().items() if name.startswith("box::"))
        lift, finger = engine.mechanism.axis_index("lift_joint"), engine.mechanism.axis_index("left_finger_joint")
        assert lift is not None
        advance(engine, 0.5)
        low = engine.snapshot()
        assert low.position[finger] > 0.005, "the fingers did not close"
        engine.set_drive(lift, Drive(DriveKind.POSITION, Constant(0.15)))
        advance(engine, 1.5)
        high = engine.snapshot()
        assert high.body_poses[box, 2] - low.body_poses[box, 2] > 0.13
        assert high.worst_coupling_residual() < 1e-6
