"""What `<flag>` of a document switches off, taken out of MuJoCo's model."""

from __future__ import annotations

from typing import Any


def apply_flags(model: Any, library: Any) -> None:
    """Change the model in place, so that it says the same without its flags."""
    off = library.mjtDisableBit
    flags = int(model.opt.disableflags)
    everything = bool(flags & off.mjDSBL_CONSTRAINT)
    if flags & off.mjDSBL_GRAVITY:
        model.opt.gravity[:] = 0.0
    if flags & off.mjDSBL_SPRING:
        model.jnt_stiffness[:] = 0.0
    if flags & off.mjDSBL_DAMPER:
        model.dof_damping[:] = 0.0
    if everything or flags & off.mjDSBL_EQUALITY:
        model.eq_active0[:] = 0
    if everything or flags & off.mjDSBL_LIMIT:
        model.jnt_limited[:] = 0
    if everything or flags & off.mjDSBL_FRICTIONLOSS:
        model.dof_frictionloss[:] = 0.0
    if everything or flags & off.mjDSBL_CONTACT:
        model.geom_contype[:] = 0
        model.geom_conaffinity[:] = 0


def has_contacts(model: Any, library: Any) -> bool:
    """Whether geoms touch at all, also those that are paired by name."""
    off = library.mjtDisableBit
    return not int(model.opt.disableflags) & (off.mjDSBL_CONTACT | off.mjDSBL_CONSTRAINT)


def has_actuation(model: Any, library: Any) -> bool:
    """Whether actuators act."""
    return not int(model.opt.disableflags) & library.mjtDisableBit.mjDSBL_ACTUATION
