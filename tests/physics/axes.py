"""What stands inside an axis or is left out of a document, for worlds written in place; contact forces by the names of
links; loose bodies set in motion."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from simulator.engine.engine import Engine
from simulator.spatial.pose import Pose


def limit(
    lower: float | None = None,
    upper: float | None = None,
    *,
    effort: float | None = None,
    velocity: float | None = None,
) -> str:
    """Stops and limits of an axis."""
    values = {"lower": lower, "upper": upper, "effort": effort, "velocity": velocity}
    inside = "".join(f"<{tag}>{value!r}</{tag}>" for tag, value in values.items() if value is not None)
    return f"<limit>{inside}</limit>"


def dynamics(**values: float) -> str:
    """Damping, friction, spring."""
    return "<dynamics>" + "".join(f"<{tag}>{value!r}</{tag}>" for tag, value in values.items()) + "</dynamics>"


def without_visuals(text: str) -> str:
    """A document without its visuals, whose meshes are not beside a copy."""
    return re.sub(r"<visual.*?</visual>", "", text, flags=re.DOTALL)


def body(engine: Engine, link_name: str) -> int:
    """Index of the body that a link belongs to."""
    return engine.mechanism.link_bodies()[link_name]


def pressed(engine: Engine, *bodies: str) -> float:
    """Sum of the contact forces between two links, or on one [N]."""
    wanted = {body(engine, name) for name in bodies}
    return sum(contact.force for contact in engine.contacts() if wanted <= set(contact.bodies))


def moving(engine: Engine, *twists: tuple[float, ...]) -> None:
    """Give the first bodies, which are loose, angular velocities [rad/s] and velocities of their origins [m/s], in the
    world, six numbers each."""
    state = engine.joint_state()
    twist = state.loose_twist.copy()
    for k, told in enumerate(twists):
        x, y, z, qx, qy, qz, qw = engine.snapshot().body_poses[k + 1].tolist()
        turn = Pose((x, y, z), (qx, qy, qz, qw)).rotation()
        twist[k] = np.concatenate((turn.T @ told[:3], turn.T @ told[3:]))
    engine.go_on_from(replace(state, loose_twist=twist))
