"""Bodies that tumble past each other: they part in one place, and meet in another within the same step."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.physics.detect.own import OwnContacts
from tests.physics.axes import without_visuals
from tests.physics.solids import box_shape, solid, surface
from tests.physics.worlds import example, make_steps, model, running, world
from tests.unit.physics.test_collision_convex import hull

Write = Callable[[str], Path]
DT, SIDE, PAIRS, FASTEST = 1e-3, 0.1, 40, 30.0
STEPS = 90


def pairs(shape: str, rubs: str) -> str:
    """Two cubes of that shape and surface each time, 3 m from the next pair, turned at random."""
    chance, parts = np.random.default_rng(5), []
    for k in range(PAIRS):
        for side in range(2):
            x, y, z = (np.array((3.0 * k, 0.0, 0.18 * side)) + chance.uniform(-0.01, 0.01, 3)).tolist()
            turned = " ".join(map(repr, chance.uniform(-3.0, 3.0, 3).tolist()))
            inertia = " ".join([repr(SIDE**2 / 6.0)] * 3)
            pose = f"{x!r} {y!r} {z!r} {turned}"
            cube = solid("b", shape, mass=1.0, inertia=inertia, pose=pose, rubs=rubs)
            parts.append(model(cube, name=f"c{k}_{side}"))
    return "".join(parts)


def loop() -> str:
    """A four-bar that touches nothing: beside loops, a step goes another way."""
    text = without_visuals(example("four_bar").read_text())
    return text[text.index("<model") : text.rindex("</model>")] + "</model>"


@pytest.fixture(params=["boxes", "hulls", "boxes beside a loop", "boxes too stiff to give way"])
def path(request: pytest.FixtureRequest, tmp_path: Path, write_document: Write) -> Path:
    """A document with these pairs, of boxes or of hulls with the same corners; with 1e6 N/m, they would swing by more
    than a radian in a step, and are rigid."""
    corners = 0.5 * SIDE * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    shape = hull(tmp_path / "cube.obj", corners) if request.param == "hulls" else box_shape("0.1 0.1 0.1")
    stiffness = "<contact><ode><kp>1e6</kp></ode></contact>" if "stiff" in request.param else ""
    rubs = surface(0.5).replace("<surface>", f"<surface>{stiffness}")
    return write_document(world(pairs(shape, rubs) + (loop() if "loop" in request.param else ""), gravity="0 0 0"))


def set_tumbling(engine: Engine) -> None:
    """Each cube turns at up to 30 rad/s about any axis; pairs close at 1 m/s, and sideways at up to as much."""
    chance, snapshot = np.random.default_rng(6), engine.snapshot()
    velocities = snapshot.body_velocities.copy()
    for b, body in enumerate(engine.mechanism.bodies):
        if not body.name.endswith("::b"):
            continue
        way = chance.normal(size=3)
        velocities[b, :3] = FASTEST * chance.uniform(0.3, 1.0) * way / np.linalg.norm(way)
        down = body.name.split("::")[0].endswith("_1")
        velocities[b, 3:] = (*chance.uniform(-0.5, 0.5, 2), -0.5 if down else 0.5)
    engine.resume(dataclasses.replace(snapshot, body_velocities=velocities))


def deepest(engine: Engine) -> float:
    """How far any two cubes overlap [m], found anew."""
    own = OwnContacts(engine.mechanism)
    count = own.detect_within(engine.snapshot().body_poses, 1e-6, None)
    return -float(own.work.floats[:count, 6].min(initial=0.0))


def test_cubes_that_tumble_do_not_go_into_each_other(path: Path) -> None:
    """Not even for one step, wherever they meet in it. What is left is of the second order: the way of a corner that
    turns at w bends by r (w dt)^2 / 2 from its tangent in a step, r = sqrt(3)/2 of a side, on both bodies."""
    with running(path, dt=DT) as engine:
        set_tumbling(engine)
        started, worst, turning = engine.snapshot().body_velocities.copy(), 0.0, FASTEST
        for _ in range(STEPS):
            make_steps(engine, 1)
            worst = max(worst, deepest(engine))
            turning = max(turning, float(np.linalg.norm(engine.snapshot().body_velocities[:, :3], axis=1).max()))
        changed = np.abs(engine.snapshot().body_velocities - started)[1:].max(axis=1) > 0.1
        assert changed.sum() > PAIRS, "most of them have met"
        assert worst <= 0.5 * np.sqrt(3.0) * SIDE * (turning * DT) ** 2
        assert abs(engine.snapshot().energy.error) < 1e-5 * engine.snapshot().energy.kinetic


def test_steps_that_are_made_again_are_the_same_one_by_one(path: Path) -> None:
    """To the last bit, whether many are made in one call of compiled code or each by itself."""
    ends = []
    for by_block in (True, False):
        with running(path, dt=DT) as engine:
            set_tumbling(engine)
            if by_block:
                make_steps(engine, STEPS)
            for _ in range(0 if by_block else STEPS):
                engine.step()
            ends.append((engine.snapshot().body_poses.copy(), engine.snapshot().body_velocities.copy()))
    np.testing.assert_array_equal(ends[0][0], ends[1][0])
    np.testing.assert_array_equal(ends[0][1], ends[1][1])


def test_momentum_is_kept_by_what_was_overlooked(path: Path) -> None:
    """Of each pair alone, linear and about its middle: forces of a contact that is carried back act on both bodies in
    one point. In the axes of a body that flies on, velocities turn by w dt in a step; Runge and Kutta's method knows
    them to (w dt)^5 / 120, together 2e-8 m/s. What is moved apart is less than 1e-5 of a size, which makes 1e-6
    kg m^2/s of 1 kg m/s."""
    with running(path, dt=DT) as engine:
        set_tumbling(engine)
        momenta = []
        for _ in range(2):
            state, rows = engine.snapshot(), []
            for k in range(PAIRS):
                first, second = (
                    next(i for i, body in enumerate(engine.mechanism.bodies) if body.name == f"c{k}_{side}::b")
                    for side in range(2)
                )
                x, v = state.body_poses[[first, second], :3], state.body_velocities[[first, second]]
                spin = SIDE**2 / 6.0 * v[:, :3] + np.cross(x - (3.0 * k, 0.0, 0.0), v[:, 3:])
                rows.append((*v[:, 3:].sum(axis=0), *spin.sum(axis=0)))
            momenta.append(np.array(rows))
            make_steps(engine, STEPS)
        assert momenta[1][:, :3] == pytest.approx(momenta[0][:, :3], abs=2e-8)
        assert momenta[1][:, 3:] == pytest.approx(momenta[0][:, 3:], abs=1e-6)
