"""Films: as many pictures as were given, at their times, in their colours; whole or not at all."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from simulator.errors import RenderingError, UsageError
from simulator.rendering.films import require_film, write_film

Picture = NDArray[np.uint8]


def pictures(count: int, size: tuple[int, int] = (48, 64)) -> Iterator[Picture]:
    """A bright square that goes from left to right over grey."""
    for number in range(count):
        one = np.full((*size, 3), 90, dtype=np.uint8)
        one[20:30, 4 * number : 4 * number + 10] = (250, 60, 20)
        yield one


def decoded(path: Path, size: tuple[int, int]) -> NDArray[np.uint8]:
    """What ffmpeg reads from a file, by itself."""
    from imageio_ffmpeg import get_ffmpeg_exe

    command = [get_ffmpeg_exe(), "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, *size, 3)


def test_a_gif_has_all_pictures_and_their_time(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    write_film(path, pictures(8), 20.0)
    with Image.open(path) as film:
        assert film.n_frames == 8
        for number in (0, 7):
            film.seek(number)
            assert film.info["duration"] == 50
            shown = np.asarray(film.convert("RGB")).astype(int)
            assert np.abs(shown[25, 4 * number + 5] - (250, 60, 20)).max() < 8
            assert np.abs(shown[5, 5] - 90).max() < 8


def test_an_mp4_has_all_pictures(tmp_path: Path) -> None:
    """H.264 stores colours at half the resolution and rounds them: 30 of 255 is what is left in the middle of a square
    of ten pixels."""
    path = tmp_path / "a.mp4"
    write_film(path, pictures(8), 25.0)
    found = decoded(path, (48, 64)).astype(int)
    assert len(found) == 8
    for number in (0, 7):
        assert np.abs(found[number, 25, 4 * number + 5] - (250, 60, 20)).max() < 30
        assert np.abs(found[number, 5, 5] - 90).max() < 10


def test_odd_sides_lose_a_row_and_a_column(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    write_film(path, pictures(3, (49, 65)), 25.0)
    assert len(decoded(path, (48, 64))) == 3


@pytest.mark.parametrize("name", ["a.gif", "a.mp4"])
def test_a_film_that_breaks_off_leaves_nothing(tmp_path: Path, name: str) -> None:
    def broken() -> Iterator[Picture]:
        yield from pictures(3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_film(tmp_path / name, broken(), 20.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.gif", "a.mp4"])
def test_a_film_has_pictures(tmp_path: Path, name: str) -> None:
    with pytest.raises(RenderingError, match="without a picture"):
        write_film(tmp_path / name, iter(()), 20.0)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"is no \.mp4 or \.gif file"):
        require_film(Path("a.avi"), 25.0)
    with pytest.raises(UsageError, match=r"60 pictures a second cannot be written to a \.gif"):
        require_film(Path("a.gif"), 60.0)
    with pytest.raises(RenderingError, match="cannot be written"):
        write_film(tmp_path / "none" / "a.gif", pictures(2), 20.0)
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"pip install 'simulator\[video\]'"):
        require_film(Path("a.mp4"), 25.0)
