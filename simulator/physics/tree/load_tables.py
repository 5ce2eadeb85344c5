"""The loads of a mechanism as the tables that `tree.loads` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.kinematics.loads import energies_of_table
from simulator.model.loads import NOTHING
from simulator.model.profiles import Chirp, Constant, Ramp, Sine, Step, Table
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.loads import BodyForce, BodyLoads, BodySpring
    from simulator.model.profiles import Profile
    from simulator.physics.layout.flatten import Tree
    from simulator.spatial.arrays import Array, Ints


CONSTANT, SINE, RAMP, STEP, CHIRP, TABLE = range(6)
"""Kinds of profiles."""
WORLD, LINK, WEIGHT = range(3)
"""Kinds of forces: in world axes, in axes fixed to the node, and one in world axes that counts as weight."""
PROFILES_OF_FORCE = 6
"""Profiles of every force: three of its moment, three of its force."""
PROFILE_NUMBERS = 5
PIECE_NUMBERS = 7
"""Of a piece of a table: when it begins, and the coefficients of its polynomial, the constant first."""
FORCE_NUMBERS = 12
"""Of a force: its point in the node (3), and the rotation of its axes in the node (9)."""
SPRING_NUMBERS = 17
"""Of a spring: both points in their nodes (6), and what it is now (11), see `tree.loads`."""


@dataclass(frozen=True)
class LoadTables:
    """Blocks of the buffers. `loaded`: nodes that loads act on; `forces`, `springs`: how many there are."""

    forces: int
    springs: int
    loaded: frozenset[int]
    load: Array
    load_kind: Ints
    profile: Array
    profile_kind: Ints
    profile_table: Array
    spring: Array
    spring_kind: Ints
    spring_table: Array
    passive: Array


def load_tables(loads: BodyLoads, tree: Tree, inputs: Sequence[Profile] = ()) -> LoadTables:
    """The tables; loads on the world itself are left out. `inputs`: what engages clutches and brakes, whose profiles
    follow those of the forces. Raises UsageError for a profile that compiled code does not know."""
    forces = [load for load in loads.forces if load.body > 0]
    rows = []
    kinds = []
    profiles = _Profiles()
    knots: list[tuple[float, float, float]] = []
    for load in forces:
        X = tree.X_LB[load.body]
        turn = np.eye(3) if load.turn is None else X.rotation() @ np.array(load.turn)
        rows.append([*X.transform(load.point), *turn.ravel().tolist()])
        kinds.append((int(tree.node_of_body[load.body]), WORLD if load.turn is None else LINK))
        profiles.add(load)
    for weight in loads.weights:
        rows.append([*tree.X_LB[weight.body].transform(weight.point), *np.eye(3).ravel().tolist()])
        kinds.append((int(tree.node_of_body[weight.body]), WEIGHT))
        profiles.extend((NOTHING, NOTHING, NOTHING, *(Constant(part) for part in weight.force)))
    profiles.extend(inputs)
    springs = np.zeros((len(loads.springs), SPRING_NUMBERS))
    ends = []
    for row, spring in zip(springs, loads.springs, strict=True):
        row[:6], nodes = _ends(spring, tree)
        count = 0 if spring.table is None else len(spring.table.lengths)
        ends.append((*nodes, len(knots), count))
        if spring.table is not None:
            knots += list(zip(spring.table.lengths, spring.table.forces, energies_of_table(spring.table), strict=True))
    return LoadTables(
        forces=len(rows),
        springs=len(springs),
        loaded=frozenset(node for kind in (*(kind[:1] for kind in kinds), *(end[:2] for end in ends)) for node in kind),
        load=np.array(rows, dtype=float),
        load_kind=np.array(kinds, dtype=np.int64),
        profile=np.array(profiles.numbers, dtype=float),
        profile_kind=np.array(profiles.kinds, dtype=np.int64),
        profile_table=np.array(profiles.knots, dtype=float),
        spring=springs,
        spring_kind=np.array(ends, dtype=np.int64),
        spring_table=np.array(knots, dtype=float),
        passive=np.array([_passive(spring) for spring in loads.springs], dtype=float).reshape(-1, 3),
    )


def _ends(spring: BodySpring, tree: Tree) -> tuple[list[float], tuple[int, int]]:
    """Both points in their nodes, and the nodes; -1 is the world."""
    points: list[float] = []
    for body, point in zip(spring.bodies, spring.points, strict=True):
        points += point if body == 0 else tree.X_LB[body].transform(point)
    first, second = (-1 if body == 0 else int(tree.node_of_body[body]) for body in spring.bodies)
    return points, (first, second)


def _passive(spring: BodySpring) -> tuple[float, float, float]:
    """Damping, stiffness and free length; a table has the stiffness 1, which only says that it is there."""
    return spring.damping, spring.stiffness if spring.table is None else 1.0, spring.free_length


class _Profiles:
    """Collects profiles as rows: six for every load, moment before force."""

    def __init__(self) -> None:
        self.numbers: list[list[float]] = []
        self.kinds: list[tuple[int, int, int]] = []
        self.knots: list[tuple[float, ...]] = []

    def add(self, load: BodyForce) -> None:
        self.extend((*load.moment, *load.force))

    def extend(self, profiles: Sequence[Profile]) -> None:
        for profile in profiles:
            kind, numbers, knots = _row(profile)
            self.numbers.append([*numbers, *[0.0] * (PROFILE_NUMBERS - len(numbers))])
            self.kinds.append((kind, len(self.knots), len(knots)))
            self.knots += knots


def _row(profile: Profile) -> tuple[int, list[float], list[tuple[float, ...]]]:
    """Kind, numbers and knots of a profile."""
    p = profile
    if isinstance(p, Constant):
        return CONSTANT, [p.level], []
    if isinstance(p, Sine):
        return SINE, [p.amplitude, p.frequency, p.offset, p.phase], []
    if isinstance(p, Ramp):
        return RAMP, [p.start, p.end, p.duration], []
    if isinstance(p, Step):
        return STEP, [p.start, p.end, p.time], []
    if isinstance(p, Chirp):
        return CHIRP, [p.amplitude, p.start, p.end, p.duration, p.offset], []
    if isinstance(p, Table):
        return TABLE, [], [(*piece, *[0.0] * (PIECE_NUMBERS - len(piece))) for piece in p.pieces]
    known = "Constant, Sine, Ramp, Step, Chirp, Table or Spline"
    raise UsageError(f"a load or clutch follows a {known} of simulator.model.profiles, not a {type(profile).__name__}")
