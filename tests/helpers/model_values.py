"""Model values for property tests, and their comparison."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass, replace
from typing import Any

from hypothesis import strategies as st

from simulator.model.joint import WORLD, Axis, Joint, JointType, Mimic
from simulator.model.link import Collision, Inertial, Link, Omitted, Visual
from simulator.model.material import FrictionDirection, Material, Surface, Torsion
from simulator.model.profiles import Constant, Sine
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Shape, Sphere
from simulator.model.world import DemonstrationDrive, Document, Frame, Model, Physics, World
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import normalized, quat_normalized, quat_rotate

EPSILON = 2.0**-52
COMPOSED = ("X_WL", "X_WJ", "X_WF", "X_WM", "xyz_world")
"""Fields that a reader composes of several poses."""

numbers = st.floats(-1e3, 1e3, allow_nan=False)
profiles = st.one_of(st.builds(Constant, numbers), st.builds(Sine, numbers, numbers, numbers, numbers))
lengths = st.floats(1e-3, 1e3)
angles = st.sampled_from([0.0, math.pi / 2, 0.1, -1.5708]) | st.floats(-3.0, 3.0)
directions = (
    st.sampled_from([(0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (1.0, 1.0, 0.0)])
    | st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: max(map(abs, v)) > 0.1)
).map(normalized)
positions = st.tuples(numbers, numbers, numbers)
by_angles = st.builds(Pose.from_rpy, positions, st.tuples(angles, angles, angles))
by_quaternion = st.builds(
    Pose,
    positions,
    st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: max(map(abs, q)) > 0.1).map(quat_normalized),
)
poses = st.just(IDENTITY) | by_angles | by_quaternion
triples = st.tuples(lengths, lengths, lengths)
shapes: st.SearchStrategy[Shape] = (
    st.builds(Box, triples)
    | st.builds(Cylinder, lengths, lengths)
    | st.builds(Cone, lengths, lengths)
    | st.builds(Capsule, lengths, lengths)
    | st.builds(Sphere, lengths)
    | st.builds(Ellipsoid, triples)
    | st.builds(Plane, directions, st.tuples(lengths, lengths))
)
parts_of_one = st.floats(0.0, 1.0)
colors = st.none() | st.tuples(parts_of_one, parts_of_one, parts_of_one, parts_of_one)
materials = st.none() | st.builds(Material, colors, colors, colors, colors)
grains = st.none() | directions.map(lambda xyz: FrictionDirection(xyz, xyz_link=xyz))
torsions = st.builds(Torsion, lengths, st.booleans(), parts_of_one, parts_of_one, parts_of_one)
surfaces = st.builds(
    Surface,
    lengths,
    lengths,
    parts_of_one,
    parts_of_one,
    grains,
    parts_of_one,
    st.integers(0, 0xFFFF),
    lengths,
    lengths,
    torsions,
    lengths,
)
inertials = st.builds(Inertial, lengths, poses, st.floats(1.0, 1.9).map(lambda a: (a, 1.0, 1.0)))
names = st.sampled_from(["a", "b c", "<&>", "Größe", "x.y-z", "'\""])


@st.composite
def links(draw: st.DrawFn, name: str) -> Link:
    has_inertial = draw(st.booleans())
    omitted = Omitted("visual", "omitted", draw(st.sampled_from(["heightmap", "polyline", "empty"])), draw(poses))
    return Link(
        name=name,
        X_WL=draw(poses),
        inertial=draw(inertials) if has_inertial else Inertial(),
        has_inertial=has_inertial,
        visuals=tuple(draw(st.lists(st.builds(Visual, names, shapes, poses, materials, parts_of_one), max_size=1))),
        collisions=tuple(draw(st.lists(st.builds(Collision, names, shapes, poses, surfaces), max_size=1))),
        gravity=draw(st.booleans()),
        kinematic=draw(st.booleans()),
        self_collide=draw(st.booleans()),
        omitted=draw(st.sampled_from([(), (omitted,)])),
    )


limits = st.sampled_from([-math.inf, math.inf]) | numbers
efforts = st.just(math.inf) | st.floats(0.0, 1e6)


@st.composite
def axes(draw: st.DrawFn, X_WJ: Pose, *, limited: bool = True) -> Axis:
    xyz = draw(directions)
    bounds = sorted((draw(limits), draw(limits))) if limited else [-math.inf, math.inf]
    law = [draw(numbers) for _ in range(7)]
    return Axis(
        xyz, quat_rotate(X_WJ.orientation, xyz), "", *bounds, draw(efforts), draw(efforts), *law[:6],
        initial_position=law[6],
    )  # fmt: skip


AXES = {JointType.FIXED: 0, JointType.BALL: 0, JointType.UNIVERSAL: 2, JointType.REVOLUTE2: 2, JointType.GEARBOX: 2}
LEADERS = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.SCREW)


@st.composite
def joints(draw: st.DrawFn, name: str, parent: str, child: str, scope: str) -> Joint:
    kind, X_WJ = draw(st.sampled_from(list(JointType))), draw(poses)
    count, limited = AXES.get(kind, 1), kind is not JointType.CONTINUOUS
    gearbox = kind is JointType.GEARBOX
    unused = (("axis2", draw(axes(X_WJ, limited=limited))),) if count == 1 and draw(st.booleans()) else ()
    return Joint(
        name=f"{scope}::{name}",
        type=kind,
        parent=parent,
        child=child,
        parent_link=WORLD if parent == WORLD else f"{scope}::{parent}",
        child_link=f"{scope}::{child}",
        X_WJ=X_WJ,
        axes=tuple(draw(axes(X_WJ, limited=limited)) for _ in range(count)),
        screw_thread_pitch=draw(lengths) if kind is JointType.SCREW else 1.0,
        gearbox_ratio=draw(lengths) if gearbox else 1.0,
        gearbox_reference_body=child if gearbox else "",
        gearbox_reference=f"{scope}::{child}" if gearbox else "",
        must_be_loop_joint=draw(st.booleans()),
        unused_axes=unused,
    )


@st.composite
def models(draw: st.DrawFn, scope: str) -> Model:
    """Two or three links in a chain, the second joint perhaps following the first, and a frame on one of the links."""
    locals_ = ["base", draw(names), "tip"][: draw(st.integers(2, 3))]
    made = [draw(joints(f"j{i}", ([WORLD, *locals_])[i], child, scope)) for i, child in enumerate(locals_)]
    if made[0].type in LEADERS and made[1].type in LEADERS:
        law = Mimic("j0", f"{scope}::j0", "axis", draw(numbers), draw(numbers), draw(numbers))
        made[1] = replace(made[1], axes=(replace(made[1].axes[0], mimic=law),))
    on = draw(st.sampled_from(locals_))
    return Model(
        name=scope,
        static=False,
        self_collide=draw(st.booleans()),
        canonical_link=f"{scope}::{draw(st.sampled_from(locals_))}",
        X_WM=draw(poses),
        links=tuple(draw(links(f"{scope}::{name}")) for name in locals_),
        joints=tuple(made),
        frames=(Frame(f"{scope}::frame", draw(poses), f"{scope}::{on}"),),
    )


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A world with a model and one nested in it, or a model alone."""
    outer, inner = draw(models("outer")), draw(models("outer::inner"))
    title = draw(st.sampled_from(["", "A title -- with hyphens", "Grüße <&>"]))
    if draw(st.booleans()):
        return Document("", title, root_models=(outer, inner))
    kind = draw(st.sampled_from(["ode", "bullet"]))
    world = World(
        name=draw(names),
        gravity=draw(positions),
        physics=Physics(kind, draw(lengths), draw(lengths), draw(st.integers(1, 200))),
        models=(outer, inner),
        frames=(Frame("home", draw(poses), WORLD),),
        drives=(DemonstrationDrive("j0", "velocity", draw(profiles)),),
    )
    return Document("", title, (world,))


def differences(wanted: Any, got: Any, roundings: float = 0.0, farthest: float = 1.0, place: str = "") -> list[str]:
    """Where two values differ. Composed poses and directions may be off by so many roundings, of lengths up to
    `farthest` [m] or of 1; all other values must be equal."""
    if is_dataclass(wanted) and not isinstance(wanted, type) and type(wanted) is type(got):
        compared = [item.name for item in fields(wanted) if item.compare]
        return [
            text
            for name in compared
            for text in differences(getattr(wanted, name), getattr(got, name), roundings, farthest, f"{place}.{name}")
        ]
    if isinstance(wanted, tuple) and isinstance(got, tuple) and len(wanted) == len(got):
        pairs = zip(wanted, got, strict=True)
        return [
            text for i, (a, b) in enumerate(pairs) for text in differences(a, b, roundings, farthest, f"{place}[{i}]")
        ]
    composed = any(f".{name}" in place for name in COMPOSED)
    if composed and isinstance(wanted, float):
        largest = roundings * EPSILON * (farthest if ".position" in place else 1.0)
        return [] if abs(wanted - got) <= largest else [f"{place}: {wanted!r} != {got!r}"]
    return [] if wanted == got else [f"{place}: {wanted!r} != {got!r}"]
