"""Where a document starts: at the keyframe `home`, else at its first one, else in its reference pose.

Figures of a keyframe are rounded, and MuJoCo's loops and couplings are soft: where they are open by some, the positions
of the joints in them are moved until they are closed, as little as possible.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.mjcf.equality_kinds import is_read
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.mjcf.compiling import Compiled
    from simulator.spatial.arrays import Array


HOME = "home"
CLOSED, NEAR, ROUNDS = 1e-14, 1e-10, 50
"""Residual of a loop or coupling [m, rad] that counts as none, the most steps of Newton's method towards it, and the
residual from which on it has found nothing."""


@dataclass(frozen=True)
class MjcfStart:
    """MuJoCo's `qpos`, `qvel` and `ctrl` at the start, shapes (nq,), (nv,), (nu,); places and quaternions of mocap
    bodies, shapes (nmocap, 3) and (nmocap, 4)."""

    qpos: Array
    qvel: Array
    ctrl: Array
    mpos: Array
    mquat: Array


def start_of(compiled: Compiled, log: DiagnosticLog) -> MjcfStart:
    """The start, and a finding that says which keyframe it is."""
    model = compiled.model
    data = compiled.mujoco.MjData(model)
    if model.nkey:
        names = [compiled.name("KEY", key) for key in range(model.nkey)]
        key = names.index(HOME) if HOME in names else 0
        others = f"; {model.nkey - 1} more are not read" if model.nkey > 1 else ""
        where = compiled.places.of_kind("keys", key)
        log.info("MJCF_START", where, f"the world starts at the keyframe '{names[key] or key}'{others}")
        compiled.mujoco.mj_resetDataKeyframe(model, data, key)
    qpos = _closed(compiled, np.array(data.qpos))
    mocap = np.array(data.mocap_pos).reshape(-1, 3), np.array(data.mocap_quat).reshape(-1, 4)
    return MjcfStart(qpos, np.array(data.qvel), np.array(data.ctrl), *mocap)


def _closed(compiled: Compiled, qpos: Array) -> Array:
    """The nearest positions in which all loops and couplings that are read hold; as they are where there are none."""
    model, library = compiled.model, compiled.mujoco
    if not model.neq:
        return qpos
    model = copy(model)
    model.opt.jacobian = library.mjtJacobian.mjJAC_DENSE
    off = library.mjtDisableBit
    model.opt.disableflags = off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS | off.mjDSBL_ACTUATION
    data = library.MjData(model)
    for equality in range(model.neq):
        data.eq_active[equality] = is_read(compiled, equality)
    data.qpos[:] = qpos
    for _ in range(ROUNDS):
        library.mj_fwdPosition(model, data)
        residual = np.array(data.efc_pos[: data.ne])
        if not np.isfinite(residual).all():
            return qpos
        if np.abs(residual).max(initial=0.0) <= CLOSED:
            break
        J = np.array(data.efc_J).reshape(-1, model.nv)[: data.ne]
        step = np.linalg.lstsq(J, -residual, rcond=1e-9)[0]
        library.mj_integratePos(model, data.qpos, step, 1.0)
    found = np.array(data.qpos)
    return found if np.abs(residual).max(initial=0.0) <= NEAR else qpos
