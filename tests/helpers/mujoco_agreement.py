"""How far a document of MuJoCo agrees with MuJoCo at its start: masses, frames, accelerations, residuals of loops.

What is soft there is taken away there: contacts, limits, dry friction and actuators are off, and equalities are rigid,
by Gauss's principle with MuJoCo's own mass matrix, forces and Jacobian: M a = f + Jᵀ λ, J a = 0, at rest. Accelerations
are compared as those of bodies, angular and linear, so that no coordinates need be the same.

`python -m tests.helpers.mujoco_agreement FOLDER…` prints a line for each document below folders, and how many agree.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simulator
from simulator.model.joint import Joint, JointType
from simulator.model.link import Link
from simulator.spatial.rotation import quat_from_matrix

Array = NDArray[np.float64]
CONNECT, WELD, JOINT, TENDON = range(4)
JOINT_WRAP = 1
FREE, BALL = 0, 1


@dataclass(frozen=True)
class Agreement:
    """Greatest differences: masses relative to the greatest, frames in m and of rotation matrices, accelerations
    relative to the greatest or 1; `residual`: of loops and couplings here. `left_out`: why there are none."""

    masses: float = 0.0
    frames: float = 0.0
    accelerations: float = 0.0
    residual: float = 0.0
    left_out: str = ""

    @property
    def worst(self) -> float:
        """The greatest of the first three."""
        return max(self.masses, self.frames, self.accelerations)


def agreement(path: Path) -> Agreement:
    """Of the document at its start. Raises DocumentError where it has errors here, ValueError where MuJoCo refuses
    it."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    with simulator.load(path) as sim:
        bodies = _bodies(model, sim)
        if model.nflex:
            return Agreement(left_out="has flexes")
        links = [link for _, link in bodies]
        masses = max(
            (abs(link.inertial.mass - float(model.body_mass[body])) for body, link in bodies), default=0.0
        ) / max(1e-30, float(model.body_mass.max()))
        data = _at_start(model, sim, bodies, mujoco)
        poses = {link.name: sim.pose(link.name) for link in links}
        frames = max((_apart(data, body, poses[link.name]) for body, link in bodies), default=0.0)
        residual = float(np.abs(_residuals(sim)).max(initial=0.0))
        if model.nkey and model.key_qvel[_key(model)].any():
            return Agreement(masses, frames, 0.0, residual, "starts moving")
        theirs = their_accelerations(model, data, [body for body, _ in bodies])
        accelerations = greatest_difference(theirs, our_accelerations(sim, [link.name for link in links]))
    return Agreement(masses, frames, accelerations, residual)


def _bodies(model: Any, sim: simulator.Simulation) -> list[tuple[int, Link]]:
    """Bodies with the links they have become: these come first, in their order."""
    moving = [item for item in sim._core.opened.world.models if not item.static]
    links = moving[0].links if moving else ()
    return list(zip(range(1, model.nbody), links, strict=False))


def _joints(sim: simulator.Simulation) -> list[Joint]:
    """Joints of the tree that move, in MuJoCo's order."""
    moving = [item for item in sim._core.opened.world.models if not item.static]
    joints = moving[0].joints if moving else ()
    return [joint for joint in joints if joint.type is not JointType.FIXED and not joint.must_be_loop_joint]


def _key(model: Any) -> int:
    names = [model.key(key).name for key in range(model.nkey)]
    return names.index("home") if "home" in names else 0


def _at_start(model: Any, sim: simulator.Simulation, bodies: list[tuple[int, Link]], mujoco: Any) -> Any:
    """MuJoCo's data in the pose that is ours, at rest, with nothing soft and no force that is not read."""
    without_softness(model)
    model.opt.density = model.opt.viscosity = 0.0
    model.opt.enableflags = 0
    model.body_gravcomp[:] = 0.0
    for name in ("tendon_stiffness", "tendon_damping", "tendon_armature", "actuator_armature"):
        if hasattr(model, name):
            getattr(model, name)[:] = 0.0
    for joint in range(model.njnt):
        if model.jnt_type[joint] in (FREE, BALL):
            model.dof_armature[model.jnt_dofadr[joint] : model.jnt_dofadr[joint] + 6 - 3 * model.jnt_type[joint]] = 0.0
    mujoco.mj_setConst(model, mujoco.MjData(model))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, _key(model))
    data.qvel[:] = 0.0
    for equality in range(model.neq):
        data.eq_active[equality] = bool(model.eq_active0[equality]) and _is_read(model, equality)
    _set_positions(model, data, sim, dict(bodies))
    mujoco.mj_forward(model, data)
    return data


def _set_positions(model: Any, data: Any, sim: simulator.Simulation, link_of: dict[int, Link]) -> None:
    """Our pose as `qpos`."""
    import mujoco

    positions = sim.positions
    scalar = iter(_joints(sim))
    for joint in range(model.njnt):
        at, body = int(model.jnt_qposadr[joint]), int(model.jnt_bodyid[joint])
        kind = int(model.jnt_type[joint])
        if kind == FREE:
            X = sim.pose(link_of[body].name)
            x, y, z, w = quat_from_matrix(X[:3, :3])
            data.qpos[at : at + 7] = [*X[:3, 3], w, x, y, z]
            continue
        ours = next(scalar)
        if kind == BALL:
            parent = int(model.body_parentid[body])
            R_P = sim.pose(link_of[parent].name)[:3, :3] if parent else np.eye(3)
            R_B = np.zeros(9)
            mujoco.mju_quat2Mat(R_B, model.body_quat[body])
            x, y, z, w = quat_from_matrix(R_B.reshape(3, 3).T @ R_P.T @ sim.pose(link_of[body].name)[:3, :3])
            data.qpos[at : at + 4] = [w, x, y, z]
        elif ours.name in positions.names:
            data.qpos[at] = positions[ours.name]


def _is_read(model: Any, equality: int) -> bool:
    """Whether an equality is one that is simulated here: a loop, or a coupling that is linear, of two joints."""
    kind, ends = int(model.eq_type[equality]), (int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality]))
    if kind in (CONNECT, WELD):
        return True
    if kind not in (JOINT, TENDON) or (ends[1] >= 0 and model.eq_data[equality][2:5].any()):
        return False
    if kind == JOINT:
        return ends[1] >= 0  # a joint that is held has limits here
    parts = [
        place
        for tendon in ends
        if tendon >= 0
        for place in range(int(model.tendon_adr[tendon]), int(model.tendon_adr[tendon] + model.tendon_num[tendon]))
    ]
    joints = {int(model.wrap_objid[place]) for place in parts}
    return len(joints) == 2 and all(int(model.wrap_type[place]) == JOINT_WRAP for place in parts)


def _apart(data: Any, body: int, X: Array) -> float:
    place = float(np.abs(data.xpos[body] - X[:3, 3]).max())
    return max(place, float(np.abs(data.xmat[body].reshape(3, 3) - X[:3, :3]).max()))


def _residuals(sim: simulator.Simulation) -> Array:
    sample = sim.sample
    return np.array([sample[name] for name in sample.names if "residual" in name])


def without_softness(model: Any) -> None:
    """Switch off all that is soft there but equalities, and have full Jacobians."""
    import mujoco

    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS | off.mjDSBL_ACTUATION
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE


def their_accelerations(model: Any, data: Any, bodies: Iterable[int]) -> list[Array]:
    """Angular and linear accelerations of bodies at rest, each shape (6,), with rigid equalities. `data`: computed by
    `mj_forward`."""
    import mujoco

    M = np.zeros((model.nv, model.nv))
    if model.nv:
        mujoco.mj_fullM(model, data, M)
    J = np.asarray(data.efc_J).reshape(-1, model.nv)[: data.ne] if data.ne else np.zeros((0, model.nv))
    free = np.linalg.solve(M, data.qfrc_passive - data.qfrc_bias) if model.nv else np.zeros(0)
    spread = np.linalg.solve(M, J.T) if model.nv else np.zeros((0, 0))
    multipliers = np.linalg.lstsq(J @ spread, -J @ free, rcond=1e-12)[0]
    acceleration = free + spread @ multipliers
    found = []
    for body in bodies:
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBody(model, data, linear, angular, body)
        found.append(np.concatenate((angular @ acceleration, linear @ acceleration)))
    return found


def our_accelerations(sim: simulator.Simulation, links: Sequence[str]) -> list[Array]:
    """The same of links."""
    if not len(sim.independent.names):
        return [np.zeros(6) for _ in links]
    found = sim.forward_dynamics()
    independent = np.array([found[name] for name in sim.independent.names])
    return [sim.jacobian(link).array @ independent for link in links]


def greatest_difference(theirs: Sequence[Array], ours: Sequence[Array]) -> float:
    """Relative to the greatest acceleration, or 1."""
    scale = max([1.0, *(float(np.abs(a).max()) for a in (*theirs, *ours))])
    pairs = zip(theirs, ours, strict=True)
    return max((float(np.abs(a - b).max()) / scale for a, b in pairs), default=0.0)


EXACT, CLOSED = 1e-9, 1e-12
"""What counts as agreement, and as closed."""


def main(folders: Sequence[str]) -> int:
    """A line for each document that MuJoCo reads by itself; 1 where one does not agree."""
    import mujoco

    warnings.simplefilter("ignore")
    files = [path for folder in folders for path in sorted(Path(folder).rglob("*.xml"))]
    count = agreeing = 0
    for path in files:
        if b"<mujoco" not in path.read_bytes():
            continue
        try:
            mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue  # a part of another document, or broken
        count += 1
        try:
            found = agreement(path)
        except simulator.SimulatorError as error:
            print(f"{path}: {error}", flush=True)
            continue
        agrees = found.worst < EXACT and found.residual <= CLOSED
        agreeing += agrees
        print(
            f"{path}: masses {found.masses:.1e}, frames {found.frames:.1e}, accelerations {found.accelerations:.1e}, "
            f"residual {found.residual:.1e}{f' ({found.left_out})' if found.left_out else ''}"
            f"{'' if agrees else '  DIFFERS'}",
            flush=True,
        )
    print(f"{agreeing} of {count} documents agree with MuJoCo to {EXACT:g}, loops and couplings closed to {CLOSED:g}")
    return 0 if agreeing == count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
