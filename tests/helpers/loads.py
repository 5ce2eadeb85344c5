"""Loads on the links of a mechanism."""

from __future__ import annotations

import numpy as np

from simulator.mechanism.types import Mechanism
from simulator.model.loads import Load, PointSpring, SpringTable
from simulator.model.profiles import Table
from simulator.model.splines import Spline
from simulator.session.text.force_text import parse_force, with_loads


def with_every_kind_of_load(mechanism: Mechanism) -> Mechanism:
    """Forces of every profile on its first six links, and springs with and without a table between links and world."""
    links = [body.links[0].name for body in mechanism.bodies[1:]]
    profiles = ("3", "ramp(-1,4,2)", "sine(2,0.7,0.5,0.3)", "step(1,5,0.2)", "chirp(1,0.2,2,1.5,0.1)", "constant(-2)")
    loads = [parse_force(f"{link}@0.1,-0.2,0.3=" + ",".join(np.roll(profiles, i))) for i, link in enumerate(links[:6])]
    samples = (0.0, 0.4, 1.1, 2.0), (1.0, -2.0, 0.5, 3.0)
    curves = Table(*samples), Spline(*samples), Spline(*samples, rates=(0.3, -1.0, 2.0, 0.0))
    loads.append(Load(links[0], (0.2, 0.1, 0.0), curves, curves[::-1]))
    table = SpringTable((0.1, 0.4, 2.0), (-3.0, 1.0, 8.0))
    springs = [
        PointSpring(links[0], "world", (0.1, 0.0, 0.0), (0.5, 0.2, 0.1), 40.0, 2.0, 0.2),
        PointSpring(links[-1], links[0], (0.0, 0.1, 0.0), (0.0, 0.0, 0.1), table=table, damping=1.0),
    ]
    return with_loads(mechanism, [*loads, *springs])
