"""Links that overlap from the start where their joints hardly let them move apart: nothing may be thrown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from simulator.session.factory import make_engine
from simulator.session.opening import open_document
from simulator.session.settings import SessionSettings
from tests.helpers import documents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]


def box(name: str, pose: str, size: str) -> str:
    inertia = "<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>"
    shape = f'<collision name="c"><geometry><box><size>{size}</size></box></geometry></collision>'
    return f'<link name="{name}"><pose>{pose}</pose><inertial><mass>1</mass>{inertia}</inertial>{shape}</link>'


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9, 1e-5])
def test_an_overlap_along_the_axes_of_hinges(write_document: Write, tilt: float) -> None:
    """Three boxes that turn about parallel axes, the third 5 mm into the first along them: no turn takes them apart, so none is made of it.
    Axes that are tilted against each other give the contact levers of `tilt` times a metre, by which 5 mm would be up to 5e9 rad. The
    boxes fall together: the energy is kept, and inside nothing moves by more than 0.1 rad a step for each contact."""
    hinges = "".join(
        f'<joint name="{name}" type="revolute"><pose relative_to="__model__">{place} 0 0 0 0 0</pose><parent>{parent}</parent>'
        f"<child>{child}</child><axis><xyz>{lean} 0 1</xyz><limit><lower>-0.2</lower><upper>0.2</upper></limit></axis></joint>"
        for name, place, parent, child, lean in (("j", 0.3, "a", "b", 0.0), ("k", 0.2, "b", "c", tilt))
    )
    links = (
        box("a", "0 0 0 0 0 0", "0.4 0.4 0.1"), box("b", "0.3 0 0.3 0 0 0", "0.1 0.1 0.1"),
        box("c", "0 0 0.095 0 0 0", "0.2 0.2 0.1"),
    )  # fmt: skip
    engine = make_engine(
        open_document(write_document(documents.world(documents.model("m", *links, hinges)))), SessionSettings()
    )
    scale = 3.0 * 9.8 * 0.5 * 9.8 * 2.0**2
    for _ in range(2000):
        engine.step()
        state = engine.snapshot()
        assert np.abs(state.velocity).max() < 1.0
        assert np.abs(state.position).max() < 0.2 + 1e-6
    assert engine.contacts() or tilt > 0.0 or state.position == pytest.approx([0.0, 0.0], abs=1e-9)
    assert abs(state.energy.error) < 1e-9 * scale
