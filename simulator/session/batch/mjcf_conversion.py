"""Converts a document of any kind to MJCF, completed from its mechanism: start, cuts, couplings, reflected inertia."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.rotors import rotor_inertia
from simulator.formats.mjcf_writing.document import write_mjcf
from simulator.formats.mjcf_writing.equalities import CouplingRow
from simulator.formats.mjcf_writing.starting import MechanismStart, Rotor
from simulator.formats.options import STANDARD, ReadingOptions
from simulator.formats.resources import Resources
from simulator.physics.queries.reflected_inertia import reflected_inertia
from simulator.session.batch.conversion import Conversion
from simulator.session.commands.factory import make_engine
from simulator.session.look.link_poses import LinkPoses
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from simulator.engine.engine import Engine
    from simulator.mechanism.types import Coupling
    from simulator.model.world import World


def convert_to_mjcf(path: Path, folder: Path, options: ReadingOptions = STANDARD) -> Conversion:
    """MJCF of the first world of the document at `path`, for a file in `folder`. Raises the errors of a start:
    AssemblyError, LimitsError, EngineLimitError."""
    opened = open_document(path, options)
    if opened.has_errors:
        return Conversion("", opened.diagnostics, opened.document.files)
    world = opened.world
    engine = make_engine(opened, SessionSettings(solver="reduced"))
    try:
        start = _start(engine, world)
    finally:
        engine.close()
    written = write_mjcf(world, start, folder, Resources.of(options.resource_paths), opened.document.title)
    return Conversion(written.text, (*opened.document.diagnostics, *written.diagnostics), opened.document.files)


def _start(engine: Engine, world: World) -> MechanismStart:
    mechanism = engine.mechanism
    snapshot = engine.snapshot()
    names = [link.name for model in world.models for link in model.links]
    poses = LinkPoses(mechanism, names).at(snapshot.body_poses)
    axes = [info.name for info in mechanism.axes]
    return MechanismStart(
        cut=frozenset(joint.name for joint in mechanism.loop_joints),
        poses={name: _pose(row.tolist()) for name, row in zip(names, poses, strict=True)},
        positions=dict(zip(axes, snapshot.position.tolist(), strict=True)),
        velocities=dict(zip(axes, snapshot.velocity.tolist(), strict=True)),
        inertias=_inertias(engine, world),
        couplings=tuple(
            CouplingRow(tuple((axes[axis], factor) for axis, factor in row.terms), row.constant, _powers(row))
            for row in mechanism.couplings
            if row.ties
        ),
        rotors=_rotors(engine),
    )


def _powers(row: Coupling) -> tuple[float, ...] | None:
    """The coefficients of a coupling that is a polynomial; empty of another curve, None of a straight line."""
    if row.curve is None:
        return None
    return () if row.curve.law is None else row.curve.law.coefficients


def _rotors(engine: Engine) -> tuple[Rotor, ...]:
    actuators, axes = engine.actuation.actuators, engine.mechanism.axes
    return tuple(
        Rotor(item.name, tuple((axes[axis].name, ratio) for axis, ratio in actuators.terms(number)), item.rotor_inertia)
        for number, item in enumerate(actuators.actuators)
        if item.rotor_inertia > 0.0
    )


def _pose(row: list[float]) -> Pose:
    x, y, z, *q = row
    return Pose((x, y, z), (q[0], q[1], q[2], q[3]))


def _inertias(engine: Engine, world: World) -> Mapping[str, float]:
    """Inertia that an effort on an axis moves, for driven axes."""
    mechanism = engine.mechanism
    wanted = {joint.joint for model in world.models for block in model.hardware for joint in block.joints}
    driven = [drive.axis for drive in world.drives]
    added = rotor_inertia(engine.actuation.actuators, mechanism)
    found = {}
    for number, info in enumerate(mechanism.axes):
        if info.name in wanted or any(info.name == name or info.name.endswith(f"::{name}") for name in driven):
            row = np.zeros(len(mechanism.axes))
            row[number] = 1.0
            found[info.name] = reflected_inertia(mechanism, engine.at_rest(), row, added)
    return found
