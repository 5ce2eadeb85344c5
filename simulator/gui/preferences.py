"""What the window remembers between runs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from PyQt6.QtCore import QByteArray, QSettings

from simulator.gui.theme import ThemeChoice
from simulator.gui.units import Units
from simulator.session.stream.viewers import ADDRESSES

RECENT_LIMIT = 10
Plots = tuple[tuple[str, ...], ...]
"""Keys of the curves of each plot, as `traces.arrangement` has them; that room knows this one."""
HELD_LIMIT = 100
"""Documents of which it is remembered whether the base of a robot is held."""
ARRANGED_LIMIT = 50
"""Quantities of documents whose plots are remembered."""


def default_settings() -> QSettings:
    """The user's own settings file, in plain text."""
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "simulator", "simulator")


class Preferences:
    """Typed access to the stored settings; unreadable values read as the default."""

    def __init__(self, store: QSettings) -> None:
        self._store = store

    def sync(self) -> None:
        """Write to disk now."""
        self._store.sync()

    @property
    def theme(self) -> ThemeChoice:
        """Light, dark or the system's."""
        try:
            return ThemeChoice(self._text("theme"))
        except ValueError:
            return ThemeChoice.SYSTEM

    @theme.setter
    def theme(self, choice: ThemeChoice) -> None:
        self._store.setValue("theme", choice.value)

    @property
    def units(self) -> Units:
        """Units of the view."""
        return Units(self.flag("degrees", False), self.flag("millimetres", False))

    @units.setter
    def units(self, units: Units) -> None:
        self.set_flag("degrees", units.degrees)
        self.set_flag("millimetres", units.millimetres)

    def flag(self, name: str, default: bool) -> bool:
        """A yes or no."""
        text = self._text(f"flags/{name}")
        return text == "true" if text in {"true", "false"} else default

    def set_flag(self, name: str, value: bool) -> None:
        """Remember a yes or no."""
        self._store.setValue(f"flags/{name}", "true" if value else "false")

    @property
    def recent(self) -> tuple[Path, ...]:
        """Files opened lately, newest first."""
        paths = (Path(line) for line in self._text("recent").split("\n") if line)
        return tuple(paths)[:RECENT_LIMIT]

    def add_recent(self, path: Path) -> None:
        """Put a file at the top of the list."""
        path = path.absolute()
        kept = [path, *(p for p in self.recent if p != path)][:RECENT_LIMIT]
        self._store.setValue("recent", "\n".join(str(p) for p in kept))

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders in which what documents name is searched."""
        return tuple(Path(line) for line in self._text("resource_folders").split("\n") if line)

    @folders.setter
    def folders(self, folders: tuple[Path, ...]) -> None:
        self._store.setValue("resource_folders", "\n".join(str(folder) for folder in folders))

    @property
    def held(self) -> dict[Path, bool]:
        """Whether the base of a robot that nothing holds is fixed, by the document for which that was answered."""
        try:
            return {Path(path): bool(hold) for path, hold in json.loads(self._text("held") or "{}").items()}
        except (ValueError, AttributeError):
            return {}

    def set_held(self, path: Path, hold: bool) -> None:
        """Remember the answer for a document."""
        others = [(str(one), answer) for one, answer in self.held.items() if one != path]
        newest = dict([*others, (str(path), hold)][-HELD_LIMIT:])
        self._store.setValue("held", json.dumps(newest))

    def folder_of(self, kind: str) -> Path | None:
        """Where the last file of a kind was read or written."""
        text = self._text(f"file_folders/{kind}")
        return Path(text) if text else None

    def set_folder_of(self, kind: str, folder: Path) -> None:
        """Remember it."""
        self._store.setValue(f"file_folders/{kind}", str(folder))

    def plots_of(self, path: Path, group: str) -> tuple[Plots, frozenset[str]]:
        """How the plots of a quantity of a document were arranged by hand, and which of their curves are on show; both
        empty where they were not."""
        for document, quantity, plots, shown in self._arranged():
            if (document, quantity) == (str(path), group):
                return plots, frozenset(shown)
        return (), frozenset()

    def set_plots_of(self, path: Path, group: str, plots: Plots, shown: Iterable[str]) -> None:
        """Remember them; forget them where there are none."""
        others = [entry for entry in self._arranged() if entry[:2] != (str(path), group)]
        mine = [(str(path), group, plots, tuple(sorted(shown)))] if plots else []
        self._store.setValue("plots", json.dumps([*mine, *others][:ARRANGED_LIMIT]))

    def _arranged(self) -> list[tuple[str, str, Plots, tuple[str, ...]]]:
        """Newest first."""
        try:
            return [
                (str(path), str(group), tuple(tuple(map(str, keys)) for keys in plots), tuple(map(str, shown)))
                for path, group, plots, shown in json.loads(self._text("plots") or "[]")
            ]
        except (ValueError, TypeError):
            return []

    def address_of(self, viewer: str) -> str:
        """Of a program that shows simulations live, HOST:PORT; `foxglove_address=HOST:PORT` in the file of settings."""
        return self._text(f"{viewer}_address") or ADDRESSES[viewer]

    def clear_recent(self) -> None:
        """Forget all recent files."""
        self._store.setValue("recent", "")

    def layout(self) -> tuple[QByteArray, bytes]:
        """Geometry of the window and its arrangement (`Workbench.state`); empty the first time."""
        return self._bytes("geometry"), self._bytes("frame").data()

    def set_layout(self, geometry: QByteArray, frame: bytes) -> None:
        """Remember where everything is."""
        self._store.setValue("geometry", geometry)
        if frame:
            self._store.setValue("frame", QByteArray(frame))

    def _text(self, key: str) -> str:
        value = self._store.value(key, "")
        return value if isinstance(value, str) else ""

    def _bytes(self, key: str) -> QByteArray:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()
