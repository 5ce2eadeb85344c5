"""A world's joint graph becomes a mechanism: weld, span, cut, couple, count."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog
from simulator.mechanism.checks import check_densities, check_shapes, check_start_velocities
from simulator.mechanism.completion import completed, report_falling, report_held, to_hold, with_held
from simulator.mechanism.connections import as_mechanism_joint, connections_of
from simulator.mechanism.contacts import non_colliding_links
from simulator.mechanism.couplings import (
    check_cycles,
    constraint_couplings,
    mimic_couplings,
    screw_couplings,
    without_redundant,
)
from simulator.mechanism.extent import TooLargeError
from simulator.mechanism.gearbox import gearbox_couplings
from simulator.mechanism.hinged_balls import hinged_balls, with_balls
from simulator.mechanism.law_findings import check_laws
from simulator.mechanism.loops import check_extent
from simulator.mechanism.mobility import count_mobility, find_clusters
from simulator.mechanism.placed_loads import all_loads, attached_frames, body_loads, with_torsion_springs
from simulator.mechanism.real_couplings import check_real_couplings
from simulator.mechanism.spanning_tree import Forest, spanning_forest
from simulator.mechanism.types import (
    WORLD_BODY,
    AxisInfo,
    Body,
    Coupling,
    JointKind,
    Mechanism,
    MechanismJoint,
    MotionKind,
)
from simulator.mechanism.welding import Welded, all_joints, weld
from simulator.model.joint import JointType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.connections import Connection
    from simulator.model.laws import JointConstraint
    from simulator.model.world import World


def build_mechanism(world: World, *, strict: bool = False, hold_base: bool = False) -> Mechanism:
    """The mechanism that a world describes; never raises for what a document says, `diagnostics` says what is wrong.
    Where there is more of it than is looked into, the mechanism is empty, with an error.

    What would move without inertia is completed, with a warning, or an error if `strict`. `hold_base` fixes floating
    bodies that carry joints to the world.
    """
    log = DiagnosticLog()
    try:
        mechanism = _as_written(world, log)
    except TooLargeError as error:
        log.error("MECHANISM_TOO_LARGE", error.source, str(error), "divide the document")
        return replace(_as_written(replace(world, models=(), joints=()), DiagnosticLog()), diagnostics=log.as_tuple())
    held = to_hold(mechanism, strict=strict, hold_base=hold_base)
    if held:
        log = DiagnosticLog()
        mechanism = _as_written(with_held(world, held), log)
        report_held(world, held, log, hold_base=hold_base)
    mechanism = check_real_couplings(completed(mechanism, log, strict=strict), log)
    report_falling(mechanism, log)
    check_shapes(world, mechanism.bodies, log)
    check_densities(mechanism.bodies, log)
    check_start_velocities(mechanism, log)
    check_laws(mechanism.couplings, mechanism.axes, log)
    return replace(mechanism, diagnostics=log.as_tuple())


def _as_written(document: World, log: DiagnosticLog) -> Mechanism:
    world, triads = with_balls(document, log)
    forest, axes, couplings = _spanned(world, log)
    bodies = forest.welded.bodies
    joints = _tree_joints(forest)
    loops = _loop_joints(forest)
    check_extent(loops, joints)
    cut = {motion.axis for loop in loops for motion in loop.motions}
    return Mechanism(
        name=world.name,
        gravity=world.gravity,
        bodies=bodies,
        joints=joints,
        loop_joints=loops,
        axes=tuple(replace(axis, in_tree=i not in cut) for i, axis in enumerate(axes)),
        couplings=couplings,
        clusters=find_clusters(joints, loops, couplings),
        mobility=count_mobility(joints, loops, couplings, bodies),
        non_colliding=non_colliding_links(world, forest.welded),
        loads=body_loads(world, bodies),
        hinged_balls=hinged_balls(triads, forest.welded),
        frames=attached_frames(world),
    )


def _actuated(world: World) -> frozenset[str]:
    """Joints that transmissions act on."""
    of_blocks = [info for model in world.models for block in model.hardware for info in block.transmissions]
    classic = [info for model in world.models for info in model.transmissions]
    return frozenset(joint.joint for info in (*of_blocks, *classic) for joint in info.joints)


def _spanned(world: World, log: DiagnosticLog) -> tuple[Forest, tuple[AxisInfo, ...], tuple[Coupling, ...]]:
    """The spanning forest, all axes in document order, and the couplings. The numbers that bodies have before there is
    a tree do not leave this function."""
    welded = weld(world, log)
    connections = connections_of(world, welded, log)
    axes = with_torsion_springs(
        tuple(axis for connection in connections for axis in connection.axes), all_loads(world), log
    )
    couplings = _couplings(world, welded, connections, axes, log)
    coupled = frozenset(
        axes[axis].joint for coupling in couplings for axis, _ in coupling.terms if not axes[axis].hidden
    )
    forest = spanning_forest(welded, connections, coupled | _actuated(world))
    _check_loop_requests(forest, log)
    return forest, axes, couplings


def _tree_joints(forest: Forest) -> tuple[MechanismJoint, ...]:
    """The joints that carry the bodies."""
    first_axis = _first_axes(forest.connections)
    return tuple(
        _free_joint(forest.welded.bodies[edge.outboard], edge.outboard)
        if edge.connection is None
        else as_mechanism_joint(
            forest.connections[edge.connection],
            forest.welded,
            inboard=edge.inboard,
            first_axis=first_axis[edge.connection],
        )
        for edge in forest.edges
    )


def _loop_joints(forest: Forest) -> tuple[MechanismJoint, ...]:
    first_axis = _first_axes(forest.connections)
    connections = forest.connections
    return tuple(
        as_mechanism_joint(connections[i], forest.welded, inboard=connections[i].parent, first_axis=first_axis[i])
        for i in forest.cut
    )


def _free_joint(body: Body, number: int) -> MechanismJoint:
    return MechanismJoint(
        name=f"{body.name}:free",
        type=None,
        kind=JointKind.FREE,
        parent=WORLD_BODY,
        child=number,
        X_PJ=body.X_WB,
        source=body.links[0].source,
    )


def _first_axes(connections: Sequence[Connection]) -> tuple[int, ...]:
    """Index of each connection's first axis."""
    return tuple(accumulate((len(connection.axes) for connection in connections), initial=0))


def _couplings(
    world: World, welded: Welded, connections: Sequence[Connection], axes: Sequence[AxisInfo], log: DiagnosticLog
) -> tuple[Coupling, ...]:
    joints = all_joints(world)
    axis_of = {axis.name: i for i, axis in enumerate(axes)}
    found = mimic_couplings(joints, axis_of, lambda axis: axes[axis].kind is MotionKind.ROTATION, log)
    following = [coupling.follower for coupling in found]
    found += gearbox_couplings(joints, welded, connections, axis_of, log, following=following)
    found += screw_couplings(joints, axis_of)
    found += constraint_couplings(all_constraints(world), axis_of, [coupling.follower for coupling in found], log)
    if check_cycles(found, axes, log):
        return ()
    return without_redundant(found, axes, log)


def all_constraints(world: World) -> tuple[JointConstraint, ...]:
    """The constraints of a world, then those of its models."""
    return (*world.constraints, *(constraint for model in world.models for constraint in model.constraints))


def _check_loop_requests(forest: Forest, log: DiagnosticLog) -> None:
    """A joint marked must_be_loop_joint that no other joint can replace has to carry its body after all; one of several
    axes may be cut."""
    cut = set(forest.cut)
    for i, connection in enumerate(forest.connections):
        if connection.joint.must_be_loop_joint and i not in cut:
            log.warning(
                "LOOP_JOINT_CLOSES_NOTHING",
                connection.joint.source,
                f"joint '{connection.joint.name}' is to close a loop (must_be_loop_joint), but its links hang together "
                "by no other joints; it carries its child like any other",
                "tie its parent to the same base as its child, if there is to be a loop",
            )
        if i in cut and connection.joint.type in (JointType.UNIVERSAL, JointType.REVOLUTE2, JointType.SCREW):
            log.info(
                "LOOP_JOINT_CUT",
                connection.joint.source,
                f"the {connection.joint.type.value} joint '{connection.joint.name}' closes a loop; the loop is "
                "cut there and held closed by equations, and the joint moves as any other does",
                fold=connection.joint.type.value,
                about=connection.joint.name,
            )
