"""Gearbox joints → mimic constraints, where the gearbox is two hinges on one reference body.

A mimic says what such a gearbox says (see gearbox.py for the law), and every program that knows SDFormat 1.11
understands it. A gearbox over a moving carrier ties three axes or more, which no mimic can: it stays.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog, Source
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import CouplingKind
from simulator.mechanism.welding import all_joints
from simulator.model.coupling import IDEAL, RealCoupling
from simulator.model.joint import Joint, JointType, Mimic
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.mechanism.types import Coupling, Mechanism
    from simulator.model.world import World

AxisKey = tuple[str, str]
"""Scoped joint and "axis" or "axis2"."""
KEPT = "GEARBOX_KEPT"


@dataclass(frozen=True)
class _Law:
    """follower = multiplier · leader, both scoped names of hinges."""

    follower: str
    leader: str
    multiplier: float
    real: RealCoupling = IDEAL

    def turned(self) -> _Law:
        return _Law(self.leader, self.follower, 1.0 / self.multiplier)


def gearboxes_as_mimics(world: World, log: DiagnosticLog, *, needed: Collection[str] = ()) -> World:
    """The world with a mimic in place of every gearbox that one can replace. The log says which were replaced, and why
    others stay.

    `needed` are names of joints whose frames something else refers to; such a gearbox stays too.
    """
    gearboxes = [joint for joint in all_joints(world) if joint.type is JointType.GEARBOX]
    if not gearboxes:
        return world
    before = build_mechanism(_with_joint_sources(world))
    laws = {coupling.source: coupling for coupling in before.couplings if coupling.kind is CouplingKind.GEARBOX}
    mimics = _mimics(world)
    replaced: dict[str, _Law] = {}
    for joint in gearboxes:
        found = _law(joint, laws.get(Source(joint.name, 0)), before, mimics, needed)
        if isinstance(found, str):
            log.info(KEPT, joint.source, f"gearbox '{joint.name}' stays a gearbox: {found}")
            continue
        replaced[joint.name] = found
        mimics[found.follower, "axis"] = (found.leader, "axis")
        message = (
            f"gearbox '{joint.name}' becomes a mimic: '{found.follower}' = {found.multiplier:g} · '{found.leader}'"
        )
        log.info("GEARBOX_AS_MIMIC", joint.source, message, "--keep-gearbox leaves it as it is")
    result = _rewritten(world, replaced)
    _report_contacts(before, result, replaced, log)
    return result


def _with_joint_sources(world: World) -> World:
    """The world with joints that carry their name as source: so a coupling says which gearbox it comes from."""

    def with_names_as_sources(joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
        return tuple(replace(joint, source=Source(joint.name, 0)) for joint in joints)

    models = tuple(replace(model, joints=with_names_as_sources(model.joints)) for model in world.models)
    return replace(world, models=models, joints=with_names_as_sources(world.joints))


def _mimics(world: World) -> dict[AxisKey, AxisKey]:
    found = {}
    for joint in all_joints(world):
        for tag, axis in zip(("axis", "axis2"), joint.axes, strict=False):
            if axis.mimic is not None:
                found[joint.name, tag] = (axis.mimic.leader, axis.mimic.axis)
    return found


def _law(
    joint: Joint,
    coupling: Coupling | None,
    mechanism: Mechanism,
    mimics: dict[AxisKey, AxisKey],
    needed: Collection[str],
) -> _Law | str:
    """What replaces the gearbox, or why nothing does."""
    if joint.name.rpartition("::")[2] in needed:
        return "something in the document refers to its frame"
    if coupling is None:
        return "it makes no coupling, or one that others imply (simulator check says more)"
    if coupling.others:
        return "its reference body turns itself, so that it ties more than two joints"
    names = (mechanism.axes[coupling.follower].name, mechanism.axes[coupling.leader].name)
    law = _Law(*names, coupling.multiplier, coupling.real)
    if not coupling.real.is_ideal and _obstacle(law, mimics):
        return "its losses, play or elasticity are those of this direction: " + _obstacle(law, mimics)
    obstacles = [_obstacle(one, mimics) for one in (law, law.turned())]
    return law if not obstacles[0] else law.turned() if not obstacles[1] else obstacles[0]


def _obstacle(law: _Law, mimics: dict[AxisKey, AxisKey]) -> str:
    """Why the follower cannot get this mimic; "" where it can."""
    if (law.follower, "axis") in mimics:
        return f"its hinge '{law.follower}' follows another joint already"
    scope = law.follower.rpartition("::")[0]
    if scope and not law.leader.startswith(f"{scope}::"):
        return f"the joint '{law.leader}' cannot be named from the model of '{law.follower}'"
    key: AxisKey | None = (law.leader, "axis")
    seen: set[AxisKey] = set()
    while key is not None and key not in seen:
        if key == (law.follower, "axis"):
            return f"'{law.leader}' follows '{law.follower}' already"
        seen.add(key)
        key = mimics.get(key)
    return ""


def _rewritten(world: World, replaced: dict[str, _Law]) -> World:
    of_follower = {law.follower: law for law in replaced.values()}

    def rewrite(joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
        kept = (joint for joint in joints if joint.name not in replaced)
        return tuple(_following(joint, of_follower.get(joint.name)) for joint in kept)

    models = tuple(replace(model, joints=rewrite(model.joints)) for model in world.models)
    return replace(world, models=models, joints=rewrite(world.joints))


def _following(joint: Joint, law: _Law | None) -> Joint:
    if law is None:
        return joint
    scope = joint.name.rpartition("::")[0]
    written = law.leader.removeprefix(f"{scope}::") if scope else law.leader
    mimic = Mimic(joint=written, leader=law.leader, multiplier=law.multiplier, source=joint.source)
    mimic = replace(mimic, coupling=law.real)
    return replace(joint, axes=(replace(joint.axes[0], mimic=mimic), *joint.axes[1:]))


def _report_contacts(before: Mechanism, after: World, replaced: dict[str, _Law], log: DiagnosticLog) -> None:
    """Links that a joint ties never collide; without the gearbox they may."""
    if not replaced:
        return
    places = {link.name: link.source for body in before.bodies for link in body.links}
    kept = build_mechanism(after).non_colliding
    for first, second in (pair for pair in before.non_colliding if pair not in kept):
        message = (
            f"'{first}' and '{second}' may touch from now on: the gearbox kept them from colliding, a mimic does not"
        )
        log.warning(
            "GEARBOX_CONTACTS", places.get(first), message, "use --keep-gearbox, or give them different bitmasks"
        )
