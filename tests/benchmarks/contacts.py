"""scripts/bench contacts: what a step of loose boxes, and of machines whose parts touch, costs here, in MuJoCo and in
raw PyBullet, in turns, and what it is worth.

python -m tests.benchmarks.contacts [--rounds 5] [--seconds 0.2] [--json] [scene…]

Everybody steps the same boxes by 1 ms from the same start, read by nobody; the processor's time counts. Beside it,
after half a second: how far the boxes are from where they started (of scenes that rest), how fast the fastest of them
is, and how deep the deepest overlap is, all measured on the poses alone by the same code.

Machines (`machines`) have joints, couplings and drives, which raw PyBullet has no rows for: there is MuJoCo only, whose
velocity and position drives are its actuators, and the residual of couplings in place of the drift.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.bullet.pybullet_import import pybullet
from simulator.collision.exact import ExactCollisions
from simulator.collision.unfound import unfound
from simulator.engine.drives import DriveKind
from simulator.engine.snapshot import Extremes
from simulator.session.factory import make_engine
from simulator.session.opening import open_document
from simulator.session.settings import typed_settings
from simulator.spatial.rotation import quat_from_rpy
from tests.benchmarks.contenders import Contender
from tests.benchmarks.machines import MACHINES
from tests.benchmarks.options import Options
from tests.benchmarks.piles import EDGE, GRAVITY, MASS, MOMENT, MU, SCENES, Cube, Scene, document
from tests.benchmarks.rounds import cpu_clock, take_turns
from tests.helpers.mjcf import FACTORY, as_mjcf

Array = NDArray[np.float64]
DT, SETTLED = 1e-3, 0.5
GAIN = 100.0
"""Of MuJoCo's actuators [N m s or N/m]."""
RESTING = ("stack", "wall", "floor")
OURS, MUJOCO, BULLET = "rows", "MuJoCo", "PyBullet"


class Boxes(Contender):
    """Somebody who steps a scene; `poses` (n, 7) of the boxes, x, y, z, qx, qy, qz, qw."""

    family = "boxes"

    def poses(self) -> Array:
        raise NotImplementedError


class Ours(Boxes):
    """Strategy rows, by the engine's own call; many steps in one where `many`."""

    name = OURS

    def __init__(self, path: Path, drives: tuple[str, ...] = (), *, many: int = 20) -> None:
        self.opened, self.steps_per_call = open_document(path), many
        self.engine = make_engine(self.opened, typed_settings(drives, (), dt=DT))
        self.call = self._advance

    def _advance(self) -> None:
        left, worst = self.steps_per_call, Extremes()
        while left:
            left -= self.engine.advance(left, worst)[0]

    def reset(self) -> None:
        self.engine.reset()

    def poses(self) -> Array:
        return self.engine.snapshot().body_poses[1:].copy()

    def close(self) -> None:
        self.engine.close()


class MuJoCo(Boxes):
    """`mj_step` at its defaults: soft contacts, semi-implicit Euler."""

    name = MUJOCO

    def __init__(self, scene: Scene) -> None:
        import mujoco

        self.model = mujoco.MjModel.from_xml_string(as_boxes(scene))
        self.data = mujoco.MjData(self.model)
        self.call, self.arguments, self._back = mujoco.mj_step, (self.model, self.data), mujoco.mj_resetData

    def reset(self) -> None:
        self._back(self.model, self.data)

    def poses(self) -> Array:
        rows = np.array(self.data.qpos).reshape(-1, 7)
        return rows[:, [0, 1, 2, 4, 5, 6, 3]]


class Bullet(Boxes):
    """`stepSimulation` of loose bodies at its defaults, which let boxes sleep that rest; sleeping is off, for it would
    cost nothing."""

    name = BULLET

    def __init__(self, scene: Scene) -> None:
        self.scene, self.client = scene, pybullet.connect(pybullet.DIRECT)
        self.call, self.arguments = pybullet.stepSimulation, (self.client,)
        self.bodies: list[int] = []
        pybullet.setGravity(0, 0, -GRAVITY, physicsClientId=self.client)
        pybullet.setTimeStep(DT, physicsClientId=self.client)
        plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=self.client)
        ground = pybullet.createMultiBody(0, plane, physicsClientId=self.client)
        half = [0.5 * EDGE] * 3
        box = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=half, physicsClientId=self.client)
        pybullet.changeDynamics(ground, -1, lateralFriction=1.0, physicsClientId=self.client)
        for cube in scene:
            body = pybullet.createMultiBody(MASS, self._shape(cube, box), physicsClientId=self.client)
            pybullet.changeDynamics(
                body, -1, lateralFriction=MU, linearDamping=0.0, angularDamping=0.0,
                activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING, physicsClientId=self.client,
            )  # fmt: skip
            self.bodies.append(body)
        self.reset()

    def _shape(self, cube: Cube, box: int) -> int:
        if not cube.corners:
            return box
        return int(
            pybullet.createCollisionShape(pybullet.GEOM_MESH, vertices=cube.corners, physicsClientId=self.client)
        )

    def reset(self) -> None:
        for body, cube in zip(self.bodies, self.scene, strict=True):
            pybullet.resetBasePositionAndOrientation(
                body, cube.at, quat_from_rpy(*cube.turned), physicsClientId=self.client
            )
            pybullet.resetBaseVelocity(body, [0, 0, 0], [0, 0, 0], physicsClientId=self.client)

    def poses(self) -> Array:
        rows = [pybullet.getBasePositionAndOrientation(body, physicsClientId=self.client) for body in self.bodies]
        return np.array([(*place, *turn) for place, turn in rows])

    def close(self) -> None:
        pybullet.disconnect(physicsClientId=self.client)


class Machine(Boxes):
    """A document's mechanism with its shapes and drives, by `mj_step` at its defaults."""

    name = MUJOCO

    def __init__(self, ours: Ours) -> None:
        import mujoco

        self.mechanism, forces, actuators = ours.opened.mechanism, {}, []
        for axis, drive in ours.engine.drives.items():
            if drive.kind is DriveKind.EFFORT:
                forces[axis] = drive
            else:
                kind, gain = ("velocity", "kv") if drive.kind is DriveKind.VELOCITY else ("position", "kp")
                actuators.append((axis, drive, f'<{kind} joint="a{axis}" {gain}="{GAIN}"/>'))
        extra = f"<actuator>{''.join(text for *_, text in actuators)}</actuator>"
        self.model = mujoco.MjModel.from_xml_string(as_mjcf(self.mechanism, FACTORY, extra=extra, touching=True))
        self.data, self._back = mujoco.MjData(self.model), mujoco.mj_resetData
        self.call, self.arguments = mujoco.mj_step, (self.model, self.data)
        self._controls = [drive.at(0.0, DT).value for _, drive, _ in actuators]
        self._forces = {int(self.model.joint(f"a{axis}").dofadr[0]): d.at(0.0, DT).value for axis, d in forces.items()}
        self.reset()

    def reset(self) -> None:
        self._back(self.model, self.data)
        self.data.ctrl[:] = self._controls
        for place, effort in self._forces.items():
            self.data.qfrc_applied[place] = effort


def as_boxes(scene: Scene) -> str:
    """The scene as MJCF."""
    half = 0.5 * EDGE
    forms = f'type="box" size="{half} {half} {half}"', 'type="mesh" mesh="h{}"'
    bodies = "".join(
        f'<body pos="{x} {y} {z}" quat="{q[3]} {q[0]} {q[1]} {q[2]}"><freejoint/>'
        f'<inertial pos="0 0 0" mass="{MASS}" diaginertia="{MOMENT} {MOMENT} {MOMENT}"/>'
        f'<geom {forms[bool(cube.corners)].format(number)} friction="{MU} 0 0"/></body>'
        for number, cube in enumerate(scene)
        for (x, y, z), q in ((cube.at, quat_from_rpy(*cube.turned)),)
    )
    hulls = "".join(
        f'<mesh name="h{number}" vertex="{" ".join(repr(x) for corner in cube.corners for x in corner)}"/>'
        for number, cube in enumerate(scene)
        if cube.corners
    )
    return (
        f'<mujoco><option timestep="{DT}" gravity="0 0 {-GRAVITY}"/><size memory="400M"/><asset>{hulls}</asset>'
        "<worldbody>"
        f'<geom type="plane" size="50 50 1" friction="{MU} 0 0"/>{bodies}</worldbody></mujoco>'
    )


def worth(boxes: Boxes, finder: ExactCollisions, rests: bool, all_found: bool) -> dict[str, float]:
    """Drift [m], speed of the fastest box [m/s] and, where the finder knows all pairs, deepest overlap [m] after
    `SETTLED` seconds from the start."""
    boxes.reset()
    start, calls = boxes.poses(), round(SETTLED / DT / boxes.steps_per_call)
    boxes.run(calls)
    before = boxes.poses()
    boxes.run(1)
    after = boxes.poses()
    own, placed = finder.own, np.vstack(([0, 0, 0, 0, 0, 0, 1.0], after))
    count = own.find(placed, np.zeros((len(placed), 6)), 1e-4, 0.0)
    gaps = own.room.floats[:count, 6]
    speed = np.abs(after[:, :3] - before[:, :3]).max() / (DT * boxes.steps_per_call)
    found = {"speed": float(speed)} | ({"overlap": float(max(0.0, -gaps.min(initial=0.0)))} if all_found else {})
    return found | ({"drift": float(np.abs(after[:, :3] - start[:, :3]).max())} if rests else {})


def machine_worth(machine: Boxes) -> dict[str, float]:
    """Of ours, after `SETTLED` seconds: residual of couplings [m or rad], and overlap [m] where all is found."""
    machine.reset()
    machine.run(round(SETTLED / DT / machine.steps_per_call))
    if not isinstance(machine, Ours):
        return {}
    snapshot = machine.engine.snapshot()
    finder = ExactCollisions(machine.opened.mechanism)
    count = finder.own.find(snapshot.body_poses, np.zeros_like(snapshot.body_velocities), 1e-4, 0.0)
    found = {"residual": snapshot.worst_coupling_residual()}
    if not unfound(machine.opened.mechanism):
        found["overlap"] = max(0.0, -float(finder.own.room.floats[:count, 6].min(initial=0.0)))
    return found


def measure(name: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Times in turns, and what the motion is worth."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scene.sdf")
        if name in MACHINES:
            make, drives = MACHINES[name]
            path.write_text(make(Path(folder)), encoding="utf-8")
            ours = Ours(path, drives)
            return compare([ours, *_installed(lambda: Machine(ours))], rounds, seconds, machine_worth)
        scene = SCENES[name]()
        path.write_text(document(scene, Path(folder)), encoding="utf-8")
        ours = Ours(path)
        finder, rests = ExactCollisions(ours.opened.mechanism), name.startswith(RESTING)
        everybody = [ours, *_installed(lambda: MuJoCo(scene)), Bullet(scene)]
        all_found = not unfound(ours.opened.mechanism)
        return compare(everybody, rounds, seconds, lambda boxes: worth(boxes, finder, rests, all_found))


def _installed(make: Callable[[], Boxes]) -> list[Boxes]:
    try:
        return [make()]
    except ImportError:
        print("MuJoCo is not installed", file=sys.stderr)
        return []


def compare(
    present: Sequence[Boxes], rounds: int, seconds: float, judge: Callable[[Boxes], dict[str, float]]
) -> dict[str, Any]:
    """What `judge` finds of everybody, and times in turns."""
    try:
        found = {boxes.name: judge(boxes) for boxes in present}
        times = take_turns(list(present), rounds=rounds, seconds=seconds, clock=cpu_clock)
    finally:
        for boxes in present:
            boxes.close()
    return {key: {"microseconds": times.median(key), **value} for key, value in found.items()}


def as_text(report: dict[str, dict[str, Any]]) -> str:
    """A Markdown table."""
    lines = [
        "| scene | who | µs a step | × ours | drift [m] | speed [m/s] | overlap [m] | residual |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for scene, found in report.items():
        for who, row in found.items():
            ratio = row["microseconds"] / found[OURS]["microseconds"]
            worth = (f"{row[key]:.1e}" if key in row else "–" for key in ("drift", "speed", "overlap", "residual"))
            lines.append(f"| {scene} | {who} | {row['microseconds']:.0f} | {ratio:.2f} | {' | '.join(worth)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    scenes = (*SCENES, *MACHINES)
    asked = Options("scripts/bench contacts", __doc__, "scene", scenes, 5, 0.2, "how long each steps per round")
    options = asked.checked(asked.parser(), arguments)
    report = {}
    for name in options.names or scenes:
        print(f"{name} …", file=sys.stderr)
        report[name] = measure(name, options.rounds, options.seconds)
    print(json.dumps(report, indent=1) if options.json else as_text(report))


if __name__ == "__main__":
    main()
