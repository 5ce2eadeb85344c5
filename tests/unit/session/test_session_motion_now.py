"""Velocities, instant centres and paths of a running simulation are those of `simulator analyse` at the same position
and speed.

Both come from the same equations by different code: 1e-9 is what is asked, rounding leaves 1e-12.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.engine.engine import Engine
from simulator.session.commands.commands import Reset, Resume, StepOnce
from simulator.session.commands.factory import make_engine
from simulator.session.look.motion_now import (
    COLUMNS,
    PointPath,
    body_motions,
    instant_centres,
    moments_before,
    save_paths,
)
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings
from tests.helpers.checkout import ROOT
from tests.helpers.local_client import LocalClient

WORLD = ROOT / "worlds" / "four_bar.sdf"
AT, SPEED = 0.5, 6.0
AGREE = 1e-9


def moving(world: Path = WORLD, joint: str = "crank_joint") -> Engine:
    return make_engine(
        open_document(world), SessionSettings(initial=((joint, AT),), initial_velocity=((joint, SPEED),))
    )


def test_instant_centres_are_those_of_the_analysis() -> None:
    engine = moving()
    centres = instant_centres(body_motions(engine.mechanism, engine.snapshot()))
    assert centres is not None
    analysis = simulator.load(WORLD).analyse({"crank_joint": (AT, 1.0)}, velocity=SPEED)
    for body in range(1, len(engine.mechanism.bodies)):
        point = analysis.screw_axis(engine.mechanism.bodies[body].links[0].name).point[0]
        assert centres[body, [0, 2]] == pytest.approx(point[[0, 2]], abs=AGREE)
    assert np.isnan(centres[0]).all()
    engine.close()


def test_a_path_has_the_places_and_velocities_of_the_analysis() -> None:
    engine, place = moving(), (0.1, 0.0, 0.05)
    path = PointPath("four_bar::coupler", place)
    path.see(engine.mechanism, engine.snapshot())
    where, velocity, _ = (
        simulator.load(WORLD).analyse({"crank_joint": (AT, 1.0)}, velocity=SPEED).point("coupler", place)
    )
    assert path.array()[0, 1:4] == pytest.approx(where[0], abs=AGREE)
    assert path.array()[0, 4:] == pytest.approx(velocity[0], abs=AGREE)
    engine.close()


def test_in_space_and_at_rest_there_are_no_centres() -> None:
    at_rest = make_engine(open_document(WORLD), SessionSettings())
    assert instant_centres(body_motions(at_rest.mechanism, at_rest.snapshot())) is None
    at_rest.close()
    world = ROOT / "worlds" / "bennett.sdf"
    mechanism = open_document(world).mechanism
    joint = mechanism.axes[mechanism.independent_axes()[0]].name
    in_space = moving(world, joint)
    assert instant_centres(body_motions(in_space.mechanism, in_space.snapshot())) is None
    in_space.close()


def test_a_path_grows_begins_anew_after_a_reset_and_is_written(tmp_path: Path) -> None:
    engine = moving()
    path = PointPath("four_bar::rocker", (0.3, 0.0, 0.0))
    for _ in range(5):
        path.see(engine.mechanism, engine.snapshot())
        path.see(engine.mechanism, engine.snapshot())
        engine.step()
    assert path.array()[:, 0] == pytest.approx(np.arange(5) * 1e-3)
    radius = np.hypot(path.array()[:, 1] - 0.2, path.array()[:, 3] - 0.16)
    assert radius == pytest.approx(np.full(5, 0.3), abs=1e-9)  # about the rocker's ground pin
    save_paths([path], tmp_path / "paths.csv")
    with (tmp_path / "paths.csv").open() as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["link", "at [m]", *COLUMNS]
    assert [[float(part) for part in row[2:]] for row in rows[1:]] == path.array().tolist()
    engine.reset()
    path.cut(0.0)
    path.see(engine.mechanism, engine.snapshot())
    assert len(path.rows) == 1
    engine.close()


@pytest.fixture
def client() -> Iterator[LocalClient]:
    made = LocalClient(open_document(WORLD), SessionSettings(paused=True, initial_velocity=(("crank_joint", SPEED),)))
    yield made
    made.close()


def see(path: PointPath, client: LocalClient, time: float | None = None) -> None:
    """What is on show: the newest snapshot, or that of a moment."""
    snapshot, status = client.poll()
    assert snapshot is not None
    shown = snapshot if time is None else client.history.at(time, status.dt)
    assert shown is not None
    if (rewound := client.history.rewound) != getattr(client, "rewound", rewound):
        path.cut(rewound[1])
    client.rewound = rewound  # type: ignore[attr-defined]
    path.see(client._opened.mechanism, shown)


def test_a_look_back_leaves_the_path_as_it_is(client: LocalClient) -> None:
    path = PointPath("four_bar::coupler", (0.1, 0.0, 0.0))
    for _ in range(10):
        see(path, client)
        client.send(StepOnce(20))
    before = path.array()
    for time in (0.15, 0.02, 0.11):
        see(path, client, time)
    np.testing.assert_array_equal(path.array(), before)
    see(path, client)
    np.testing.assert_array_equal(path.array()[:10], before)
    assert path.array()[-1, 0] == pytest.approx(0.2)


def test_what_is_recorded_no_more_leaves_the_path(client: LocalClient) -> None:
    path = PointPath("four_bar::coupler", (0.1, 0.0, 0.0))
    for _ in range(10):
        see(path, client)
        client.send(StepOnce(20))
    moment = client.history.at(0.1, 1e-3)
    assert moment is not None
    client.send(Resume(moment))
    see(path, client)
    assert path.array()[:, 0] == pytest.approx(0.02 * np.arange(6))
    client.send(Reset())
    see(path, client)
    assert path.array()[:, 0].tolist() == [0.0]


def test_a_point_that_is_followed_later_has_a_past(client: LocalClient) -> None:
    client.send(StepOnce(6000))
    before = moments_before(client.history, 1e-3, 6.0)
    assert len(before) == 400
    assert before[0].time == pytest.approx(2.0, abs=1e-3)
    assert np.diff([moment.time for moment in before]) == pytest.approx(np.full(399, 0.01), abs=1.1e-3)
    assert moments_before(client.history, 1e-3, 0.0) == []
