"""Equalities of MuJoCo's model → loops and couplings: connect and weld close loops, joint and fixed tendons couple.

MuJoCo holds them by soft constraints about the reference pose; here they hold exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.polynomial import Polynomial

from simulator.formats.mjcf.bodies import FREE, HINGE, SLIDE
from simulator.formats.mjcf.equality_kinds import CONNECT, JOINT, TENDON, WELD, WRAPS_JOINT, law_of
from simulator.formats.mjcf.poses import element, number, pose_node, pose_of, vec3
from simulator.formats.sdf.detachable import cut_mark
from simulator.formats.sdf.extensions import CONSTRAINT, PARENT_POSE, POLYNOMIAL
from simulator.formats.values import numbers_text
from simulator.records import dataclass
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Collection

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.mjcf.bodies import BodyTree
    from simulator.formats.nodes import Node

SITE = 6
"""`mjtObj`: an equality between sites, not bodies."""
TORQUESCALE = 10
"""Place in the data of a weld: where it is 0, the weld holds a point alone."""
CLOSED = 1e-9
"""Metres, and sine of the half angle, within which both sides of a loop are taken to coincide."""


@dataclass(frozen=True)
class EqualityRow:
    """Σ coefficient · (q − reference) = constant over joints, by number; the first joint follows the second one with
    `higher` powers, from the square on, where there are some."""

    terms: tuple[tuple[int, float], ...]
    constant: float
    what: str
    where: Source
    higher: tuple[float, ...] = ()


def add_equalities(tree: BodyTree, driven: Collection[int], log: DiagnosticLog) -> list[Node]:
    """Mimics into the joints of the tree; the joints that close loops, and constraints of more joints than two.
    `driven`: joints that rather lead."""
    model = tree.compiled.model
    loops = []
    rows: list[EqualityRow] = []
    hanging = _Hanging(tree)
    for equality in range(model.neq):
        where = tree.compiled.places.of_kind("equalities", equality)
        kind = int(model.eq_type[equality])
        name = tree.compiled.name("EQUALITY", equality)
        if not model.eq_active0[equality]:
            log.warning(
                "NOT_SIMULATED", where, "an equality that is not active is left out", fold="inactive", about=name
            )
        elif kind in (CONNECT, WELD):
            loops.append(_loop(equality, name, hanging, where, log))
        elif kind in (JOINT, TENDON):
            row = (_joint_row if kind == JOINT else _tendon_row)(equality, tree, where, log)
            rows += [] if row is None else [row]
        else:
            log.warning("NOT_SIMULATED", where, "an equality of a flex is left out", fold="flex equality", about=name)
    constraints = _couple(rows, tree, driven, log)
    return [loop for loop in loops if loop is not None] + constraints


# -- loops -------------------------------------------------------------------------------------------------------------


def _ends(equality: int, tree: BodyTree) -> tuple[tuple[int, Pose], tuple[int, Pose]]:
    """Both bodies, each with the frame on it that has to be on the other's."""
    model = tree.compiled.model
    one, other = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
    data = [float(value) for value in model.eq_data[equality]]
    if model.eq_objtype[equality] == SITE:
        first, second = (
            (int(model.site_bodyid[s]), pose_of(model.site_pos[s], model.site_quat[s])) for s in (one, other)
        )
        return first, second
    if model.eq_type[equality] == CONNECT:
        return (one, Pose(vec3(data[:3]))), (other, Pose(vec3(data[3:6])))
    return (one, pose_of(data[3:6], data[6:10])), (other, Pose(vec3(data[:3])))


class _Hanging:
    """Which bodies hang together, by joints and by equalities that have been met."""

    def __init__(self, tree: BodyTree) -> None:
        self.tree = tree
        self._above: dict[int, int] = {}

    def root(self, body: int) -> int:
        """The world, or a body that floats."""
        model = self.tree.compiled.model
        while body and not (model.body_jntnum[body] and model.jnt_type[model.body_jntadr[body]] == FREE):
            body = int(model.body_parentid[body])
        while body in self._above:
            body = self._above[body]
        return body

    def tie(self, one: int, other: int) -> bool:
        """Whether they hung together already."""
        roots = self.root(one), self.root(other)
        if roots[0] == roots[1]:
            return True
        self._above[max(roots)] = min(roots)
        return False


def _loop(equality: int, name: str, hanging: _Hanging, where: Source, log: DiagnosticLog) -> Node | None:
    tree = hanging.tree
    parent, child = _ends(equality, tree)
    model = tree.compiled.model
    turns = model.eq_type[equality] == CONNECT or model.eq_data[equality][TORQUESCALE] == 0.0
    kind = "ball" if turns else "fixed"
    if child[0] == 0:  # the world cannot be a child
        parent, child = child, parent
    if parent[0] == child[0] or child[0] not in tree.links or (parent[0] and parent[0] not in tree.links):
        log.warning("NOT_SIMULATED", where, "an equality that ties nothing that moves is left out", about=name)
        return None
    X_PE, X_CE = parent[1], child[1]
    here = (tree.X_WB[parent[0]] @ X_PE).inverse() @ tree.X_WB[child[0]] @ X_CE
    apart = max(map(abs, here.position if kind == "ball" else (*here.position, *here.orientation[:3]))) > CLOSED
    label = tree.names.free(name or f"{tree.link(parent[0])}_to_{tree.link(child[0])}", "loop")
    ends = element("parent", where, text=tree.link(parent[0])), element("child", where, text=tree.link(child[0]))
    side = (pose_node(X_PE, where, tag=PARENT_POSE) or element(PARENT_POSE, where)) if apart else None
    joint = element("joint", where, pose_node(X_CE, where), *ends, side, name=label, type=kind)
    if hanging.tie(parent[0], child[0]) or apart:
        joint.children.append(cut_mark(joint))
    return joint


# -- couplings ---------------------------------------------------------------------------------------------------------


def _joint_row(equality: int, tree: BodyTree, where: Source, log: DiagnosticLog) -> EqualityRow | None:
    """q1 − ref1 = a0 + a1 (q2 − ref2) + …"""
    model = tree.compiled.model
    one, other = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
    a0, a1, *higher = (float(value) for value in model.eq_data[equality][:5])
    what = f"the equality of joint '{tree.names.joints[one]}'"
    if other < 0:
        return EqualityRow(((one, 1.0),), a0, what, where)
    return EqualityRow(((one, 1.0), (other, -a1)), a0, what, where, tuple(higher) if any(higher) else ())


def _tendon_row(equality: int, tree: BodyTree, where: Source, log: DiagnosticLog) -> EqualityRow | None:
    """As for joints, with lengths of tendons from those in the reference pose."""
    model = tree.compiled.model
    tendons = [int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])]
    a0, a1, *higher = (float(value) for value in model.eq_data[equality][:5])
    name = tree.compiled.name("TENDON", tendons[0])
    terms: dict[int, float] = {}
    for tendon, factor in zip(tendons, (1.0, -a1), strict=True):
        if tendon < 0:
            continue
        first = int(model.tendon_adr[tendon])
        for wrap in range(first, first + int(model.tendon_num[tendon])):
            if model.wrap_type[wrap] != WRAPS_JOINT or (tendons[1] >= 0 and any(higher)):
                message = f"the equality of tendon '{name}' is left out: it is not linear in joint positions"
                log.warning("COUPLING_NOT_READ", where, message, fold="tendon", about=name)
                return None
            joint = int(model.wrap_objid[wrap])
            terms[joint] = terms.get(joint, 0.0) + factor * float(model.wrap_prm[wrap])
    return EqualityRow(tuple(terms.items()), a0, f"the equality of tendon '{name}'", where)


def _couple(rows: list[EqualityRow], tree: BodyTree, driven: Collection[int], log: DiagnosticLog) -> list[Node]:
    """Each row of two joints makes one follow the other that does not follow it, directly or through others, if it can
    one that is not driven; returns constraints for those of more joints, and of two that both follow already."""
    model = tree.compiled.model
    constraints: list[Node] = []
    leader_of: dict[int, int] = {}
    for row in rows:
        terms = [(joint, factor) for joint, factor in row.terms if factor or row.higher]
        scalar = all(model.jnt_type[joint] in (SLIDE, HINGE) for joint, _ in terms)
        if len(terms) == 1 and scalar:
            _hold(terms[0], row, tree, log)
            continue
        if not scalar or not terms:
            message = f"{row.what} ties no hinges and slides: it is left out"
            log.warning("COUPLING_NOT_READ", row.where, message, fold="no hinges")
            continue
        if len(terms) > 2:
            constraints.append(_constraint(row, terms, tree, driven))
            continue
        orders = sorted((terms, terms[::-1]), key=lambda order: order[0][0] in driven)
        # A polynomial is not solved for its leader.
        orders = [terms] if row.higher else orders
        free = [order for order in orders if order[0][0] not in leader_of]
        chosen = next((order for order in free if not _leads(order[0][0], order[1][0], leader_of)), None)
        if chosen is None and not row.higher:
            constraints.append(_constraint(row, terms, tree, driven))
            continue
        if chosen is None:
            message = f"{row.what} is left out: both joints follow others already"
            log.warning("COUPLING_NOT_READ", row.where, message, fold="both follow")
            continue
        (follower, own), (leader, factor) = chosen
        leader_of[follower] = leader
        references = [float(model.qpos0[int(model.jnt_qposadr[joint])]) for joint in (follower, leader)]
        if row.higher:
            _follow_by_powers(row, (follower, leader), (references[0], references[1]), tree)
            continue
        values = {
            "multiplier": -factor / own,
            "offset": row.constant / own + references[0],
            "reference": references[1],
        }
        offset = values["offset"] - values["multiplier"] * values["reference"]
        tree.laws[follower] = leader, values["multiplier"], offset
        law = element(
            "mimic",
            row.where,
            *(number(tag, row.where, value) for tag, value in values.items()),
            joint=tree.names.joints[leader],
        )
        axis = tree.joints[follower].child("axis")
        if axis is not None:
            axis.children.append(law)
    return constraints


def _constraint(row: EqualityRow, terms: list[tuple[int, float]], tree: BodyTree, driven: Collection[int]) -> Node:
    """Σ coefficient · q − constant = 0; the last joint follows, one that is not driven."""
    model = tree.compiled.model
    terms = sorted(terms, key=lambda term: term[0] not in driven)
    moved = row.constant + sum(factor * float(model.qpos0[int(model.jnt_qposadr[joint])]) for joint, factor in terms)
    text = law_of(((tree.names.joints[joint], factor) for joint, factor in terms), moved)
    return element(CONSTRAINT, row.where, text=text)


def _follow_by_powers(
    row: EqualityRow, joints: tuple[int, int], references: tuple[float, float], tree: BodyTree
) -> None:
    """q1 = ref1 + Σ a_k (q2 − ref2)^k, multiplied out."""
    own, leader = references
    powers = Polynomial([row.constant, -row.terms[1][1], *row.higher])(Polynomial([-leader, 1.0])) + own
    axis = tree.joints[joints[0]].child("axis")
    if axis is not None:
        law = element(POLYNOMIAL, row.where, text=numbers_text(powers.trim().coef.tolist()))
        axis.children.append(element("mimic", row.where, law, joint=tree.names.joints[joints[1]]))


def _leads(joint: int, follower: int, leader_of: dict[int, int]) -> bool:
    """Whether `follower` follows `joint`, directly or through others."""
    while follower in leader_of:
        follower = leader_of[follower]
        if follower == joint:
            return True
    return False


def _hold(term: tuple[int, float], row: EqualityRow, tree: BodyTree, log: DiagnosticLog) -> None:
    """A joint that an equality holds at one position: its limits meet there."""
    joint, factor = term
    model = tree.compiled.model
    held = float(model.qpos0[int(model.jnt_qposadr[joint])]) + row.constant / factor
    node = tree.joints[joint]
    axis = node.child("axis")
    if axis is None:
        return
    node.attributes["type"] = "revolute" if model.jnt_type[joint] == HINGE else "prismatic"
    limit = axis.child("limit")
    if limit is None:
        limit = element("limit", row.where)
        axis.children.append(limit)
    limit.children = [child for child in limit.children if child.tag not in ("lower", "upper")]
    limit.children += [number("lower", row.where, held), number("upper", row.where, held)]
    message = f"{row.what} holds '{tree.names.joints[joint]}' at {held:g}: its limits meet there"
    log.info("MJCF_HELD", row.where, message, fold="held", about=tree.names.joints[joint])
