"""Many small pictures on one: a contact sheet, each picture with its name and a coloured word below it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

from simulator.errors import RenderingError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Colour = tuple[int, int, int]

PAPER, INK, DIM, NOTHING = (250, 250, 249), (28, 28, 30), (110, 110, 116), (232, 232, 230)
CELL, GAP, CAPTION, HEADING = (240, 180), 16, 46, 64
"""Of a picture, between pictures, below a picture and above them all [px]."""
ACROSS, DOWN = 6, 4
PER_SHEET = ACROSS * DOWN
QUALITY = 85


@dataclass(frozen=True)
class Cell:
    """A place on a sheet: the file of its picture, if it has one, its name, and a word on what became of it in a colour
    (0 to 255)."""

    picture: Path | None
    name: str
    word: str
    colour: Colour


def load_codecs() -> None:
    """What Pillow would load with the first picture."""
    Image.preinit()


def write_jpeg(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Write a picture (height, width, 3) as a JPEG file. Raises RenderingError."""
    try:
        Image.fromarray(pixels).save(path, format="JPEG", quality=QUALITY)
    except (OSError, ValueError) as error:
        raise RenderingError(f"the picture {path} cannot be written: {error}") from error


def thumbnail(path: Path, size: tuple[int, int] = CELL, *, quality: int = 70) -> bytes:
    """A picture file made smaller, as the bytes of a JPEG file; b"" where it cannot be read."""
    image = _opened(path, size)
    if image is None:
        return b""
    buffer = io.BytesIO()
    image.save(buffer, format="JPEG", quality=quality, optimize=True)
    return buffer.getvalue()


def write_sheet(path: Path, cells: Sequence[Cell], title: str) -> None:
    """Write up to `PER_SHEET` cells under a title as a PNG file. Raises RenderingError."""
    rows = -(-len(cells) // ACROSS)
    width = GAP + ACROSS * (CELL[0] + GAP)
    sheet = Image.new("RGB", (width, HEADING + rows * (CELL[1] + CAPTION + GAP)), PAPER)
    draw = ImageDraw.Draw(sheet)
    draw.text((GAP, HEADING / 2), _fitting(title, width - 2 * GAP, 22), fill=INK, font=_font(22), anchor="lm")
    for index, cell in enumerate(cells):
        row, column = divmod(index, ACROSS)
        _place(sheet, draw, cell, GAP + column * (CELL[0] + GAP), HEADING + row * (CELL[1] + CAPTION + GAP))
    try:
        sheet.save(path, format="PNG")
    except OSError as error:
        raise RenderingError(f"the picture {path} cannot be written: {error}") from error


def _place(sheet: Image.Image, draw: ImageDraw.ImageDraw, cell: Cell, left: int, top: int) -> None:
    width, height = CELL
    picture = None if cell.picture is None else _opened(cell.picture, CELL)
    if picture is None:
        draw.rectangle((left, top, left + width - 1, top + height - 1), fill=NOTHING)
        draw.text((left + width / 2, top + height / 2), "no picture", fill=DIM, font=_font(14), anchor="mm")
    else:
        sheet.paste(picture, (left, top))
    draw.rectangle((left, top + height, left + width - 1, top + height + 4), fill=cell.colour)
    draw.text((left, top + height + 10), _fitting(cell.name, width, 14), fill=INK, font=_font(14))
    draw.text((left, top + height + 28), cell.word, fill=cell.colour, font=_font(13))


def _opened(path: Path, size: tuple[int, int]) -> Image.Image | None:
    try:
        with Image.open(path) as image:
            image.draft("RGB", size)  # a JPEG file is decoded at this size, or at twice of it
            small: Image.Image = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
            return small
    except OSError:
        return None


def _fitting(text: str, width: float, size: int) -> str:
    """The end of the text, which distinguishes files, as far as there is room."""
    font = _font(size)
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"…{text}") > width:
        text = text[1:]
    return f"…{text}"


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
