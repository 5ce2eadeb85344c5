"""Planar four-bars of thin rods in the vertical plane, and their motion with one coordinate, integrated without any
constraint.

A four-bar on one branch has one coordinate, the crank's angle t. Where its other angles are smooth functions of t, also
through change points, Lagrange's equation M(t) t'' + M'(t) t'^2 / 2 + V'(t) = 0 is all there is. It is integrated by
DOP853 (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.5) to 1e-12: no Jacobian, no
projection, nothing that knows of a singular position."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]
Angles = Callable[[float], tuple[float, float]]
GRAVITY = 9.81
SIXTH = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))
"""(steps to either side, weight) of the difference of the sixth order (Fornberg, Math. Comp. 51, 1988)."""
_H = 1e-3


@dataclass(frozen=True)
class Bars:
    """Lengths [m] of crank, coupler, rocker and ground, the ground from (0, 0) to (ground, 0). Every rod weighs 1
    kg."""

    crank: float
    coupler: float
    rocker: float
    ground: float

    def document(self, tip: complex, end: complex, *, gravity: float = GRAVITY) -> str:
        """A world with these bars; `tip` is where crank and coupler meet, `end` where coupler and rocker do."""
        rods = (
            ("crank", 0j, tip, self.crank),
            ("coupler", tip, end, self.coupler),
            ("rocker", complex(self.ground), end, self.rocker),
        )
        links = "".join(_rod(name, start, cmath.phase(stop - start), length) for name, start, stop, length in rods)
        hinges = "".join(
            f'<joint name="{name}" type="revolute">{place}<parent>{parent}</parent><child>{child}</child>'
            "<axis><xyz>0 0 1</xyz></axis></joint>"
            for name, parent, child, place in (
                ("j1", "world", "crank", ""),
                ("j2", "crank", "coupler", ""),
                ("j3", "world", "rocker", ""),
                ("j4", "coupler", "rocker", f'<pose relative_to="rocker">{self.rocker!r} 0 0 0 0 0</pose>'),
            )
        )
        return (
            f'<sdf version="1.11"><world name="w"><gravity>0 {-gravity!r} 0</gravity>'
            f'<model name="m">{links}{hinges}</model></world></sdf>'
        )

    def places(self, angles: Angles, t: float) -> tuple[tuple[complex, ...], tuple[float, ...]]:
        """Centres of the rods (3) and their angles (3), with the crank at `t` [rad]."""
        coupler, rocker = angles(t)
        tip = self.crank * cmath.exp(1j * t)
        middle = tip + self.coupler * cmath.exp(1j * coupler) / 2
        last = self.ground + self.rocker * cmath.exp(1j * rocker) / 2
        return (tip / 2, middle, last), (t, coupler, rocker)

    def inertia(self, angles: Angles, t: float) -> float:
        """M(t) of rods of 1 kg, by differences of the sixth order."""
        pairs = [(weight / _H, self.places(angles, t + k * _H), self.places(angles, t - k * _H)) for k, weight in SIXTH]
        found = 0.0
        for rod, length in enumerate((self.crank, self.coupler, self.rocker)):
            centre = sum(weight * (ahead[0][rod] - behind[0][rod]) for weight, ahead, behind in pairs)
            turn = sum(weight * (ahead[1][rod] - behind[1][rod]) for weight, ahead, behind in pairs)
            found += abs(centre) ** 2 + length**2 / 12.0 * turn**2
        return found

    def released(self, angles: Angles, start: float, times: Array) -> Array:
        """The crank's angle at `times` [s] after it is let go at `start` [rad]; `angles`: coupler's and rocker's,
        absolute."""

        def height(t: float) -> float:
            return sum(centre.imag for centre in self.places(angles, t)[0]) * GRAVITY

        def rates(_: float, y: Array) -> tuple[float, float]:
            t, speed = float(y[0]), float(y[1])
            bend = 0.5 * slope(lambda at: self.inertia(angles, at), t) * speed * speed
            return speed, -(bend + slope(height, t)) / self.inertia(angles, t)

        end = float(times[-1])
        solved = solve_ivp(rates, (0.0, end), (start, 0.0), method="DOP853", t_eval=times, rtol=1e-11, atol=1e-12)
        found: Array = solved.y[0]
        return found


def slope(f: Callable[[float], float], t: float) -> float:
    """The derivative of f by differences of the sixth order."""
    return sum(weight * (f(t + k * _H) - f(t - k * _H)) / _H for k, weight in SIXTH)


def parallel(t: float) -> tuple[float, float]:
    """A parallelogram: the coupler does not turn."""
    return 0.0, t


def crossed(bars: Bars) -> Angles:
    """An antiparallelogram: tan(rocker/2) = -k tan(crank/2) with k = (ground + crank)/(ground - crank), smooth through
    0 and pi."""
    k = (bars.ground + bars.crank) / (bars.ground - bars.crank)

    def angles(t: float) -> tuple[float, float]:
        rocker = 2.0 * math.atan2(-k * math.sin(0.5 * t), math.cos(0.5 * t))
        tip, end = bars.crank * cmath.exp(1j * t), bars.ground + bars.rocker * cmath.exp(1j * rocker)
        return cmath.phase(end - tip), rocker

    return angles


def folded(t: float) -> tuple[float, float]:
    """A kite whose short pair lies on itself: the coupler goes back along the crank, the rocker stands still."""
    return t + math.pi, math.pi


def _rod(name: str, start: complex, angle: float, length: float) -> str:
    moment = length * length / 12.0
    return (
        f'<link name="{name}"><pose>{start.real!r} {start.imag!r} 0 0 0 {angle!r}</pose><inertial>'
        f"<pose>{length / 2!r} 0 0 0 0 0</pose>"
        f"<mass>1</mass><inertia><ixx>1e-4</ixx><iyy>{moment!r}</iyy><izz>{moment!r}</izz></inertia></inertial></link>"
    )
