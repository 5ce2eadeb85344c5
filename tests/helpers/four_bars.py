"""Four-bars of every class, in any pose and any plane, and other mechanisms whose singular positions are known."""

from __future__ import annotations

import math

from simulator.kinematics.assembly import assemble
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import JointState, rest_state
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.world import World
from tests.helpers.linkages import closed_angles, four_bar
from tests.helpers.mechanisms import axis_of, joint, link, world


def bars(ground: float, crank: float, coupler: float, rocker: float, at: float = math.pi / 3) -> Mechanism:
    """A four-bar with the crank at that angle."""
    angles = closed_angles(ground, crank, coupler, rocker, at)
    return build_mechanism(four_bar(ground=ground, crank=crank, coupler=coupler, rocker=rocker, angles=angles))


def crossed(ground: float, crank: float, coupler: float, rocker: float, at: float = math.pi / 3) -> Mechanism:
    """The same bars on their other branch: coupler and rocker mirrored at the line from the crank's tip to the rocker's
    pivot."""
    a, b, c = closed_angles(ground, crank, coupler, rocker, at)
    down = math.atan2(-crank * math.sin(a), ground - crank * math.cos(a))
    angles = (a, 2 * down - b, 2 * down - c)
    return build_mechanism(four_bar(ground=ground, crank=crank, coupler=coupler, rocker=rocker, angles=angles))


def turned_to(built: Mechanism, **positions: float) -> JointState:
    """The assembled state with these positions of joints of the model `m`."""
    fixed = {axis_of(built, name): value for name, value in positions.items()}
    return assemble(Kinematics(built), rest_state(built), fixed).state


def slides(*directions: tuple[float, float, float]) -> World:
    """A ring of slides from the world back to it, the last one cut."""
    names = ["world", *(f"l{i}" for i in range(len(directions) - 1))]
    rails = [
        joint(f"j{i}", "prismatic", names[i], names[i + 1], axes=[directions[i]]) for i in range(len(directions) - 1)
    ]
    last = joint("last", "prismatic", "world", names[-1], axes=[directions[-1]], must_be_loop_joint=True)
    return world(*(link(name) for name in names[1:]), *rails, last)
