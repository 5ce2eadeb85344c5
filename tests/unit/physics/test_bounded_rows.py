"""Bounded rows by themselves: their targets, their impulses, and their reports; contacts are given,
nothing is searched."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.kinematics.state import rest_state
from simulator.physics.compiled.bounded import BoundedMechanism
from simulator.physics.impact.lines import Motor
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.loops.flow import BOOKED, BY_CONTACTS
from simulator.session.open.opening import open_document
from tests.helpers.contact_points import UNKNOWN_FEATURES, ContactTable, put_contacts
from tests.physics.worlds import joint, link, model, world

Write = Callable[..., Path]
DT = 1e-3
BOX = world(model(link("box", mass=2.0, inertia="0.1 0.2 0.3")), gravity="3 0 -10")


def bounded(path: Path) -> BoundedMechanism:
    """The mechanism of a document, at rest."""
    mechanism = open_document(path).mechanism
    result = BoundedMechanism(mechanism)
    result.model.set_state(rest_state(mechanism))
    result.forget()
    return result


def slide(inside_axis: str = "", mass: float = 2.0) -> str:
    text = joint("j", "prismatic", "a", axis="1 0 0", inside_axis=inside_axis)
    return world(model(link("a", mass=mass), text))


def floor(points: list[tuple[float, float, float]], *, friction: float = 0.0, gap: float = 0.0) -> ContactTable:
    """Contacts of body 1 with the world, normals up."""
    n = len(points)
    return ContactTable(
        bodies=np.array([(1, 0)] * n, dtype=np.int64),
        points=np.array(points, dtype=float).reshape(n, 3),
        normals=np.array([(0.0, 0.0, 1.0)] * n).reshape(n, 3),
        gaps=np.full(n, gap),
        friction=np.full(n, friction),
        restitution=np.zeros(n),
        centres=np.full((n, 3), np.nan),
        names=np.full(n, -1, dtype=np.int64),
        features=np.array([UNKNOWN_FEATURES] * n).reshape(n, 8),
        ratios=np.ones(n),
        directions=np.zeros((n, 3)),
        carriers=np.zeros(n, dtype=np.int64),
        slips=np.zeros((n, 2)),
        given=np.zeros((n, 5)),
    )


def flow(mechanism: BoundedMechanism) -> list[float]:
    """Energy that flowed in the last step [J], by the places of `loops.flow`."""
    found: list[float] = mechanism.model.view(at.F_FLOW)[:BOOKED].tolist()
    return found


def test_a_motor_gives_what_it_needs_and_no_more(write_document: Write) -> None:
    """2 kg to 0.5 m/s in one step need 1000 N; with 10 N it gets 5 mm/s."""
    mechanism = bounded(write_document(slide()))
    mechanism.set_motor(0, Motor(1e9, velocity=0.5))
    mechanism.step(DT)
    assert mechanism.motor_efforts()[0] == pytest.approx(1000.0, rel=1e-12)
    assert mechanism.model.joint_state().velocity[0] == pytest.approx(0.5, rel=1e-12)
    assert flow(mechanism) == pytest.approx([0.25, 0.0, 0.0, 0.0, 0.0], rel=1e-12)
    weak = bounded(write_document(slide()))
    weak.set_motor(0, Motor(10.0, velocity=0.5))
    weak.step(DT)
    assert weak.motor_efforts()[0] == pytest.approx(10.0, rel=1e-12)
    assert weak.model.joint_state().velocity[0] == pytest.approx(0.005, rel=1e-12)


def test_a_motor_is_switched_off(write_document: Write) -> None:
    mechanism = bounded(write_document(slide()))
    mechanism.set_motor(0, Motor(1e9, velocity=0.5))
    mechanism.set_motor(0, None)
    mechanism.step(DT)
    assert mechanism.motor_efforts()[0] == 0.0
    mechanism.set_motor(0, Motor(0.0, velocity=0.5))
    mechanism.step(DT)
    assert mechanism.model.joint_state().velocity[0] == 0.0


def test_friction_bears_what_it_can(write_document: Write) -> None:
    """4 N of friction against 3 N: it gives 3; against 7 N it gives 4 and 3 N are left for 2 kg."""
    mechanism = bounded(write_document(slide("<dynamics><friction>4</friction></dynamics>")))
    mechanism.model.set_efforts(np.array([3.0]))
    mechanism.step(DT)
    assert mechanism.friction_efforts()[0] == pytest.approx(-3.0, rel=1e-12)
    mechanism.model.set_efforts(np.array([7.0]))
    mechanism.step(DT)
    assert mechanism.friction_efforts()[0] == pytest.approx(-4.0, rel=1e-12)
    assert mechanism.model.joint_state().velocity[0] == pytest.approx(1.5 * DT, rel=1e-12)


def test_a_stop_says_what_it_bears(write_document: Write) -> None:
    """Pressed with 7 N it gives 7 N, towards the inside."""
    mechanism = bounded(write_document(slide("<limit><lower>-1</lower><upper>0</upper></limit>")))
    mechanism.model.set_efforts(np.array([7.0]))
    mechanism.step(DT)
    assert mechanism.stop_efforts()[0] == pytest.approx(-7.0, rel=1e-12)
    assert mechanism.model.joint_state().position[0] == pytest.approx(0.0, abs=1e-15)
    mechanism.forget()
    assert mechanism.stop_efforts()[0] == 0.0
    assert flow(mechanism) == [0.0] * BOOKED


@pytest.mark.parametrize("friction", [0.2, 0.4])
def test_contact_points_carry_the_weight(write_document: Write, friction: float) -> None:
    """Four corners at the height of the centre bear 20 N; friction bears the 6 N along x where its cone is wide
    enough."""
    mechanism = bounded(write_document(BOX))
    corners = [(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    put_contacts(mechanism, floor(corners, friction=friction))
    mechanism.step(DT)
    pressing, rubbing, _ = mechanism.contact_forces()
    assert pressing.sum() == pytest.approx(20.0, rel=1e-12)
    assert (pressing >= 0.0).all()
    along = np.linalg.norm(rubbing.sum(axis=0))
    assert along == pytest.approx(min(6.0, friction * 20.0), rel=1e-9)
    assert (np.linalg.norm(rubbing, axis=1) <= friction * pressing * (1 + 1e-12) + 1e-15).all()
    mechanism.model.refresh()
    velocity = mechanism.model.read_bodies()[1][1]
    assert velocity[3] == pytest.approx((6.0 - along) / 2.0 * DT, abs=1e-13)
    assert np.abs(np.delete(velocity, 3)).max() <= 1e-13


def test_points_that_carry_a_standing_body_do_not_pull_at_each_other(write_document: Write) -> None:
    """Twelve points 0.3 m below the centre of 2 kg, two of them with rounding in their gaps: 20 N up and nothing aside,
    in few sweeps, though three points would do and friction could hold any set of forces against each other."""
    mechanism = bounded(write_document(BOX.replace("3 0 -10", "0 0 -10")))
    around = [(0.3 * math.cos(angle), 0.2 * math.sin(angle), -0.3) for angle in np.arange(12) * (math.pi / 6.0)]
    table = floor(around, friction=1.0)
    table.gaps[3], table.gaps[4] = 2e-9, -3e-9
    for _ in range(20):
        put_contacts(mechanism, table)
        mechanism.step(DT)
        assert mechanism._C[row_at.SWEEPS] <= 24
        pressing, rubbing, _ = mechanism.contact_forces()
        assert pressing.sum() == pytest.approx(20.0, rel=1e-9)
        assert (pressing >= 0.0).all()
        assert np.abs(rubbing).max() <= 1e-9
    assert np.abs(mechanism.model.joint_state().velocity).max(initial=0.0) <= 1e-12
    assert np.abs(mechanism.model.joint_state().loose_twist).max() <= 1e-12


def test_more_contacts_than_there_is_room_for(write_document: Write) -> None:
    """300 points are 900 rows: room is made, and the force is that of one point."""
    mechanism = bounded(write_document(BOX))
    ring = [(0.1 * float(np.cos(a)), 0.1 * float(np.sin(a)), 0.0) for a in np.linspace(0.0, 6.0, 300)]
    put_contacts(mechanism, floor(ring, friction=0.5))
    mechanism.step(DT)
    assert mechanism._C[row_at.COUNT] == 900
    pressing, rubbing, _ = mechanism.contact_forces()
    assert pressing.sum() == pytest.approx(20.0, rel=1e-6)
    assert np.isfinite(pressing).all()
    assert np.isfinite(rubbing).all()


def test_contacts_out_of_reach_do_nothing(write_document: Write) -> None:
    mechanism = bounded(write_document(BOX))
    put_contacts(mechanism, floor([(0.0, 0.0, 0.0)], gap=0.001))
    mechanism.step(DT)
    assert mechanism.contact_forces()[0][0] == 0.0
    mechanism.model.refresh()
    assert mechanism.model.read_bodies()[1][1, 5] == pytest.approx(-10.0 * DT, rel=1e-12)
    put_contacts(mechanism, None)
    assert [part.shape for part in mechanism.contact_forces()] == [(0,), (0, 3), (0,)]


def test_a_gap_is_closed_and_not_more(write_document: Write) -> None:
    """At 1 m/s towards a floor 0.4 mm away, 1 ms ends on the floor: the impulse leaves 0.4 m/s, the force over the step
    the rest."""
    mechanism = bounded(write_document(world(model(link("box")), gravity="0 0 0")))
    mechanism.model.view(at.F_V)[5] = -1.0
    put_contacts(mechanism, floor([(0.0, 0.0, 0.0)], gap=4e-4))
    mechanism.step(DT)
    mechanism.model.refresh()
    assert mechanism.model.read_bodies()[0][1, 2] == pytest.approx(-4e-4, abs=1e-15)
    assert flow(mechanism)[BY_CONTACTS] == pytest.approx(
        0.5 * mechanism.model.read_bodies()[1][1, 5] ** 2 - 0.5, rel=1e-12
    )


def test_two_motors_that_share_an_axis_by_a_coupling_contradict(write_document: Write) -> None:
    """Blocked says which axis, and that it is a contradiction; motors that agree are none."""
    parts = model(
        link("a"),
        link("b"),
        joint("ja", "revolute", "a"),
        joint("jb", "revolute", "b", inside_axis='<mimic joint="ja"><multiplier>2</multiplier></mimic>'),
    )
    mechanism = bounded(write_document(world(parts)))
    mechanism.set_motor(0, Motor(1e9, velocity=1.0))
    mechanism.set_motor(1, Motor(1e9, velocity=2.0))
    mechanism.step(DT)
    assert mechanism.blocked() is None
    assert mechanism.model.joint_state().velocity == pytest.approx([1.0, 2.0], rel=1e-12)
    mechanism.set_motor(1, Motor(1e9, velocity=5.0))
    mechanism.step(DT)
    blocked = mechanism.blocked()
    assert blocked is not None
    assert blocked[1]


def test_sweeps_end_early_where_motors_pull_at_each_other(write_document: Write) -> None:
    """Eight motors of a chain: sweeps alone need thousands, solved at once it is a few."""
    n = 8
    links = [link(f"l{i}", inertia="0.001 0.02 0.02", com="0.25 0 0", pose=f"{0.5 * i} 0 0 0 0 0") for i in range(n)]
    hinges = [joint(f"j{i}", "revolute", f"l{i}", parent=f"l{i - 1}" if i else "world", axis="0 1 0") for i in range(n)]
    mechanism = bounded(write_document(world(model(*links, *hinges))))
    for axis in range(n):
        mechanism.set_motor(axis, Motor(1e9))
    mechanism.step(DT)
    assert mechanism._C[row_at.SWEEPS] <= 20
    assert np.abs(mechanism.model.joint_state().velocity).max() <= 1e-12


def test_a_motor_may_be_told_other_numbers_every_step(write_document: Write) -> None:
    """Against one whose tables are made anew each time: the same motion to the last bit, and the row keeps its
    buffers."""
    path = write_document(
        world(
            model(link("a"), joint("j", "revolute", "a", inside_axis="<dynamics><friction>0.1</friction></dynamics>"))
        )
    )
    told, anew = bounded(path), bounded(path)
    told.set_motor(0, Motor(1e3, velocity=1.0))
    rows = told._RF
    for step in range(20):
        wanted = Motor(1e3 + step, velocity=0.1 * step)
        told.set_motor(0, wanted)
        anew.set_motor(0, None)
        anew.set_motor(0, wanted)
        told.step(DT)
        anew.step(DT)
        assert told.model.joint_state().velocity.tolist() == anew.model.joint_state().velocity.tolist()
        assert told.motor_efforts().tolist() == anew.motor_efforts().tolist()
    assert told._RF is rows
    told.set_motor(0, Motor(1e3, 2.0, position=0.5))
    told.step(DT)
    assert told._RI[0, 0] == row_at.TO_POSITION
    assert told._RF[0, :3].tolist() == [1e3, 0.5, 2.0]
