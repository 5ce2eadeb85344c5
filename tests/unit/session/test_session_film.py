"""A film of a run: its moments, its camera, and what ends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from simulator.session.commands.factory import make_engine
from simulator.session.look.film import film_of, moments_of
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings, parse_drive
from tests.helpers.repository import ROOT


def test_moments_are_the_steps_nearest_to_the_pictures() -> None:
    """30 pictures a second at steps of 1 ms: 0, 33, 67, 100 ms; a drive at 1 rad/s shows them as angles."""
    opened = open_document(ROOT / "worlds" / "rack_and_pinion.sdf")
    engine = make_engine(opened, SessionSettings(drives=(parse_drive("pinion_joint=velocity:1"),)))
    try:
        moments, failure = moments_of(engine, 0.1, 30.0)
    finally:
        engine.close()
    assert failure is None
    assert [round(moment.time, 6) for moment in moments] == [0.0, 0.033, 0.067, 0.1]
    assert [float(moment.position[0]) for moment in moments] == pytest.approx([0.0, 0.033, 0.067, 0.1], abs=1e-9)


def test_a_film_says_how_far_it_is_and_can_be_broken_off(tmp_path: Path) -> None:
    opened = open_document(ROOT / "worlds" / "rack_and_pinion.sdf")
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        if len(told) > 6:
            raise KeyboardInterrupt

    engine = make_engine(opened, SessionSettings(drives=(parse_drive("pinion_joint=velocity:2"),)))
    path = tmp_path / "a.gif"
    try:
        assert film_of(opened, engine, path, duration=0.2, fps=20.0, size=(64, 48), progress=progress) is None
        assert told == [(0, 5), (1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]
        with Image.open(path) as film:
            assert (film.n_frames, film.size) == (5, (64, 48))
        with pytest.raises(KeyboardInterrupt):
            film_of(opened, engine, tmp_path / "b.gif", duration=0.2, fps=20.0, size=(64, 48), progress=progress)
    finally:
        engine.close()
    assert [one.name for one in tmp_path.iterdir()] == ["a.gif"]
