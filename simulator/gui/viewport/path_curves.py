"""The whole path of a clicked point in advance: over the range of the mechanism's one freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, pyqtSignal

from simulator.gui.background import Background
from simulator.session.look.kinematics_now import BodiesOverRange, bodies_over_range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.gui.kinematic_watch import Mobile
    from simulator.session.look.motion_now import PointPath

MOST_BODIES = 200
"""Of larger mechanisms the range is not looked at: it would take seconds."""


class PathCurves(QObject):
    """Sweeps the mechanism in a background thread, once; `changed`: paths of points are available."""

    changed = pyqtSignal()

    def __init__(self, live: Mobile, *, threaded: bool = True) -> None:
        super().__init__()
        self._live = live
        self._background: Background[BodiesOverRange] = Background(threaded=threaded)
        self._found: BodiesOverRange | None = None
        self._looked = False

    def want(self) -> None:
        """Look, where that has not been done yet and there is one freedom only."""
        relations = self._live.relations
        snapshot = self._live.snapshot
        axes = self._live.free_axes
        if self._looked or relations is None or snapshot is None or len(axes) != 1:
            return
        mechanism = relations.mechanism
        if len(mechanism.bodies) <= MOST_BODIES:
            self._looked = True
            self._background.start(lambda: bodies_over_range(mechanism, snapshot, axes[0]), self._show)

    def look_again(self) -> None:
        """From where the mechanism is now, where nothing was found from another place: from a dead point, say."""
        self._looked = self._found is not None or self._background.busy

    def forget(self) -> None:
        """Another mechanism, or one with other numbers."""
        self._background.cancel()
        self._found, self._looked = None, False

    def of(self, path: PointPath) -> NDArray[np.float64] | None:
        """Where the point goes, shape (n, 3) [m]; None as long as that is not known."""
        relations = self._live.relations
        if self._found is None or relations is None:
            return None
        return self._found.places(relations.mechanism, path.link, path.at)

    def _show(self, found: BodiesOverRange | None, _error: Exception | None) -> None:
        self._found = found
        self.changed.emit()
