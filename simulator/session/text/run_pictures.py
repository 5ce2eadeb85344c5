"""A run in a notebook: its curves and its largest residuals."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from simulator.session.text.plots import plot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.recording.channels import Channel
    from simulator.spatial.arrays import Array


MOST_CURVES = 8
MOST_POINTS = 600
"""Of a curve; more would be nearer to each other than a pixel."""


def run_html(title: str, columns: Sequence[Channel], rows: Array, worst: Mapping[str, float]) -> str:
    """HTML without a script: positions over time by unit, and the largest residuals. `rows`: (n_samples, n_channels)
    with the time first."""
    thin = rows[:: max(1, len(rows) // MOST_POINTS)]
    parts = [f"<p><b>{escape(title)}</b></p>"]
    for unit, label, factor in (("rad", "angle [°]", np.degrees(1.0)), ("m", "displacement [m]", 1.0)):
        chosen = [
            place for place, channel in enumerate(columns) if channel.group == "position" and channel.unit == unit
        ]
        curves = [(_name(columns[place].name), factor * thin[:, place]) for place in chosen[:MOST_CURVES]]
        if curves and len(thin) > 1:
            left_out = f", {len(chosen) - MOST_CURVES} more" if len(chosen) > MOST_CURVES else ""
            parts.append(plot(f"Positions{left_out}", ("time [s]", thin[:, 0]), label, curves))
    rows_of = "".join(
        f"<tr><td style='text-align:left'>{escape(name.removeprefix('max_').replace('_', ' '))}</td>"
        f"<td>{value:.3g}</td></tr>"
        for name, value in worst.items()
    )
    parts.append(f"<table><thead><tr><th>largest</th><th></th></tr></thead><tbody>{rows_of}</tbody></table>")
    return f'<div style="max-width:680px">{STYLE}{"".join(parts)}</div>'


STYLE = (
    "<style>.grid{stroke:#8884}svg text{fill:currentColor;font-size:12px}.title{font-weight:600}"
    ".legend i{display:inline-block;width:1rem;height:3px;margin-right:.35rem;vertical-align:middle}"
    ".legend span{margin-right:1rem}</style>"
)


def _name(channel: str) -> str:
    return channel.removesuffix("/position").rpartition("::")[2].rpartition("/")[2]
