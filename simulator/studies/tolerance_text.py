"""An analysis of tolerances as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.studies.plan import Tolerance
    from simulator.studies.tolerances import ToleranceAnalysis, ToleranceOfMeasure


def tolerance_text(analysis: ToleranceAnalysis) -> str:
    """Each measure: its ends by each method, its yield, its contributors."""
    return "\n\n".join(_of_measure(analysis, one) for one in analysis.measures)


def method_rows(one: ToleranceOfMeasure) -> list[tuple[str, float, float, str]]:
    """(method, least, greatest, what is to be said about it)."""
    mean, deviation, _, low, high, _ = one.sampled
    found = all(end.by_slopes for end in (one.least, one.greatest))
    worst = "at the corners by the signs of the sensitivities" if found else "not monotone: the worst that was found"
    return [
        ("worst case", one.least.value, one.greatest.value, worst),
        (
            "root sum square",
            one.mean - 3.0 * one.deviation,
            one.mean + 3.0 * one.deviation,
            f"mean {one.mean:.7g}, deviation {one.deviation:.4g}; 3 deviations",
        ),
        ("Monte Carlo", low, high, f"mean {mean:.7g}, deviation {deviation:.4g}; 99.73 % of {one.count} samples"),
    ]


def limit_text(one: ToleranceOfMeasure) -> str:
    """Limits and yield in a sentence; empty without limits."""
    low, high = one.limits
    if not (math.isfinite(low) or math.isfinite(high)):
        return ""
    share, least, most = one.yielded
    interval = f"95 % confidence: {100.0 * least:.3f} to {100.0 * most:.3f} %"
    worst = "within" if one.holds else "beyond"
    return (
        f"limits {low:g} … {high:g}: the worst case is {worst} them; yield {one.good} of {one.count}, "
        f"{100.0 * share:.3f} % ({interval})"
    )


def contributor_rows(
    tolerances: Sequence[Tolerance], units: Sequence[str], one: ToleranceOfMeasure
) -> list[tuple[str, ...]]:
    """(parameter, its tolerance, sensitivity, how it was found, shares), the greatest contributor first."""
    rows = []
    for i in sorted(range(len(tolerances)), key=lambda place: -one.shares[place]):
        zone, slope = tolerances[i], one.slopes[i]
        slope = slope if abs(slope) * zone.half > NOTHING * abs(one.middle) else 0.0
        shares = (f"{100.0 * each[i] + 0.0:.1f} %" for each in (one.worst_shares, one.shares, one.sampled_shares))
        rows.append((zone.parameter, zone_text(zone, units[i]), f"{slope:.5g}", one.derived[i], *shares))
    return rows


def zone_text(zone: Tolerance, unit: str) -> str:
    """`0.05 ± 0.0001 m, normal`; both deviations where they differ."""
    around = f"± {zone.plus:g}" if zone.plus == zone.minus else f"{zone.plus:+g}/{-zone.minus:+g}"
    shape = zone.distribution if zone.distribution != "normal" else f"normal, ± {zone.deviations:g} σ"
    return f"{zone.nominal:.7g} {around} {unit}".rstrip() + f", {shape}"


NOTHING = 1e-12
"""Of a measure, what a tolerance changes by round-off."""
CONTRIBUTORS = ("parameter", "tolerance", "sensitivity", "by", "worst case", "variance", "Monte Carlo")


def _of_measure(analysis: ToleranceAnalysis, one: ToleranceOfMeasure) -> str:
    lines = [f"{one.name}: nominal {one.nominal:.7g}"]
    lines += [f"  {name:<15}  {low:.7g} … {high:.7g}  ({why})" for name, low, high, why in method_rows(one)]
    lines += [f"  {limit_text(one)}"] if limit_text(one) else []
    rows = [CONTRIBUTORS, *contributor_rows(analysis.tolerances, analysis.units, one)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(CONTRIBUTORS))]
    lines += ["  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)
