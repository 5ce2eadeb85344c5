"""Textures decoded: what pillow makes of the pictures that a document names, within bounds."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.files import Budget, read_regular
from simulator.model.material import Texture
from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL import Image

LARGEST_SIDE = 2048
"""Pictures with a longer side are scaled down to this [px]."""
SMALLEST_SIDE = 128
"""So far pictures are scaled down, all alike, to stay below `MOST_PIXELS`."""
MOST_PIXELS = 64 * 2**20
"""Of all pictures of a scene together."""
MAX_BYTES = 64 * 2**20
"""The largest file that is read as a picture."""
MAX_IMAGE_PIXELS = 2**25
"""A picture with more of them is not decoded: a few bytes can claim billions."""
MAX_SOURCE_PIXELS = 2**26
"""Of all pictures of a scene together, as they are stored: those beyond are not decoded."""
FORMATS = ("PNG", "JPEG", "TGA", "BMP", "GIF", "TIFF", "WEBP", "DDS", "PPM", "PSD")
"""Formats that are tried; pillow knows others that start programs of their own (EPS)."""


@dataclass(frozen=True, eq=False)
class Picture:
    """`pixels` (height, width, 4) uint8 sRGB with opacity, the first row on top. `size` and `cutout` as in
    `Texture`."""

    pixels: NDArray[np.uint8]
    size: tuple[float, float] = (1.0, 1.0)
    cutout: bool = False

    @cached_property
    def mean(self) -> tuple[float, float, float]:
        """The mean colour [sRGB, 0 to 1] of what is not transparent, of linear light as a distant eye would see it."""
        pixels = self.pixels[:: max(1, self.pixels.shape[0] // 64), :: max(1, self.pixels.shape[1] // 64)].reshape(
            -1, 4
        )
        weights = pixels[:, 3].astype(np.float64) + 1e-9 if self.cutout else np.ones(len(pixels))
        linear = np.square(pixels[:, :3] / 255.0)
        red, green, blue = np.sqrt(np.average(linear, axis=0, weights=weights))
        return (float(red), float(green), float(blue))


def decoded(textures: Iterable[Texture], largest_side: int = LARGEST_SIDE) -> dict[Texture, Picture | str]:
    """The picture of each texture, no side longer than `largest_side` [px], or why there is none."""
    opened = _all_opened(textures)
    side = _common_side([image.size for image in opened.values() if not isinstance(image, str)], largest_side)
    found: dict[Texture, Picture | str] = {}
    same: dict[tuple[str, int], NDArray[np.uint8] | str] = {}
    for texture, image in opened.items():
        key = texture.path, 0 if texture.path else id(texture)
        if key not in same:
            same[key] = image if isinstance(image, str) else _pixels(texture, image, side)
        pixels = same[key]
        found[texture] = pixels if isinstance(pixels, str) else _picture(texture, pixels)
    return found


def _all_opened(textures: Iterable[Texture]) -> dict[Texture, Image.Image | str]:
    """The pictures with their headers read, as many as are decoded for one scene; a file counts once."""
    budget = Budget()
    pixels = 0
    opened: dict[Texture, Image.Image | str] = {}
    files: dict[tuple[str, int], Image.Image | str] = {}
    for texture in dict.fromkeys(textures):
        key = texture.path, 0 if texture.path else id(texture)
        if key not in files:
            image = _opened(texture, budget)
            pixels += 0 if isinstance(image, str) else image.width * image.height
            files[key] = image if pixels <= MAX_SOURCE_PIXELS else _one_too_many(texture)
        opened[texture] = files[key]
    return opened


def _one_too_many(texture: Texture) -> str:
    most = f"{MAX_SOURCE_PIXELS // 10**6} million pixels"
    return f"the picture '{texture.name}' is not drawn: all pictures together have more than {most}; make them smaller"


def _opened(texture: Texture, budget: Budget) -> Image.Image | str:
    """The picture with its header read."""
    from PIL import Image

    try:
        data = texture.data or read_regular(texture.path, MAX_BYTES, budget)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Exception as error:  # each of pillow's readers fails in its own way
        return _refusal(texture, error)
    if image.width * image.height > MAX_IMAGE_PIXELS:
        return f"the picture '{texture.name}' has {image.width} x {image.height} pixels, which is too large to be drawn"
    return image


def _refusal(texture: Texture, error: Exception) -> str:
    return f"the picture '{texture.name}' cannot be read, its plain colour is drawn: {error}"


def _common_side(sizes: list[tuple[int, int]], side: int) -> int:
    """The longest side [px], at most `side`, that keeps all pictures together below the limit."""
    while side > SMALLEST_SIDE and sum(_area(size, side) for size in sizes) > MOST_PIXELS:
        side //= 2
    return side


def _area(size: tuple[int, int], side: int) -> float:
    share = min(1.0, side / max(size))
    return size[0] * share * size[1] * share


def _pixels(texture: Texture, image: Image.Image, side: int) -> NDArray[np.uint8] | str:
    try:
        if image.format == "JPEG":
            image.draft("RGB", (side, side))
        if max(image.size) > side:
            share = side / max(image.size)
            image = _coloured(image).resize((max(1, round(image.width * share)), max(1, round(image.height * share))))
        pixels = np.array(_coloured(image), dtype=np.uint8)
    except Exception as error:  # as above
        return _refusal(texture, error)
    pixels.setflags(write=False)
    return pixels


def _coloured(image: Image.Image) -> Image.Image:
    """With four channels of 8 bits; 16 bits of grey are scaled, not cut off."""
    if image.mode.startswith("I;16") or image.mode == "I":
        image = image.point(lambda value: value / 257.0).convert("L")
    return image if image.mode == "RGBA" else image.convert("RGBA")


def _picture(texture: Texture, pixels: NDArray[np.uint8]) -> Picture:
    """A picture that is nowhere opaque means something else by its fourth channel."""
    opacity = pixels[:, :, 3]
    cutout = texture.cutout and bool(opacity.min() < 128 <= opacity.max())
    return Picture(pixels, texture.size, cutout)
