"""Files that the window writes: a recording as CSV. Numbers are in SI units and the C locale, whatever the window
shows."""

from __future__ import annotations

from pathlib import Path

from simulator.recording.csv_file import CsvWriter
from simulator.session.client import SimulationClient


def write_csv(client: SimulationClient, path: Path) -> int:
    """Write the whole recording; gives the number of rows. Raises UsageError or OSError if that cannot be."""
    _, values = client.trace(range(len(client.channels)), 0.0)
    with CsvWriter(path, client.channels) as writer:
        for row in values:
            writer.write(row)
    return len(values)
