"""The axes that move a mechanism in the Joints panel, and the range of each from its present position."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from simulator.errors import SimulatorError
from simulator.gui.background import Background
from simulator.model.names import tail_name
from simulator.session.commands.commands import SetDrive
from simulator.session.look.freedoms import free_axes_at, reaches_at

if TYPE_CHECKING:
    from simulator.analysis.freedoms import Reach
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.live import LiveSession

    Reaches = dict[int, Reach]

SETTLED = 400
"""So long a mechanism of several freedoms has to rest before their reach is looked at again [ms]."""
MOST = 24
"""With more freedoms than this their reach is not looked at."""


class Freedoms(QObject):
    """`changed`: other axes lead now. `reached` carries the reach of the leading axes, by index; `left`: several
    of them move on, so that it is no longer theirs."""

    changed = pyqtSignal()
    reached = pyqtSignal(object)
    left = pyqtSignal()

    def __init__(self, live: LiveSession, *, threaded: bool = True) -> None:
        super().__init__()
        self._live = live
        self.axes: tuple[int, ...] = ()
        self._background: Background[Reaches] = Background(threaded=threaded)
        self._seen: Snapshot | None = None
        self._has_left = False
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(SETTLED)
        self._settled.timeout.connect(self._look)
        live.laws_changed.connect(lambda _laws: self._forget())

    def begin(self) -> None:
        """Another document: the axes of its start, and those that are driven."""
        live = self._live
        self._forget()
        driven = {name for name, _ in live.client.asked_drives} if live.client is not None else set()
        axes = live.opened.mechanism.axes if live.opened is not None else ()
        self.axes = tuple(sorted({*live.free_axes, *(i for i, info in enumerate(axes) if info.name in driven)}))

    def lead(self, axis: int) -> bool:
        """Let `axis` lead instead of one that then depends on it, whose drive is let go; False where it cannot lead
        here."""
        live = self._live
        if live.relations is None or live.snapshot is None or live.client is None:
            return False
        mechanism = live.relations.mechanism
        driven = {name for name, _ in live.client.asked_drives}
        held = [other for other in self.axes if mechanism.axes[other].name in driven]
        try:
            found = free_axes_at(mechanism, live.snapshot, (axis, *held, *self.axes))
        except (SimulatorError, np.linalg.LinAlgError):
            return False
        if axis not in found:
            return False
        let_go = [SetDrive(mechanism.axes[other].name, None) for other in sorted(set(held) - set(found))]
        text = self.tr("Drive {name} instead").format(name=tail_name(mechanism.axes[axis].name))
        live.undo.together(text, let_go, partial(self._take, found), partial(self._take, self.axes))
        return True

    def _take(self, axes: tuple[int, ...]) -> None:
        self.axes = axes
        self._forget()
        self.changed.emit()

    def look(self, snapshot: Snapshot) -> None:
        """The newest state: the reach of one freedom is found once, that of several where they come to rest."""
        seen = self._seen
        self._seen = snapshot
        if seen is None:
            self._look()
            return
        if len(self.axes) < 2:
            return
        moved = snapshot is not seen and not np.array_equal(snapshot.position, seen.position)
        if self._live.running:
            if moved and not self._has_left:
                self._has_left = True
                self.left.emit()
        elif moved or (self._has_left and not self._settled.isActive()):
            self._settled.start()

    def _look(self) -> None:
        relations = self._live.relations
        snapshot = self._seen
        axes = self.axes
        if relations is None or snapshot is None or len(axes) > MOST:
            return
        mechanism = relations.mechanism
        self._has_left = False
        self._background.start(lambda: reaches_at(mechanism, snapshot, axes), self._found)

    def _found(self, reaches: Reaches | None, _error: Exception | None) -> None:
        if reaches is not None and not self._has_left:
            self.reached.emit(reaches)

    def _forget(self) -> None:
        self._background.cancel()
        self._settled.stop()
        self._seen = None
        self._has_left = False
