"""Gearbox and mimic move alike; offset, reference and limits act through the coupling."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.documents import mimic
from tests.physics.worlds import advance, example, joint, link, model, record_steps, running, world

pytestmark = pytest.mark.usefixtures("strategies_with_contacts")

Write = Callable[..., Path]


@pytest.mark.parametrize("drive", ["gearbox_input_joint=effort:0.3", "gearbox_input_joint=velocity:1"])
def test_gearbox_and_its_replacement_move_alike(drive: str) -> None:
    """The gearbox's theta_child = -ratio theta_parent is the mimic with multiplier -5: same rows, same motion."""
    with (
        running(example("gearbox"), drives=(drive,)) as gearbox,
        running(example("gearbox_as_mimic"), drives=(drive,)) as replacement,
    ):
        a, b = record_steps(gearbox, 1000), record_steps(replacement, 1000)
        assert np.abs(a.position - b.position).max() <= 1e-9
        assert np.abs(a.velocity - b.velocity).max() <= 1e-9
        assert abs(a.position[-1, 0]) > 0.5, "nothing moved"
        assert a.position[-1, 1] == pytest.approx(-5.0 * a.position[-1, 0], abs=1e-6)


def test_gearbox_starts_with_the_reflected_inertia() -> None:
    """J qdd = tau + 0.735 cos q with J = 0.136041666667 (worlds/README.md): the first step's velocity is that
    acceleration times dt."""
    with running(example("gearbox")) as engine:
        engine.step()
        assert engine.snapshot().velocity[0] / engine.dt == pytest.approx(5.402756508, rel=1e-6)


@pytest.mark.parametrize(
    ("multiplier", "offset", "reference"), [(1, 0, 0), (-2, 0.1, 0), (0.5, 0.3, -0.1), (2, -0.2, 0.4)]
)
def test_offset_and_reference_from_the_first_step(
    write_document: Write, multiplier: float, offset: float, reference: float
) -> None:
    """q_f = m (q_l - reference) + offset holds at the start, where the follower is assembled onto it, and at each step
    (erp: round-off)."""
    text = world(
        model(
            link("a"),
            link("b", pose="1 0 0 0 0 0"),
            joint("lead", "revolute", "a"),
            joint(
                "follow",
                "revolute",
                "b",
                inside_axis=mimic("lead", multiplier=multiplier, offset=offset, reference=reference),
            ),
        )
    )
    with running(write_document(text), drives=("lead=effort:1",)) as engine:
        for _ in range(200):
            lead, follow = engine.snapshot().position
            assert follow == pytest.approx(multiplier * (lead - reference) + offset, abs=1e-12)
            engine.step()
        assert lead > 1e-3, "nothing moved"


def test_limit_of_a_follower_stops_its_leader(write_document: Write) -> None:
    """The follower's stop at 0.05 m holds the leader at 0.05 / 0.02 = 2.5 rad; Bullet's limit gives way by what its erp
    lets through."""
    text = world(
        model(
            link("a", inertia="1e-4 1e-4 1e-4"),
            link("b"),
            joint("lead", "revolute", "a"),
            joint(
                "follow",
                "prismatic",
                "b",
                axis="1 0 0",
                inside_axis="<limit><lower>-0.1</lower><upper>0.05</upper></limit>" + mimic("lead", multiplier=0.02),
            ),
        )
    )
    with running(write_document(text), drives=("lead=effort:0.01",)) as engine:
        advance(engine, 2.0)
        snapshot = engine.snapshot()
        assert snapshot.position[0] == pytest.approx(2.5, abs=1e-3)
        assert abs(snapshot.velocity[0]) <= 1e-6
        assert snapshot.worst_coupling_residual() <= 1e-5


def test_chain_in_any_order_and_across_models(write_document: Write) -> None:
    """c follows b follows a, written backwards and over two models through a joint of the world: 2 * 3 = 6."""
    text = world(
        model(link("c"), name="far")
        + model(
            link("a"),
            link("b"),
            joint("jb", "revolute", "b", inside_axis=mimic("ja", multiplier=3)),
            joint("ja", "revolute", "a"),
        )
        + joint("jc", "revolute", "far::c", inside_axis=mimic("m::jb", multiplier=2))
    )
    with running(write_document(text), drives=("m::ja=effort:1",)) as engine:
        advance(engine, 0.5)
        position = engine.snapshot().position
        names = [axis.name for axis in engine.mechanism.axes]
        at = {name: position[i] for i, name in enumerate(names)}
        assert at["m::ja"] == pytest.approx(0.5 * 0.5**2 / (1 + 9 + 36), rel=1e-2)
        assert at["jc"] == pytest.approx(6 * at["m::ja"], abs=1e-9)


def test_gear_train_carries_torque_to_the_last_gear() -> None:
    """J = 1.9008e-3 kg m^2 at gear 1 (worlds/README.md): 0.019008 N m give 10 rad/s^2; gear 8 turns at -1.5 times gear
    1.

    Seven gear rows are solved by sweeps that stop at round-off: 1e-6 relative is a hundred times what is seen.
    """
    with running(example("gear_train"), drives=("gear_1_joint=effort:0.019008",)) as engine:
        advance(engine, 1.0)
        snapshot = engine.snapshot()
        assert snapshot.velocity[0] == pytest.approx(10.0, rel=1e-6)
        assert snapshot.velocity[7] == pytest.approx(-15.0, rel=1e-6)
        assert snapshot.worst_coupling_residual() <= 1e-9


def test_screw_travels_by_its_pitch() -> None:
    """One turn is one pitch of 0.01 m, right-handed: travel = 0.01 / 2 pi * angle; plate and spindle agree."""
    with running(example("screw_press"), drives=("spindle_joint=velocity:3",)) as engine:
        advance(engine, 2.0)
        snapshot = engine.snapshot()
        at = dict(zip([axis.name for axis in engine.mechanism.axes], snapshot.position, strict=True))
        assert at["screw_press::spindle_joint"] == pytest.approx(6.0, abs=0.02)
        travel = 0.01 / (2 * math.pi) * at["screw_press::spindle_joint"]
        assert at["screw_press::spindle_joint:travel"] == pytest.approx(travel, abs=1e-9)
        assert at["screw_press::plate_joint"] == pytest.approx(travel, abs=1e-9)


def test_screw_falls_with_the_inertia_of_its_turning(write_document: Write) -> None:
    """A left-handed screw under gravity: qdd = m g k / (I + m k^2), k = pitch / 2 pi; constant, so exact to
    round-off."""
    k = -0.05 / (2 * math.pi)
    text = world(
        model(
            link("a", mass=2.0, inertia="0.1 0.1 0.01"),
            joint("j", "screw", "a", extra="<screw_thread_pitch>-0.05</screw_thread_pitch>"),
        )
    )
    with running(write_document(text)) as engine:
        advance(engine, 1.0)
        assert engine.snapshot().velocity[0] == pytest.approx(-2.0 * 9.8 * k / (0.01 + 2.0 * k * k), rel=1e-9)
