"""Random mechanisms with branches, loops and couplings, and states that keep both.

A world is drawn as a tree of bodies with skewed inertias on joints in general directions; loops are closed by joints
whose frame is taken at the start pose, so that every loop is closed there; mimics tie random axes, also across
branches. What cannot move is drawn anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from simulator.kinematics.state import JointState
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.loops import loop_path
from simulator.mechanism.types import Mechanism
from simulator.model.joint import Joint
from simulator.model.link import Inertial, Link
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as layout
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import Vec3
from tests.helpers.mechanisms import joint, link, mimic, random_state, world

Array = NDArray[np.float64]

TREE_JOINTS = ("revolute", "revolute", "revolute", "prismatic", "universal", "ball", "screw")
LOOP_JOINTS = ("revolute", "prismatic", "ball", "universal")
WELL_CONDITIONED = 1e3
"""Condition of K H^-1 K^T at the start pose; ten times as much where a state has gone."""
CLOSED = 1e-11


def vector(random: np.random.Generator, size: float) -> Vec3:
    """Each component within ±size."""
    x, y, z = random.uniform(-size, size, 3)
    return float(x), float(y), float(z)


def skewed_inertial(random: np.random.Generator) -> Inertial:
    """A cloud of masses about a centre that is off the link's origin, in a turned frame."""
    points = random.uniform(-0.3, 0.3, (8, 3))
    masses = random.uniform(0.1, 0.4, 8)
    points -= masses @ points / masses.sum()
    xx, yy, zz = (float(masses @ points[:, i] ** 2) for i in range(3))
    xy, xz, yz = (-float(masses @ (points[:, i] * points[:, j])) for i, j in ((0, 1), (0, 2), (1, 2)))
    frame = Pose.from_rpy(vector(random, 0.2), vector(random, 1.0))
    return Inertial(float(masses.sum()), frame, (yy + zz, xx + zz, xx + yy), (xy, xz, yz))


@dataclass
class Draft:
    """A world while it is drawn. Body 0 is the world, body i the link `l{i}`."""

    random: np.random.Generator
    places: list[Vec3] = field(default_factory=lambda: [(0.0, 0.0, 0.0)])
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def name(self, body: int) -> str:
        return f"l{body}" if body else "world"

    def add_joint(self, name: str, kind: str, parent: int, child: int, *, cut: bool = False) -> None:
        """A joint between two places, somewhat beside them, in general directions."""
        middle = 0.5 * (np.array(self.places[parent]) + np.array(self.places[child]))
        x, y, z = middle + self.random.uniform(-0.15, 0.15, 3)
        passive = {"damping": self.random.uniform(0, 0.3), "spring_stiffness": self.random.uniform(0, 2.0)}
        self.joints.append(
            joint(
                name,
                kind,
                self.name(parent),
                self.name(child),
                at=(float(x), float(y), float(z)),
                rpy=vector(self.random, 1.5),
                axes=self.directions(),
                axis={**passive, "spring_reference": self.random.uniform(-0.5, 0.5)} if not cut else None,
                must_be_loop_joint=cut,
                screw_thread_pitch=0.4,
                line=len(self.joints) + 1,
            )
        )

    def directions(self) -> list[Vec3]:
        """Two directions at right angles."""
        first, other = self.random.normal(size=3), self.random.normal(size=3)
        second = np.cross(first, other)
        return [(float(d[0]), float(d[1]), float(d[2])) for d in (first, second)]

    def add_body(self, kind: str, parent: int) -> None:
        x, y, z = np.array(self.places[parent]) + self.random.uniform(-0.6, 0.6, 3)
        self.places.append((float(x), float(y), float(z)))
        body = len(self.places) - 1
        inertial = skewed_inertial(self.random)
        self.links.append(link(self.name(body), at=self.places[body], rpy=vector(self.random, 1.5), inertial=inertial))
        if kind != "free":
            self.add_joint(f"j{body}", kind, parent, body)
        self.kinds.append(kind)

    def add_mimic(self, name: str) -> None:
        """Make one axis follow another, wherever the two are; not if it would close a ring."""
        single = [i for i, kind in enumerate(self.kinds) if kind in ("revolute", "prismatic", "universal")]
        if len(single) < 2:
            return
        follower, leader = (int(i) for i in sorted(self.random.choice(single, 2, replace=False))[::-1])
        at = {body: i for i, body in enumerate(j.name for j in self.joints)}
        place = at[f"m::j{follower + 1}"]
        second = self.kinds[leader] == "universal" and self.random.random() < 0.5
        law = mimic(
            f"j{leader + 1}",
            axis="axis2" if second else "axis",
            multiplier=float(self.random.choice([-2.0, -1.0, 0.4, 1.5])),
            offset=float(self.random.uniform(-0.05, 0.05)),
            reference=float(self.random.uniform(-0.05, 0.05)),
            line=len(name),
        )
        axes = self.joints[place].axes
        self.joints[place] = replace(self.joints[place], axes=(replace(axes[0], mimic=law), *axes[1:]))


def random_mechanism(
    seed: int, *, loop_joints: Sequence[str] = LOOP_JOINTS, loops: int = 2, couplings: int = 3
) -> Mechanism:
    """The first draw of this seed that can move: at least two freedoms, each loop's own path with one to spare."""
    random = np.random.default_rng(seed)
    for _ in range(3000):
        built = _draw(random, loop_joints, loops, couplings)
        if built is not None:
            return built
    raise AssertionError(f"no movable mechanism found for seed {seed}")


def _draw(random: np.random.Generator, loop_joints: Sequence[str], loops: int, couplings: int) -> Mechanism | None:
    draft, count = Draft(random), int(random.integers(9, 14))
    for body in range(1, count + 1):
        kind = str(random.choice(TREE_JOINTS))
        if body == 1 and random.random() < 0.25:
            kind = "free"
        draft.add_body(kind, int(random.integers(max(0, body - 4), body)) if kind != "free" else 0)
    for loop in range(loops):
        first, second = (int(i) for i in sorted(random.choice(count + 1, 2, replace=False)))
        draft.add_joint(f"loop{loop}", str(random.choice(loop_joints)), first, second, cut=True)
    for number in range(couplings):
        draft.add_mimic(f"c{number}")
    built = build_mechanism(world(*draft.links, *draft.joints))
    return built if _is_movable(built, loops) and _starts_regular(built) else None


def _is_movable(built: Mechanism, loops: int) -> bool:
    cut = [loop.name for loop in built.loop_joints if "::loop" in loop.name]
    if built.has_errors or len(built.loop_joints) != loops or len(cut) != loops or built.mobility.count < 2:
        return False
    for loop in built.loop_joints:
        parent_side, child_side = loop_path(loop, built.joints)
        if sum(built.joints[i].dof for i in (*parent_side, *child_side)) <= loop.rows + 2:
            return False
    return True


def _starts_regular(built: Mechanism) -> bool:
    """Couplings have offsets, so the start pose is not quite closed: it must be close to one that is, and far from
    singular ones."""
    model = CompiledMechanism(built)
    independent = model.N[layout.RANK] == model.N[layout.ROWS]
    return bool(independent) and model.project() < CLOSED and _is_regular(model, WELL_CONDITIONED)


def consistent_state(model: CompiledMechanism, random: np.random.Generator, *, speed: float = 1.0) -> JointState:
    """Near the start pose, loops closed, velocities that couplings and loops allow, rows of loops well apart."""
    for _ in range(200):
        start = random_state(model.mechanism, random, speed=speed)
        model.set_state(replace(start, position=0.1 * start.position, loose_pose=_nearby(start.loose_pose)))
        if model.project() < CLOSED and model.loop_residual() < CLOSED and _is_regular(model, 10 * WELL_CONDITIONED):
            return model.joint_state()
    raise AssertionError("no state found that closes the loops")


def _nearby(poses: Array) -> Array:
    """The same poses, turned and moved a fifth as far."""
    result = poses.copy()
    for pose in result:
        angle = math.acos(float(np.clip((np.trace(pose[:3, :3]) - 1) / 2, -1, 1)))
        turn = np.array([pose[2, 1] - pose[1, 2], pose[0, 2] - pose[2, 0], pose[1, 0] - pose[0, 1]])
        axis = turn / max(float(np.linalg.norm(turn)), 1e-12)
        pose[:3, :3] = Pose.from_rpy((0, 0, 0), tuple(0.2 * angle * axis)).rotation()
        pose[:3, 3] *= 0.2
    return result


def _is_regular(model: CompiledMechanism, limit: float) -> bool:
    """Rows that others imply do not count, but those that the mechanism works with must be all that count."""
    K = model.constraint_matrix()
    if not len(K):
        return True
    sizes = np.linalg.svd(K @ np.linalg.solve(model.mass_matrix(), K.T), compute_uv=False)
    counted = sizes[sizes > 1e-12 * sizes[0]]
    return len(counted) == int(model.N[layout.RANK]) and float(sizes[0]) < limit * float(counted[-1])
