"""Function generation: four-bars and slider-cranks whose output follows the input by given pairs.

Freudenstein's equation (F. Freudenstein, Approximate Synthesis of Four-Bar Linkages, Trans. ASME 77, 1955) of ground d,
crank a, coupler b, rocker c, with both angles from the ground:

    K1 cos(psi) - K2 cos(phi) + K3 = cos(phi - psi),  K1 = d / a,  K2 = d / c,  K3 = (a^2 - b^2 + c^2 + d^2) / (2 a c)

is linear in K: three pairs determine them. Where pairs are turns from unknown starts, these are two unknowns more, for
four and five pairs; more pairs are met in the least squares.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.parts.linkage_kinds import slider_crank
from simulator.building.synthesis.design import FourBarDesign
from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.draft import Draft
    from simulator.spatial.arrays import Array

    Pair = tuple[float, float]

STARTS = 12
"""Angles of the crank, and of the rocker, from which a search for their starts begins."""


def freudenstein(pairs: Sequence[Pair], *, ground: float = 1.0) -> FourBarDesign:
    """The four-bar whose crank and rocker have the angles (phi, psi) from the ground [rad]; with more than three pairs,
    the least squares of Freudenstein's equation.

    `error` is the largest difference of the rocker's angle from what was asked [rad]. Raises UsageError for fewer than
    three pairs, or pairs that no four-bar has.
    """
    if len(pairs) < 3:
        raise UsageError(f"Freudenstein's equation needs three pairs of angles or more, not {len(pairs)}")
    phi, psi = np.array(pairs, dtype=float).T
    k = _constants(phi, psi)
    return _with_error(_design(k, float(phi[0]), float(psi[0]), ground), phi, psi)


def function(
    pairs: Sequence[Pair], *, ground: float = 1.0, free_starts: bool = True, count: int = 4
) -> list[FourBarDesign]:
    """Four-bars that turn their rocker by psi where the crank has turned by phi, for pairs (phi, psi) [rad], the best
    first.

    With `free_starts` the angles at which both begin are sought, too, which meets five pairs exactly; otherwise pairs
    are angles from the ground. Raises UsageError where no four-bar is found.
    """
    if not free_starts:
        return [freudenstein(pairs, ground=ground)]
    if len(pairs) < 3:
        raise UsageError(f"a function is given by three pairs or more, not {len(pairs)}")
    from scipy.optimize import least_squares

    phi, psi = np.array(pairs, dtype=float).T

    def gap(start: Array) -> Array:
        first, second = phi + start[0], psi + start[1]
        k, rows, right = _system(first, second)
        found: Array = rows @ k - right
        return found

    designs = []
    for begin in np.linspace(-math.pi, math.pi, STARTS, endpoint=False):
        for other in np.linspace(-math.pi, math.pi, STARTS, endpoint=False):
            start = np.array([begin, other])
            if len(pairs) > 3:
                start = least_squares(gap, start, xtol=1e-15, ftol=1e-15, gtol=1e-15).x
            first, second = phi + start[0], psi + start[1]
            try:
                k = _constants(first, second)
                design = _with_error(_design(k, float(first[0]), float(second[0]), ground), first, second)
            except UsageError:
                continue
            designs.append(design)
    kept = _distinct([design for design in designs if not design.defects])
    if not kept:
        raise UsageError("no four-bar generates this function without a defect; take other ranges of the angles")
    kept.sort(key=lambda design: (round(design.error, 6), -design.least_transmission_angle))
    return kept[:count]


@dataclass(frozen=True)
class SliderCrankDesign:
    """Crank, rod and offset [m] of a slider-crank, and by how much the slider misses its places [m]. `angle`: of the
    crank at the first pair."""

    crank: float
    rod: float
    offset: float
    angle: float
    error: float

    def draft(self) -> Draft:
        """A document of it: see `simulator.parts.slider_crank`."""
        return slider_crank(self.crank, self.rod, self.offset, angle=self.angle)


def slider_function(pairs: Sequence[Pair]) -> SliderCrankDesign:
    """The slider-crank whose slider is at s [m] from the crank's axis, along the slide, where the crank is at phi
    [rad]; with more than three pairs in the least squares.

    By (s - a cos(phi))^2 + (a sin(phi) - e)^2 = b^2, which is linear in a, a e and b^2 - a^2 - e^2. Raises UsageError
    for fewer than three pairs, or pairs that none has.
    """
    if len(pairs) < 3:
        raise UsageError(f"a slider-crank is given by three pairs or more, not {len(pairs)}")
    phi, s = np.array(pairs, dtype=float).T
    rows = np.column_stack([2.0 * s * np.cos(phi), 2.0 * np.sin(phi), np.ones(len(phi))])
    k, *_ = np.linalg.lstsq(rows, s**2, rcond=None)
    a = float(k[0])
    if abs(a) < 1e-12:
        raise UsageError("these pairs belong to no slider-crank: the crank would have no length")
    e = float(k[1]) / a
    square = float(k[2]) + a * a + e * e
    if square <= 0.0 or a <= 0.0:
        raise UsageError("these pairs belong to no slider-crank")
    b = math.sqrt(square)
    rise = a * np.sin(phi) - e
    if float(np.abs(rise).max()) > b:
        raise UsageError("these pairs belong to a slider-crank whose rod does not reach")
    places = a * np.cos(phi) + np.sqrt(b * b - rise**2)
    return SliderCrankDesign(a, b, e, float(phi[0]), float(np.abs(places - s).max()))


def _system(phi: Array, psi: Array) -> tuple[Array, Array, Array]:
    rows = np.column_stack([np.cos(psi), -np.cos(phi), np.ones(len(phi))])
    right = np.cos(phi - psi)
    k, *_ = np.linalg.lstsq(rows, right, rcond=None)
    return k, rows, right


def _constants(phi: Array, psi: Array) -> Array:
    k, rows, _ = _system(phi, psi)
    if np.linalg.matrix_rank(rows, tol=1e-9) < 3 or float(np.abs(k[:2]).min()) < 1e-9:
        raise UsageError("these pairs of angles belong to no four-bar: crank or rocker would be endless")
    return k


def _design(k: Array, phi: float, psi: float, ground: float) -> FourBarDesign:
    """From K1, K2, K3; a bar of negative length points the other way."""
    a, c = ground / float(k[0]), ground / float(k[1])
    square = a * a + c * c + ground * ground - 2.0 * a * c * float(k[2])
    if square <= 0.0:
        raise UsageError("these pairs of angles belong to no four-bar: the coupler would have no length")
    pin = a * cmath.exp(1j * phi)
    other = ground + c * cmath.exp(1j * psi)
    return FourBarDesign(0j, complex(ground), pin, other, pin)


def _with_error(design: FourBarDesign, phi: Array, psi: Array) -> FourBarDesign:
    """With the turns of the crank, and how far the rocker's turns are from those that were asked for."""
    turns = tuple(float(angle) for angle in phi - phi[0])
    begin = design.rocker_pin - design.rocker_pivot
    worst = 0.0
    defects = set()
    for turn, wanted in zip(turns, psi - psi[0], strict=True):
        pins = design.pins(turn)
        if pins is None:
            defects.add("circuit: the crank cannot be where it is asked to be")
            continue
        got = cmath.phase((pins[1] - design.rocker_pivot) / begin * cmath.exp(-1j * wanted))
        worst = max(worst, abs(got))
    if any(design.cannot_pass(x, y) for x, y in pairwise(turns)):
        defects.add("circuit: the crank cannot turn from one position to the next")
    if worst > math.radians(10.0):
        defects.add("branch: the rocker is on the other branch in some position")
    return replace(design, crank_turns=turns, error=worst, defects=tuple(sorted(defects)))


def _distinct(designs: Sequence[FourBarDesign]) -> list[FourBarDesign]:
    kept: list[FourBarDesign] = []
    for design in designs:
        here = np.array([design.crank_pin, design.rocker_pin])
        if all(np.abs(here - [one.crank_pin, one.rocker_pin]).max() > 1e-6 for one in kept):
            kept.append(design)
    return kept
