"""Project Chrono's tests of joints, `data/testing/joints`, whose results were made by ADAMS: one body, one joint or
force, five seconds.

The mechanisms are those of `src/tests/unit_tests/joints/utest_JOINT_*.cpp`; what Chrono allows itself is read there.
Differences are root mean squares, as there. Reactions are those on the ground.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

import simulator
from tests.foreign.documents import document, joint, link, rod
from tests.foreign.motion import Motion, rms
from tests.foreign.rows import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RESULTS = Path("data/testing/joints")
TESTS = Path("src/tests/unit_tests/joints")
SUITE = "Chrono (ADAMS)"
ORIGIN, ASIDE = np.zeros(3), np.array([1.0, 2.0, 3.0])
HALF = 2.0
"""From the joint to the centre of mass [m]."""
DURATION = 5.0
ROD = (0.04, 0.1, 0.1)
QUANTITIES = {
    "Pos": ("position", "m"), "Vel": ("velocity", "m/s"), "Acc": ("acceleration", "m/s²"), "Quat": ("orientation", ""),
    "Avel": ("angular velocity", "rad/s"), "Aacc": ("angular acceleration", "rad/s²"),
    "Rforce": ("reaction force", "N"), "Rtorque": ("reaction moment", "N·m"),
    "RforceP": ("force in the guide", "N"), "RtorqueP": ("moment in the guide", "N·m"),
    "RforceA": ("force of the actuator", "N"),
    "Rforce_Body1": ("force on the ground", "N"), "Rforce_Body2": ("force on the body", "N"),
}  # fmt: skip


def is_here(folder: Path) -> bool:
    """Whether a folder is a checkout of Chrono."""
    return (folder / RESULTS).is_dir() and (folder / TESTS).is_dir()


@dataclass(frozen=True)
class Case:
    """A mechanism, the folder and file of its results, and its reactions in Chrono's signs by their names."""

    name: str
    folder: str
    test: str
    motion: Callable[[], Motion]
    reactions: Callable[[Motion], dict[str, Array]]


def rows(folder: Path) -> Iterator[Row]:
    """All comparisons that a checkout has results for."""
    for case in CASES:
        allowed = allowances(folder / TESTS / f"utest_JOINT_{case.test}.cpp", case.name)
        motion = case.motion()
        ours = case.reactions(motion)
        kinematics: dict[str, Array] = {}
        for key, (quantity, unit) in QUANTITIES.items():
            path = folder / RESULTS / case.folder / f"{case.name}_ADAMS_{key}.txt"
            if not path.is_file():
                continue
            times, theirs = read(path)
            if key in ours:
                found = motion.at(times, ours[key])
            elif key.startswith("R"):
                continue
            else:
                kinematics = kinematics or motion.link("body").values(times)
                found = kinematics[key]
            if key == "Quat":
                found = found * np.sign(np.sum(found * theirs, axis=1, keepdims=True))
            yield Row(SUITE, case.name.replace("_", " "), quantity, unit, rms(found - theirs), allowed.get(key, ""))


def read(path: Path) -> tuple[Array, Array]:
    """Times and values of a file of results."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    values = np.array([[float(word) for word in line] for line in lines if line and re.match(r"[+-]?\d", line[0])])
    return values[:, 0], values[:, 1:]


def allowances(path: Path, case: str) -> dict[str, str]:
    """What Chrono allows itself in each quantity of a case; the last formulation of a joint counts."""
    text = path.read_text(encoding="utf-8")
    current, found = "", {}
    for line in text.splitlines():
        if named := re.search(r'(?:ref_test_name|\btest_name) = "(\w+)"', line):
            current = named[1]
        allowed = re.search(r'ValidateReference\(.*"(\w+)", ([\d.e+-]+)\)', line)
        if allowed and current == case:
            found[allowed[1]] = allowed[2]
    return found


def on_ground(motion: Motion, name: str, at: Array, child_at: Array | None = None) -> dict[str, Array]:
    """Reaction of a joint on the ground, its moment about a place of the ground; `child_at` is where the origin of the
    joint frame on the child is, by time."""
    force, moment = motion.reaction(name)
    arm = np.zeros_like(force) if child_at is None else child_at - at
    return {"Rforce": -force, "Rtorque": -(moment + np.cross(arm, force))}


def about_x(angle: float) -> Rotation:
    """A turn about x."""
    return Rotation.from_euler("x", angle)


def pendulum(kind: str, at: Array, turn: Rotation, axis_inside: str = "") -> str:
    """A rod on a joint whose z axis is that of the turned frame, its centre of mass along x."""
    return document(
        link("body", at + turn.apply([HALF, 0, 0]), ROD, turn=turn),
        joint(
            "j",
            kind,
            "world",
            "body",
            at,
            *([] if kind == "ball" else [turn.apply([0, 0, 1])]),
            axis_inside=axis_inside,
        ),
    )


def hinged(
    name: str, at: Array, turn: Rotation, kind: str = "revolute", folder: str = "", test: str = "", inside: str = ""
) -> Case:
    """A pendulum on a hinge, a ball or a guide."""

    def reactions(motion: Motion) -> dict[str, Array]:
        return on_ground(motion, "m::j", at, guide_of(motion, turn) if kind == "prismatic" else None)

    return Case(
        name, folder or f"{kind}_joint", test or kind,
        lambda: Motion.of(pendulum(kind, at, turn, inside), DURATION), reactions,
    )  # fmt: skip


def guide_of(motion: Motion, turn: Rotation) -> Array:
    """Where the joint frame on the sliding body is, by time."""
    poses = motion.run.poses("body")
    return np.asarray(poses[:, :3, 3] + (poses[:, :3, :3] @ np.array([-HALF, 0.0, 0.0])))


def cylindrical(name: str, at: Array, turn: Rotation) -> Case:
    """A hinge on a guide, with a middle that weighs nothing."""
    axis = turn.apply([0, 0, 1])
    text = document(
        rod("middle", at), link("body", at + turn.apply([HALF, 0, 0]), ROD, turn=turn),
        joint("slide", "prismatic", "world", "middle", at, axis), joint("turn", "revolute", "middle", "body", at, axis),
    )  # fmt: skip
    return Case(
        name, "cylindrical_joint", "cylindrical", lambda: Motion.of(text, DURATION),
        lambda motion: on_ground(motion, "m::slide", at, motion.run.poses("middle")[:, :3, 3]),
    )  # fmt: skip


def universal(name: str, at: Array, turn: Rotation) -> Case:
    """A rod along −z of the joint's frame; the ground has the axis x, the rod y."""
    text = document(
        link("body", at + turn.apply([0, 0, -HALF]), (0.1, 0.1, 0.04), turn=turn),
        joint("j", "universal", "world", "body", at, turn.apply([1, 0, 0]), turn.apply([0, 1, 0])),
    )
    return Case(
        name,
        "universal_joint",
        "universal",
        lambda: Motion.of(text, DURATION),
        lambda motion: on_ground(motion, "m::j", at),
    )


def distance(name: str, ground: Array, on_body: Array, centre: Array, turn: Rotation) -> Case:
    """A distance is a rod that weighs nothing, on a universal joint and in a ball."""
    along = (on_body - ground) / np.linalg.norm(on_body - ground)
    across = np.cross(along, [0.0, 0.0, 1.0])
    text = document(
        rod("rod", (ground + on_body) / 2.0), link("body", centre, ROD, turn=turn),
        joint("low", "universal", "world", "rod", ground, across, np.cross(along, across)),
        joint("high", "ball", "rod", "body", on_body),
    )  # fmt: skip

    def reactions(motion: Motion) -> dict[str, Array]:
        force, _ = motion.reaction("m::high")
        return {"Rforce": -force}

    return Case(name, "distance_constraint", "distance", lambda: Motion.of(text, DURATION, dt=5e-4), reactions)


def revolute_spherical(name: str, ground: Array, axis: Array, on_body: Array, centre: Array) -> Case:
    """A rod that weighs nothing, on a hinge and in a ball; at 1 ms the body turns so fast that our step shows."""
    text = document(
        rod("rod", (ground + on_body) / 2.0), link("body", centre, (0.1, 0.04, 0.1)),
        joint("low", "revolute", "world", "rod", ground, axis / np.linalg.norm(axis)),
        joint("high", "ball", "rod", "body", on_body),
    )  # fmt: skip

    def reactions(motion: Motion) -> dict[str, Array]:
        force, _ = motion.reaction("m::high")
        return {"Rforce_Body1": -force, "Rforce_Body2": force}

    return Case(name, "revsph_constraint", "revsph", lambda: Motion.of(text, DURATION, dt=2.5e-4), reactions)


def actuator(name: str, turn: Rotation, speed: float) -> Case:
    """A plate that is driven along a guide at a constant speed."""
    text = document(
        link("body", ORIGIN, (1.0, 1.0, 1.0), turn=turn),
        joint("j", "prismatic", "world", "body", ORIGIN, turn.apply([0, 0, 1])),
    )
    along = turn.apply([0, 0, 1])

    def reactions(motion: Motion) -> dict[str, Array]:
        force, moment = motion.reaction("m::j")
        driving = np.outer(force @ along, along)
        place = motion.run.poses("body")[:, :3, 3]
        return {
            "RforceP": driving - force, "RtorqueP": -(moment + np.cross(place, force - driving)), "RforceA": driving,
        }  # fmt: skip

    return Case(
        name, "lin_actuator", "linactuator",
        lambda: Motion.of(text, DURATION, velocities={"j": speed}, drives={"j": simulator.velocity(speed)}), reactions,
    )  # fmt: skip


def spring(name: str, at: Array, stiffness: float, damping: float) -> Case:
    """A body on a spring to the origin, relaxed at the start."""
    text = document(
        link("body", at, ROD),
        f"<simulator:spring link='body' at='0 0 0' other='world' other_at='0 0 0' stiffness='{stiffness}' "
        f"damping='{damping}' free_length='{np.linalg.norm(at)}'/>",
    )

    def reactions(motion: Motion) -> dict[str, Array]:
        poses = motion.run.poses("body")[:, :3, 3]
        velocity = motion.link("body").values(motion.run.time)["Vel"]
        length = np.linalg.norm(poses, axis=1, keepdims=True)
        along = np.divide(poses, length, out=np.zeros_like(poses), where=length > 0.0)
        pull = stiffness * (length - np.linalg.norm(at)) + damping * np.sum(velocity * along, axis=1, keepdims=True)
        return {"Rforce": pull * along}

    return Case(name, "transpring_force", "transpring", lambda: Motion.of(text, DURATION), reactions)


BACK, DOWN = about_x(-np.pi / 2), about_x(-np.pi / 4)
STRAIGHT = Rotation.identity()
SPRING = "<dynamics><spring_stiffness>200</spring_stiffness><damping>10</damping></dynamics>"
CASES = (
    hinged("Revolute_Case01", ORIGIN, BACK),
    hinged("Revolute_Case02", ASIDE, DOWN),
    hinged("Spherical_Case01", ORIGIN, STRAIGHT, "ball", "spherical_joint", "spherical"),
    hinged("Spherical_Case02", ASIDE, DOWN, "ball", "spherical_joint", "spherical"),
    hinged("Prismatic_Case01", ORIGIN, STRAIGHT, "prismatic"),
    hinged("Prismatic_Case02", ASIDE, DOWN, "prismatic"),
    hinged("Prismatic_Case03", ASIDE, BACK, "prismatic"),
    cylindrical("Cylindrical_Case01", ORIGIN, STRAIGHT),
    cylindrical("Cylindrical_Case02", ORIGIN, BACK),
    cylindrical("Cylindrical_Case03", ASIDE, DOWN),
    universal("Universal_Case01", ORIGIN, about_x(np.pi / 2)),
    universal("Universal_Case02", ORIGIN, Rotation.from_euler("y", np.pi / 2)),
    universal("Universal_Case03", ORIGIN, Rotation.from_rotvec(np.pi / 2 * np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0))),
    distance("Distance_Case01", ORIGIN, np.array([0.0, 2.0, 0.0]), np.array([0.0, 2.0, 0.0]), STRAIGHT),
    distance("Distance_Case02", ASIDE, np.array([1.0, 4.0, 3.0]), np.array([-1.0, 4.0, 3.0]), STRAIGHT),
    distance(
        "Distance_Case03", ORIGIN, np.array([0.0, 2.0, 0.0]), np.array([0.0, 4.0, 0.0]),
        Rotation.from_euler("z", -np.pi / 2),
    ),
    revolute_spherical(
        "RevSpherical_Case01", ORIGIN, np.array([0.0, 0.0, 1.0]), np.array([2.0, 0.0, 0.0]), np.array([2.0, 2.0, 0.0])
    ),
    revolute_spherical(
        "RevSpherical_Case02", ASIDE, np.array([0.0, 1.0, 1.0]), np.array([3.0, 2.0, 3.0]), np.array([3.0, 4.0, 3.0])
    ),
    actuator("LinActuator_Case01", STRAIGHT, 1.0),
    actuator("LinActuator_Case02", Rotation.from_euler("y", np.pi / 4), 0.5),
    hinged("RotSpring_Case01", ORIGIN, BACK, "revolute", "rotspring_force", "rotspring", SPRING),
    spring("TranSpring_Case01", ORIGIN, 10.0, 0.5),
    spring("TranSpring_Case02", np.array([0.0, 2.0, 0.0]), 100.0, 5.0),
)  # fmt: skip
