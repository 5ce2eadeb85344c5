"""Torsional friction: a patch of the radius a holds a moment of 3 pi / 16 mu a N about the normal.

The law is that of a patch with the pressure of Hertz (Johnson, Contact Mechanics, 1985, 7.4), as SDFormat's torsional
means it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.session.forces.contact_forces import ContactColumns
from tests.physics.solids import ball_shape, box_shape, ground, solid
from tests.physics.test_rows_contact_directions import linkage
from tests.physics.worlds import advance, joint, model, running, world

Write = Callable[..., Path]
G, MASS, RADIUS, INERTIA = 9.8, 2.0, 0.1, 0.008
PATCH, COEFFICIENT, SPIN = 0.02, 0.6, 3.0
HELD = 3.0 * math.pi / 16.0 * COEFFICIENT * PATCH
"""Moment for each newton [m]."""


def twists(
    coefficient: float = COEFFICIENT,
    patch: float | None = PATCH,
    *,
    radius: float = 0.0,
    slip: float = 0.0,
    more: str = "",
    mu: float = 0.5,
) -> str:
    """A surface with torsional friction: of a patch, or of a radius of curvature."""
    use = f"<patch_radius>{patch!r}</patch_radius>" if patch is not None else "<use_patch_radius>0</use_patch_radius>"
    return (
        f"<surface><friction><ode><mu>{mu!r}</mu><mu2>{mu!r}</mu2></ode><torsional><coefficient>{coefficient!r}"
        f"</coefficient>{use}<surface_radius>{radius!r}</surface_radius><ode><slip>{slip!r}</slip></ode></torsional>"
        f"</friction>{more}</surface>"
    )


def spinning(rubs: str, spin: float = SPIN, *, velocity: str = "0 0 0", height: float = RADIUS) -> str:
    """A free ball on the plane z = 0 that spins about the vertical."""
    start = f'<link_state name="b"><velocity>{velocity} 0 0 {spin!r}</velocity></link_state>'
    moments = f"{INERTIA} {INERTIA} {INERTIA}"
    place = f"0 0 {height!r} 0 0 0"
    ball = solid("b", ball_shape(RADIUS), mass=MASS, inertia=moments, pose=place, rubs=rubs)
    return model(ball, f"<model_state>{start}</model_state>")


def pushed(ball: str, moment: float) -> str:
    """A world with that ball, and a moment about the vertical on it [N m]."""
    load = f'<simulator:load link="b" moment="0 0 {moment!r}"/></model>'
    text = world(ground() + ball.replace("</model>", load))
    return text.replace("<sdf ", '<sdf xmlns:simulator="urn:simulator" ', 1)


def turned(engine: Engine) -> float:
    """How far the ball has turned about the vertical, up to half a turn [rad]."""
    x, y, z, w = engine.snapshot().body_poses[engine.mechanism.link_bodies()["m::b"]][3:].tolist()
    assert abs(x) + abs(y) <= 1e-12
    return 2.0 * math.atan2(z, w)


def spin_of(engine: Engine) -> float:
    return float(engine.snapshot().body_velocities[engine.mechanism.link_bodies()["m::b"]][2])


@pytest.mark.parametrize("more", ["", linkage()], ids=["alone", "beside a loop"])
def test_a_spinning_ball_stops(write_document: Write, more: str) -> None:
    """M = HELD m g brakes: it stops after I w / M, 0.135 s, at the angle I w^2 / (2 M). Within a step the moment is
    constant, and so is that of the closed form but in the step in which it stops, whose mean is right: to 1e-11, and
    what that step turns too far, at most M dt^2 / (8 I)."""
    moment = HELD * MASS * G
    stops, dt = INERTIA * SPIN / moment, 1e-3
    with running(write_document(world(ground() + spinning(twists()) + more)), dt=dt) as engine:
        advance(engine, 0.1)
        assert spin_of(engine) == pytest.approx(SPIN - moment / INERTIA * 0.1, rel=1e-11)
        assert turned(engine) == pytest.approx(SPIN * 0.1 - 0.5 * moment / INERTIA * 0.01, rel=1e-11)
        (contact,) = engine.contacts()
        assert contact.twist == pytest.approx(-moment, rel=1e-11)
        advance(engine, math.floor((stops - 0.1) / dt) * dt)
        assert spin_of(engine) > 0.0
        advance(engine, 2 * dt)
        assert abs(spin_of(engine)) <= 1e-12
        assert turned(engine) == pytest.approx(0.5 * SPIN * stops, abs=moment * dt * dt / (8.0 * INERTIA) + 1e-11)
        advance(engine, 0.2)
        energy = engine.snapshot().energy
        assert energy.contact == pytest.approx(-0.5 * INERTIA * SPIN**2, rel=1e-10)
        assert abs(energy.error) <= 1e-12


@pytest.mark.parametrize("share", [0.999, 1.001])
def test_a_ball_is_held_as_far_as_the_patch_goes(write_document: Write, share: float) -> None:
    """A moment about the vertical, a share of what the patch holds: below it nothing moves, above it the rest of the
    moment turns the ball, exactly."""
    moment = share * HELD * MASS * G
    with running(write_document(pushed(spinning(twists(), 0.0), moment))) as engine:
        advance(engine, 0.5)
        wanted = 0.5 * max(moment - HELD * MASS * G, 0.0) / INERTIA * 0.25
        assert turned(engine) == pytest.approx(wanted, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(
    ("floor", "ball", "held"),
    [
        (ground(), twists(2.0, 0.02), 1.0 * 0.02),
        (ground(), twists(0.5, 0.02), 0.5 * 0.02),
        (ground(rubs=twists(0.3, 0.01)), twists(0.5, 0.02), 0.3 * 0.02),
        (ground(rubs=twists(0.3, 0.03)), "", 0.3 * 0.03),
        (ground(), twists(0.5, 0.0), 0.0),
        (ground(), twists(0.5, None, radius=0.1), 0.0),
        (ground(rubs=twists(0.3, 0.03)), twists(0.5, None, radius=0.1), 0.0),
        (ground(), twists(0.5, 0.02, mu=0.0), 0.5 * 0.02),
    ],
    ids=["of SDFormat", "smaller", "both", "of the floor", "no patch", "rigid", "one has no patch", "smooth"],
)
def test_what_two_surfaces_make_of_each_other(write_document: Write, floor: str, ball: str, held: float) -> None:
    """The smaller coefficient, 1 by default, and the larger patch; if a radius of curvature is given
    instead, the overlap counts: nothing between rigid bodies."""
    with running(write_document(world(floor + spinning(ball)))) as engine:
        advance(engine, 0.02)
        assert spin_of(engine) == pytest.approx(
            SPIN - 3.0 * math.pi / 16.0 * held * MASS * G / INERTIA * 0.02, rel=1e-11
        )


def test_a_blow_takes_spin_as_well(write_document: Write) -> None:
    """A ball that falls on the floor without a bounce: the impulse m v of the floor holds HELD m v of its spin."""
    speed, spin = 1.0, 20.0
    ball = spinning(twists(), spin, velocity=f"0 0 {-speed!r}", height=RADIUS + 0.01)
    with running(write_document(world(ground() + ball, gravity="0 0 0"))) as engine:
        advance(engine, 0.02)
        assert spin_of(engine) == pytest.approx(spin - HELD * MASS * speed / INERTIA, rel=1e-11)
        assert abs(engine.snapshot().energy.error) <= 1e-12


@pytest.mark.parametrize("slip", [0.5, 20.0])
def test_what_yields_spins_in_proportion(write_document: Write, slip: float) -> None:
    """Below the bound w = s M; a ball that spins comes to rest as in honey, I w' = -w / s: each step divides its spin
    by 1 + dt / (I s)."""
    moment = 0.5 * HELD * MASS * G
    with running(write_document(pushed(spinning(twists(slip=slip), slip * moment), moment))) as engine:
        advance(engine, 0.1)
        assert spin_of(engine) == pytest.approx(slip * moment, rel=1e-9)
    start = slip * moment
    with running(write_document(world(ground() + spinning(twists(slip=slip), start)))) as engine:
        advance(engine, 0.05)
        assert spin_of(engine) == pytest.approx(start / (1.0 + 1e-3 / (INERTIA * slip)) ** 50, rel=1e-9)


def test_a_turntable_is_braked_by_what_presses_on_its_axis(write_document: Write) -> None:
    """A finger on a slide presses on the hub: no other row of that contact moves the turntable."""
    push, inertia = 20.0, 0.05
    table = solid("table", box_shape("0.4 0.4 0.1"), inertia=f"{inertia} {inertia} {inertia}", pose="0 0 1 0 0 0")
    finger = solid("finger", ball_shape(0.02), inertia="1 1 1", pose="0 0 1.07 0 0 0", rubs=twists())
    hinge, slide = (
        joint(f"to_{child}", kind, child, axis="0 0 1")
        for child, kind in (("table", "revolute"), ("finger", "prismatic"))
    )
    text = world(model(table, hinge) + model(finger, slide, name="above"), gravity="0 0 0")
    drives, velocity = (f"to_finger=effort:{-push}",), (f"to_table={SPIN}",)
    with running(write_document(text), drives=drives, velocity=velocity) as engine:
        advance(engine, 0.2)
        (contact,) = engine.contacts()
        assert contact.twist == pytest.approx(HELD * push, rel=1e-9)
        spin = float(engine.snapshot().body_velocities[engine.mechanism.link_bodies()["m::table"]][2])
        assert spin == pytest.approx(SPIN - HELD * push / inertia * 0.2, rel=1e-9)


def test_the_moment_is_among_the_forces_of_contacts(write_document: Write) -> None:
    """Columns of a run, by the ground on the ball: the weight and the moment of friction about the vertical."""
    with running(write_document(world(ground() + spinning(twists())))) as engine:
        advance(engine, 0.05)
        columns = ContactColumns(engine.mechanism, act=True)
        values = columns.of(engine.contacts(), engine.snapshot().body_poses)
    found = dict(zip((channel.name.split("/")[-1] for channel in columns.channels), values.tolist(), strict=True))
    assert found["force_z"] == pytest.approx(MASS * G, rel=1e-11)
    assert found["moment_z"] == pytest.approx(-HELD * MASS * G, rel=1e-11)


REACH, PINCH = 0.05, 40.0
"""Of the bar: how far its centre of mass is from the fingers [m]. The force of either finger [N]."""


def grip(patch: float) -> str:
    """Two round fingers on slides that pinch a bar beside its centre of mass, clear of the ground."""
    fingers = [
        solid(
            name, ball_shape(0.01), inertia="1e-4 1e-4 1e-4", pose=f"0 {y!r} 1 0 0 0", rubs=twists(1.0, patch, mu=2.0)
        )
        + joint(f"to_{name}", "prismatic", name, axis="0 1 0")
        for name, y in (("left", 0.015), ("right", -0.015))
    ]
    bar = solid(
        "bar", box_shape("0.2 0.01 0.02"), mass=0.5, inertia="1e-4 2e-3 2e-3", pose=f"{REACH!r} 0 1 0 0 0", mu=2.0
    )
    return world(model(*fingers) + model(bar, name="held"))


@pytest.mark.parametrize("share", [0.98, 1.02])
def test_a_soft_finger_holds_a_bar_off_its_centre(write_document: Write, share: float) -> None:
    """Two patches hold twice their moment: m g REACH is just below it, or just above; then the bar begins to turn with
    what is left over its moment of inertia about the fingers."""
    weight = 0.5 * G * REACH
    patch = weight / share / (2.0 * 3.0 * math.pi / 16.0 * PINCH)
    path = write_document(grip(patch))
    drives = (f"to_left=effort:{-PINCH}", f"to_right=effort:{PINCH}")
    with running(path, drives=drives) as engine:
        advance(engine, 0.1)
        pose = engine.snapshot().body_poses[engine.mechanism.link_bodies()["held::bar"]]
        angle = 2.0 * math.asin(float(np.linalg.norm(pose[3:6])))
        assert abs(engine.snapshot().energy.error) <= 1e-9
    if share < 1.0:
        assert angle <= 1e-9
    else:
        over = weight * (1.0 - 1.0 / share) / (2e-3 + 0.5 * REACH**2)
        assert angle == pytest.approx(0.5 * over * 0.01, rel=0.02)
