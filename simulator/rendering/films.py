"""Pictures one after the other into a file: GIF with pillow, MP4 (H.264) with ffmpeg."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import RenderingError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Frames = Iterator[NDArray[np.uint8]]

SUFFIXES = (".mp4", ".gif")
PATIENCE = 60.0
"""Seconds that ffmpeg has to finish a file after the last picture."""
GIF_TICK = 0.01
"""Times in a GIF are multiples of this [s]; viewers slow down what is shorter than two of them."""
COLOURS = 255


def require_film(path: Path, fps: float) -> None:
    """Raise UsageError where no film can be written to `path`, with so many pictures a second."""
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"'{path}' is no {' or '.join(SUFFIXES)} file: films are written as MP4 or GIF")
    most = 50.0 if path.suffix.lower() == ".gif" else 240.0
    if not 0.1 <= fps <= most:
        raise UsageError(f"{fps:g} pictures a second cannot be written to a {path.suffix} file; give 0.1 to {most:g}")
    if path.suffix.lower() == ".mp4":
        _ffmpeg()


def write_film(path: Path, frames: Frames, fps: float) -> None:
    """Write pictures (height, width, 3), all of one size, `fps` a second; the file is there whole or not at all.

    What `frames` raises ends the film without a file. MP4 needs ffmpeg: that of the package imageio-ffmpeg, else the
    one on the path. A row or column is left out where a side is odd, which H.264 cannot have. In a GIF times are
    rounded to hundredths of a second.

    Raises RenderingError if the file cannot be written, UsageError as `require_film` does.
    """
    require_film(path, fps)
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=path.suffix, delete=False) as file:
            temporary = Path(file.name)
        (_write_gif if path.suffix.lower() == ".gif" else _write_mp4)(temporary, frames, fps)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise RenderingError(f"the film {path} cannot be written: {error}") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _write_gif(path: Path, frames: Frames, fps: float) -> None:
    """All have the palette of the first, so that nothing flickers; the same things are in all of them."""
    from PIL import Image

    first = next(frames, None)
    if first is None:
        raise RenderingError("a film without a picture cannot be written")
    palette = Image.fromarray(first).quantize(COLOURS)

    def quantised(picture: NDArray[np.uint8]) -> Image.Image:
        return Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)

    duration = max(round(1.0 / (fps * GIF_TICK)), 2) * round(1000.0 * GIF_TICK)
    others = (quantised(picture) for picture in frames)
    with path.open("wb") as file:
        quantised(first).save(file, "GIF", save_all=True, append_images=others, duration=duration, loop=0)


def _write_mp4(path: Path, frames: Frames, fps: float) -> None:
    first = next(frames, None)
    if first is None:
        raise RenderingError("a film without a picture cannot be written")
    height, width = first.shape[0] // 2 * 2, first.shape[1] // 2 * 2
    command = [
        _ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
        "-r", f"{fps:g}", "-i", "-", "-an", "-c:v", "libx264", "-preset", "fast", "-crf", "18", "-pix_fmt", "yuv420p",
        "-movflags", "+faststart", str(path),
    ]  # fmt: skip
    with tempfile.TemporaryFile() as said, subprocess.Popen(command, stdin=subprocess.PIPE, stderr=said) as process:
        try:
            assert process.stdin is not None
            for picture in _with_first(first, frames):
                process.stdin.write(np.ascontiguousarray(picture[:height, :width]).tobytes())
            process.stdin.close()
            code = process.wait(PATIENCE)
        except BrokenPipeError:
            code = process.wait(PATIENCE)
        except BaseException:
            process.kill()
            raise
        if code != 0:
            said.seek(0)
            text = said.read(2000).decode("utf-8", errors="replace").strip()
            raise RenderingError(f"ffmpeg could not write the film: {text or f'it ended with code {code}'}")


def _with_first(first: NDArray[np.uint8], others: Frames) -> Frames:
    yield first
    yield from others


def _ffmpeg() -> str:
    """The program. Raises UsageError where there is none."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        found = shutil.which("ffmpeg")
    if found is None:
        raise UsageError("MP4 needs ffmpeg: `pip install 'simulator[video]'` brings it. GIF needs nothing more")
    return found
