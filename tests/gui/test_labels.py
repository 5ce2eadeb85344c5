"""Labels of the view: none lies on another or on the hint, and followers are known by more than their hue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QImage, QPainter, QPixmap

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.selection import Item, ItemKind
from simulator.gui.tokens import DARK, LIGHT
from simulator.gui.viewport.hint_place import forms_of, shapes_in_view
from simulator.gui.viewport.label_layout import LabelLayout
from simulator.gui.viewport.motion_view import MOST_LABELS
from simulator.gui.viewport.state import Label
from simulator.model.profiles import Constant
from simulator.rendering.build import MISSING_COLOUR, PART_COLOURS
from simulator.rendering.theme import THEMES, rgb
from simulator.session.commands.commands import SetDrive, SetPosition, StepOnce
from simulator.spatial.pose_arrays import matrices
from tests.gui.on_view import Hands
from tests.helpers.checkout import ROOT
from tests.helpers.documents import joint, link, model, world


def boxes(hands: Hands) -> list[QRectF]:
    """Where labels are drawn, the hint first."""
    overlay, taken = hands.view._overlay, list[QRectF]()
    picture = QPixmap(overlay.size())
    painter = QPainter(picture)
    painter.setFont(overlay.font())
    shapes = shapes_in_view(hands.view.state, (float(overlay.width()), float(overlay.height())))
    taken += overlay._furniture(painter, shapes).values()
    overlay._paint_labels(painter, taken, shapes)
    painter.end()
    return taken


def test_labels_lie_neither_on_each_other_nor_on_the_hint(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    assert hands.view.state.hint
    top = hands.view.state.camera
    point = tuple((top.eye + top.ray((0.0, 0.85), 1.3)[1] * top.distance).tolist())
    hands.view.state.labels = tuple(Label(point, f"label {number}") for number in range(6))
    found = boxes(hands)
    assert len(found) == 7
    for number, box in enumerate(found):
        assert hands.view._overlay.rect().toRectF().contains(box)
        assert not any(box.intersects(other) for other in found[:number])


def test_the_hint_keeps_off_the_bar_of_the_section_plane(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    hands.window.resize(800, 700)
    hands.qtbot.wait(50)
    hands.window.actions_["section"].trigger()
    hint = boxes(hands)[0]
    assert not hint.intersects(hands.view.section_bar.geometry().toRectF())


def covered(hands: Hands, box: QRectF) -> float:
    """How much of a box lies on bodies that can be dragged, by rays through its points into what was painted last."""
    xs, ys = np.linspace(box.left(), box.right(), 20), np.linspace(box.top(), box.bottom(), 4)
    hits = [hands.view.hit(QPointF(x, y)) for x in xs for y in ys]
    return sum(hit is not None and hands.view.hand.can_hold(hit.link) for hit in hits) / len(hits)


@pytest.mark.parametrize(
    ("world", "names"),
    [
        ("four_bar", ["crank_joint", "coupler_joint", "rocker_joint", "closing_joint"]),
        ("gear_train", ["gear_1_joint", *(f"↳ gear_{number}_joint" for number in range(2, 9))]),
    ],
)
def test_joints_have_labels_beside_the_bodies_one_drags(
    painted: Callable[[str], Hands], world: str, names: list[str]
) -> None:
    hands = painted(world)
    hands.window.workbench.hide_all()
    hands.qtbot.wait(50)
    hands.view.fit()
    hands.view._overlay._layout = LabelLayout()  # nothing stays where it was in a smaller view
    hands.view.grab()
    texts = [label.text.partition("   ")[0] for label in hands.view.state.labels]
    assert set(names) <= set(texts)
    places = boxes(hands)
    labels = places[1:]
    assert len(labels) >= min(len(names), 4)
    assert max(covered(hands, box) for box in labels) == 0.0
    hands.window.actions_["labels"].trigger()
    assert not hands.view.state.labels


def test_labels_stay_off_bodies_that_move_below_them(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    hands.window.workbench.hide_all()
    hands.qtbot.wait(50)
    hands.view.fit()
    for angle in np.linspace(0.0, 6.0, 13).tolist():
        hands.live.send(SetPosition(0, angle))
        hands.frame()
        hands.view.grab()
        assert max(covered(hands, box) for box in boxes(hands)[1:]) < 0.3


def is_free(hands: Hands) -> bool:
    """Whether no body is seen where the hint is, by rays through its points into what was painted last."""
    hands.view.grab()
    box = boxes(hands)[0]
    assert hands.view.rect().toRectF().contains(box)
    xs, ys = np.linspace(box.left(), box.right(), 20), np.linspace(box.top(), box.bottom(), 4)
    return all(hands.view.hit(QPointF(x, y)) is None for x in xs for y in ys)


@pytest.mark.parametrize("world", ["four_bar", "telescope", "hoeken"])
def test_the_hint_covers_nothing_of_a_mechanism_that_fills_a_low_view(
    painted: Callable[[str], Hands], world: str
) -> None:
    hands = painted(world)
    hands.window.workbench.hide_all()
    hands.window.resize(853, 533)
    hands.qtbot.wait(50)
    for direction in ("front", "iso"):
        hands.view.standard_view(direction)
        hands.frame()
        assert is_free(hands)
        assert not hands.view.hint_covers


@pytest.mark.parametrize("world", ["stewart", "scissor_lift"])
def test_the_hint_is_narrow_beside_what_is_tall(painted: Callable[[str], Hands], world: str) -> None:
    """Panels leave the smallest window a view in which the mechanism reaches from the bottom to the top."""
    hands = painted(world)
    hands.window.resize(700, 520)
    hands.qtbot.wait(50)
    hands.view.standard_view("iso")
    hands.frame()
    assert is_free(hands)
    assert not hands.view.hint_covers


def test_a_hint_can_be_written_in_more_than_one_way() -> None:
    forms = forms_of("Drag a body to move it; drag beside it to turn the view")
    assert forms == (
        "Drag a body to move it; drag beside it to turn the view",
        "Drag a body to move it;\ndrag beside it to turn the view",
        "Drag a body\nto move it;\ndrag beside it\nto turn the view",
        "Drag a body to move it",
        "Drag a body\nto move it",
    )
    assert forms_of("Drag") == ("Drag",)


def test_a_hint_without_room_goes_away_by_itself(painted: Callable[[str], Hands]) -> None:
    """Beside open panels the view is 150 pixels high; seen from above and near, the base of a slider-crank fills it."""
    hands = painted("slider_crank")
    hint = hands.window.hint
    hands.frame()
    assert is_free(hands)
    hint._patience.timeout.emit()
    assert hands.view.state.hint, "it is in nobody's way"
    hands.window.resize(853, 533)
    hands.qtbot.wait(50)
    hands.view.standard_view("top")
    hands.view.state.camera = replace(hands.view.state.camera, distance=0.2 * hands.view.state.camera.distance)
    hands.frame()
    assert not is_free(hands)
    hint._patience.timeout.emit()
    assert hands.view.state.hint == ""


def test_followers_are_dashed_and_have_an_arrow_before_their_name(painted: Callable[[str], Hands]) -> None:
    """As in the legend of the plots; leaders are drawn in one piece."""
    hands = painted("rack_and_pinion")
    plain = len(hands.view.state.lines)
    hands.window.actions_["axes"].trigger()
    by_colour: dict[object, int] = {}
    for line in hands.view.state.lines[plain:]:
        by_colour[line.colour] = by_colour.get(line.colour, 0) + len(line.pieces())
    assert len(by_colour) == 2
    fewest, most = sorted(by_colour.values())
    assert fewest <= 3
    assert most > 8
    texts = [label.text for label in hands.view.state.labels]
    assert [text.startswith("↳ ") for text in texts] == [label.follower for label in hands.view.state.labels]
    assert any(text.startswith("↳ rack_joint") for text in texts)


def test_an_arrow_leads_from_the_leader_of_the_selected_joint_to_it(painted: Callable[[str], Hands]) -> None:
    """From the axis of the pinion to that of the rack, where the kinematics have them. With dimensions the line of the
    ratio does that."""
    hands = painted("rack_and_pinion")
    hands.window.actions_["dimensions"].trigger()
    plain = len(hands.view.state.lines)
    opened, snapshot = hands.live.opened, hands.live.snapshot
    assert opened is not None
    assert snapshot is not None
    follower = opened.mechanism.axes[opened.mechanism.couplings[0].follower]
    hands.window.selection.select(Item(ItemKind.JOINT, follower.joint))
    drawn = hands.view.state.lines[plain:]
    poses, places = matrices(snapshot.body_poses), []
    for axis in (opened.mechanism.couplings[0].leader, opened.mechanism.couplings[0].follower):
        joint = next(j for j in opened.mechanism.joints if any(motion.axis == axis for motion in j.motions))
        places.append((poses[joint.parent] @ joint.X_PJ.matrix())[:3, 3])
    shafts = [piece for line in drawn for piece in line.pieces() if np.allclose(piece[[0, -1]], places, atol=1e-12)]
    assert len(shafts) == 1
    hands.window.selection.select(None)
    assert len(hands.view.state.lines) == plain


def test_of_a_chosen_relation_there_is_one_thin_arrow_with_its_ratio(painted: Callable[[str], Hands]) -> None:
    """The gear of it follows one and is followed by another: of these relations nothing is drawn. With numbers on the
    drawing a line of theirs has the ratio."""
    hands = painted("gear_train")
    hands.window.actions_["dimensions"].trigger()
    opened, plain = hands.live.opened, len(hands.view.state.lines)
    assert opened is not None
    mechanism = opened.mechanism
    law = mechanism.couplings[2]
    hands.window.selection.select(Item(ItemKind.COUPLING, mechanism.axes[law.follower].name))
    lines = [line for line in hands.view.state.lines[plain:] if line.colour[:3] == rgb(LIGHT.text)]
    assert sum(len(line.pieces()) for line in lines if len(line.points) == 2) == 1
    assert all(line.width < 2.0 for line in lines)
    ratios = [label.text for label in hands.view.state.labels if label.text.startswith("× ")]
    assert ratios == ["× −2"]
    hands.live.open(ROOT / "worlds" / "rack_and_pinion.sdf")
    hands.qtbot.waitUntil(lambda: hands.live.snapshot is not None)
    rack = hands.live.opened
    assert rack is not None
    follower = rack.mechanism.axes[rack.mechanism.couplings[0].follower]
    hands.window.selection.select(Item(ItemKind.COUPLING, follower.name))
    assert [label.text for label in hands.view.state.labels if label.text.startswith("× ")] == ["× 0.02 m/rad"]
    hands.window.actions_["millimetres"].trigger()
    assert [label.text for label in hands.view.state.labels if label.text.startswith("× ")] == ["× 20 mm/rad"]


def test_what_is_selected_looks_like_nothing_else() -> None:
    """Neither like a leader or a follower nor like any colour that parts are given; the renderer has the same."""
    for tokens in (LIGHT, DARK):
        selected = np.array(rgb(tokens.selected))
        assert THEMES[tokens.name].selected == rgb(tokens.selected)
        others = [rgb(tokens.accent), rgb(tokens.follower), rgb(tokens.error), rgb(tokens.ok), MISSING_COLOUR[:3]]
        others += [colour[:3] for colour in PART_COLOURS]
        assert min(float(np.linalg.norm(selected - other)) for other in others) > 0.3


def crowded(folder: Path) -> Path:
    """Twelve pendulums on three rails, 3 cm apart, which swing at different speeds."""
    parts = []
    for i in range(12):
        place = f"{0.03 * (i % 4)} {0.03 * (i // 4)} 0.3 0 0 0"
        parts.append(link(f"bob_{i}", mass=0.1 + 0.05 * i, pose=place))
        parts.append(
            joint(f"swing_{i}", "revolute", parent="world", child=f"bob_{i}", axis="0 1 0", pose="0 0 0.05 0 0 0")
        )
    path = folder / "crowd.sdf"
    path.write_text(world(model("crowd", *parts)))
    return path


def test_many_labels_close_together_lie_apart_and_the_rest_is_counted(
    painted: Callable[[str], Hands], tmp_path: Path
) -> None:
    hands = painted("four_bar")
    hands.live.open(crowded(tmp_path))
    for name in ("velocities", "accelerations", "labels"):
        hands.window.actions_[name].trigger()
    for number in range(12):
        hands.live.send(SetPosition(number, 0.3 + 0.1 * number))
    hands.live.send(StepOnce(60))
    hands.frame()
    wanted = [label for label in hands.view.state.labels if "m/s²" in label.text]
    assert len(wanted) == 12
    found = boxes(hands)
    for number, box in enumerate(found):
        assert hands.view._overlay.rect().toRectF().contains(box)
        assert not any(box.intersects(other) for other in found[:number])
    left_out = hands.view._overlay.left_out
    furniture = 1 + (left_out > 0)  # the hint and the count
    assert len(found) - furniture + left_out == len(hands.view.state.labels)
    hands.window.resize(800, 500)
    hands.qtbot.wait(50)
    boxes(hands)
    assert hands.view._overlay.left_out > max(left_out, 0)
    assert hands.view._overlay._left_out_text() == f"+{hands.view._overlay.left_out} labels"


def test_of_a_thousand_bodies_the_fastest_have_labels_and_the_others_are_counted(
    painted: Callable[[str], Hands],
) -> None:
    hands = painted("gear_train_1024")
    hands.window.actions_["velocities"].trigger()
    hands.live.send(SetDrive("gear_1_joint", Drive(DriveKind.VELOCITY, Constant(1.0))))
    hands.live.send(StepOnce(200))
    hands.frame()
    speeds = [label for label in hands.view.state.labels if "rad/s" in label.text]
    assert len(speeds) + hands.view.state.unlabelled == 1024
    assert len(speeds) == MOST_LABELS
    boxes(hands)
    assert hands.view._overlay.left_out > 900
    assert "0 m/s" not in " ".join(label.text for label in speeds)


def test_labels_are_painted_anew_only_where_they_change(
    painted: Callable[[str], Hands], monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = painted("four_bar")
    view, asked = hands.view, list[int]()
    view._camera_moved()
    monkeypatch.setattr(view._overlay, "update", lambda: asked.append(1))
    view._camera_moved()
    assert asked == []
    view.state.labels = (Label((0.0, 0.0, 0.0), "new"),)
    view._camera_moved()
    view._camera_moved()
    assert len(asked) == 1
    view.state.camera = replace(view.state.camera, azimuth=view.state.camera.azimuth + 0.1)
    view._camera_moved()
    assert len(asked) == 2


def test_the_hint_is_in_no_picture(painted: Callable[[str], Hands]) -> None:
    """It is for who sits at the mouse, not for a film."""
    hands = painted("four_bar")
    assert hands.view.state.hint
    captured = hands.view.capture()
    saved = captured.picture(captured.own_size)

    def on_screen() -> QImage:
        return hands.view.grab().toImage().convertToFormat(saved.format())

    assert on_screen() != saved, "it is on the screen"
    hands.view.show_hint("")
    assert on_screen() == saved


def test_a_label_that_is_wider_than_the_view_leaves_its_last_parts_out(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    overlay = hands.view._overlay
    label = Label((0.2, 0.0, 0.2), "closing_joint   θ = 0.033 rad   |r| = 6.6e−17 m")
    hands.view.state.labels = (label,)
    picture = QPixmap(overlay.size())
    texts = []
    for height in (0, 60, 100):
        overlay.set_type(height)
        painter = QPainter(picture)
        painter.setFont(overlay.font())
        ((shown, wanted),) = overlay._seen_labels(painter)
        painter.end()
        texts.append(shown.text)
        assert wanted.size[0] <= overlay.width()
        assert wanted.key == label.text, "it keeps its place"
    assert texts[0] == label.text
    assert texts[1:] == ["closing_joint   θ = 0.033 rad", "closing_joint"]
