"""What a simulation that has run away is blamed on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.divergence import require_bounded
from simulator.errors import DivergedError
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings


@pytest.mark.parametrize("is_light", [False, True])
def test_links_without_inertia_are_blamed_before_the_step(is_light: bool, tmp_path: Path) -> None:
    """A link of nothing between two hinges about one axis has a token inertia: no step resolves what hangs on it."""
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = f'<link name="g"/><link name="a">{"" if is_light else mass}</link><link name="b">{mass}</link>'
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>'
        for name, parent, child in (("h", "g", "a"), ("i", "a", "b"))
    )
    path = tmp_path / "light.urdf"
    path.write_text(f'<robot name="m">{links}{joints}</robot>', encoding="utf-8")
    opened = open_document(path)
    engine = make_engine(opened, SessionSettings())
    state = engine.core.dynamics.read()
    away = replace(state, velocity=np.full_like(state.velocity, np.inf))
    cause = r"links have no inertia of their own \(.*light\.urdf:\d+\)" if is_light else "a step of 0.001 s that is too"
    with pytest.raises(DivergedError, match=f"'m::h' has run away; .*{cause}"):
        require_bounded(engine.mechanism, away, time=0.1, dt=0.001, fast=list)
    engine.close()
