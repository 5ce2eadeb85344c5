"""Where a mechanism starts, and which of its joints cannot hold together where it cannot be assembled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError, LimitsError
from simulator.kinematics.assembly import advance
from simulator.kinematics.constraint_rows import named_rows
from simulator.kinematics.start import starting_pose
from simulator.kinematics.state import JointState, rest_state
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.kinematics.constraint_rows import NamedRows
    from simulator.kinematics.kinematics import Kinematics
    from simulator.mechanism.types import Mechanism

OPEN = 1e-9
"""Residual [m, rad] from which a row does not hold."""
_ROUNDS = 300
_SETTLED = 1e-13
_SHARE = 1e-3
_QUOTED = re.compile(r"'([^']+)'")


@dataclass(frozen=True)
class Start:
    """The state that is looked at; `contradictory` names joints whose rows cannot hold together, `message` says why it
    is not assembled."""

    state: JointState
    contradictory: tuple[str, ...] = ()
    message: str = ""


def start_of(kinematics: Kinematics) -> Start:
    """The assembled start, or the document's pose where there is none."""
    named = contradictory_couplings(kinematics.mechanism)
    rest = rest_state(kinematics.mechanism)
    try:
        return Start(starting_pose(kinematics, {}).state, named)
    except LimitsError as error:
        return Start(rest, named, str(error))
    except AssemblyError as error:
        left_open = joints_left_open(kinematics, rest)
        return Start(rest, named + tuple(name for name in left_open if name not in named), str(error))


def contradictory_couplings(mechanism: Mechanism) -> tuple[str, ...]:
    """Followers and leaders of couplings that were left out because they contradict others."""
    found: dict[str, None] = {}
    for item in mechanism.diagnostics:
        if item.code == "COUPLING_CONTRADICTORY":
            found.update(dict.fromkeys(_QUOTED.findall(item.message)[:2]))
    return tuple(found)


def joints_left_open(kinematics: Kinematics, start: JointState) -> tuple[str, ...]:
    """Joints whose rows still lack something at the position near `start` where the sum of squares of all residuals is
    least."""
    rows = _least_squares(kinematics, start)
    worst = float(np.abs(rows.residual).max(initial=0.0))
    if worst < OPEN:
        return ()
    open_rows = np.flatnonzero(np.abs(rows.residual) > max(OPEN, _SHARE * worst))
    return tuple(dict.fromkeys(rows.names[i].joint for i in open_rows))


def _least_squares(kinematics: Kinematics, start: JointState) -> NamedRows:
    """Levenberg-Marquardt on all freedoms."""
    state = start
    damping = 1e-3
    rows = named_rows(kinematics, state)
    for _ in range(_ROUNDS):
        slope = rows.K.T @ rows.residual
        # Gauss and Newton with a ball of trust: (KᵀK + d 1) step = −Kᵀ residual (Nocedal and Wright, Numerical
        # Optimization, 10.3).
        metric = rows.K.T @ rows.K + damping * np.eye(rows.K.shape[1])
        step = np.asarray(-np.linalg.solve(metric, slope), dtype=np.float64)
        trial_state = advance(kinematics, state, step)
        trial = named_rows(kinematics, trial_state)
        gained = float(rows.residual @ rows.residual - trial.residual @ trial.residual)
        # A step that helped is trusted more, one that did not is made again shorter and steeper.
        if gained > 0.0:
            state = trial_state
            rows = trial
            damping = max(0.3 * damping, 1e-12)
        else:
            damping *= 4.0
        if float(np.abs(slope).max(initial=0.0)) < _SETTLED or damping > 1e12:
            break
    return rows
