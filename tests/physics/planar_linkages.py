"""Linkages of hinges in the plane: their documents, and their motion in minimal coordinates, by another method.

Every body k has an absolute angle t_k, and hangs at a point of another body or of the ground; hinges that close loops
demand sum b_j exp(i t_j) = constant. Some angles are independent; the others follow by Newton's method at every
evaluation, their rates by the implicit function theorem: t' = G y', t'' = G y'' + g. Lagrange's equations in y,

    G^T M G y'' = G^T (Q - M g - h),

are integrated by DOP853 (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.5). So there is no
projection, no multiplier, and nothing that knows of joints' coordinates.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
GRAVITY = -9.81j
GROUND = -1
ACCURACY = 1e-12


@dataclass(frozen=True)
class Passive:
    """Spring [N m/rad], at rest at the start turned by `rest` [rad], and damper [N m s/rad] of a hinge."""

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0


@dataclass(frozen=True)
class Body:
    """A body that hangs at the point `at` of its parent, and starts at `angle` to the ground; `centre` of mass in its
    own axes [m]."""

    parent: int
    at: complex
    angle: float
    centre: complex
    mass: float
    moment: float
    hinge: Passive = Passive()


@dataclass(frozen=True)
class Closing:
    """A hinge between a point of a body and one of another, or of the ground."""

    first: int
    at: complex
    second: int
    there: complex
    hinge: Passive = Passive()


@dataclass(frozen=True)
class Pull:
    """A spring between a point of a body and one of the ground."""

    body: int
    at: complex
    there: complex
    stiffness: float
    free: float
    damping: float = 0.0


@dataclass(frozen=True)
class Linkage:
    """`independent`: of which bodies the angles are y. A moment of `moment` sin(2 pi `frequency` t) acts on body 0."""

    bodies: tuple[Body, ...]
    closings: tuple[Closing, ...]
    independent: tuple[int, ...]
    pulls: tuple[Pull, ...] = ()
    moment: float = 0.0
    frequency: float = 1.0

    def document(self) -> str:
        """The world of it; joints are h0, h1 … and those that close loops c0, c1 …."""
        start = np.array([body.angle for body in self.bodies])
        parts = []
        for k, body in enumerate(self.bodies):
            place = self._point(k, 0j, start)
            parts += [_link(k, place, body), _joint(f"h{k}", body.parent, k, place, body.hinge)]
        for k, closing in enumerate(self.closings):
            place = self._point(closing.first, closing.at, start)
            parts.append(_joint(f"c{k}", closing.first, closing.second, place, closing.hinge, cut=True))
        for pull in self.pulls:
            parts.append(
                f'<simulator:spring link="b{pull.body}" at="{_xy(pull.at)}" other="world" other_at="{_xy(pull.there)}" '
                f'stiffness="{pull.stiffness!r}" damping="{pull.damping!r}" free_length="{pull.free!r}"/>'
            )
        if self.moment:
            parts.append(f'<simulator:load link="b0" moment="0 0 sine({self.moment!r}, {self.frequency!r})"/>')
        return (
            '<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w">'
            f'<gravity>{_xy(GRAVITY)}</gravity><model name="m">{"".join(parts)}</model></world></sdf>'
        )

    def moved(self, duration: float) -> Array:
        """Positions of the joints h0, h1 … after it has moved for `duration` [s] from rest."""
        motion = _Motion(self)
        begin = np.concatenate((motion.angles[list(self.independent)], np.zeros(len(self.independent))))
        solved = solve_ivp(
            motion.rates, (0.0, duration), begin, method="DOP853", rtol=ACCURACY, atol=ACCURACY, max_step=0.01
        )
        turned = motion.closed(solved.y[: len(self.independent), -1]) - [body.angle for body in self.bodies]
        return np.array(
            [turned[k] - (turned[body.parent] if body.parent >= 0 else 0.0) for k, body in enumerate(self.bodies)]
        )

    def with_hinges(self, **hinges: Passive) -> Linkage:
        """With other springs and dampers: h1=…, c0=…."""
        bodies = tuple(replace(body, hinge=hinges.get(f"h{k}", body.hinge)) for k, body in enumerate(self.bodies))
        closings = tuple(replace(c, hinge=hinges.get(f"c{k}", c.hinge)) for k, c in enumerate(self.closings))
        return replace(self, bodies=bodies, closings=closings)

    def arms(self, body: int, at: complex) -> tuple[complex, Complex]:
        """A point of a body as constant + sum arms_j exp(i t_j)."""
        arms = np.zeros(len(self.bodies), dtype=complex)
        while body >= 0:
            arms[body] += at
            body, at = self.bodies[body].parent, self.bodies[body].at
        return at, arms

    def _point(self, body: int, at: complex, angles: Array) -> complex:
        constant, arms = self.arms(body, at)
        return complex(constant + arms @ np.exp(1j * angles))


class _Motion:
    """The equations of a linkage."""

    def __init__(self, linkage: Linkage) -> None:
        self._linkage = linkage
        self.angles = np.array([body.angle for body in linkage.bodies])
        self._free = list(linkage.independent)
        self._rest = [k for k in range(len(linkage.bodies)) if k not in linkage.independent]
        ends = [(linkage.arms(c.first, c.at), linkage.arms(c.second, c.there)) for c in linkage.closings]
        self._gap = np.array([first[0] - second[0] for first, second in ends])
        self._loops = np.array([first[1] - second[1] for first, second in ends])
        self._centres = np.array([linkage.arms(k, body.centre)[1] for k, body in enumerate(linkage.bodies)])
        self._mass = np.array([body.mass for body in linkage.bodies])
        self._moment = np.diag([body.moment for body in linkage.bodies])

    def closed(self, y: Array) -> Array:
        """All angles that belong to the independent ones, near those of the last call."""
        angles: Array = self.angles.copy()
        angles[self._free] = y
        for _ in range(20):
            turned = np.exp(1j * angles)
            gap = self._gap + self._loops @ turned
            step: NDArray[Any] = np.linalg.solve(
                _real(1j * self._loops[:, self._rest] * turned[self._rest]), _real(-gap)
            )
            angles[self._rest] += step
            if np.abs(step).max() < 1e-15:
                break
        self.angles = angles
        return angles

    def rates(self, time: float, state: Array) -> Array:
        """Of y and y'."""
        n = len(self._free)
        angles, speeds = self.closed(state[:n]), state[n:]
        turned = np.exp(1j * angles)
        J = _real(1j * self._loops * turned)
        G = np.zeros((len(angles), n))
        G[self._free, range(n)] = 1.0
        G[self._rest] = -np.linalg.solve(J[:, self._rest], J[:, self._free])
        rates = G @ speeds
        # J t'' = sum b_j exp(i t_j) t_j'^2, with y'' = 0.
        bend = np.zeros(len(angles))
        bend[self._rest] = np.linalg.solve(J[:, self._rest], _real(self._loops @ (turned * rates**2)))
        S = 1j * self._centres * turned
        M = np.real(S.conj().T @ (self._mass[:, None] * S)) + self._moment
        pull = np.real(S.conj().T @ (self._mass * (GRAVITY + self._centres @ (turned * rates**2))))
        efforts = pull + self._efforts(time, angles, rates) - M @ bend
        return np.concatenate((speeds, np.linalg.solve(G.T @ M @ G, G.T @ efforts)))

    def _efforts(self, time: float, angles: Array, rates: Array) -> Array:
        """On the angles, of hinges, springs between points and the moment."""
        linkage, found = self._linkage, np.zeros(len(angles))
        hinges = [(body.parent, k, body.hinge) for k, body in enumerate(linkage.bodies)]
        hinges += [(closing.first, closing.second, closing.hinge) for closing in linkage.closings]
        for parent, child, hinge in hinges:
            way = np.zeros(len(angles))
            for k, sign in ((parent, -1.0), (child, 1.0)):
                if k >= 0:
                    way[k] = sign
            start = np.array([body.angle for body in linkage.bodies])
            found -= way * (hinge.stiffness * (way @ (angles - start) - hinge.rest) + hinge.damping * (way @ rates))
        for pull in linkage.pulls:
            constant, arms = linkage.arms(pull.body, pull.at)
            turned = np.exp(1j * angles)
            span = constant + arms @ turned - pull.there
            way = np.real(np.conj(span / abs(span)) * 1j * arms * turned)
            found -= way * (pull.stiffness * (abs(span) - pull.free) + pull.damping * (way @ rates))
        found[0] += linkage.moment * math.sin(2.0 * math.pi * linkage.frequency * time)
        return found


def _real(values: Complex) -> Array:
    """Real parts above imaginary parts."""
    return np.concatenate((np.real(values), np.imag(values)))


def _xy(place: complex) -> str:
    return f"{place.real!r} {place.imag!r} 0"


def _link(k: int, place: complex, body: Body) -> str:
    moments = f"<ixx>{body.moment!r}</ixx><iyy>{body.moment!r}</iyy><izz>{body.moment!r}</izz>"
    return (
        f'<link name="b{k}"><pose>{_xy(place)} 0 0 {body.angle!r}</pose><inertial>'
        f"<pose>{_xy(complex(body.centre))} 0 0 0</pose><mass>{body.mass!r}</mass><inertia>{moments}</inertia>"
        "</inertial></link>"
    )


def _joint(name: str, parent: int, child: int, place: complex, hinge: Passive, *, cut: bool = False) -> str:
    first, second = (f"b{k}" if k >= 0 else "world" for k in (parent, child))
    passive = (
        f"<dynamics><damping>{hinge.damping!r}</damping><spring_stiffness>{hinge.stiffness!r}</spring_stiffness>"
        f"<spring_reference>{hinge.rest!r}</spring_reference></dynamics>"
    )
    loop = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>" if cut else ""
    return (
        f'<joint name="{name}" type="revolute"><pose relative_to="__model__">{_xy(place)} 0 0 0</pose>'
        f"<parent>{first}</parent><child>{second}</child><axis><xyz>0 0 1</xyz>{passive}</axis>{loop}</joint>"
    )


def four_bar(
    crank: float, coupler: float, rocker: float, ground: float, angle: float, masses: tuple[float, ...]
) -> Linkage:
    """Of thin rods, the crank at `angle` [rad], closed between coupler and rocker."""
    tip = crank * cmath.exp(1j * angle)
    way = ground - tip
    # The law of cosines at the end of the crank.
    bend = math.acos((coupler**2 + abs(way) ** 2 - rocker**2) / (2.0 * coupler * abs(way)))
    end = tip + coupler * cmath.exp(1j * (cmath.phase(way) + bend))
    rods = (
        (GROUND, 0j, angle, crank),
        (0, crank, cmath.phase(end - tip), coupler),
        (GROUND, ground, cmath.phase(end - ground), rocker),
    )
    return Linkage(_rods(rods, masses), (Closing(1, coupler, 2, rocker),), (0,))


def five_bar(
    crank: float, rod: float, ground: float, angles: tuple[float, float], masses: tuple[float, ...]
) -> Linkage:
    """Two cranks at `angles` [rad], whose ends two rods join: a manipulator of two freedoms."""
    one, other = crank * cmath.exp(1j * angles[0]), ground + crank * cmath.exp(1j * angles[1])
    half = 0.5 * abs(other - one)
    end = 0.5 * (one + other) + 1j * (other - one) / (2.0 * half) * math.sqrt(rod**2 - half**2)
    rods = (
        (GROUND, 0j, angles[0], crank),
        (0, crank, cmath.phase(end - one), rod),
        (GROUND, ground, angles[1], crank),
        (2, crank, cmath.phase(end - other), rod),
    )
    return Linkage(_rods(rods, masses), (Closing(1, rod, 3, rod),), (0, 2))


def _rods(rods: tuple[tuple[int, complex, float, float], ...], masses: tuple[float, ...]) -> tuple[Body, ...]:
    return tuple(
        Body(parent, complex(at), angle, 0.5 * length, mass, mass * length**2 / 12.0)
        for (parent, at, angle, length), mass in zip(rods, masses, strict=True)
    )
