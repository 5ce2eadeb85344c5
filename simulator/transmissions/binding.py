"""The transmissions of a world → `Actuators`: kinds found, roles and joints bound, and what cannot be bound reported.

Roles bind, whatever the order of the elements and of the names. (ros2_control reads roles and then sorts joints and
actuators by name, while it takes the reductions in the order of the document; where both orders agree, so do we.)
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from simulator.errors import UnknownNameError, UsageError
from simulator.model.actuation import CLASSIC, TransmissionActuator, TransmissionJoint
from simulator.transmissions.actuators import Actuator, Actuators, BoundTransmission
from simulator.transmissions.base import Transmission
from simulator.transmissions.differential import DifferentialTransmission
from simulator.transmissions.four_bar_linkage import FourBarLinkageTransmission
from simulator.transmissions.simple import SimpleTransmission

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.model.actuation import TransmissionInfo
    from simulator.model.world import World


LARGEST_RATIO = 1e30
"""Ratios of this size are mistakes, and their squares would be infinite."""

Part = TypeVar("Part", TransmissionActuator, TransmissionJoint)


def bind_actuators(
    world: World, axes: Sequence[str], log: DiagnosticLog, *, kinds: Mapping[str, type[Transmission]] | None = None
) -> Actuators:
    """The actuators of a world whose mechanism has axes of these names (`model::joint`), in the order of the document.

    `kinds` are transmissions by name beside the built-in and the installed ones. A transmission that cannot be bound is
    reported and left out: with an error where ros2_control would refuse it too, with a warning where it is an older
    `<transmission>`, which simulators used to pass over.
    """
    binder = _Binder({name: i for i, name in enumerate(axes)}, kinds, log)
    modern = [info for model in world.models for block in model.hardware for info in block.transmissions]
    for info in modern:
        binder.add(info)
    taken = {joint.joint for info in modern for joint in info.joints}
    for info in (info for model in world.models for info in model.transmissions):
        twice = [joint.name for joint in info.joints if joint.joint in taken]
        if twice:
            message = f"transmission '{info.name}' is not used: a <ros2_control> block has one for joint '{twice[0]}'"
            log.info("TRANSMISSION_TWICE", info.source, message)
        else:
            binder.add(info)
    return Actuators(binder.actuators, binder.transmissions, n_axes=len(axes))


class _Refused(Exception):  # noqa: N818
    """Why a transmission cannot be bound."""

    def __init__(
        self, code: str, where: Source | None, message: str, hint: str = "", *, fold: str = "", about: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.where = where
        self.hint = hint
        self.fold = fold
        self.about = about


class _Binder:
    def __init__(
        self, axis_of: Mapping[str, int], kinds: Mapping[str, type[Transmission]] | None, log: DiagnosticLog
    ) -> None:
        self._axis_of = axis_of
        self._kinds = kinds
        self._log = log
        self.actuators: list[Actuator] = []
        self.transmissions: list[BoundTransmission] = []

    def add(self, info: TransmissionInfo) -> None:
        """Bind one, or report why not."""
        if any(not joint.joint for joint in info.joints):
            return  # the reader has reported it
        try:
            self._bind(info)
        except _Refused as refusal:
            report = self._log.warning if info.dialect == CLASSIC else self._log.error
            report(
                refusal.code,
                refusal.where,
                str(refusal),
                refusal.hint,
                fold=refusal.fold,
                about=refusal.about or info.name,
            )

    def _bind(self, info: TransmissionInfo) -> None:
        law, actuators, joints = _law(info, self._kinds)
        axes = tuple(self._axis(joint, info) for joint in joints)
        prefix = f"{info.scope}::" if info.scope else ""
        known = {actuator.name: actuator for actuator in self.actuators}
        for actuator in actuators:
            if prefix + actuator.name in known:
                first = known[prefix + actuator.name].source
                message = f"actuator '{actuator.name}' belongs to another transmission already ({first})"
                hint = "give it a name of its own"
                raise _Refused(
                    "TRANSMISSION_ACTUATOR_SHARED",
                    actuator.source,
                    message,
                    hint,
                    fold="actuators",
                    about=actuator.name,
                )
        start, index = len(self.actuators), len(self.transmissions)
        self.actuators += [
            Actuator(prefix + actuator.name, index, actuator.rotor_inertia, actuator.source) for actuator in actuators
        ]
        indices = tuple(range(start, len(self.actuators)))
        self.transmissions.append(BoundTransmission(prefix + info.name, info.plugin, law, indices, axes, info.source))

    def _axis(self, joint: TransmissionJoint, info: TransmissionInfo) -> int:
        if joint.joint in self._axis_of:
            return self._axis_of[joint.joint]
        message = (
            f"transmission '{info.name}' cannot drive joint '{joint.name}': it is not a joint with an axis that can "
            "move"
        )
        raise _Refused("TRANSMISSION_JOINT_UNUSABLE", joint.source, message)


def _law(
    info: TransmissionInfo, kinds: Mapping[str, type[Transmission]] | None
) -> tuple[Transmission, list[TransmissionActuator], list[TransmissionJoint]]:
    """The map, and actuators and joints in the order of its roles."""
    try:
        kind = kind_named(info.plugin, kinds)
    except UsageError as error:
        hint = "the class of a package is found by its entry point in the group simulator.transmissions"
        raise _Refused(
            "TRANSMISSION_PLUGIN_UNKNOWN",
            info.source,
            f"transmission '{info.name}': {error}",
            hint,
            fold=info.plugin,
        ) from error
    actuators = _by_role(info, "actuator", info.actuators, kind.ACTUATORS)
    joints = _by_role(info, "joint", info.joints, kind.JOINTS)
    try:
        law = kind(
            tuple(actuator.reduction for actuator in actuators),
            tuple(joint.reduction for joint in joints),
            tuple(joint.offset for joint in joints),
            info.parameters,
        )
        fault = _fault(law.matrix())
    except (Exception, SystemExit) as error:  # a kind of another package may raise anything
        reason = f"{error}" if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
        raise _Refused("TRANSMISSION_INVALID", info.source, f"transmission '{info.name}': {reason}") from error
    if fault:
        raise _Refused(
            "TRANSMISSION_INVALID", info.source, f"transmission '{info.name}' cannot be turned round: {fault}"
        )
    return law, actuators, joints


def _fault(matrix: NDArray[np.float64]) -> str:
    """Why a map has no inverse, "" where it has one. Rows are scaled first: reductions of very different size are not
    fault."""
    rows, columns = matrix.shape
    if rows != columns or not (np.abs(matrix) < LARGEST_RATIO).all():
        return f"its map of {rows} × {columns} is not square, or has ratios that no machine has"
    scaled = matrix / np.maximum(np.abs(matrix).max(axis=1, keepdims=True), np.finfo(float).tiny)
    return "" if np.linalg.matrix_rank(scaled) == rows else f"its map of {rows} × {columns} has no inverse"


def _by_role(info: TransmissionInfo, what: str, parts: Iterable[Part], roles: tuple[str, ...]) -> list[Part]:
    """`parts` in the order of `roles`. A single part needs no role, as there is only one; ros2_control does not look at
    it either."""
    found = list(parts)
    if len(found) != len(roles):
        count = f"{len(roles)} {what}{'s' if len(roles) > 1 else ''}"
        message = f"{info.plugin} needs {count} ({', '.join(roles)}); transmission '{info.name}' has {len(found)}"
        raise _Refused("TRANSMISSION_PARTS_INVALID", info.source, message)
    for name in {part.name for part in found}:
        same = [part for part in found if part.name == name]
        if len(same) > 1:
            message = f"transmission '{info.name}' names the {what} '{name}' twice"
            raise _Refused("TRANSMISSION_PARTS_INVALID", same[1].source, message)
    if len(found) == 1:
        return found
    by_role = {part.role: part for part in found}
    for part in found:
        if part.role not in roles or by_role[part.role] is not part:
            wrong = "twice" if part.role in roles else "which it has not"
            message = f"{what} '{part.name}' of transmission '{info.name}' has the role '{part.role}', {wrong}"
            raise _Refused(
                "TRANSMISSION_ROLE_INVALID", part.source, message, f"roles of {info.plugin}: {', '.join(roles)}"
            )
    return [by_role[role] for role in roles]


GROUP = "simulator.transmissions"
"""The entry point group."""
PREFIX = "transmission_interface/"
"""What ros2_control writes before the name of a class of its own; older documents leave it away."""
BUILT_IN: Mapping[str, type[Transmission]] = {
    f"{PREFIX}SimpleTransmission": SimpleTransmission,
    f"{PREFIX}DifferentialTransmission": DifferentialTransmission,
    f"{PREFIX}FourBarLinkageTransmission": FourBarLinkageTransmission,
}
OF_OTHERS: Mapping[str, type[Transmission]] = {"pr2_mechanism_model/SimpleTransmission": SimpleTransmission}
"""The same under names of other programs."""


def kind_named(plugin: str, more: Mapping[str, type[Transmission]] | None = None) -> type[Transmission]:
    """The class that a document names. `more` are kinds by name that count beside the built-in and the installed ones.

    Raises UnknownNameError with the names that exist, UsageError if the class of an installed package cannot be used.
    """
    known = {**BUILT_IN, **(more or {})}
    for name in (plugin, PREFIX + plugin):
        if name in known or name in OF_OTHERS:
            return known.get(name) or OF_OTHERS[name]
    installed = entry_points(group=GROUP)
    if plugin not in installed.names:
        raise UnknownNameError("transmission", plugin, {*known, *installed.names})
    try:
        kind = installed[plugin].load()
    except (Exception, SystemExit) as error:  # whatever another package's import raises
        reason = f"it ends the program (exit code {error.code})" if isinstance(error, SystemExit) else error
        raise UsageError(f"the transmission '{plugin}' of an installed package cannot be loaded: {reason}") from error
    if not (isinstance(kind, type) and issubclass(kind, Transmission)):
        raise UsageError(f"the transmission '{plugin}' of an installed package is not a subclass of Transmission")
    for roles in ("ACTUATORS", "JOINTS"):
        named = getattr(kind, roles, None)
        if not (isinstance(named, tuple) and named and all(isinstance(role, str) for role in named)):
            raise UsageError(f"the transmission '{plugin}' of an installed package does not name its {roles}, a tuple")
    return kind
