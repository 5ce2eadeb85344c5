"""Reactions of a moving simulation: the efforts and contacts of its last step, at its present state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.fixed_joints import FixedJoints
from simulator.analysis.reactions import Balance
from simulator.analysis.sensors import JointSensors
from simulator.analysis.wrenches import COMPONENTS, compliances_of
from simulator.engine.rotors import rotor_inertia
from simulator.engine.state_transfer import joint_state_of
from simulator.errors import UsageError
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.named import NamedVector
from simulator.mechanism.real_couplings import as_moved, is_loose
from simulator.mechanism.types import WORLD_BODY
from simulator.physics.compiled.cables_now import cable_tensions
from simulator.physics.sweep.swept import Loads
from simulator.physics.tree.cable_tables import cable_pulls
from simulator.recording.channels import Channel
from simulator.session.commands.factory import WITHOUT_CONTACTS
from simulator.session.forces.contact_forces import ContactColumns, contacts_on_links, force_on_first, moment_on_first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.analysis.reactions import Reactions
    from simulator.engine.engine import Engine
    from simulator.engine.port import Contact
    from simulator.engine.snapshot import Snapshot
    from simulator.kinematics.state import JointState
    from simulator.model.world import World
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.spatial.arrays import Array


class ReactionRows:
    """Reactions as columns beside those of a run. `channels`: a wrench of every joint, of fixed ones if
    requested, the effort that every coupling transmits, the document's force-torque sensors, and contact
    forces."""

    def __init__(self, engine: Engine, world: World, *, fixed_joints: bool = False) -> None:
        """Raises UsageError if an external physics engine moves the mechanism."""
        self._engine = engine
        mechanism = engine.mechanism
        self._balance = balance_of(engine, world)
        _require_told(engine)
        self._fixed = FixedJoints(world, mechanism, None if fixed_joints else ())
        self._sensors = JointSensors(world, mechanism)
        self.contacts = ContactColumns(mechanism, act=engine.strategy not in WITHOUT_CONTACTS)
        followers = [mechanism.axes[coupling.follower] for coupling in mechanism.couplings]
        self.channels: tuple[Channel, ...] = (
            *_wrench_channels((*self._balance.joints.names, *self._fixed.names)),
            *(
                Channel(f"coupling/{axis.name}/effort", "coupling_effort", axis.effort_unit, i)
                for i, axis in enumerate(followers)
            ),
            *_wrench_channels(self._sensors.names),
            *self.contacts.channels,
        )

    def beside(self, rows: Array) -> Array:
        """The rows of a run, at most one, followed by the reactions at the engine's present state."""
        if not len(rows):
            return np.zeros((0, rows.shape[1] + len(self.channels)))
        found = acting(self._balance, self._engine)
        contacts = self._engine.contacts()
        poses = self._poses()
        touched = contacts_on_links(self._engine.mechanism, contacts, poses)
        parts = (
            found.with_fixed(self._fixed, touched).wrenches.array,
            found.couplings.array,
            self._sensors.of(found.motion, found.carried(touched)),
            self.contacts.of(contacts, poses),
        )
        return np.concatenate((rows[0], *(part.ravel() for part in parts)))[None]

    def _poses(self) -> Array:
        return self._engine.snapshot().body_poses


def _wrench_channels(names: Iterable[str]) -> list[Channel]:
    return [
        Channel(f"reaction/{name}/{part}", "reaction", "N" if part.startswith("force") else "N·m", i)
        for i, name in enumerate(names)
        for part in COMPONENTS
    ]


def reactions_now(balance: Balance, engine: Engine, fixed: FixedJoints) -> Reactions:
    """Like `acting`, with rows for fixed joints after the others."""
    return acting(balance, engine).with_fixed(
        fixed, contacts_on_links(engine.mechanism, engine.contacts(), engine.snapshot().body_poses)
    )


def _require_told(engine: Engine) -> BoundedMechanism:
    bounded = engine.core.bounded
    if bounded is None:
        raise UsageError(f"strategy '{engine.strategy}' does not report what acts in a step; use rows or reduced")
    return bounded


def balance_of(engine: Engine, world: World) -> Balance:
    """Of the mechanism that an engine moves: couplings that positions do not obey are forces in it."""
    mechanism = engine.mechanism
    rotors = rotor_inertia(engine.actuation.actuators, mechanism)
    return Balance(Kinematics(as_moved(mechanism)).as_meant, rotors, compliances_of(world))


def acting(balance: Balance, engine: Engine) -> Reactions:
    """Reactions of joints to what acted in the last step, and the efforts of all couplings: of those that positions
    obey as they follow from the motion, of others what they carried in that step. Raises UsageError if an external
    physics engine moves the mechanism."""
    found = balance.under(*acted(balance, engine))
    couplings = engine.mechanism.couplings
    loose = np.array([is_loose(coupling) for coupling in couplings], dtype=bool)
    if not loose.any():
        return found
    efforts = _require_told(engine).coupling_efforts()
    efforts[~loose] = found.couplings.array
    determined = np.ones(len(couplings), dtype=bool)
    determined[~loose] = found.couplings_determined
    names = tuple(engine.mechanism.axes[coupling.follower].name for coupling in couplings)
    return replace(found, couplings=NamedVector(names, efforts), couplings_determined=determined)


def acted(balance: Balance, engine: Engine, now: Snapshot | None = None) -> tuple[JointState, Array, Loads]:
    """The present state, and the efforts and contacts of the last step; with `now`, state and efforts of drives are its
    own. Raises the errors of `acting`."""
    bounded = _require_told(engine)
    now = now or engine.snapshot()
    state = joint_state_of(engine.mechanism, now.position, now.velocity, now.body_poses, now.body_velocities)
    balance.swept.set_time(now.time)
    efforts = now.effort + bounded.friction_efforts() + bounded.stop_efforts() + bounded.loss_efforts()
    for coupling, carried in zip(engine.mechanism.couplings, bounded.coupling_efforts().tolist(), strict=True):
        for axis, factor in coupling.terms if is_loose(coupling) else ():
            efforts[axis] += factor * carried
    cables = engine.mechanism.loads.cables
    if not cables and not engine.contacts():
        return state, efforts, Loads.none()
    acting = list(_contacts(engine.contacts()))
    if cables:
        poses = balance.swept.kinematics.body_matrices(state)
        pulls = cable_pulls(cables, poses, now.cables[:, 0], cable_tensions(bounded))
        acting += [(body, place, force, np.zeros(3)) for body, place, force in pulls]
    return state, efforts, _as_loads(balance, acting, state)


def _contacts(contacts: tuple[Contact, ...]) -> Iterator[tuple[int, Array, Array, Array]]:
    """Body, place, force and moment of contacts: the force on the first body, its opposite on the second."""
    for contact in contacts:
        force, moment = force_on_first(contact), moment_on_first(contact)
        for body, sign in zip(contact.bodies, (1.0, -1.0), strict=True):
            if body != WORLD_BODY:
                yield body, np.array(contact.point), sign * force, sign * moment


def _as_loads(balance: Balance, acting: Iterable[tuple[int, Array, Array, Array]], state: JointState) -> Loads:
    """Forces and moments at places of the world as loads of nodes."""
    tree = balance.swept.model.parts.tree
    poses = balance.swept.kinematics.body_matrices(state)
    node: list[int] = []
    numbers: list[Array] = []
    for body, place, force, moment in acting:
        node.append(int(tree.node_of_body[body]))
        X_NB = tree.X_LB[body].matrix()
        inside = poses[body, :3, :3].T @ (place - poses[body, :3, 3])
        numbers.append(np.concatenate((X_NB[:3, :3] @ inside + X_NB[:3, 3], force, moment)))
    count = len(node)
    return Loads(np.array(node, dtype=np.int64), np.zeros(count, dtype=np.int64), np.array(numbers).reshape(count, 9))
