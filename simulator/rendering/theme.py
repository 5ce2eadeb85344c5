"""Colours of the 3-D view, light and dark."""

from __future__ import annotations

from simulator.records import dataclass

Rgb = tuple[float, float, float]


def rgb(text: str) -> Rgb:
    """The colour of "#rrggbb", each part in [0, 1]."""
    red, green, blue = (int(text[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
    return (red, green, blue)


@dataclass(frozen=True)
class Theme:
    """Every colour that the view needs beside those of the mechanism; sRGB in [0, 1].

    `sky_light`, `ground_light` and `key_light` are light, not paint: linear, about 1 where a white surface is to look
    white. `selected` and `hovered` are a violet that no part has: leaders are blue, followers orange. `edge_weight` in
    [0, 1] says how much of `edge` is in a feature edge; the rest is the darkened colour of the part. `shadow` in [0, 1]
    is how much of the floor's light a full shadow takes away.
    """

    name: str
    sky: Rgb
    horizon: Rgb
    floor: Rgb
    grid_minor: Rgb
    grid_major: Rgb
    axis_x: Rgb
    axis_y: Rgb
    axis_z: Rgb
    edge: Rgb
    edge_weight: float
    selected: Rgb
    hovered: Rgb
    shadow: float
    key_light: Rgb
    sky_light: Rgb
    ground_light: Rgb
    is_dark: bool


LIGHT = Theme(
    name="light",
    sky=rgb("#c9d4e2"),
    horizon=rgb("#f8fafc"),
    floor=rgb("#e4e8ee"),
    grid_minor=rgb("#ced5de"),
    grid_major=rgb("#b0b9c6"),
    axis_x=rgb("#d1443c"),
    axis_y=rgb("#3f9a4b"),
    axis_z=rgb("#2f6fd0"),
    edge=rgb("#14181f"),
    edge_weight=0.55,
    selected=rgb("#7a2ff0"),
    hovered=rgb("#b08cf5"),
    shadow=0.40,
    key_light=(0.84, 0.80, 0.74),
    sky_light=(0.43, 0.46, 0.50),
    ground_light=(0.25, 0.24, 0.23),
    is_dark=False,
)

DARK = Theme(
    name="dark",
    sky=rgb("#0f1216"),
    horizon=rgb("#1d2127"),
    floor=rgb("#31363f"),
    grid_minor=rgb("#3a414b"),
    grid_major=rgb("#535d6b"),
    axis_x=rgb("#e5645c"),
    axis_y=rgb("#5dbb69"),
    axis_z=rgb("#5b96f0"),
    edge=rgb("#07090c"),
    edge_weight=0.6,
    selected=rgb("#b58cff"),
    hovered=rgb("#d3c2ff"),
    shadow=0.45,
    key_light=(0.84, 0.81, 0.77),
    sky_light=(0.34, 0.37, 0.42),
    ground_light=(0.17, 0.17, 0.18),
    is_dark=True,
)

THEMES: dict[str, Theme] = {theme.name: theme for theme in (LIGHT, DARK)}
