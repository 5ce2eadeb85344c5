"""How the numbers of a mechanism change with a parameter of `varied`, exactly, from two mechanisms.

Every number of the equations of motion (joint frames as matrices, directions, m, m c and the inertia about the origin
of a body, coefficients of laws, constants of springs and loads) depends on one parameter p alone in one of three ways,
of which a central difference is the derivative itself, without an error of truncation, whatever its step:

* as a polynomial of degree one or two: (f(p + h) - f(p - h)) / 2 h (all but the two below);
* as a + b cos p + c sin p: (f(p + π/2) - f(p - π/2)) / 2 (roll, pitch, yaw; the shift rule of trigonometric functions);
* as a linear function of a unit vector n, of which p is the component along e: n changes by t = e - (n·e) n, and
  f(t/|t|) - f(-t/|t|) is twice the change per unit of it (directions of axes).
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.mechanism.parameters import PLACE, Numbered
from simulator.mechanism.varied import KINDS, find_parameter, number_of, parameters_of
from simulator.mechanism.varied_axes import DIRECTION, POWERS
from simulator.mechanism.varied_collisions import CollisionNumbers
from simulator.mechanism.varied_friction import RubbingNumbers
from simulator.mechanism.varied_joints import TURNS
from simulator.mechanism.varied_names import NAMED
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.mechanism.types import Mechanism
    from simulator.model.world import World

BEYOND = ("friction", *RubbingNumbers.fields, "lower", "upper", "effort", "velocity", "initial_position", *POWERS)
"""Numbers of axes that are in no smooth equation of motion, and those of laws that are no straight lines, by which
nothing is derived."""
HALVES = ("mass", "length", "multiplier")
"""Numbers that must not change their sign: the step is half of them."""
SMALL = 1e-4
"""Step of a slope that is near, as a part of the size of its number."""
ZERO = 1e-2
"""Size of a number that is zero [its unit], and the least size of a place or an angle: of these, zero is one as any
other, and often 1e-17 by round-off."""
STIFF = 1.0
"""The same of stiffness and damping, which act on motion alone."""
SIZED = re.compile(r".*\.(mass|inertia\..*|damping|stiffness|spring_stiffness|multiplier|length|free_length)")
"""Numbers whose size is their own."""


@dataclass(frozen=True)
class Slope:
    """Of every number f of a mechanism's equations, df/dp = `factor` · (f(`plus`) - f(`minus`)); p is the parameter
    `name`."""

    name: str
    plus: Mechanism
    minus: Mechanism
    factor: float


def smooth_parameters(mechanism: Mechanism, world: World) -> tuple[str, ...]:
    """Names of all parameters that the smooth equations of motion have: without friction, stops, limits of drives,
    starting positions and collisions."""
    every = (parameter.name for parameter in parameters_of(mechanism, world))
    of = Numbered(mechanism, world)
    return tuple(name for name in every if not _refusal(of, name))


def size_of(mechanism: Mechanism, world: World, name: str) -> float:
    """What a change of a parameter is small beside [its unit]."""
    value = number_of(mechanism, world, name)
    if not SIZED.fullmatch(name):
        return max(abs(value), ZERO)
    if value != 0.0:
        return abs(value)
    owner, product, _ = name.rpartition(".inertia.")
    if product:
        return max(number_of(mechanism, world, f"{owner}.inertia.{axis}") for axis in ("ixx", "iyy", "izz")) or ZERO
    return STIFF if name.endswith(("stiffness", "damping")) else ZERO


def require_slopes(mechanism: Mechanism, world: World, names: Iterable[str]) -> None:
    """Raise UsageError for a parameter that does not exist, or that is in no smooth equation of motion."""
    of = Numbered(mechanism, world)
    for name in names:
        if refusal := _refusal(of, name):
            raise UsageError(refusal)


def slope_of(mechanism: Mechanism, world: World, name: str, *, near: bool = False) -> Slope:
    """How the mechanism's numbers change with a parameter. `near`: from mechanisms that hardly differ, for numbers that
    depend on parameters in other ways than those above, too; the error is 1e-8 of the change for these.

    Raises UsageError as `require_slopes` does.
    """
    require_slopes(mechanism, world, [name])
    now = number_of(mechanism, world, name)
    of = Numbered(mechanism, world)
    kind, index, field = find_parameter(of, name)
    numbers = KINDS[kind]
    group, _, part = field.rpartition(".")
    if group == DIRECTION:
        direction = np.array([numbers.read(of, index, f"{group}.{letter}") for letter in PLACE])
        across = np.eye(3)[PLACE.index(part)] - direction[PLACE.index(part)] * direction
        length = float(np.linalg.norm(across))
        if length == 0.0:
            return Slope(name, mechanism, mechanism, 0.0)
        ends = (direction + SMALL * across, direction - SMALL * across) if near else (across, -across)
        plus, minus = (
            numbers.change(of, index, {f"{group}.{letter}": float(v) for letter, v in zip(PLACE, end, strict=True)})
            for end in ends
        )
        return Slope(name, plus, minus, 0.5 / SMALL if near else 0.5 * length)
    if near:
        step = SMALL * size_of(mechanism, world, name)
        factor = 0.5 / step
    elif part in TURNS:
        step = 0.5 * math.pi
        factor = 0.5
    else:
        step = 0.5 * abs(now) if field in HALVES and now != 0.0 else 1.0
        factor = 0.5 / step
    plus, minus = (numbers.change(of, index, {field: now + sign * step}) for sign in (1.0, -1.0))
    return Slope(name, plus, minus, factor)


def _refusal(of: Numbered, name: str) -> str:
    """Why no smooth equation has the parameter; empty where one has."""
    kind, _, field = find_parameter(of, name)
    if isinstance(KINDS[kind], CollisionNumbers):
        return f"'{name}' acts where bodies touch only, and no gradient counts contacts"
    if field == NAMED:
        return f"'{name}' stands for lengths of links: derive by these, LINK.length"
    if field in BEYOND:
        return f"'{name}' has no gradient: friction, stops, limits of drives and starts are in no smooth equation"
    return ""
