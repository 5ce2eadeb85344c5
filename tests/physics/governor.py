"""The stiff flyball governor, and its motion in three coordinates.

Problem A05 of the IFToMM library of computational benchmark problems (Gonzalez, Dopico, Lugris and Cuadrado, Multibody
System Dynamics 16, 2006): a shaft with two rods of 1 m that carry 5 kg each at their ends, a slider of 3 kg on the
shaft, and between it and the middle of each rod a spring of 8e5 N/m with a damper of 4e4 N s/m, 0.5 m long at rest. It
starts at 2 pi rad/s with the rods 30 degrees below level.

A spring is a slide between two light carriages that turn on the rod and on the slider.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from tests.physics.worlds import joint, link, model, world

Array = NDArray[np.float64]

GRAVITY = 9.81
STIFFNESS, DAMPING, AT_REST = 8e5, 4e4, 0.5
SPEED, DROOP = 2.0 * math.pi, math.pi / 6.0
RADIUS, TOP = 0.05, 1.0
"""Distance of hinges from the shaft's axis and height of the rods' hinges [m]."""
ROD, BALL, SLIDER, SHAFT, CARRIAGE = 0.3, 5.0, 3.0, 0.3, 1e-3
"""Masses [kg]."""
TINY = 1e-9
"""Moments of a carriage [kg m^2]."""
WIDE, LONG = 0.01**2 / 6.0, (1.0 + 0.01**2) / 12.0
"""Moments of a rod of 1 m and 1 kg with a square section of 0.01 m, about its own axis and across it."""


@dataclass(frozen=True)
class Loaded:
    """A rod with its ball: mass, distance of its centre from the hinge, moments about the rod and across it at the
    centre."""

    mass: float = ROD + BALL
    arm: float = (0.5 * ROD + BALL) / (ROD + BALL)
    along: float = ROD * WIDE
    across: float = ROD * LONG + ROD * BALL / (ROD + BALL) * 0.25


LOADED = Loaded()


def governor(damping: float = DAMPING, stiffness: float = STIFFNESS) -> str:
    """The governor as a document."""
    shaft = f"{SHAFT * LONG!r} {SHAFT * LONG!r} {SHAFT * WIDE!r}"
    cube = f"{SLIDER * 0.1**2 / 6.0!r}"
    return world(
        model(
            link("shaft", mass=SHAFT, inertia=shaft, com="0 0 0.5"),
            link("slider", mass=SLIDER, inertia=" ".join([cube] * 3), pose="0 0 0.5 0 0 0"),
            joint("spin", "revolute", "shaft"),
            joint("slide", "prismatic", "slider", parent="shaft"),
            *_side("a", 1.0, damping, stiffness),
            *_side("b", -1.0, damping, stiffness),
        ),
        gravity=f"0 0 {-GRAVITY}",
    )


def _side(name: str, out: float, damping: float, stiffness: float) -> tuple[str, ...]:
    """Rod, carriages and joints of one side; `out` is 1 or -1."""
    x, z = math.cos(DROOP), math.sin(DROOP)
    turn, middle = 0.0 if out > 0.0 else math.pi, f"{out * (RADIUS + 0.5 * x)!r} 0 {TOP - 0.5 * z!r} 0 0 0"
    low, tiny = f"{out * RADIUS!r} 0 0.5 0 0 0", " ".join([f"{TINY!r}"] * 3)
    passive = (
        f"<dynamics><damping>{damping}</damping><spring_stiffness>{stiffness}</spring_stiffness>"
        "<spring_reference>0</spring_reference></dynamics>"
    )
    moments = f"{LOADED.along!r} {LOADED.across!r} {LOADED.across!r}"
    return (
        link(f"rod_{name}", mass=LOADED.mass, inertia=moments, com=f"{LOADED.arm!r} 0 0",
             pose=f"{out * RADIUS!r} 0 {TOP} 0 {DROOP!r} {turn!r}"),
        link(f"upper_{name}", mass=CARRIAGE, inertia=tiny, pose=middle),
        link(f"lower_{name}", mass=CARRIAGE, inertia=tiny, pose=low),
        joint(f"hinge_{name}", "revolute", f"rod_{name}", parent="shaft", axis="0 1 0"),
        joint(f"upper_{name}_joint", "revolute", f"upper_{name}", parent=f"rod_{name}", axis="0 1 0"),
        joint(f"spring_{name}", "prismatic", f"lower_{name}", parent=f"upper_{name}", axis=f"{-out * x!r} 0 {-z!r}",
              pose="0 0 0 0 0 0", inside_axis=passive),
        joint(f"lower_{name}_joint", "revolute", f"lower_{name}", parent="slider", axis="0 1 0",
              extra="<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"),
    )  # fmt: skip


def motion(times: Array, damping: float = DAMPING, stiffness: float = STIFFNESS) -> Array:
    """Height of the slider [m], droop of the rods [rad], speed of the shaft and rates of those two at `times` [s],
    shape (5, n).

    Both sides move alike. With the turn f, the height s and the droop t, r = a + d cos t being where a rod's centre is,

        2 T = J(t) f'^2 + 2 (I + m d^2 + m_c / 4) t'^2 + m_s s'^2,
        J(t) = J_0 + 2 (m r^2 + I - (I - I_0) sin^2 t + m_c (a + cos t / 2)^2),

    where m_c are carriages (on the rod; those on the slider are in m_s and J_0), and a spring's length is
    l^2 = (cos t / 2)^2 + (h - sin t / 2 - s)^2. Lagrange's equations with the forces k (l - l_0) + c l' are stiff:
    Radau IIA of order five (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8).
    """
    own = (SHAFT * WIDE + SLIDER * 0.1**2 / 6.0) + 2.0 * CARRIAGE * RADIUS**2 + 4.0 * TINY
    lifted, swung = SLIDER + 2.0 * CARRIAGE, LOADED.across + LOADED.mass * LOADED.arm**2 + 0.25 * CARRIAGE
    leans, sagging = LOADED.across - LOADED.along, LOADED.mass * LOADED.arm + 0.5 * CARRIAGE

    def rates(_: float, y: Array) -> list[float]:
        s, t, spin, rise, droop = y.tolist()
        x, z = math.cos(t), math.sin(t)
        centre, middle = RADIUS + LOADED.arm * x, RADIUS + 0.5 * x
        J = own + 2.0 * (LOADED.mass * centre**2 + LOADED.across - leans * z * z + CARRIAGE * middle**2)
        slope = -4.0 * z * (LOADED.mass * centre * LOADED.arm + leans * x + 0.5 * CARRIAGE * middle)
        across, down = 0.5 * x, TOP - 0.5 * z - s
        length = math.hypot(across, down)
        by_s, by_t = -down / length, -0.5 * (across * z + down * x) / length
        pull = stiffness * (length - AT_REST) + damping * (by_s * rise + by_t * droop)
        return [
            rise, droop,
            -slope * droop * spin / J,
            -GRAVITY - 2.0 * pull * by_s / lifted,
            (0.25 * slope * spin * spin + sagging * GRAVITY * x - pull * by_t) / swung,
        ]  # fmt: skip

    start = (0.5, DROOP, SPEED, 0.0, 0.0)
    solved = solve_ivp(rates, (0.0, float(times[-1])), start, method="Radau", t_eval=times, rtol=1e-9, atol=1e-11)
    found: Array = solved.y
    return found
