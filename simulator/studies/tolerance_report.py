"""The part of a study's page about tolerances."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from simulator.session.look.page import shell_line, table
from simulator.session.text.plots import COLOURS, ticks
from simulator.studies.figures import RIGHT, WIDTH, histogram, tornado
from simulator.studies.tolerance_values import CONTRIBUTORS, contributor_rows, limit_text, method_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.spatial.arrays import Array
    from simulator.studies.tolerance_values import ToleranceAnalysis, ToleranceOfMeasure


BAR, GAP, NAMES = 16, 8, 120
"""Height of a bar, gap between two bars, and width of the names to the left [px]."""
MARGIN = 0.05
"""Margin on either side, as a part of the width."""


def tolerance_section(analysis: ToleranceAnalysis, command: Callable[[Mapping[str, float]], str]) -> list[str]:
    """Methods, limits, contributors and worst cases of each measure. `command`: opens parameters in the window."""
    parts = ["<h2>Tolerances</h2><p>Green: within the limits. Dashed: nominal. Red: limits.</p>"]
    names = tuple(zone.parameter for zone in analysis.tolerances)
    for one in analysis.measures:
        parts.append(f"<h3>{escape(one.name)}</h3>")
        rows = [(name, f"{low:.7g}", f"{high:.7g}", f"{high - low:.4g}") for name, low, high, _ in method_rows(one)]
        parts += [ranges(one), table((f"nominal {one.nominal:.7g}", "least", "greatest", "width"), rows)]
        told = [why for _, _, _, why in method_rows(one)[1:]]
        notes = [limit_text(one), f"Root sum square: {told[0]}. Monte Carlo: {told[1]}.", *_remarks(one)]
        parts += [f"<p>{escape(note[0].upper() + note[1:])}</p>" for note in notes if note]
        parts.append(_distribution(one, analysis.results[one.name]))
        bars = [(name, round(100.0 * share, 2), float("nan")) for name, share in zip(names, one.shares, strict=True)]
        parts.append(tornado(f"{one.name}: contributors, % of the variance by root sum square", bars))
        parts.append(table(CONTRIBUTORS, contributor_rows(analysis.tolerances, analysis.units, one)))
        ends = "".join(
            f"<dt>{escape(f'worst case, {what}: {end.value:.7g}')}</dt>"
            f"<dd>{shell_line(command(dict(zip(names, end.parameters, strict=True))))}</dd>"
            for what, end in (("least", one.least), ("greatest", one.greatest))
        )
        parts.append(f"<dl>{ends}</dl>")
    return parts


def _remarks(one: ToleranceOfMeasure) -> list[str]:
    found = []
    if not (one.least.by_slopes and one.greatest.by_slopes):
        found.append(
            "the measure is not monotone in each parameter over its tolerance: the worst case is the worst "
            "one found, and the linear results (root sum square, contributors) are estimates."
        )
    if "central difference" in one.derived:
        found.append(
            "sensitivities by central differences of a tenth of half of the tolerance, if exact ones do not exist."
        )
    return found


def ranges(one: ToleranceOfMeasure) -> str:
    """A bar from the least to the greatest value of each method, over the limits."""
    rows = [(name, low, high) for name, low, high, _ in method_rows(one)]
    ends = [value for _, low, high in rows for value in (low, high)]
    ends = [value for value in (*ends, *one.limits, one.nominal) if math.isfinite(value)]
    margin = MARGIN * (max(ends) - min(ends)) or 1.0
    first = min(ends) - margin
    last = max(ends) + margin
    height = GAP + len(rows) * (BAR + GAP) + 24

    def across(value: float) -> float:
        return NAMES + (min(max(value, first), last) - first) / (last - first) * (WIDTH - NAMES - RIGHT)

    bottom = height - 24
    label = f"{one.name} by each method"
    low, high = (across(value) for value in one.limits)
    parts = [f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">']
    if any(map(math.isfinite, one.limits)):
        parts.append(f'<rect x="{low:.1f}" y="0" width="{high - low:.1f}" height="{bottom}" fill="#dcfce7"/>')
    for k, (name, least, most) in enumerate(rows):
        y = GAP + k * (BAR + GAP)
        parts.append(f'<text x="{NAMES - 8}" y="{y + 12}" text-anchor="end">{name}</text>')
        if math.isfinite(least) and math.isfinite(most):
            size = f'width="{max(across(most) - across(least), 1.0):.1f}" height="{BAR}"'
            parts.append(f'<rect x="{across(least):.1f}" y="{y}" {size} fill="{COLOURS[k]}"/>')
    x = across(one.nominal)
    parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{bottom}" stroke="#111827" stroke-dasharray="3 3"/>')
    for tick in ticks(first, last):
        parts.append(f'<text x="{across(tick):.1f}" y="{height - 8}" text-anchor="middle">{tick:.8g}</text>')
    return "".join(parts) + "</svg>"


def _distribution(one: ToleranceOfMeasure, values: Array) -> str:
    """The samples, with the limits."""
    marks = [value for value in one.limits if math.isfinite(value)]
    return histogram(f"{one.name}: Monte Carlo", one.name, values, marks) if np.isfinite(values).any() else ""
