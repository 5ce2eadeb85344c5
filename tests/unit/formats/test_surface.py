"""What of `<surface>` is left out is said, once a kind, where it would matter; what is simulated is not."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.model.material import Surface
from simulator.session.open.opening import open_document
from tests.helpers import documents
from tests.helpers.repository import ROOT

Write = Callable[..., Path]
DOCUMENTS = ROOT / "tests" / "conformance" / "documents"


def findings(write: Write, surface: str) -> list[str]:
    shape = f'<collision name="c"><geometry><box/></geometry><surface>{surface}</surface></collision>'
    link = f'<link name="b"><inertial><mass>1</mass></inertial>{shape}</link>'
    opened = open_document(write(documents.world(documents.model("m", link))))
    return [f.message for f in opened.diagnostics if f.code == "NOT_SIMULATED"]


def ode(inside: str) -> str:
    return f"<friction><ode>{inside}</ode></friction>"


def contact(inside: str) -> str:
    return f"<contact><ode>{inside}</ode></contact>"


def torsional(inside: str) -> str:
    return f"<friction><torsional>{inside}</torsional></friction>"


def bounce(restitution: float, threshold: float) -> str:
    number = f"<restitution_coefficient>{restitution}</restitution_coefficient>"
    return f"<bounce>{number}<threshold>{threshold}</threshold></bounce>"


@pytest.mark.parametrize(
    ("surface", "said"),
    [
        (ode("<mu>0.5</mu><mu2>0.2</mu2>"), "the same in every direction"),
        (ode("<mu>0.5</mu><mu2>0.2</mu2><fdir1>0 0 0</fdir1>"), "the same in every direction"),
        (ode("<mu>0.5</mu><mu2>0.5</mu2><slip1>0.1</slip1>"), "yields the same in every direction"),
        (torsional("<use_patch_radius>0</use_patch_radius><surface_radius>0.1</surface_radius>"), "holds nothing"),
        (contact("<kp>1e5</kp><kd>10</kd>") + bounce(0.5, 0.5), "counts for rigid ones"),
        (contact("<max_vel>1</max_vel>"), "without a velocity"),
        (contact("<min_depth>0.001</min_depth>"), "contacts are rigid"),
    ],
)
def test_what_is_left_out_is_said(write_document: Write, surface: str, said: str) -> None:
    found = findings(write_document, surface)
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize(
    "surface",
    [
        ode("<mu>0.5</mu><mu2>0.5</mu2>"),
        ode("<mu>100</mu><mu2>50</mu2>"),
        ode("<mu>0.5</mu><mu2>0.5</mu2><fdir1>1 0 0</fdir1>"),
        ode("<mu>0.5</mu><mu2>0.5</mu2><slip1>0.1</slip1><slip2>0.1</slip2>"),
        ode("<mu>0.5</mu><mu2>0.5</mu2><slip2>0.1</slip2><fdir1>1 0 0</fdir1>"),
        ode("<mu>0.5</mu><mu2>0.2</mu2><fdir1>1 0 0</fdir1>"),
        ode("<mu>0.5</mu><mu2>0.2</mu2><fdir1 gz:expressed_in='__model__'>1 0 0</fdir1>"),
        torsional("<coefficient>0.3</coefficient><patch_radius>0.01</patch_radius><ode><slip>0.1</slip></ode>"),
        torsional("<surface_radius>0.1</surface_radius>"),
        torsional("<use_patch_radius>0</use_patch_radius><surface_radius>0.1</surface_radius>")
        + contact("<kp>1e5</kp>"),
        contact("<kp>1e5</kp><kd>10</kd>"),
        bounce(0.5, 0.5),
        bounce(0.5, 0.01),
        bounce(0.5, 100000.0),
        bounce(0.0, 1.0),
        contact("<kp>1e12</kp>"),
    ],
)
def test_what_changes_nothing_is_not_said(write_document: Write, surface: str) -> None:
    assert findings(write_document, surface) == []


def test_a_spring_that_does_not_push_is_none(write_document: Write) -> None:
    shape = f'<collision name="c"><geometry><box/></geometry><surface>{contact("<kp>0</kp>")}</surface></collision>'
    link = f'<link name="b"><inertial><mass>1</mass></inertial>{shape}</link>'
    opened = open_document(write_document(documents.world(documents.model("m", link))))
    assert [f.code for f in opened.diagnostics if "kp" in f.message] == ["ELEMENT_INVALID"]


def surfaces(name: str, *, strict: bool = True) -> list[Surface]:
    """Those of a document that shows a rule."""
    document = read_document(DOCUMENTS / name, ReadingOptions(strict=strict))
    return [collision.surface for link in document.root_models[0].links for collision in link.collisions]


def test_friction_of_bullet_counts_where_ode_states_none() -> None:
    _, alone, beside = surfaces("friction_of_bullet.sdf")
    assert (alone.friction, alone.friction2) == (0.2, 0.3)
    assert alone.direction is not None
    assert alone.direction.xyz == (0.0, 1.0, 0.0)
    assert beside.friction == 0.5


def test_friction_below_zero_has_no_bound() -> None:
    assert [surface.friction for surface in surfaces("friction_below_zero.sdf")] == [1000.0, 1000.0]


def test_the_contact_of_bullet_acts() -> None:
    """A patch of the radius a holds 3 pi / 16 a N, which is spinning_friction N."""
    base, wheel = surfaces("urdf_contact_of_bullet.urdf", strict=False)
    assert (base.friction, base.restitution) == (0.7, 0.25)
    assert 3.0 * math.pi / 16.0 * base.torsion.patch_radius == pytest.approx(0.1)
    assert (wheel.friction, wheel.contact_stiffness, wheel.contact_damping) == (0.9, 30000.0, 100.0)
