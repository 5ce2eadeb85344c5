"""Files that the window writes: a recording as CSV. Numbers are in SI units and the C locale, whatever the window shows."""

from __future__ import annotations

import csv
from pathlib import Path

from simulator.session.client import SimulationClient


def write_csv(client: SimulationClient, path: Path) -> int:
    """Write the whole recording; gives the number of rows."""
    names = [channel.name for channel in client.channels]
    times, values = client.trace(range(len(names)), 0.0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([repr(float(value)) for value in row] for row in values)
    return len(times)
