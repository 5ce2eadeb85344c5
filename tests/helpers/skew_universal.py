"""Mechanisms whose loops are closed by universal joints with axes that are not perpendicular, and a body on such a
joint in its two angles.

R = R(a, q0) R(b, q1), so w = W q' with the columns a and R(a, q0) b of W, and by virtual power about the joint

    W^T I W q'' = W^T (r x m g - w x I w - I (a x R(a, q0) b) q0' q1') + Q

where Q are what springs, dampers and drives give on the two angles: nothing here has loops, rows or a basis that is
dual to the axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from tests.physics.spatial_linkages import CUT, text
from tests.physics.worlds import joint, link, model, world

Array = NDArray[np.float64]

MASS, CENTRE = 1.3, np.array([0.1, -0.15, 0.2])
MOMENTS = np.diag([0.02, 0.03, 0.025]) + 0.004 * (np.ones((3, 3)) - np.eye(3))
GRAVITY = np.array([0.0, 2.0, -9.81])
FIRST, SECOND = np.array([0.0, 0.0, 1.0]), np.array([np.sqrt(0.75), 0.0, 0.5])
"""Axes of the body's joint, 60 degrees apart."""


def axis(place: int, direction: str, inside: Mapping[int, str]) -> str:
    """The first (0) or second (1) axis of a joint with what is `inside` it."""
    name = "axis2" if place else "axis"
    return f"<{name}><xyz>{direction}</xyz>{inside.get(place, '')}</{name}>"


def body(inside: Mapping[int, str]) -> str:
    """A body on a ball in the world, which a universal joint "u" there closes to a loop; `inside`: elements of its
    axes."""
    moments = " ".join(repr(float(MOMENTS[i, j])) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    axes = axis(0, text(FIRST), inside) + axis(1, text(SECOND), inside)
    ball = '<joint name="ball" type="ball"><parent>world</parent><child>b</child></joint>'
    closing = f'<joint name="u" type="universal"><parent>world</parent><child>b</child>{axes}{CUT}</joint>'
    return world(model(link("b", mass=MASS, inertia=moments, com=text(CENTRE)), ball, closing), gravity=text(GRAVITY))


@dataclass(frozen=True)
class Angles:
    """The body's motion. `efforts`: Q for positions and velocities (2,) each; `free`: the angles are `free` times
    coordinates of their own, shape (2, n), at velocity `moved` [rad/s] besides."""

    efforts: Callable[[Array, Array], Array] = lambda _q, _v: np.zeros(2)
    free: tuple[tuple[float, ...], ...] = ((1.0, 0.0), (0.0, 1.0))
    moved: tuple[float, float] = (0.0, 0.0)

    def at(self, time: float) -> tuple[Array, Array]:
        """Angles [rad] and their rates after so long [s], from rest at zero before anything is moved."""
        free, moved = np.array(self.free), np.array(self.moved)
        size = free.shape[1]

        def rates(now: float, y: Array) -> Array:
            q, v = free @ y[:size] + now * moved, free @ y[size:] + moved
            H, forces = _equations(q, v)
            return np.concatenate(
                (y[size:], np.linalg.solve(free.T @ H @ free, free.T @ (forces + self.efforts(q, v))))
            )

        # What moves from rest at once gives the rest the impulse of its inertia.
        H = _equations(np.zeros(2), moved)[0]
        start = np.concatenate((np.zeros(size), np.linalg.solve(free.T @ H @ free, -free.T @ H @ moved)))
        solved = solve_ivp(rates, (0.0, time), start, method="DOP853", rtol=1e-12, atol=1e-13)
        y = solved.y[:, -1]
        return free @ y[:size] + time * moved, free @ y[size:] + moved


def _equations(q: Array, v: Array) -> tuple[Array, Array]:
    turned = Rotation.from_rotvec(q[0] * FIRST).apply(SECOND)
    R = (Rotation.from_rotvec(q[0] * FIRST) * Rotation.from_rotvec(q[1] * SECOND)).as_matrix()
    W, arm = np.stack((FIRST, turned), axis=1), R @ CENTRE
    inertia = R @ MOMENTS @ R.T + MASS * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm))
    w = W @ v
    bent = np.cross(FIRST, turned) * v[0] * v[1]
    moment = np.cross(arm, MASS * GRAVITY) - np.cross(w, inertia @ w) - inertia @ bent
    return W.T @ inertia @ W, W.T @ moment


def chain(cut: str, inside: Mapping[str, Mapping[int, str]]) -> str:
    """World, ball "j1", link a, universal "j2", link b, universal "j3", link c, hinge "j4", world; the loop is cut at
    the joint `cut`. `inside`: elements of axes, by joint and place."""
    extra = dict.fromkeys(("j1", "j2", "j3"), "") | {cut: CUT}
    none: dict[int, str] = {}

    def universal(name: str, parent: str, child: str, at: str, first: str, second: str) -> str:
        axes = axis(0, first, inside.get(name, none)) + axis(1, second, inside.get(name, none))
        pose = f'<pose relative_to="__model__">{at} 0 0 0</pose>'
        head = f'<joint name="{name}" type="universal"><parent>{parent}</parent><child>{child}</child>'
        return f"{head}{pose}{axes}{extra[name]}</joint>"

    ball = f'<joint name="j1" type="ball"><parent>world</parent><child>a</child>{extra["j1"]}</joint>'
    places = {"a": "0.15 0.02 0", "b": "0.36 0.13 0.1", "c": "0.3 0.3 0.2"}
    return world(
        model(
            *(link(n, inertia="0.02 0.03 0.025", com="0.02 0.01 -0.03", pose=f"{p} 0 0 0") for n, p in places.items()),
            ball.replace("<child>a</child>", '<child>a</child><pose relative_to="__model__">0 0 0 0 0 0</pose>'),
            universal("j2", "a", "b", "0.3 0 0", "0 1 0", "0.64 0.48 0.6"),
            universal("j3", "b", "c", "0.4 0.3 0.2", "0 0 1", text(SECOND)),
            joint("j4", "revolute", "c", axis="0.6 0 0.8", pose="-0.3 0.1 0 0 0 0",
                  inside_axis=inside.get("j4", none).get(0, "")),
        ),
        gravity=text(GRAVITY),
    )  # fmt: skip
