"""Kinematic quality of the pose for one driver: figures, its ends and the polodes, for the panel, the plots and the
view."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from PyQt6.QtCore import QCoreApplication, QObject, QTimer, pyqtSignal

from simulator.errors import SimulatorError
from simulator.gui.background import Background
from simulator.model.names import distinct_tails
from simulator.session.look.freedoms import reaches_at
from simulator.session.look.kinematics_now import (
    ADVANTAGE,
    ANGLE,
    RATIO,
    SIGMA,
    FiguresOverTime,
    KinematicFigures,
    driver_range,
    rollings,
    sweeper_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.analysis.freedoms import Reach
    from simulator.analysis.sweeps import Swept
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.relations import Relations
    from simulator.mechanism.types import Mechanism
    from simulator.session.look.kinematics_now import Figure, Rolling

LARGE = 200
"""Of more bodies the smallest σ and polodes are found after what takes less time."""
GHOSTS = 8
SETTLED = 400
"""So long a mechanism of several freedoms has to rest before the range of its driver is looked at again [ms]."""


class DriverFindings(NamedTuple):
    """Over the range of a driver: figures, how far it goes (None where that cannot be found) and the polodes of bodies
    in the plane; the `sweeps` that it was found by. `complete`: nothing of that is left for later."""

    figures: KinematicFigures
    reach: Reach | None
    rollings: tuple[Rolling, ...]
    sweeps: tuple[Swept, ...]
    complete: bool = True

    def completed(self) -> DriverFindings:
        """With what was left."""
        figures = self.figures.with_sigma()
        return DriverFindings(figures, self.reach, rollings(figures.mechanism, self.sweeps), self.sweeps)


class Mobile(Protocol):
    """A simulation of a mechanism that is moved by its freedoms."""

    relations: Relations | None
    snapshot: Snapshot | None
    free_axes: tuple[int, ...]

    @property
    def running(self) -> bool:
        """Whether simulated time passes."""
        ...


class KinematicWatch(QObject):
    """Analyses the kinematics on demand, in its own thread. `changed`: another driver, or a new result.
    `ghosts`: number of poses that are shown at once."""

    changed = pyqtSignal()

    def __init__(self, live: Mobile, *, threaded: bool = True) -> None:
        super().__init__()
        self._live = live
        self.driver: int | None = None
        self.found: DriverFindings | None = None
        self.over_time: FiguresOverTime | None = None
        self.problem = ""
        self.ghosts = GHOSTS
        self._wanted: set[str] = set()
        self._background: Background[DriverFindings] = Background(threaded=threaded)
        self._looked_at: Snapshot | None = None
        self._last: tuple[Snapshot, NDArray[np.float64]] | None = None
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(SETTLED)
        self._settled.timeout.connect(self._look)

    @property
    def mechanism(self) -> Mechanism | None:
        """With the laws that hold now."""
        return self._live.relations.mechanism if self._live.relations is not None else None

    def want(self, who: str, on: bool = True) -> None:
        """Start or stop the analysis."""
        (self._wanted.add if on else self._wanted.discard)(who)
        self.see(self._live.snapshot)

    def choose(self, axis: int) -> None:
        """Take another axis for the driver."""
        if axis != self.driver:
            self.driver = axis
            self.forget()

    def show_ghosts(self, count: int) -> None:
        """Show another number of poses."""
        self.ghosts = count
        self.changed.emit()

    def now(self, snapshot: Snapshot) -> NDArray[np.float64] | None:
        """The figures at a snapshot, shape (n_figures,), in the order of `found.figures.figures`."""
        if self.found is None:
            return None
        if self._last is None or self._last[0] is not snapshot:
            self._last = snapshot, self.found.figures.at(snapshot)
        return self._last[1]

    def begin(self) -> None:
        """Another document, or none."""
        self.driver = next(iter(self._live.free_axes), None) if self._live.relations is not None else None
        self.forget()

    def forget(self) -> None:
        """Another driver, or other laws and numbers: look again."""
        self._background.cancel()
        self._settled.stop()
        self.found = None
        self.over_time = None
        self._looked_at = None
        self._last = None
        self.problem = ""
        self.changed.emit()
        self.see(self._live.snapshot)

    def see(self, snapshot: Snapshot | None) -> None:
        """Look once; again where a mechanism of several freedoms has come to rest elsewhere, with other ranges."""
        if snapshot is None or not self._wanted or self.driver is None or self._background.busy or self.problem:
            return
        seen = self._looked_at
        if seen is None:
            self._look()
            return
        rests_elsewhere = not self._live.running and not np.array_equal(seen.position, snapshot.position)
        if rests_elsewhere and len(self._live.free_axes) > 1 and not self._settled.isActive():
            self._settled.start()

    def _look(self) -> None:
        mechanism = self.mechanism
        snapshot = self._live.snapshot
        driver = self.driver
        if mechanism is None or snapshot is None or driver is None:
            return
        figures = self.found.figures if self.found is not None else None
        self._looked_at = snapshot
        self._background.start(lambda: _look(mechanism, snapshot, driver, figures), self._show)

    def _show(self, found: DriverFindings | None, error: Exception | None) -> None:
        if found is None:
            self.problem = str(error)
        else:
            if self.found is None or self.found.figures is not found.figures:
                self.over_time = FiguresOverTime(found.figures)
            self.found = found
            self._last = None
            if not found.complete:
                self._background.start(found.completed, self._show)
        self.changed.emit()


def _look(mechanism: Mechanism, snapshot: Snapshot, driver: int, figures: KinematicFigures | None) -> DriverFindings:
    sweeper = sweeper_of(mechanism)
    try:
        sweeps = driver_range(mechanism, snapshot, driver, sweeper)
    except SimulatorError:  # it is at a dead point, or leads nothing
        sweeps = ()
    reach = reaches_at(mechanism, snapshot, (driver,)).get(driver)
    # Those of before keep a sweeper of their own: the window's thread asks them while this one looks again.
    large = figures is None and len(mechanism.bodies) > LARGE
    figures = figures or KinematicFigures(mechanism, driver, sweeper, sigma=not large)
    rolling = () if large else rollings(mechanism, sweeps)
    return DriverFindings(figures, reach, rolling, sweeps, complete=not large)


def figure_names(figures: tuple[Figure, ...]) -> list[str]:
    """What figures are called: `Transmission angle at closing_joint`."""
    texts = {
        ANGLE: QCoreApplication.translate("KinematicsPanel", "Transmission angle at {joint}"),
        RATIO: QCoreApplication.translate("KinematicsPanel", "Velocity of {joint} per driver"),
        ADVANTAGE: QCoreApplication.translate("KinematicsPanel", "Mechanical advantage at {joint}"),
    }
    heads = [figure.key.partition("/")[0] for figure in figures]
    whole = [figure.key.partition("/")[2] for figure in figures]
    tails = dict(zip(dict.fromkeys(whole), distinct_tails(list(dict.fromkeys(whole))), strict=True))
    smallest = QCoreApplication.translate("KinematicsPanel", "Smallest singular value σ")
    return [
        smallest if head == SIGMA else texts[head].format(joint=tails[name])
        for head, name in zip(heads, whole, strict=True)
    ]
