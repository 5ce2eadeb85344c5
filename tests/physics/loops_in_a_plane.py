"""Loops of joints in space that move in the plane of x and z, as documents, and their motion by other equations.

A chain of bars goes from a hinge in the ground to another hinge, or a slide along x, in the ground. Joints between bars
are hinges about y, universals whose second axis lies in the plane, balls, or hinges on a small slide along y. As long
as nothing leads out of the plane, all of them are hinges of a planar chain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from tests.physics.worlds import link, model, world

Array = NDArray[np.float64]

GRAVITY = 9.8
HINGE, UNIVERSAL, BALL, CYLINDRICAL = range(4)
OUT_OF_PLANE = (0, 1, 2, 1)
"""Freedoms of each that lead out of the plane: a loop has three rows against these."""
SLIDER = 0.05
"""Mass [kg] of the slide of a cylindrical joint."""
STABLE = 50.0
"""Rate at which gaps close [1/s]."""


@dataclass(frozen=True)
class Chain:
    """`points` (n + 1, 2): x and z of the joints [m]; `kinds` of those between bars, `second`: angles of the second
    axes of universals against x [rad]; `beside`: y of the bars; `slides`: whether the last bar slides along x instead
    of turning; `tilt` [rad] of the first axis, about z."""

    points: Array
    kinds: tuple[int, ...]
    second: tuple[float, ...]
    beside: tuple[float, ...]
    slides: bool = False
    tilt: float = 0.0

    @property
    def bars(self) -> int:
        """How many."""
        return len(self.points) - 1


def random_chain(seed: int) -> Chain:
    """Four-bars, slider-cranks and five-bars, by turns."""
    random = np.random.default_rng(seed)
    bars, slides = (3, 3, 4)[seed % 3], seed % 3 == 1
    shape = {
        3: [(0.0, 0.0), (-0.05, 0.2), (0.35, 0.3), (0.4, 0.0)],
        4: [(0.0, 0.0), (-0.1, 0.2), (0.2, 0.4), (0.45, 0.2), (0.4, 0.0)],
    }[bars]
    if slides:
        shape = [(0.0, 0.0), (0.05, 0.15), (0.5, 0.0), (0.6, 0.0)]
    points = np.array(shape) + random.uniform(-0.03, 0.03, (len(shape), 2)) * [[1.0, 0.0 if slides else 1.0]]
    points[0] = 0.0
    while True:
        kinds = tuple(random.integers(0, 4, bars - 1).tolist())
        if 1 <= sum(OUT_OF_PLANE[kind] for kind in kinds) <= 3:
            break
    second = tuple(random.uniform(-1.5, 1.5, bars - 1).tolist())
    return Chain(points, kinds, second, tuple(random.uniform(-0.05, 0.05, bars).tolist()), slides)


def in_line(seed: int) -> Chain:
    """A random chain whose first and last joint between bars are universals with second axes in one line, as seen along
    y; the others are hinges."""
    chain = random_chain(3 * seed + 2 * (seed % 2))
    kinds = [UNIVERSAL, *[HINGE] * (chain.bars - 3), UNIVERSAL]
    x, z = (chain.points[-2] - chain.points[1]).tolist()
    return replace(chain, kinds=tuple(kinds), second=(math.atan2(z, x),) * len(kinds))


def five_bar(*, hips: float = 0.05, turn: tuple[float, float] = (0.0, 0.0), tilt: float = 0.0) -> Chain:
    """A leg of two upper bars of 0.1 m on hips at x = -hips and hips, that far below the horizontal, and two lower ones
    of 0.2 m, which universals hang on. While the upper ones are turned alike the second axes, along x at first, are
    parallel."""
    knees = [
        (-hips - 0.1 * math.cos(turn[0]), -0.1 * math.sin(turn[0])),
        (hips + 0.1 * math.cos(turn[1]), -0.1 * math.sin(turn[1])),
    ]
    left, right = complex(*knees[0]), complex(*knees[1])
    across = right - left
    foot = 0.5 * (left + right) - 1j * across / abs(across) * math.sqrt(0.04 - 0.25 * abs(across) ** 2)
    points = np.array([(-hips, 0.0), knees[0], (foot.real, foot.imag), knees[1], (hips, 0.0)])
    kinds = (UNIVERSAL, HINGE, UNIVERSAL)
    return Chain(points, kinds, (0.0, 0.0, 0.0), (0.03, 0.015, -0.015, -0.03), tilt=tilt)


def document(chain: Chain) -> str:
    """The chain in SDF."""
    parts = [_bar(chain, i) for i in range(chain.bars)]
    parts.append(
        _joint("j0", "revolute", "world", "b0", (0, 0.0), f"{math.sin(chain.tilt)!r} {math.cos(chain.tilt)!r} 0")
    )
    for i, kind in enumerate(chain.kinds):
        parts.append(_between(chain, i, kind))
    last, end = f"b{chain.bars - 1}", (1, _length(chain, chain.bars - 1))
    parts.append(_joint("jn", "prismatic", "world", last, end, "1 0 0") if chain.slides else
                 _joint("jn", "revolute", "world", last, end, "0 1 0"))  # fmt: skip
    return world(model(*parts), gravity=f"0 0 {-GRAVITY}")


def _between(chain: Chain, i: int, kind: int) -> str:
    """Between bars i and i + 1, at the beginning of the latter."""
    angle, parent, child, name = chain.second[i], f"b{i}", f"b{i + 1}", f"j{i + 1}"
    if kind == HINGE:
        return _joint(name, "revolute", parent, child, (0, 0.0), "0 1 0")
    if kind == UNIVERSAL:
        second = f"{math.cos(angle)!r} 0 {math.sin(angle)!r}"
        return _joint(name, "universal", parent, child, (0, 0.0), "0 1 0", second)
    if kind == BALL:
        return f'<joint name="{name}" type="ball"><parent>{parent}</parent><child>{child}</child></joint>'
    (x, z), y = chain.points[i + 1].tolist(), chain.beside[i + 1]
    small = link(f"s{i}", mass=SLIDER, inertia="1e-5 1e-5 1e-5", pose=f"{x!r} {y!r} {z!r} 0 0 0")
    turning = _joint(f"{name}turn", "revolute", parent, f"s{i}", (0, 0.0), "0 1 0")
    return small + turning + _joint(name, "prismatic", f"s{i}", child, (0, 0.0), "0 1 0")


def _joint(name: str, kind: str, parent: str, child: str, at: tuple[int, float], axis: str, second: str = "") -> str:
    """Axes in the model's frame; `at`: on the child's x."""
    others = f'<axis2><xyz expressed_in="__model__">{second}</xyz></axis2>' if second else ""
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        f"<pose>{at[0] * at[1]!r} 0 0 0 0 0</pose>"
        f'<axis><xyz expressed_in="__model__">{axis}</xyz></axis>{others}</joint>'
    )


def _length(chain: Chain, i: int) -> float:
    return float(np.linalg.norm(chain.points[i + 1] - chain.points[i]))


def _angle(chain: Chain, i: int) -> float:
    """Of a bar against x, from x to z."""
    x, z = (chain.points[i + 1] - chain.points[i]).tolist()
    return math.atan2(z, x)


def _bar(chain: Chain, i: int) -> str:
    (x, z), y, length = chain.points[i].tolist(), chain.beside[i], _length(chain, i)
    moment = length**2 / 12.0 + 1e-4
    # Roll, pitch, yaw: a pitch turns from z to x.
    return link(f"b{i}", inertia=f"1e-3 {moment!r} {moment!r}", com=f"{0.5 * length!r} 0.01 0",
                pose=f"{x!r} {y!r} {z!r} 0 {-_angle(chain, i)!r} 0")  # fmt: skip


# -- the same in a plane -----------------------------------------------------------------------------------------------


def rates_of(chain: Chain, crank: float) -> Array:
    """Rates of the bars of a four-bar [rad/s] whose first one turns at `crank`."""
    along = np.diff(chain.points, axis=0)
    across = np.stack((-along[:, 1], along[:, 0]))
    rest = np.linalg.solve(across[:, 1:], -across[:, 0] * crank)
    return np.concatenate(([crank], rest))


def planar_motion(chain: Chain, times: Array, turning: Array | None = None) -> Array:
    """Angles of the bars [rad] at `times` [s] from rest, or from where they are `turning` [rad/s], shape (len(times),
    bars): free bars with three coordinates each, held together by stabilised forces, M a + J^T f = g,
    J a = -J' v - 2 w J v - w^2 p with the gaps p (Baumgarte, Computer Methods in Applied Mechanics and Engineering 1,
    1972)."""
    n, lengths = chain.bars, np.array([_length(chain, i) for i in range(chain.bars)])
    mass, centre, moment = np.array([_masses(chain, i) for i in range(n)]).T
    inertia = np.stack((mass, mass, moment), axis=1).ravel()
    angle = np.array([_angle(chain, i) for i in range(n)])
    start = np.zeros((n, 3))
    start[:, 0], start[:, 1] = (chain.points[:-1] + centre[:, None] * np.stack((np.cos(angle), np.sin(angle)), 1)).T
    start[:, 2] = angle
    moving = np.zeros((n, 3))
    if turning is not None:
        moving[:, 2] = turning
        across = np.stack((-np.sin(angle), np.cos(angle)), 1) * turning[:, None]
        ends = np.cumsum(across * lengths[:, None], axis=0)
        moving[:, :2] = ends - across * (lengths - centre)[:, None]
    outside = np.zeros((n, 3))
    outside[:, 1] = -GRAVITY * mass

    def rates(_: float, y: Array) -> Array:
        q, v = y[: 3 * n], y[3 * n :]
        gaps, J, bends = _pins(chain, q.reshape(n, 3), v.reshape(n, 3), centre, lengths)
        scaled = J / inertia
        asked = -bends - 2.0 * STABLE * (J @ v) - STABLE**2 * gaps - scaled @ outside.ravel()
        forces = np.linalg.lstsq(scaled @ J.T, asked, rcond=1e-12)[0]
        return np.concatenate((v, (outside.ravel() + J.T @ forces) / inertia))

    solved = solve_ivp(
        rates, (0.0, float(times[-1])), np.concatenate((start.ravel(), moving.ravel())), method="DOP853",
        t_eval=times, rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    found: Array = solved.y[2 : 3 * n : 3].T
    return found


def _masses(chain: Chain, i: int) -> tuple[float, float, float]:
    """Mass, place of the centre on the bar and moment about it, of a bar and of the slide that turns with it."""
    length = _length(chain, i)
    slide = SLIDER if i > 0 and chain.kinds[i - 1] == CYLINDRICAL else 0.0
    mass, middle = 1.0 + slide, 0.5 * length
    centre = middle / mass
    moment = length**2 / 12.0 + 1e-4 + (1e-5 if slide else 0.0)
    return mass, centre, moment + (middle - centre) ** 2 + slide * centre**2


def _pins(chain: Chain, q: Array, v: Array, centre: Array, lengths: Array) -> tuple[Array, Array, Array]:
    """Gaps of all joints, their Jacobian, and what their second derivative has besides J a."""
    n = chain.bars
    gaps, J, bends = np.zeros(2 * n + 2), np.zeros((2 * n + 2, 3 * n)), np.zeros(2 * n + 2)
    for pin in range(n + 1):
        rows = slice(2 * pin, 2 * pin + 2)
        if pin in (0, n):
            gaps[rows] = -chain.points[pin]
        for bar, reach, sign in ((pin, 0.0, 1.0), (pin - 1, 1.0, 1.0 if pin == n else -1.0)):
            if not 0 <= bar < n:
                continue
            arm = reach * lengths[bar] - centre[bar]
            along = np.array([math.cos(q[bar, 2]), math.sin(q[bar, 2])])
            gaps[rows] += sign * (q[bar, :2] + arm * along)
            J[rows, 3 * bar : 3 * bar + 2] = sign * np.eye(2)
            J[rows, 3 * bar + 2] = sign * arm * np.array([-along[1], along[0]])
            bends[rows] -= sign * arm * along * v[bar, 2] ** 2
    if chain.slides:  # the end keeps its height, and the bar its angle
        gaps[-2], bends[-2], J[-2], J[-2, -1] = q[-1, 2] - _angle(chain, n - 1), 0.0, 0.0, 1.0
    return gaps, J, bends
