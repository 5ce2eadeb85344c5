"""Joints of an assembly as joints of SDFormat, and links without mass between those of a chain."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.asmt.assembly import GROUND
from simulator.formats.asmt.elements import pose, token_inertial
from simulator.formats.asmt.kinds import CHAINS, Part, frame_of, nearest
from simulator.formats.nodes import Node
from simulator.formats.sdf.extensions import PARENT_POSE
from simulator.formats.values import numbers_text
from simulator.model.joint import WORLD
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.diagnostics import Source
    from simulator.spatial.pose import Pose

MEET = 1e-12
"""Distance [m or 1] of two frames below which they are one."""


@dataclass(frozen=True)
class AsmtChain:
    """A joint of an assembly: name, kind, line, bodies of its markers I and J, these in the world, its bar [m], and
    whether it is one of the tree, not of a loop."""

    name: str
    kind: str
    line: int
    bodies: tuple[str, str]
    X_WI: Pose
    X_WJ: Pose
    bar: float = 0.0
    is_of_tree: bool = True


@dataclass(frozen=True)
class Made:
    """A part of a chain by the name of its joint. The position of the joint is `sign` times how far J has moved against
    I since the start, where its coordinate was `begun`: the angle about z of I, or the way along it."""

    joint: str
    part: Part
    chain: AsmtChain
    sign: float
    begun: float
    node: Node


@dataclass
class Chains:
    """All joints, and the links between them, which have the mass [kg] and moment [kg m^2] of `token`; `made` by the
    name of the assembly's joint."""

    source: Callable[[int], Source]
    token: tuple[float, float]
    taken: set[str]
    placed: dict[str, Pose]
    links: list[Node] = field(default_factory=list)
    joints: list[Node] = field(default_factory=list)
    made: dict[str, list[Made]] = field(default_factory=dict)

    def add(self, chain: AsmtChain, parent: str) -> None:
        """From `parent`, which is one of its bodies, to the other."""
        forward = parent == chain.bodies[0]
        X_IJ = nearest(chain.kind, chain.X_WI.inverse() @ chain.X_WJ, chain.bar)
        parts = CHAINS[chain.kind]
        frames = [frame_of(part, chain.kind, X_IJ) for part in parts]
        by_i = [chain.X_WI @ frame for frame in frames]
        by_j = [chain.X_WJ @ X_IJ.inverse() @ frame for frame in frames]
        near, far = (by_i, by_j) if forward else (by_j, by_i)
        order = list(range(len(parts)) if forward else reversed(range(len(parts))))
        last = order[-1]
        before = parent
        X_WB = self.placed[parent]
        for place in order:
            part = parts[place]
            name = self._name(chain.name, parts[place].suffix if len(parts) > 1 else "")
            child = chain.bodies[1 if forward else 0]
            if place == last:
                X_WC = self.placed[child]
                at_child = far[place]
            else:
                child = self._name(chain.name, "link")
                X_WC = at_child = near[place]
                self.links.append(self._frame(child, X_WC, self.source(chain.line)))
            node = self._joint(name, part, (before, child), (X_WB, X_WC), (near[place], at_child), chain.line)
            begun = _coordinate(part, X_IJ)
            self.joints.append(node)
            self.made.setdefault(chain.name, []).append(Made(name, part, chain, 1.0 if forward else -1.0, begun, node))
            before, X_WB = child, X_WC

    def _joint(
        self,
        name: str,
        part: Part,
        links: tuple[str, str],
        at: tuple[Pose, Pose],
        frames: tuple[Pose, Pose],
        line: int,
    ) -> Node:
        """`at`: both links, `frames`: the joint by either of them, in the world."""
        source = self.source(line)
        children = [
            pose(at[1].inverse() @ frames[1], source),
            Node("parent", source, text=links[0] or WORLD),
            Node("child", source, text=links[1]),
        ]
        if part.kind in ("revolute", "prismatic"):
            axis = Node("xyz", source, text=numbers_text(part.axis))
            children.append(Node("axis", source, children=[axis]))
        if not _is_same(*frames):
            parent = links[0] or WORLD
            children.append(pose(at[0].inverse() @ frames[0], source, parent, PARENT_POSE))
        return Node("joint", source, {"name": name, "type": part.kind}, children=children)

    def _frame(self, name: str, X: Pose, source: Source) -> Node:
        return Node("link", source, {"name": name}, children=[pose(X, source), token_inertial(source, *self.token)])

    def _name(self, name: str, suffix: str) -> str:
        """A name that nothing else has."""
        plain = name.replace("::", "_") + (f"_{suffix}" if suffix else "")
        found = plain
        count = 2
        while found in self.taken or found in (GROUND, WORLD):
            found = f"{plain}_{count}"
            count = count + 1
        self.taken.add(found)
        return found


def _coordinate(part: Part, X_IJ: Pose) -> float:
    """How far J has moved along or turned about z of I."""
    if part.kind == "prismatic":
        return float(np.dot(X_IJ.position, part.axis))
    R = X_IJ.rotation()
    return float(np.arctan2(R[1, 0], R[0, 0]))


def _is_same(one: Pose, other: Pose) -> bool:
    apart = one.inverse() @ other
    x, y, z, _ = apart.orientation
    return max(map(abs, (*apart.position, x, y, z))) < MEET
