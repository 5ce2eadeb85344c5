from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import simulator
from simulator.errors import UsageError
from simulator.rendering.offscreen import render_picture
from simulator.session.look.link_poses import LinkPoses
from tests.helpers.documents import joint, link, model, world


def test_a_picture_is_the_world_as_it_is_now() -> None:
    """The same pixels as from the poses of the engine's own snapshot."""
    sim = simulator.load("four_bar")
    first = np.asarray(sim.picture(size=(160, 120)))
    sim.step(200)
    image = sim.picture(size=(160, 120))
    assert image.size == (160, 120)
    assert np.asarray(image).shape == (120, 160, 3)
    assert (np.asarray(image) != first).any()
    bodies = sim._core.ready().snapshot().body_poses
    poses = LinkPoses(sim.mechanism, sim._core.scene.links).at(bodies)
    difference = np.asarray(image, dtype=int) - render_picture(sim._core.scene, poses, size=(160, 120)).astype(int)
    assert np.abs(difference).max() <= 2
    assert (np.asarray(sim.picture(size=(160, 120), dark=True)) != np.asarray(image)).any()


def test_notebooks_get_a_png() -> None:
    data = simulator.load("rack_and_pinion")._repr_png_()
    assert Image.open(io.BytesIO(data)).size == (640, 400)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that `view` would have started."""
    commands: list[list[str]] = []
    monkeypatch.setattr("simulator.api.pictures.subprocess.Popen", commands.append)
    return commands


def test_the_window_opens_where_the_simulation_is(started: list[list[str]]) -> None:
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.5, velocity={"crank_joint": 3.0})
    sim.view()
    (command,) = started
    assert command[:4] == [sys.executable, "-m", "simulator", "view"]
    assert Path(command[4]).name == "four_bar.sdf"
    asked: dict[str, Any] = dict(text.split("=") for text in command if text.startswith("four_bar::"))
    assert float(asked["four_bar::crank_joint"]) == 3.0
    assert "four_bar::crank_joint=0.5" in command
    assert "--initial-velocity" in command


def test_the_window_of_a_text_gets_a_file(started: list[list[str]]) -> None:
    text = world(model("m", link("a"), joint("j", "revolute", parent="world", child="a")))
    simulator.load(text).view()
    assert Path(started[0][4]).read_text() == text


def test_the_window_knows_nothing_of_other_numbers(started: list[list[str]]) -> None:
    with pytest.raises(UsageError, match=r"the window shows documents.*picture\(\)"):
        simulator.load("four_bar").varied({"coupler.mass": 2.0}).view()
    assert started == []
