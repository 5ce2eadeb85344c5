"""The numbers of a simulation that `varied` accepts, with values, units and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simulator.errors import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.mechanism.parameters import Parameter


class Parameters(Mapping[str, "Parameter"]):
    """Parameters by name: `p["rocker.length"].value`, `.unit`, `.lower`, `.upper`. The name of the model may be omitted
    if the rest is unique; `repr` is a table."""

    def __init__(self, rows: tuple[Parameter, ...]) -> None:
        self._rows = {row.name: row for row in rows}

    def __getitem__(self, name: str) -> Parameter:
        """Raises UnknownNameError for a name that does not exist."""
        if name in self._rows:
            return self._rows[name]
        names = tuple(self._rows)
        return self._rows[names[place_of(names, name, "parameter")]]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._rows or any(row.endswith(f"::{name}") for row in self._rows))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        cells = [("parameter", "value", "unit", "bounds")]
        cells += [(row.name, f"{row.value:.6g}", row.unit, row.bounds) for row in self.values()]
        widths = [max(len(cell[column]) for cell in cells) for column in range(3)]
        return "\n".join(
            f"{name:<{widths[0]}}  {value:>{widths[1]}}  {unit:<{widths[2]}}  {bounds}".rstrip()
            for name, value, unit, bounds in cells
        )
