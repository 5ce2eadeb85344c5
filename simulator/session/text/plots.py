"""Plots as SVG: curves over the driver's position, with axes that have round numbers; self-contained."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.spatial.arrays import Array


WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 76, 12, 30, 40
COLOURS = ("#1f5fa8", "#c2410c", "#15803d", "#7e22ce", "#0e7490", "#a16207", "#be185d", "#4b5563")
"""Distinct also in grey: they differ in lightness, and in dashes."""
DASHES = ("", "6 3", "2 3", "8 3 2 3")


def plot(title: str, across: tuple[str, Array], up: str, curves: Sequence[tuple[str, Array]]) -> str:
    """An SVG element. `across`: label and values (n,) of the driver; `up`: label of the values; `curves`: names and
    values (n,)."""
    label, x = across
    values = np.concatenate([curve[np.isfinite(curve)] for _, curve in curves] or [np.zeros(1)])
    low, high = _widened(float(values.min(initial=0.0)), float(values.max(initial=0.0)))
    left, right = float(x.min()), float(x.max())
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">']
    parts.append(f'<text x="{LEFT}" y="16" class="title">{escape(title)}</text>')
    for tick in ticks(left, right):
        at = _x(tick, left, right)
        parts.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}" class="grid"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{tick:g}</text>')
    for tick in ticks(low, high):
        at = _y(tick, low, high)
        parts.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for number, (name, curve) in enumerate(curves):
        style = (
            f'stroke="{COLOURS[number % len(COLOURS)]}" '
            f'stroke-dasharray="{DASHES[number // len(COLOURS) % len(DASHES)]}"'
        )
        for piece in _pieces(x, curve):
            way = " ".join(f"{_x(a, left, right):.1f},{_y(b, low, high):.1f}" for a, b in piece)
            parts.append(
                f'<polyline points="{way}" fill="none" stroke-width="1.6" {style}><title>{escape(name)}</title>'
                "</polyline>"
            )
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 6}" text-anchor="middle">{escape(label)}</text>'
    )
    parts.append(
        f'<text transform="translate(14 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(up)}</text></svg>'
    )
    return "".join(parts) + _legend([name for name, _ in curves])


def path(title: str, across: tuple[str, Array], up: tuple[str, Array], unit: str) -> str:
    """An SVG element with the path of a point to scale: labels and values (n,) of both directions, and their unit."""
    (x_name, x), (y_name, y) = across, up
    size = max(float(np.ptp(x)), float(np.ptp(y)), 1e-12) * 1.1
    height = float(WIDTH - LEFT - RIGHT) * (float(np.ptp(y)) + 0.1 * size) / size
    scale = (WIDTH - LEFT - RIGHT) / size
    middle = (0.5 * float(x.max() + x.min()), 0.5 * float(y.max() + y.min()))
    low = middle[1] - 0.5 * height / scale
    high = middle[1] + 0.5 * height / scale
    left = middle[0] - 0.5 * size
    right = middle[0] + 0.5 * size
    parts = [
        f'<svg class="path" viewBox="0 0 {WIDTH} {height + TOP + BOTTOM:.0f}" role="img" aria-label="{escape(title)}">'
    ]
    parts.append(f'<text x="{LEFT}" y="16" class="title">{escape(title)}</text>')
    for tick in ticks(left, right):
        at = _x(tick, left, right)
        parts.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{TOP + height:.1f}" class="grid"/>')
        parts.append(f'<text x="{at:.1f}" y="{TOP + height + 15:.1f}" text-anchor="middle">{tick:g}</text>')
    for tick in ticks(low, high):
        at = TOP + (high - tick) * scale
        parts.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{tick:g}</text>')
    way = " ".join(f"{_x(a, left, right):.1f},{TOP + (high - b) * scale:.1f}" for a, b in zip(x, y, strict=True))
    parts.append(f'<polyline points="{way}" fill="none" stroke-width="1.6" stroke="{COLOURS[0]}"/>')
    bottom = TOP + height + 34
    label = f"{x_name} [{unit}]"
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{bottom:.0f}" text-anchor="middle">{escape(label)}</text>'
    )
    turned = f"translate(14 {TOP + height / 2:.0f}) rotate(-90)"
    parts.append(f'<text transform="{turned}" text-anchor="middle">{escape(y_name)} [{unit}]</text></svg>')
    return "".join(parts)


def _legend(names: Sequence[str]) -> str:
    if len(names) < 2:
        return ""
    items = [
        f'<span><i style="background:{COLOURS[number % len(COLOURS)]}"></i>{escape(name)}</span>'
        for number, name in enumerate(names)
    ]
    return f'<p class="legend">{"".join(items)}</p>'


def ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Round numbers between two: 1, 2 or 5 times a power of ten apart, about `count` of them."""
    if not high > low:
        return [low]
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= raw)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def _widened(low: float, high: float) -> tuple[float, float]:
    if high - low < 1e-12 * max(abs(low), abs(high), 1e-6):
        return low - 1.0, high + 1.0
    room = 0.05 * (high - low)
    return low - room, high + room


def _x(value: float, left: float, right: float) -> float:
    return LEFT + (value - left) / (right - left) * (WIDTH - LEFT - RIGHT) if right > left else float(LEFT)


def _y(value: float, low: float, high: float) -> float:
    return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def _pieces(x: Array, curve: Array) -> list[list[tuple[float, float]]]:
    """A curve without values that are not finite."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for a, b in zip(x.tolist(), curve.tolist(), strict=True):
        if math.isfinite(b):
            pieces[-1].append((a, b))
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if len(piece) > 1]
