"""For the reference pages: the program's own `dataclass` (simulator/records.py) is the standard one."""

from __future__ import annotations

from typing import Any

from griffe import Alias, Extension


class Records(Extension):
    """Lets griffe find the fields of classes that it decorates."""

    def on_alias_instance(self, *, alias: Alias, **_: Any) -> None:
        """An import was read."""
        if alias.target_path == "simulator.records.dataclass":
            alias.target_path = "dataclasses.dataclass"
