"""The example of a mecanum platform: it goes where its comment says."""

import math

import numpy as np
import pytest

from simulator.session.factory import remark_on
from simulator.session.opening import open_document
from tests.helpers.scripts import script
from tests.physics.worlds import advance, example, running

mecanum = script("make_mecanum")


def test_it_goes_to_the_left_and_back() -> None:
    """r A / (2 pi f) (1 - cos(2 pi f t)): the speed is exact at the end of each step and goes evenly between, so that
    the way is right to (2 pi f h)^2 / 12 = 1e-7 of itself. It neither turns nor goes forwards, and no wheel is without
    load."""
    rate = 2.0 * math.pi / mecanum.PERIOD
    reach = mecanum.RADIUS * mecanum.SPEED / rate
    with running(example("mecanum"), drives=sideways()) as engine:
        body = engine.mechanism.link_bodies()["mecanum::platform"]
        for t in (1.5, 3.0, 6.0):
            advance(engine, t - engine.time)
            pose = engine.snapshot().body_poses[body]
            assert pose[1] == pytest.approx(reach * (1.0 - math.cos(rate * t)), abs=1e-6)
            assert np.abs(pose[[0, 3, 4, 5]]).max() <= 1e-9
            assert min(contact.force for contact in engine.contacts()) > 5.0
        assert abs(engine.snapshot().energy.error) <= 1e-9


def sideways() -> tuple[str, ...]:
    """The drives of the document, as on the command line."""
    wave = f"frequency={1.0 / mecanum.PERIOD!r}"
    return tuple(
        f"{name}_joint=velocity:sine(amplitude={side * mecanum.SPEED!r},{wave})"
        for name, (_, _, side) in mecanum.WHEELS.items()
    )


def test_gear_says_that_it_knows_no_direction() -> None:
    opened = open_document(example("mecanum"))
    assert "'mecanum::front_left' (and 3 more collisions) only mu counts" in remark_on(opened, "gear")
    assert remark_on(opened, "rows") == ""
