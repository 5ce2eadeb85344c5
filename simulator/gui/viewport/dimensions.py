"""Numbers on the drawing: lengths of links, positions of joints, efforts of drives and ratios of couplings. A selected
item shows all of its own; without a selection the mechanism shows its main ones."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from simulator.gui.selection import ItemKind
from simulator.gui.viewport.dimension_numbers import DimensionNumbers
from simulator.gui.viewport.dimension_plan import DimensionPlan, Planner
from simulator.mechanism.varied_length import pins_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.engine.drives import DriveKind
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.live import LiveSession
    from simulator.gui.relations import Relations
    from simulator.gui.selection import Item
    from simulator.gui.units import Units
    from simulator.gui.viewport.dimension_plan import Drawing, Place, Tie
    from simulator.rendering.scene import Scene

MOST = 24
"""So many are thought of, and as many drawn as there is room for."""


class Dimensions:
    """Computes the dimensions of every moment while they are switched on."""

    def __init__(self, live: LiveSession) -> None:
        self.dimensions = True
        self._live = live
        self._plan: DimensionPlan | None = None
        self._planned: tuple[Relations | None, Scene | None, tuple[object, ...]] = (None, None, ())
        self._sides: dict[str, float] = {}

    def forget(self) -> None:
        """Another document."""
        self._plan = None
        self._planned = (None, None, ())
        self._sides = {}

    def has_news(self) -> bool:
        """Whether drives are others than those that are drawn."""
        return self.dimensions and self._plan is not None and self._held() not in self._planned[2]

    def at(self, snapshot: Snapshot, scene: Scene, item: Item | None, units: Units) -> Drawing | None:
        """Those of a moment; None where they are switched off, or nothing is open."""
        relations = self._live.relations
        if not self.dimensions or relations is None:
            return None
        asked = item, units, self._held(), self._live.free_axes
        known = self._planned[0] is relations and self._planned[1] is scene and self._planned[2] == asked
        if self._plan is None or not known:
            held = {name: (kind, changes) for name, kind, changes in self._held()}
            numbers = DimensionNumbers(relations, held, self._live.free_axes, units)
            self._plan = plan_for(Planner(numbers, scene, snapshot, self._sides), numbers, item)
            self._planned = relations, scene, asked
        return self._plan.at(snapshot)

    def _held(self) -> tuple[tuple[str, DriveKind, bool], ...]:
        """By name what is driven, what of it, and whether that changes over time: all that counts of a drive here."""
        status = self._live.status
        return () if status is None else tuple((name, drive.kind, drive.level is None) for name, drive in status.drives)


def plan_for(planner: Planner, numbers: DimensionNumbers, item: Item | None) -> DimensionPlan:
    """What is drawn for a selection."""
    if item is None or item.kind is ItemKind.MODEL:
        return _overview(planner, numbers)
    relations, mechanism = numbers.relations, planner.mechanism
    axes = relations.axes_of(item)
    spans = planner.lengths(item.name) if item.kind is ItemKind.LINK and item.name in planner.of.places else []
    couplings = [i for i, law in enumerate(mechanism.couplings) if any(axis in axes for axis, _ in law.terms)]
    placed = _positions(planner, () if spans else axes, with_effort=True)
    return _plan(spans, placed, [tie for coupling in couplings[:MOST] for tie in planner.ratios(coupling)], strong=True)


def _overview(planner: Planner, numbers: DimensionNumbers) -> DimensionPlan:
    """Lengths that can be varied, positions of what drives or may drive, ratios."""
    mechanism = planner.mechanism
    driven = tuple(i for i, info in enumerate(mechanism.axes) if info.name in numbers.held)
    links = (link.name for _, _, link in planner.of.links if pins_of(planner.of, link.name)[0] is not None)
    spans = list(islice((place for link in links for place in planner.lengths(link)), MOST))
    placed = _positions(planner, driven or numbers.free_axes, with_effort=False)
    simple = (i for i, law in enumerate(mechanism.couplings) if not law.others)  # else one ratio does not say the law
    ties = list(islice((tie for i in simple for tie in planner.ratios(i)), MOST))
    return _plan(spans, placed, ties, strong=False)


def _positions(planner: Planner, axes: tuple[int, ...], *, with_effort: bool) -> Iterator[tuple[Place, bool]]:
    shown = (axis for axis in axes if not planner.mechanism.axes[axis].hidden)
    for axis in islice(shown, MOST):
        place = planner.position(axis, with_effort=with_effort)
        if place is not None:
            yield place


def _plan(spans: list[Place], placed: Iterator[tuple[Place, bool]], ties: list[Tie], *, strong: bool) -> DimensionPlan:
    positions = list(placed)
    slides, arcs = ([place for place, turns in positions if turns is kind] for kind in (False, True))
    return DimensionPlan([*spans, *slides], arcs, ties, strong)
