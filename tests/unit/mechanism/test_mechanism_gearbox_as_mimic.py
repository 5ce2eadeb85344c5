"""Which gearboxes become mimics, with which sign, and which stay and why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.diagnostics import DiagnosticLog
from simulator.formats.document import read_document
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.gearbox_as_mimic import gearboxes_as_mimics
from simulator.model.joint import Joint, Mimic
from simulator.model.world import World
from tests.helpers.documents import joint, link, mimic, model, world

Write = Callable[..., Path]
LINKS = (link("base"), link("a"), link("b"))
HINGE_A = joint("ja", "revolute", parent="base", child="a")
HINGE_B = joint("jb", "revolute", parent="base", child="b")


def gearbox(
    ratio: float = 3.0, *, parent: str = "a", child: str = "b", reference: str = "base", axis: str = "0 0 1"
) -> str:
    axes = f"<axis><xyz>{axis}</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"
    law = f"<gearbox_ratio>{ratio!r}</gearbox_ratio><gearbox_reference_body>{reference}</gearbox_reference_body>"
    return f'<joint name="gear" type="gearbox"><parent>{parent}</parent><child>{child}</child>{law}{axes}</joint>'


def converted(path: Path, *needed: str) -> tuple[World, World, DiagnosticLog]:
    found, log = read_document(path), DiagnosticLog()
    assert not found.has_errors, [str(item) for item in found.diagnostics]
    return found.world(), gearboxes_as_mimics(found.world(), log, needed=needed), log


def by_name(found: World) -> dict[str, Joint]:
    return {item.name: item for model_ in found.models for item in model_.joints}


@pytest.mark.parametrize(
    ("gear", "hinge", "multiplier"),
    [
        (gearbox(), HINGE_A, -3.0),
        (gearbox(axis="0 0 -1"), HINGE_A, 3.0),
        (gearbox(), joint("ja", "revolute", parent="a", child="base"), 3.0),
        (gearbox(-2.0), HINGE_A, 2.0),
    ],
    ids=["plain", "axis turned", "hinge turned", "belt"],
)
def test_a_gearbox_of_two_hinges_becomes_a_mimic(
    gear: str, hinge: str, multiplier: float, write_document: Write
) -> None:
    before, after, log = converted(write_document(world(model("m", *LINKS, hinge, HINGE_B, gear))))
    assert set(by_name(after)) == {"m::ja", "m::jb"}
    assert by_name(after)["m::jb"].axes[0].mimic == Mimic("ja", "m::ja", multiplier=multiplier)
    assert [(item.code, item.line) for item in log] == [("GEARBOX_AS_MIMIC", 9)]
    (row,), (same,) = build_mechanism(before).couplings, build_mechanism(after).couplings
    assert (same.follower, same.leader, same.multiplier) == (row.follower, row.leader, row.multiplier)


def test_a_hinge_that_follows_already_leads(write_document: Write) -> None:
    """jb follows jc, so the gearbox is turned round: ja follows jb, by the inverse ratio."""
    links = (*LINKS, link("c"))
    hinges = (
        HINGE_A,
        joint("jb", "revolute", mimic("jc"), parent="base", child="b"),
        joint("jc", "revolute", parent="base", child="c"),
    )
    _, after, _ = converted(write_document(world(model("m", *links, *hinges, gearbox(4.0)))))
    assert by_name(after)["m::ja"].axes[0].mimic == Mimic("jb", "m::jb", multiplier=-0.25)


def test_a_moving_carrier_stays_a_gearbox(write_document: Write) -> None:
    """Willis' equation ties three joints."""
    links = (link("frame"), link("arm"), link("a"), link("b"))
    hinges = (
        joint("arm_joint", "revolute", parent="frame", child="arm"),
        joint("ja", "revolute", parent="frame", child="a"),
        joint("jb", "revolute", parent="arm", child="b"),
    )
    before, after, log = converted(write_document(world(model("m", *links, *hinges, gearbox(reference="arm")))))
    assert after == before
    assert [(item.code, item.severity.value) for item in log] == [("GEARBOX_KEPT", "info")]
    assert "more than two joints" in log.as_tuple()[0].message


def test_a_gearbox_whose_frame_is_needed_stays(write_document: Write) -> None:
    before, after, log = converted(write_document(world(model("m", *LINKS, HINGE_A, HINGE_B, gearbox()))), "gear")
    assert after == before
    assert "refers to its frame" in log.as_tuple()[0].message


def test_a_leader_that_cannot_be_named_leads_from_the_other_side(write_document: Write) -> None:
    """The hinge of b is in the outer model, that of a in the nested one: names only descend, so b follows a."""
    inner = model("n", link("base"), link("a"), HINGE_A)
    outer = joint("jb", "revolute", parent="n::base", child="b")
    gear = gearbox(parent="b", child="n::a", reference="n::base")
    _, after, _ = converted(write_document(world(model("m", link("b"), inner, outer, gear))))
    assert by_name(after)["m::jb"].axes[0].mimic == Mimic("n::ja", "m::n::ja", multiplier=pytest.approx(-1.0 / 3.0))


def test_links_that_only_the_gearbox_kept_apart_are_told(write_document: Write) -> None:
    ball = "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision>"
    links = (link("base"), link("a", ball), link("b", ball))
    text = world(model("m", "<self_collide>true</self_collide>", *links, HINGE_A, HINGE_B, gearbox()))
    _, _, log = converted(write_document(text))
    assert [item.code for item in log] == ["GEARBOX_AS_MIMIC", "GEARBOX_CONTACTS"]
    assert "'m::a' and 'm::b'" in log.as_tuple()[1].message


def test_two_gearboxes_that_say_the_same_leave_one(write_document: Write) -> None:
    """The second makes no coupling of its own; it stays, and nothing becomes a ring of mimics."""
    second = gearbox().replace('"gear"', '"again"')
    _, after, log = converted(write_document(world(model("m", *LINKS, HINGE_A, HINGE_B, gearbox(), second))))
    assert sorted(item.code for item in log) == ["GEARBOX_AS_MIMIC", "GEARBOX_KEPT"]
    assert not build_mechanism(after).has_errors
