"""What a strategy leaves out of surfaces is said, and what it does not leave out is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.session.factory import remark_on
from simulator.session.opening import open_document
from tests.helpers import documents
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
        (BOUNCE, "gear", None, "that of 'm::b' does not count"),
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
    found = remark_on(opened, "rows")
    assert "overlap by 1 mm at the start; their stiffness pushes them apart from there" in found
