"""Figures of a study as SVG: distributions, bars of sensitivities, points of a parameter and a measure."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from simulator.session.text.plots import COLOURS, ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.spatial.arrays import Array


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 200, 56, 12, 26, 36
MARGIN = 0.03
"""Margin beside horizontal lines, as a part of the width."""
DIGIT = 8
"""Width of a character, at most."""
CELL = 150
"""Pixels of a cell of points."""
FAR = 10.0
"""Interquartile ranges beyond the quartiles at which a value would leave all others in one bin."""
LEAST_JUDGED = 20
MOST_BINS = 60
MOST_POINTS = 400
"""Most points of a cell; more make the page heavy and the cell black."""


def histogram(title: str, label: str, values: Array, marks: Sequence[float] = ()) -> str:
    """Histogram of values: bins as wide as by the rule of Freedman and Diaconis 1981; values far beyond all others are
    counted in words. `marks`: values with a vertical line, limits for example."""
    found, beyond = _within(values[np.isfinite(values)])
    if beyond:
        label = f"{label}; " * bool(label) + f"{beyond} more beyond the ends"
    counts, edges = np.histogram(found, bins=_bins(found))
    beside = MARGIN * float(np.ptp([*marks, *edges])) if marks else 0.0
    low = float(min(*edges.tolist(), *marks)) - beside
    high = float(max(*edges.tolist(), *marks)) + beside
    most = max(int(counts.max(initial=0)), 1)

    def across(value: float) -> float:
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def up(count: float) -> float:
        return HEIGHT - BOTTOM - count / most * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        f'<text x="{LEFT}" y="16" class="title">{escape(title)}</text>',
    ]
    for tick in ticks(0.0, float(most), 4):
        if tick == int(tick):
            parts.append(
                f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up(tick):.1f}" y2="{up(tick):.1f}" class="grid"/>'
            )
            parts.append(f'<text x="{LEFT - 6}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for count, a, b in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count:
            size = f'width="{max(across(b) - across(a) - 1.0, 0.5):.1f}" height="{up(0.0) - up(count):.1f}"'
            tip = f"<title>{a:.6g} to {b:.6g}: {count}</title>"
            parts.append(f'<rect x="{across(a):.1f}" y="{up(count):.1f}" {size} fill="{COLOURS[0]}">{tip}</rect>')
    parts += [
        f'<line x1="{across(mark):.1f}" x2="{across(mark):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#b91c1c"/>'
        for mark in marks
    ]
    for tick in ticks(low, high):
        parts.append(f'<text x="{across(tick):.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{tick:.8g}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 4}" text-anchor="middle">{escape(label)}</text></svg>')
    return "".join(parts)


def tornado(title: str, bars: Sequence[tuple[str, float, float]]) -> str:
    """Bars of (name, value, half of its confidence interval or nan), the longest first; negative ones to the left."""
    ordered = sorted(bars, key=lambda bar: -abs(bar[1]))
    left, row = 220, 22
    low = min(0.0, *(value for _, value, _ in bars))
    high = max(0.0, *(value for _, value, _ in bars))
    span = high - low or 1.0
    height = TOP + row * len(ordered) + 24
    texts = [f"{value:.3g}" + (f" ± {error:.2g}" if np.isfinite(error) else "") for _, value, error in ordered]
    room = DIGIT * max(map(len, texts)) + 6

    def across(value: float) -> float:
        return left + (value - low) / span * (WIDTH - left - room)

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">',
        f'<text x="{left}" y="16" class="title">{escape(title)}</text>',
        f'<line x1="{across(0.0):.1f}" x2="{across(0.0):.1f}" y1="{TOP}" y2="{height - 20}" stroke="#6b7280"/>',
    ]
    for i, ((name, value, _), text) in enumerate(zip(ordered, texts, strict=True)):
        y = TOP + row * i + 4
        ends = sorted((across(0.0), across(value)))
        colour = COLOURS[0] if value >= 0.0 else COLOURS[1]
        parts.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{escape(name)}</text>')
        parts.append(
            f'<rect x="{ends[0]:.1f}" y="{y}" width="{max(ends[1] - ends[0], 0.5):.1f}" height="15" fill="{colour}"/>'
        )
        parts.append(f'<text x="{max(ends[1], across(0.0)) + 5:.1f}" y="{y + 12}">{text}</text>')
    return "".join(parts) + "</svg>"


def scatter_matrix(
    parameters: Sequence[tuple[str, Array]], measures: Sequence[tuple[str, Array]], seed: int = 0
) -> str:
    """Points of each measure (rows) over each parameter (columns); those far beyond all others are at the edge."""
    n = len(parameters[0][1])
    width = 90 + CELL * len(parameters)
    height = 8 + CELL * len(measures) + 40
    shown = np.sort(np.random.default_rng(seed).permutation(n)[:MOST_POINTS])
    style = (
        f'viewBox="0 0 {width} {height}" role="img" aria-label="measures over parameters" style="max-width:{width}px"'
    )
    parts = [f"<svg {style}>"]
    for r, (measure, y) in enumerate(measures):
        top = 8 + CELL * r
        turned = f"translate(14 {top + CELL / 2 - 6:.0f}) rotate(-90)"
        parts.append(f'<text transform="{turned}" text-anchor="middle">{escape(measure)}</text>')
        low, high = _ends(y)
        parts += [
            f'<text x="84" y="{at:.0f}" text-anchor="end">{value:.4g}</text>'
            for value, at in ((high, top + 12), (low, top + CELL - 14))
        ]
        for c, (_, x) in enumerate(parameters):
            parts.append(_cell(90 + CELL * c, top, x[shown], y[shown], (_ends(x), (low, high))))
    for c, (name, x) in enumerate(parameters):
        middle = 90 + CELL * c + (CELL - 10) / 2
        bottom = 8 + CELL * len(measures) + 6
        low, high = _ends(x)
        parts.append(f'<text x="{90 + CELL * c}" y="{bottom}">{low:.4g}</text>')
        parts.append(f'<text x="{90 + CELL * c + CELL - 10}" y="{bottom}" text-anchor="end">{high:.4g}</text>')
        parts.append(f'<text x="{middle:.0f}" y="{bottom + 18}" text-anchor="middle">{escape(name)}</text>')
    return "".join(parts) + "</svg>"


def _cell(left: float, top: float, x: Array, y: Array, ends: tuple[tuple[float, float], tuple[float, float]]) -> str:
    size = CELL - 10
    (x0, x1), (y0, y1) = ends
    kept = np.isfinite(x) & np.isfinite(y)
    across = left + 4 + (np.clip(x[kept], x0, x1) - x0) / (x1 - x0) * (size - 8)
    up = top + size - 4 - (np.clip(y[kept], y0, y1) - y0) / (y1 - y0) * (size - 8)
    way = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(across.tolist(), up.tolist(), strict=True))
    return (
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{size}" height="{size}" fill="none" stroke="#d1d5db"/>'
        f'<path d="{way}" stroke="{COLOURS[0]}" stroke-opacity="0.55" stroke-width="3.2" stroke-linecap="round"/>'
    )


def _ends(values: Array) -> tuple[float, float]:
    found, _ = _within(values[np.isfinite(values)])
    low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _within(values: Array) -> tuple[Array, int]:
    """Values without those that lie far beyond the others, and how many these are."""
    if len(values) < LEAST_JUDGED:
        return values, 0
    low, high = np.percentile(values, (25.0, 75.0))
    reach = FAR * float(high - low)
    kept = (values >= low - reach) & (values <= high + reach)
    return (values[kept], int(np.count_nonzero(~kept))) if reach > 0.0 else (values, 0)


def _bins(values: Array) -> int:
    if len(values) < 2 or np.ptp(values) == 0.0:
        return 1
    low, high = np.percentile(values, (25.0, 75.0))
    width = 2.0 * float(high - low) / len(values) ** (1.0 / 3.0)
    return int(min(max(np.ptp(values) / width, 5.0), MOST_BINS)) if width > 0.0 else MOST_BINS
