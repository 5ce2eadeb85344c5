"""The part of a study's page about a search: how the objective decreased."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import UsageError
from simulator.session.look.page import shell_line
from simulator.session.text.plots import COLOURS, ticks
from simulator.studies.figures import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from simulator.studies.measures import formula_over
from simulator.studies.observations import MISFIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.spatial.arrays import Array
    from simulator.studies.results import Results


ABOVE = 0.9
"""Share of the objectives that is shown: the worst samples of a search are far off."""


def search_section(objective: dict[str, Any] | None, results: Results, command: Callable[[int], str]) -> list[str]:
    """The objective of each sample and the best one so far; empty without an objective. `command`: the command that
    opens a sample in the window, by its place."""
    found = _objectives(objective, results)
    if found is None:
        return []
    label, values, sign = found
    feasible = np.where(results.feasible & np.isfinite(values), values * sign, np.inf)
    best = np.minimum.accumulate(feasible)
    if not np.isfinite(best).any():
        return []
    place = int(np.argmin(feasible))
    told = f"best: {sign * best[-1]:.9g}, sample {int(results.sample[place])}"
    shown = f"<dl><dt>{escape(told)}</dt><dd>{shell_line(command(place))}</dd></dl>"
    return ["<h2>Search</h2>", _progress(label, values, sign * best), shown]


def _objectives(objective: dict[str, Any] | None, results: Results) -> tuple[str, Array, float] | None:
    """Text, value of each sample, and sign; of a recording, its misfit."""
    if objective is None:
        return None
    names = tuple(name for name in results.measure_names if name.isidentifier())
    try:
        formula = formula_over(objective["text"], names)
    except UsageError:
        return (MISFIT, results[MISFIT], 1.0) if MISFIT in names else None
    rows = np.stack([results[name] for name in names], axis=1).tolist()
    return objective["text"], np.array([formula.of(row) for row in rows]), objective["sign"]


def _progress(label: str, values: Array, best: Array) -> str:
    shown = np.concatenate((best[np.isfinite(best)], values[np.isfinite(values)]))
    ends = np.concatenate((best[np.isfinite(best)], np.quantile(shown, (1.0 - ABOVE, ABOVE))))
    low, high = float(ends.min()), float(ends.max())
    low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
    n = max(len(values) - 1, 1)

    def across(sample: float) -> float:
        return LEFT + sample / n * (WIDTH - LEFT - RIGHT)

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    points = "".join(f"M{across(i):.1f} {up(v):.1f}h0" for i, v in enumerate(values.tolist()) if low <= v <= high)
    way = "L".join(f"{across(i):.1f} {up(v):.1f}" for i, v in enumerate(best.tolist()) if np.isfinite(v))
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)} of each sample">',
        f'<text x="{LEFT}" y="16" class="title">{escape(label)}: samples, and the best so far</text>',
    ]
    for tick in ticks(low, high, 4):
        line = f'y1="{up(tick):.1f}" y2="{up(tick):.1f}" class="grid"'
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" {line}/>')
        parts.append(f'<text x="{LEFT - 6}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:.6g}</text>')
    for tick in ticks(0.0, float(n)):
        parts.append(f'<text x="{across(tick):.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{tick:g}</text>')
    parts.append(
        f'<path d="{points}" stroke="{COLOURS[0]}" stroke-opacity="0.5" stroke-width="3" stroke-linecap="round"/>'
    )
    parts.append(f'<path d="M{way}" fill="none" stroke="{COLOURS[1]}" stroke-width="2"/>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 4}" text-anchor="middle">sample</text></svg>')
    return "".join(parts)
