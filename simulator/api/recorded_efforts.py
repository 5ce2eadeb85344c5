"""The efforts behind a recorded motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.named import NamedMatrix
from simulator.model.splines import Spline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.analysis.reactions import Balance
    from simulator.api.run import Run


def recorded_efforts(balance: Balance, run: Run, axes: Sequence[int]) -> NamedMatrix:
    """Efforts on `axes`, as many as the mechanism has freedoms, that give a recorded motion; rows are the samples.

    Accelerations are those of the quintic splines through positions and velocities of these axes (`model.splines`): of
    fourth order in the time between samples. Raises UsageError for axes that do not lead the motion.
    """
    states, times = run.states(), run.time.tolist()
    places = list(axes)
    position = np.array([state.position[places] for state in states]).reshape(-1, len(places))
    velocity = np.array([state.velocity[places] for state in states]).reshape(-1, len(places))
    bends = [
        Spline(tuple(times), tuple(q), rates=tuple(v)).derivatives[1]
        for q, v in zip(position.T.tolist(), velocity.T.tolist(), strict=True)
        if times
    ]
    found = np.zeros((len(states), len(places)))
    for i, (state, time) in enumerate(zip(states, times, strict=True)):
        balance.swept.set_time(time)
        wanted = {axis: float(bend[i]) for axis, bend in zip(places, bends, strict=True)}
        found[i] = balance.efforts_of_motion(state, wanted)[places]
    names = run.mechanism.axes
    return NamedMatrix(tuple(f"{time:.9g} s" for time in times), tuple(names[axis].name for axis in places), found)
