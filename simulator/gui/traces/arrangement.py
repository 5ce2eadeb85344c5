"""Which curves share a plot: one plot for every unit, until curves or plots are moved by hand. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import Enum

from simulator.gui.traces.plan import Series

Plots = tuple[tuple[str, ...], ...]
"""Keys of the curves of each plot, from the first plot to the last. Curves that are not on show keep their place."""

RESIDUAL = "residual"
IDEAL = "/ideal"


class DropPlace(Enum):
    """Where something is dropped, seen from the plot below the mouse: in it, or in a plot of its own beside it."""

    BEFORE = "before"
    INSIDE = "inside"
    AFTER = "after"


def kind_of(series: Series) -> str:
    """What the curves of a plot have in common: their unit, or that they are residuals."""
    return RESIDUAL if series.residual else series.unit


def arranged(plots: Plots, series: Iterable[Series]) -> Plots:
    """`plots` with each curve of `series` in one of them: where it was put, else in the first plot of its kind, else in
    a new one; angles come first in those and residuals last."""
    kinds = {one.key: kind_of(one) for one in series}
    result = [_of_one_kind(keys, kinds) for keys in plots]
    placed = {key for keys in result for key in keys}
    order = sorted(kinds, key=lambda key: (kinds[key] == RESIDUAL, kinds[key] != "rad", kinds[key]))
    for key in (key for key in order if key not in placed):
        home = next((keys for keys in result if any(kinds.get(one) == kinds[key] for one in keys)), None)
        if home is None:
            home = []
            residuals = (i for i, keys in enumerate(result) if any(kinds.get(one) == RESIDUAL for one in keys))
            at = len(result) if kinds[key] == RESIDUAL else next(residuals, len(result))
            result.insert(at, home)
        home.append(key)
    return tuple(tuple(keys) for keys in result if keys)


def on_show(plots: Plots, series: Sequence[Series]) -> list[list[Series]]:
    """The curves of each plot that has any, in the order of `series`."""
    places = {key: number for number, keys in enumerate(arranged(plots, series)) for key in keys}
    found: dict[int, list[Series]] = {}
    for one in series:
        found.setdefault(places[one.key], []).append(one)
    return [found[number] for number in sorted(found)]


def moved(plots: Plots, keys: Iterable[str], target: str, place: DropPlace) -> Plots:
    """Curves, and the ideals of followers among them, put into the plot of the curve `target` or beside it."""
    taken = {one for key in keys for one in (key, key + IDEAL)}
    at = next((number for number, old in enumerate(plots) if target in old), None)
    if at is None or set(plots[at]) <= taken:
        return plots
    there = tuple(key for old in plots for key in old if key in taken)
    there += tuple(key for key in keys if key not in there)
    result = [tuple(key for key in old if key not in taken) for old in plots]
    if place is DropPlace.INSIDE:
        result[at] += there
    else:
        result.insert(at + (place is DropPlace.AFTER), there)
    return tuple(filter(None, result))


def plot_moved(plots: Plots, key: str, target: str, place: DropPlace) -> Plots:
    """The plot of the curve `key` put before or after that of `target`."""
    whole = next((keys for keys in plots if key in keys), ())
    if not whole or target in whole:
        return plots
    rest = [keys for keys in plots if keys != whole]
    at = next((number for number, keys in enumerate(rest) if target in keys), len(rest))
    return (*rest[: at + (place is DropPlace.AFTER)], whole, *rest[at + (place is DropPlace.AFTER) :])


def split(plots: Plots, key: str) -> Plots:
    """The plot of the curve `key` taken apart: one for every joint, a follower with its ideal."""
    at = next((number for number, keys in enumerate(plots) if key in keys), None)
    if at is None:
        return plots
    parts: dict[str, tuple[str, ...]] = {}
    for one in plots[at]:
        owner = one.removesuffix(IDEAL)
        parts[owner] = (*parts.get(owner, ()), one)
    return (*plots[:at], *parts.values(), *plots[at + 1 :])


def can_split(series: Iterable[Series]) -> bool:
    """Whether the curves of a plot are of more than one joint."""
    return len({one.key.removesuffix(IDEAL) for one in series}) > 1


def grid(count: int, width: int, height: int, least: tuple[int, int]) -> tuple[int, int]:
    """Rows and columns for so many plots in a rectangle, none less wide and high than `least`: one below the other
    where there is room, else side by side; rows may ask for more height than there is."""
    rows = max(height // least[1], 1)
    columns = min(math.ceil(max(count, 1) / rows), max(width // least[0], 1))
    return math.ceil(max(count, 1) / columns), columns


def _of_one_kind(keys: Sequence[str], kinds: dict[str, str]) -> list[str]:
    """Those that still belong together: a document that was edited may have made an angle a distance."""
    kind = next((kinds[key] for key in keys if key in kinds), None)
    return [key for key in keys if kinds.get(key, kind) == kind]
