"""What a strategy leaves out of surfaces is said, and what it does not leave out is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.session.commands.factory import remark_on
from simulator.session.open.opening import open_document
from tests.helpers import documents
from tests.helpers.repository import ROOT
from tests.physics.solids import ground

Write = Callable[..., Path]
TORSION = "<friction><torsional><patch_radius>0.01</patch_radius></torsional></friction>"
BOUNCE = "<bounce><restitution_coefficient>0.5</restitution_coefficient><threshold>0.1</threshold></bounce>"
STIFF = "<contact><ode><kp>1e6</kp></ode></contact>"


@pytest.mark.parametrize(
    ("surface", "solver", "dt", "said"),
    [
        (TORSION, "gear", None, "without a moment about the normal: of 'm::b' only mu counts"),
        (TORSION, "rows", None, ""),
        (BOUNCE, "gear", None, "that of 'm::b' is ignored"),
        (BOUNCE, "rows", None, ""),
        (STIFF, "rows", None, "contacts of 'm::b' are too stiff for steps of 1 ms, so they are rigid"),
        (STIFF, "rows", 4e-4, ""),
        (STIFF, "gear", None, ""),
    ],
)
def test_what_is_left_out(write_document: Write, surface: str, solver: str, dt: float | None, said: str) -> None:
    """A box of 1 kg: 1e6 N/m swing by a radian in a step of 1 ms."""
    shape = f'<collision name="c"><geometry><box/></geometry><surface>{surface}</surface></collision>'
    link = f'<link name="b"><inertial><mass>1</mass></inertial>{shape}</link>'
    opened = open_document(write_document(documents.world(documents.model("m", link))))
    found = remark_on(opened, solver, dt)
    assert said in found
    assert bool(found) == bool(said)


def test_what_begins_pressed_in_is_said(write_document: Write) -> None:
    """A soft box that the document puts 1 mm into the ground: it is thrown up."""
    surface = "<surface><contact><ode><kp>1e5</kp></ode></contact></surface>"
    collision = f'<collision name="c"><geometry><box/></geometry>{surface}</collision>'
    link = f'<link name="b"><pose>0 0 0.499 0 0 0</pose><inertial><mass>1</mass></inertial>{collision}</link>'
    opened = open_document(write_document(documents.world(ground() + documents.model("m", link))))
    (found,) = (item.message for item in opened.diagnostics if item.code == "OVERLAP_AT_START")
    assert "overlap by 1 mm at the start; their stiffness separates them" in found


def test_gear_does_not_hold_limits_of_joints_that_close_loops(write_document: Write) -> None:
    text = (ROOT / "worlds" / "four_bar.sdf").read_text(encoding="utf-8")
    assert "ignores the limits" not in remark_on(open_document(write_document(text)), "gear")
    limits = "<limit><lower>-3</lower><upper>3</upper></limit>"
    head, tail = text.split('<joint name="closing_joint"')
    opened = open_document(
        write_document(f'{head}<joint name="closing_joint"{tail.replace("</xyz>", f"</xyz>{limits}", 1)}')
    )
    assert "strategy gear ignores the limits of 'four_bar::closing_joint'" in remark_on(opened, "gear")
    assert remark_on(opened, "rows") == ""
