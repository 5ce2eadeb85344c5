"""Links that overlap at the start: the pairs and how deep, and which of them cannot come apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from simulator.physics.detect import overlaps as module
from simulator.physics.detect.overlaps import lasting, overlaps_of
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.settings import SessionSettings
from tests.helpers.documents import joint
from tests.physics.solids import ball_shape, box_shape, ground, solid
from tests.physics.worlds import model, world

Write = Callable[..., Path]
CUBE = box_shape("0.2 0.2 0.2")
CYLINDER = "<cylinder><radius>0.1</radius><length>0.4</length></cylinder>"
ELLIPSOID = "<ellipsoid><radii>0.1 0.1 0.1</radii></ellipsoid>"
LIMIT = "<limit><lower>{}</lower><upper>{}</upper></limit>"


def at(name: str, place: str, shape: str = CUBE) -> str:
    return model(solid("b", shape, pose=f"{place} 0 0 0"), name=name)


def findings(opened: Opened, code: str) -> list[str]:
    return [item.folded_message for item in opened.diagnostics if item.code == code]


def test_the_pairs_are_named_with_their_depth(write_document: Write) -> None:
    """Boxes in each other and in the ground; what overlaps by rounding only does not."""
    parts = at("a", "0 0 0.1"), at("b", "0 0 0.28"), at("c", "2 0 0.09998"), at("d", "4 0 0.0999999")
    opened = open_document(write_document(world(ground() + "".join(parts))))
    found = overlaps_of(opened.mechanism)
    assert [(pair.first, pair.second) for pair in found] == [("a::b", "b::b"), ("c::b", "ground::plane")]
    assert [pair.depth for pair in found] == pytest.approx([0.02, 2e-5])
    (said,) = findings(opened, "OVERLAP_AT_START")
    assert "'a::b' and 'b::b' overlap by 20 mm at the start" in said
    assert "(and 1 more like it: 'c::b and ground::plane')" in said
    assert not opened.has_errors


@pytest.mark.parametrize(
    "shape", [CYLINDER, ball_shape(0.1), CUBE, "<ellipsoid><radii>0.1 0.1 0.1</radii></ellipsoid>"]
)
def test_shapes_of_every_kind_are_looked_at(write_document: Write, shape: str) -> None:
    """Both are 0.1 m thick on either side; ellipsoids are found by a search that ends at 1e-8 of the direction."""
    (found,) = overlaps_of(
        open_document(write_document(world(at("a", "0 0 0", shape) + at("b", "0 0.1985 0", shape)))).mechanism
    )
    assert found.depth == pytest.approx(0.0015, abs=1e-9)


@pytest.mark.parametrize("shape", [CYLINDER, ELLIPSOID])
def test_deep_overlaps_without_a_closed_form_are_found(write_document: Write, shape: str) -> None:
    """A search that ends where it is seen that shapes are further apart than asked for must not be asked for less than
    none: 30 mm."""
    two = at("a", "0 0 0", shape) + at("b", "0 0.17 0", shape)
    assert len(overlaps_of(open_document(write_document(world(two))).mechanism)) == 1


def arm(limits: tuple[float, float], *, reach: float = 0.12) -> str:
    """A trunk, and a hand that is 30 mm in it at the start: on a hinge about z, then one about y, 100 mm beside it."""
    links = (
        solid("trunk", box_shape("0.4 0.2 0.2")),
        solid("hip", ball_shape(0.01), pose="0.1 0.2 0 0 0 0"),
        solid("hand", box_shape("0.1 0.1 0.1"), pose=f"0.1 {reach} 0 0 0 0"),
    )
    hinges = (
        joint("turn", "revolute", LIMIT.format(*limits), parent="trunk", child="hip"),
        joint("swing", "revolute", parent="hip", child="hand", axis="0 1 0"),
    )
    return model("<self_collide>true</self_collide>", *links, *hinges)


def test_links_that_cannot_come_apart_do_not_collide(write_document: Write) -> None:
    """The trunk and what turns by 0.1 rad beside it; a hinge between them says nothing about both."""
    opened = open_document(write_document(world(arm((-0.1, 0.1)))))
    assert ("m::hand", "m::trunk") in opened.mechanism.non_colliding
    (said,) = findings(opened, "OVERLAP_ALWAYS")
    assert "'m::hand' and 'm::trunk' overlap by 30 mm at the start and in every position of their joints" in said
    assert not findings(opened, "OVERLAP_AT_START")


def test_links_that_can_come_apart_collide(write_document: Write) -> None:
    """By a quarter of a turn; at the limit only, too."""
    for limits in ((-math.pi / 2, 0.0), (0.0, math.pi), (-2.0, 2.0)):
        opened = open_document(write_document(world(arm(limits))))
        assert ("m::hand", "m::trunk") not in opened.mechanism.non_colliding
        assert len(findings(opened, "OVERLAP_AT_START")) == 1


def test_bodies_that_no_joint_ties_are_never_left_out(write_document: Write) -> None:
    two = at("a", "0 0 0") + at("b", "0 0 0.1")
    mechanism = open_document(write_document(world(two))).mechanism
    assert len(overlaps_of(mechanism)) == 1
    assert not lasting(mechanism, overlaps_of(mechanism))


def test_nothing_is_compiled_where_nothing_can_overlap(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boxes around shapes tell: kernels are not asked."""
    monkeypatch.setattr(module, "_finder", lambda _: pytest.fail("asked"))
    apart = at("a", "0 0 0.1") + at("b", "0 0 0.3") + at("c", "0.5 0 0.1", ball_shape(0.1))
    assert not findings(open_document(write_document(world(ground() + apart))), "OVERLAP_AT_START")


def test_overlaps_with_a_fixed_mesh(tmp_path: Path) -> None:
    """A ball 10 mm in a plate of triangles, and one that touches nothing: a mesh is two rows of the tables."""
    trimesh.creation.box((1.0, 1.0, 0.2)).export(tmp_path / "plate.stl")
    plate = "<geometry><mesh><uri>plate.stl</uri></mesh></geometry>"
    fixed = f'<static>true</static><link name="l"><collision name="c">{plate}</collision></link>'
    balls = at("a", "0.3 0 0.19", ball_shape(0.1)) + at("b", "0 0 1", ball_shape(0.1))
    path = tmp_path / "world.sdf"
    path.write_text(world(model(fixed, name="plate") + balls), "utf-8")
    (found,) = overlaps_of(open_document(path).mechanism)
    assert found[:2] == ("a::b", "plate::l")
    # STL files hold single precision.
    assert found.depth == pytest.approx(0.01, abs=1e-7)


def test_what_overlaps_a_plane_that_moves_is_found(write_document: Write) -> None:
    """A ball 10 mm in a plane that is tilted by its body, and one that is clear of it."""
    plane = "<plane><normal>0 0 1</normal><size>1 1</size></plane>"
    tray = model(solid("b", plane, pose="0 0 0 0 -0.3 0"), name="tray")
    place = f"{-0.09 * math.sin(0.3)!r} 0 {0.09 * math.cos(0.3)!r}"
    balls = at("a", place, ball_shape(0.1)) + at("b", "0 0 2", ball_shape(0.1))
    opened = open_document(write_document(world(tray + balls)))
    (found,) = overlaps_of(opened.mechanism)
    assert found[:2] == ("a::b", "tray::b")
    assert found.depth == pytest.approx(0.01, abs=1e-15)


def test_an_arm_that_rests_in_its_base_is_not_pushed(write_document: Write) -> None:
    """Without gravity nothing moves: there is no energy from nothing."""
    engine = make_engine(open_document(write_document(world(arm((-0.1, 0.1)), gravity="0 0 0"))), SessionSettings())
    for _ in range(100):
        engine.step()
    np.testing.assert_array_equal(engine.snapshot().position, 0.0)
