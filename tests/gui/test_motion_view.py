"""Velocities, instant centres and paths in the view, switched on by menu and key, fed by a real mechanism."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFileDialog, QToolTip

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.tokens import LIGHT
from simulator.model.profiles import Constant
from simulator.rendering.theme import rgb
from simulator.session.commands.commands import SetDrive, StepOnce
from simulator.session.look.motion_now import body_motions, instant_centres
from tests.gui.on_view import PRESS, RELEASE, START, Hands
from tests.gui.test_freedoms_panel import HIGH, LOW
from tests.gui.test_hands import on_rocker


def turning(hands: Hands) -> None:
    hands.live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(6.0))))
    hands.live.send(StepOnce(50))
    hands.frame()


def test_velocities_and_centres_are_drawn_where_they_are(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    turning(hands)
    plain = len(hands.view.state.lines)
    for key in ("velocities", "centres", "masses"):
        hands.window.actions_[key].trigger()
    assert len(hands.view.state.lines) > plain
    texts = [label.text for label in hands.view.state.labels]
    assert sum(text.endswith("rad/s") for text in texts) == 3
    snapshot, relations = hands.live.snapshot, hands.live.relations
    assert snapshot is not None
    assert relations is not None
    centres = instant_centres(body_motions(relations.mechanism, snapshot))
    assert centres is not None
    crank = next(label for label in hands.view.state.labels if label.text == "P crank")
    assert crank.point == pytest.approx(tuple(centres[1]), abs=1e-12)
    assert np.array(crank.point)[[0, 2]] == pytest.approx([-0.2, 0.16], abs=1e-9)  # its pin on the ground
    lines = [line.points[:, [0, 2]] for line in hands.view.state.lines if len(line.points) == 2]
    bodies = relations.mechanism.link_bodies()
    rays = {
        link: [ends[1] - ends[0] for ends in lines if np.allclose(ends[1], centres[bodies[link]][[0, 2]], atol=1e-12)]
        for link in ("four_bar::crank", "four_bar::coupler")
    }
    assert len(rays["four_bar::coupler"]) == 2
    along = rays["four_bar::crank"][0]
    across = [abs(along[0] * ray[1] - along[1] * ray[0]) for ray in rays["four_bar::coupler"]]
    assert min(across) == pytest.approx(0.0, abs=1e-9)  # the crank points to the instant centre of the coupler
    for key in ("velocities", "centres", "masses"):
        hands.window.actions_[key].trigger()
    assert len(hands.view.state.lines) == plain


def test_a_clicked_point_leaves_a_path_that_is_saved(
    painted: Callable[[str], Hands], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = painted("four_bar")
    hands.window.actions_["tracing"].trigger()
    at = hands.pixel(on_rocker(START))
    hands.mouse(PRESS, at)
    hands.mouse(RELEASE, at)
    (path,) = hands.view.motion.paths
    assert path.link == "four_bar::rocker"
    for _ in range(4):
        turning(hands)
    assert len(path.rows) >= 4
    target = tmp_path / "paths.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    hands.window.actions_["save_paths"].trigger()
    assert len(target.read_text().splitlines()) == 1 + len(path.rows)
    hands.window.actions_["clear_paths"].trigger()
    assert not hands.view.motion.paths


def click(hands: Hands, point: np.ndarray | tuple[float, float, float]) -> None:
    at = hands.pixel(point)
    hands.mouse(PRESS, at)
    hands.mouse(RELEASE, at)


def marks(hands: Hands) -> list[np.ndarray]:
    """Middles of the crosses at clicked points."""
    lines = [line for line in hands.view.state.lines if line.colour[:3] == rgb(LIGHT.selected)]
    return [piece.mean(axis=0) for line in lines for piece in line.pieces()]


def test_a_clicked_point_has_its_mark_and_its_whole_curve_while_time_stands(painted: Callable[[str], Hands]) -> None:
    """A point of the rocker of a crank-rocker moves on a circle around its pin, between the dead points at which crank
    and coupler lie in line: their closed forms are those of test_freedoms_panel."""
    hands = painted("four_bar")
    hands.window.actions_["tracing"].trigger()
    assert not marks(hands)
    click(hands, on_rocker(START))
    (path,) = hands.view.motion.paths
    snapshot, opened = hands.live.snapshot, hands.live.opened
    assert snapshot is not None
    assert opened is not None
    assert snapshot.time == 0.0
    place = path.now(opened.mechanism, snapshot).place
    assert all(np.allclose(mark, place, atol=1e-9) for mark in marks(hands))
    assert len(marks(hands)) == 3
    hands.qtbot.waitUntil(lambda: hands.view.curves.of(path) is not None, timeout=300000)  # kernels may be compiled
    curve = hands.view.curves.of(path)
    assert curve is not None
    arms = curve[:, [0, 2]] - [0.2, 0.16]
    assert np.ptp(np.linalg.norm(arms, axis=1)) <= 1e-9
    angles = np.unwrap(np.arctan2(arms[:, 1], arms[:, 0]))
    assert np.ptp(angles) == pytest.approx(HIGH - LOW, abs=2e-4)
    assert np.allclose(curve[0], curve[-1], atol=1e-6), "the crank goes round"
    thin = [line.width for line in hands.view.state.lines if np.array_equal(line.points, curve)]
    assert len(thin) == 1
    turning(hands)
    begun = [line for line in hands.view.state.lines if len(line.points) and np.allclose(line.points[0], place)]
    assert max(line.width for line in begun) > 2 * thin[0]
    hands.window.actions_["clear_paths"].trigger()
    assert not marks(hands)


def test_a_click_on_nothing_says_so_while_points_are_followed(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    QToolTip.hideText()
    click(hands, (0.0, 0.0, 0.9))
    assert QToolTip.text() == ""
    hands.window.actions_["tracing"].trigger()
    click(hands, (0.0, 0.0, 0.9))
    assert QToolTip.text().startswith("This body does not move")
    assert not hands.view.motion.paths
    QToolTip.hideText()


def test_of_several_freedoms_there_is_no_curve(painted: Callable[[str], Hands]) -> None:
    hands = painted("stewart")
    hands.view.motion.add_path("stewart::platform", (0.1, 0.0, 0.0))
    hands.frame()
    hands.view._refresh(hands.live.snapshot)
    assert not hands.view.curves._looked


def test_orthographic_by_key(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    hands.window.activateWindow()
    hands.qtbot.waitUntil(hands.window.isActiveWindow)
    hands.qtbot.keyClick(hands.view.canvas, Qt.Key.Key_O)
    assert hands.view.state.camera.orthographic
    hands.view.standard_view("top")
    assert hands.view.state.camera.orthographic


def test_a_path_follows_the_recording_between_two_pictures(painted: Callable[[str], Hands]) -> None:
    """At ten times real time a picture is almost half a second of the mechanism from the last: the curve between is
    that of the recorded steps. A point of a crank that turns at 6 rad/s is on its circle, each piece at most 0.16 rad
    of it; cut straight across it was 2.4. 1e-9 m is what assembled joints are off by."""
    hands = painted("four_bar")
    hands.view.motion.add_path("four_bar::crank", (0.0, 0.0, 0.05))
    turning(hands)
    hands.live.send(StepOnce(400))
    hands.frame()
    (path,) = hands.view.motion.paths
    arms = path.array()[-18:, [1, 3]] - [-0.2, 0.16]
    radii = np.linalg.norm(arms, axis=1)
    assert np.ptp(radii) <= 1e-9
    angles = np.unwrap(np.arctan2(arms[:, 1], arms[:, 0]))
    assert abs(angles[-1] - angles[0]) == pytest.approx(6.0 * 0.4, abs=0.01)
    assert np.abs(np.diff(angles)).max() <= 0.16


def test_scrubbing_leaves_paths_as_they_are(painted: Callable[[str], Hands]) -> None:
    """They are cut if the simulation continues from a moment, and not before."""
    hands = painted("four_bar")
    hands.live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(6.0))))
    hands.view.motion.add_path("four_bar::coupler", (0.1, 0.0, 0.0))
    hands.frame()
    for _ in range(20):
        hands.live.send(StepOnce(10))
        hands.frame()
    (path,) = hands.view.motion.paths
    before = path.array()
    assert len(before) > 15
    for time in (0.05, 0.15, 0.1):
        hands.live.playback.show(time)
        hands.frame()
    np.testing.assert_array_equal(path.array(), before)
    hands.live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(-6.0))))
    hands.window.actions_["resume_here"].trigger()
    for _ in range(3):
        hands.frame()
    after = path.array()
    kept = before[before[:, 0] <= 0.1]
    np.testing.assert_array_equal(after[: len(kept)], kept)
    rest = after[len(kept) :]
    assert len(rest) >= 1
    assert not np.isin(rest[:, 1], before[:, 1]).any(), "nothing of what would have come then"
