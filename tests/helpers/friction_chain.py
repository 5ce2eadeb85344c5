"""Wheels in a row with a clutch between each two, integrated mode by mode: an oracle for clutches and freewheels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from simulator.spatial.arrays import Array

STANDS = 1e-9


@dataclass(frozen=True)
class Link:
    """A clutch: its torque `limit` over time while it slips, `peak` times that while it sticks, and whether a
    `freewheel` beside it keeps the second wheel from falling behind the first."""

    limit: Callable[[float], float]
    peak: float = 1.0
    freewheel: bool = False


def turn(
    inertias: Sequence[float],
    rates: Sequence[float],
    links: Sequence[Link],
    torques: Callable[[float], Sequence[float]],
    dt: float,
    end: float,
) -> tuple[Array, Array]:
    """Times and rates of all wheels, shape (n,) and (n, wheels). In each mode accelerations depend on time alone: steps
    take those of their middle, and are cut where a slip ends."""
    times = np.arange(round(end / dt) + 1) * dt
    found = np.zeros((len(times), len(inertias)))
    found[0] = rates
    for i, time in enumerate(times[:-1]):
        now, at, left = found[i].copy(), float(time), dt
        for _ in range(2 * len(links) + 1):
            accelerations = _accelerations(inertias, now, links, torques(at + 0.5 * left), at + 0.5 * left)
            slip, change = np.diff(now), np.diff(accelerations)
            ends = [
                -slip[k] / change[k]
                for k in range(len(links))
                if abs(slip[k]) > STANDS and slip[k] * change[k] < 0.0 and -slip[k] / change[k] < left
            ]
            part = min(ends, default=left)
            now = now + part * accelerations
            at, left = at + part, left - part
            if left <= 0.0:
                break
        for k in range(len(links)):  # what stands together moves together, to the last bit
            if abs(now[k + 1] - now[k]) <= STANDS:
                now[k + 1] = now[k]
        found[i + 1] = now
    return times, found


def _accelerations(
    inertias: Sequence[float], rates: Array, links: Sequence[Link], torques: Sequence[float], time: float
) -> Array:
    """With what slips at its limit, and what stands stuck unless that takes more than it holds: those that take most
    are let go one after the other."""
    slip = np.diff(rates)
    caps = [max(link.limit(time), 0.0) for link in links]
    passed = np.array([-np.sign(s) * cap if abs(s) > STANDS else 0.0 for s, cap in zip(slip, caps, strict=True)])
    stuck = [k for k, s in enumerate(slip) if abs(s) <= STANDS]
    while True:
        passed[stuck] = 0.0
        free = _free(inertias, torques, passed)
        if stuck:
            # The torque λ_k on wheel k + 1 and -λ_k on wheel k that leaves no relative acceleration where it sticks.
            units = [np.diff(_free(inertias, np.zeros(len(inertias)), np.eye(len(links))[k])) for k in stuck]
            matrix = np.array([[unit[j] for unit in units] for j in stuck])
            passed[stuck] = np.linalg.solve(matrix, -np.diff(free)[stuck])
        beyond = {k: _beyond(links[k], links[k].peak * caps[k], passed[k]) for k in stuck}
        worst = max(beyond, key=lambda k: beyond[k], default=-1)
        if worst < 0 or beyond[worst] <= 0.0:
            return _free(inertias, torques, passed)
        stuck.remove(worst)
        passed[worst] = np.sign(passed[worst]) * caps[worst]


def _beyond(link: Link, most: float, passed: float) -> float:
    return -passed - most if link.freewheel else abs(passed) - most


def _free(inertias: Sequence[float], torques: Sequence[float], passed: Array) -> Array:
    """Accelerations under torques on the wheels and those that the links pass on."""
    total = np.array(torques, dtype=float)
    total[1:] += passed
    total[:-1] -= passed
    result: Array = total / np.array(inertias)
    return result
