"""A rack and pinion in closed form: a document, a mechanism and a client without physics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.diagnostics import Diagnostic, Severity, Source
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.snapshot import EnergyBalance, Snapshot
from simulator.mechanism.types import (
    AxisInfo,
    Body,
    Coupling,
    CouplingKind,
    JointKind,
    Mechanism,
    MechanismJoint,
    Mobility,
    Motion,
    MotionKind,
)
from simulator.model.joint import Axis, Joint, JointType, Mimic
from simulator.model.link import Collision, Inertial, Link, Visual
from simulator.model.material import Material
from simulator.model.shape import Box, Cylinder
from simulator.model.world import Document, Model, World
from simulator.recording.channels import Channel, channels_of, row_of
from simulator.session.commands.commands import (
    Command,
    Pause,
    Reset,
    RestoreCheckpoint,
    Resume,
    Run,
    SaveCheckpoint,
    SetCoupling,
    SetDrive,
    SetPosition,
    SetSolver,
    SetSpeed,
    StepOnce,
)
from simulator.session.commands.driving import full_name
from simulator.session.open.opening import Opened
from simulator.session.run.client import Drives, RunState, Status
from simulator.session.text.settings import demonstration_drives
from simulator.spatial.pose import Pose
from simulator.transmissions.actuators import Actuator, Actuators, BoundTransmission
from simulator.transmissions.simple import SimpleTransmission

RADIUS = 0.05
DT = 0.001


def axes(multiplier: float = RADIUS, offset: float = 0.0, reference: float = 0.0) -> tuple[AxisInfo, AxisInfo]:
    mimic = Mimic("pinion_joint", "machine::pinion_joint", multiplier=multiplier, offset=offset, reference=reference)
    turn = Axis(xyz_world=(0.0, 1.0, 0.0), effort=20.0, velocity=10.0, damping=0.1)
    slide = Axis(xyz_world=(1.0, 0.0, 0.0), lower=-0.3, upper=0.3, mimic=mimic)
    return (
        AxisInfo("machine::pinion_joint", "machine::pinion_joint", MotionKind.ROTATION, turn),
        AxisInfo("machine::rack_joint", "machine::rack_joint", MotionKind.TRANSLATION, slide),
    )


def links(file: str) -> tuple[Link, Link, Link]:
    grey = Material(diffuse=(0.5, 0.55, 0.6, 1.0))
    blue = Material(diffuse=(0.27, 0.47, 0.8, 1.0))
    orange = Material(diffuse=(0.9, 0.5, 0.2, 1.0))
    turned = Pose.from_rpy((0.0, 0.0, 0.0), (math.pi / 2, 0.0, 0.0))
    base = Link("machine::base", Pose((0.0, 0.0, 0.02)), Inertial(2.0), True,
                (Visual("v", Box((0.9, 0.12, 0.04)), material=grey),), source=Source(file, 3))  # fmt: skip
    pinion = Link("machine::pinion", Pose((0.0, 0.0, 0.13)), Inertial(0.3, moments=(1e-3, 2e-3, 1e-3)), True,
                  (Visual("v", Cylinder(RADIUS, 0.06), turned, blue),),
                  (Collision("c", Cylinder(RADIUS, 0.06), turned),), source=Source(file, 5))  # fmt: skip
    rack = Link("machine::rack", Pose((0.0, 0.0, 0.06)), Inertial(0.5), True,
                (Visual("v", Box((0.6, 0.06, 0.04)), material=orange),), source=Source(file, 7))  # fmt: skip
    return base, pinion, rack


def opened(path: Path = Path("rack.sdf"), **law: float) -> Opened:
    turn, slide = axes(**law)
    base, pinion, rack = links(str(path))
    joints = (
        Joint(turn.name, JointType.CONTINUOUS, "base", "pinion", base.name, pinion.name, pinion.X_WL, (turn.axis,)),
        Joint(slide.name, JointType.PRISMATIC, "base", "rack", base.name, rack.name, rack.X_WL, (slide.axis,)),
    )
    world = World(models=(Model("machine", True, links=(base, pinion, rack), joints=joints),))
    mechanism = Mechanism(
        name="rack", gravity=(0.0, 0.0, -9.8),
        bodies=(Body("world", (base,), (base.X_WL,)), Body(pinion.name, (pinion,), (Pose(),), pinion.X_WL, 0.3),
                Body(rack.name, (rack,), (Pose(),), rack.X_WL, 0.5)),
        joints=(
            MechanismJoint(turn.name, JointType.CONTINUOUS, JointKind.CHAIN, 0, 1, pinion.X_WL,
                           motions=(Motion(0, MotionKind.ROTATION, (0.0, 1.0, 0.0)),)),
            MechanismJoint(slide.name, JointType.PRISMATIC, JointKind.CHAIN, 0, 2, rack.X_WL,
                           motions=(Motion(1, MotionKind.TRANSLATION, (1.0, 0.0, 0.0)),)),
        ),
        loop_joints=(), axes=(turn, slide),
        couplings=(Coupling(CouplingKind.MIMIC, 1, 0, law.get("multiplier", RADIUS), law.get("offset", 0.0),
                            law.get("reference", 0.0), Source(str(path), 9)),),
        clusters=(), mobility=Mobility(1, 2, 0, 1, 0),
    )  # fmt: skip
    return Opened(path, Document(str(path), worlds=(world,)), world, mechanism)


def with_motor(document: Opened) -> Opened:
    """The same machine with a motor that turns 50 times as fast as the pinion: motor = 50 (pinion − 0.2) = 50 pinion −
    10."""
    law = SimpleTransmission((50.0,), (1.0,), (0.2,))
    bound = BoundTransmission("machine::gear", "transmission_interface/SimpleTransmission", law, (0,), (0,))
    motor = Actuator("machine::motor", 0, 2e-6)
    return replace(document, actuators=Actuators([motor], [bound], n_axes=len(document.mechanism.axes)))


def broken(path: Path) -> Opened:
    finding = Diagnostic(
        Severity.ERROR, "JOINT_AXIS_MIMIC_INVALID", str(path), 2, "the leader does not exist", "name a joint"
    )
    good = opened(path)
    return replace(good, document=replace(good.document, diagnostics=(finding,)))


@dataclass
class FakeHistory:
    """The moments of a fake client."""

    client: FakeClient

    def span(self) -> tuple[float, float]:
        past = self.client.past
        return past[0].time, past[-1].time

    def at(self, time: float, dt: float) -> Snapshot | None:
        past = self.client.past
        return next((moment for moment in reversed(past) if moment.time <= time + 1e-6 * dt), past[0])

    whole_since, coarsest, rewound = -math.inf, 1, (0, math.inf)

    def __len__(self) -> int:
        return len(self.client.rows)

    def chunks(self) -> Iterator[NDArray[np.float64]]:
        yield np.array(self.client.rows)

    def copy(self) -> FakeHistory:
        return self

    def take_over(self, earlier: FakeHistory) -> None:
        self.client.taken_over = np.array(earlier.client.rows)


@dataclass
class FakeClient:
    """Every poll while running advances by 1/60 s; q = sin t unless told otherwise. A law with multiplier 0, the
    strategies in `refused` and drives of the targets in `locked` are refused. What is sent while it is `deaf` is
    carried out once it hears again."""

    opened: Opened
    sent: list[Command] = field(default_factory=list)
    state: RunState = RunState.PAUSED
    message: str = ""
    closed: bool = False
    restarted: int = 0
    solver: str = "fake"
    refused: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()
    deaf: bool = False
    laws: dict[int, SetCoupling] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.step = self.number = 0
        self.drives: dict[str, Drive] = dict(demonstration_drives(self.opened.world, self.opened.mechanism))
        self.waiting: list[tuple[int, Command]] = []
        self.answered, self.refusals = 0, list[tuple[int, str]]()
        self.findings: tuple[Diagnostic, ...] = ()
        self.q = self.since = 0.0
        self.target: float | None = None
        self.rows: list[NDArray[np.float64]] = []
        self.past: list[Snapshot] = []
        self.taken_over: NDArray[np.float64] | None = None
        self.checkpoints: dict[int, tuple[int, float, float | None, Snapshot]] = {}
        self._snapshot = self._make()
        self._record()

    @property
    def channels(self) -> tuple[Channel, ...]:
        return channels_of(self.opened.mechanism, self.opened.actuators)

    @property
    def asked_drives(self) -> Drives:
        asked = dict(self.drives)
        for _, command in self.waiting:
            if isinstance(command, SetDrive):
                self._take(asked, command)
        return tuple(asked.items())

    def send(self, command: Command) -> int:
        self.number += 1
        if not isinstance(command, SaveCheckpoint):
            self.sent.append(command)
        self.waiting.append((self.number, command))
        if not self.deaf:
            self.hear()
        return self.number

    def hear(self) -> None:
        """Carry out what waits."""
        self.deaf, waiting, self.waiting = False, self.waiting, []
        for number, command in waiting:
            self.answered = number
            self._obey(command)

    def _obey(self, command: Command) -> None:
        if isinstance(command, Run):
            self.state = RunState.RUNNING
        elif isinstance(command, Pause):
            self.state = RunState.PAUSED
        elif isinstance(command, StepOnce):
            self.state = RunState.PAUSED
            self._advance(command.count)
        elif isinstance(command, Reset):
            self.step, self.q, self.rows, self.past = 0, 0.0, [], []
            self.state = RunState.PAUSED
            self._advance(0)
        elif isinstance(command, SetPosition):
            self.q = self.target = command.value
            self._advance(0)
        elif isinstance(command, SetDrive) and command.target in self.locked:
            self._refuse(f"{command.target} cannot be driven")
        elif isinstance(command, SetDrive):
            self._take(self.drives, command)
            held = command.drive is not None and command.drive.kind is DriveKind.POSITION
            self.target = command.drive.level if held and command.drive is not None else None
            self.message = ""
        elif isinstance(command, SetSolver | SetCoupling):
            self._change(command)
        elif isinstance(command, SaveCheckpoint):
            self.checkpoints[command.key] = (self.step, self.q, self.target, self._snapshot)
        elif isinstance(command, RestoreCheckpoint):
            step, q, target, snapshot = self.checkpoints[command.key]
            if not command.in_place or step == self.step:
                self._go_to(step, q, target, snapshot)
        elif isinstance(command, Resume):
            self._go_to(command.snapshot.step, float(command.snapshot.position[0]), None, command.snapshot)

    def _go_to(self, step: int, q: float, target: float | None, snapshot: Snapshot) -> None:
        self.step, self.q, self.target, self._snapshot = step, q, target, snapshot
        kept = [i for i, moment in enumerate(self.past) if moment.step < step]
        self.rows, self.past = [self.rows[i] for i in kept], [self.past[i] for i in kept]
        self._record()

    @property
    def history(self) -> FakeHistory:
        return FakeHistory(self)

    def _refuse(self, reason: str) -> None:
        self.message = reason
        self.refusals.append((self.answered, reason))

    def _take(self, drives: dict[str, Drive], command: SetDrive) -> None:
        name = full_name(self.opened.mechanism, self.opened.actuators, command.target)
        drives.pop(name, None)
        if command.drive is not None:
            drives[name] = command.drive

    def _change(self, command: SetSolver | SetCoupling) -> None:
        if isinstance(command, SetSolver) and command.solver not in self.refused:
            self.solver, self.message = command.solver, f"strategy {command.solver} computes no contacts"
        elif isinstance(command, SetCoupling) and command.multiplier != 0.0:
            self.laws[command.coupling] = command
            self.since = self.step * DT
            self.message = ""
            self._advance(0)
        else:
            self._refuse("the mechanism cannot be assembled with that")

    @property
    def coupling(self) -> Coupling:
        """The law that holds now."""
        law, document = self.laws.get(0), self.opened.mechanism.couplings[0]
        if law is None:
            return document
        return replace(document, multiplier=law.multiplier, offset=law.offset, reference=law.reference)

    def poll(self) -> tuple[Snapshot | None, Status]:
        if self.state is RunState.RUNNING:
            self._advance(16)
        speed = next((c.factor for c in reversed(self.sent) if isinstance(c, SetSpeed)), 1.0)
        laws = tuple(self.laws.values())
        return self._snapshot, Status(
            self.state, self.solver, DT, speed, 1.0, 1000.0, 0.0, self.message, laws, self.since,
            drives=tuple(self.drives.items()), answered=self.answered, refused=tuple(self.refusals),
            findings=self.findings,
        )  # fmt: skip

    def trace(self, columns: Sequence[int], since: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        table = np.array(self.rows)
        table = table[table[:, 0] >= since]
        return table[:, 0], table[:, list(columns)]

    def restart(self) -> None:
        self.restarted += 1
        self.state = RunState.RUNNING

    def close(self) -> None:
        self.closed = True

    def _advance(self, steps: int) -> None:
        for _ in range(steps):
            self.step += 1
            if self.target is None:
                self.q = math.sin(2.0 * self.step * DT)
            self._snapshot = self._make()
            self._record()
        if steps == 0:
            self._snapshot = self._make()
            self._record()

    def _record(self) -> None:
        self.rows.append(row_of(self._snapshot, self.opened.mechanism, self.opened.actuators))
        self.past.append(self._snapshot)

    def _make(self) -> Snapshot:
        coupling = self.coupling
        error = 3.1e-7 * math.sin(9.0 * self.step * DT)
        follower = coupling.multiplier * (self.q - coupling.reference) + coupling.offset + error
        bodies = self.opened.mechanism.bodies
        pinion = Pose(bodies[1].X_WB.position, (0.0, math.sin(self.q / 2), 0.0, math.cos(self.q / 2)))
        x, y, z = bodies[2].X_WB.position
        poses = np.array([Pose().as_list(), pinion.as_list(), Pose((x + follower, y, z)).as_list()])
        return Snapshot(
            self.step, self.step * DT, np.array([self.q, follower]), np.array([1.0, coupling.multiplier]),
            np.array([0.5, 0.0]), np.array([error]), np.zeros((0, 2)), EnergyBalance(1.0, 0.0, 1.0, 0.0, 0.0), poses,
            actuator_effort=self.opened.actuators.effort(np.array([0.5, 0.0])),
        )  # fmt: skip
