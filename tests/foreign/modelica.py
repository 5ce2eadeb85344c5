"""Examples of Modelica.Mechanics.MultiBody, whose reference results the Modelica Association stores: made by Dymola,
DASSL with a tolerance of 1e-6.

The mechanisms are those of the library's models; gravity is 9.80665 m/s² along −y, steel weighs 7700 kg/m³. Differences
are root mean squares over the whole time.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation

import simulator
from tests.foreign.documents import NOTHING, document, joint, link, numbers, rod
from tests.foreign.motion import Motion, rms
from tests.foreign.rows import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EXAMPLES = Path("Modelica/Mechanics/MultiBody/Examples")
VARIANTS = Path("ModelicaTest/MultiBody/FourbarVariants")
SUITE = "Modelica (Dymola)"
GRAVITY = (0.0, -9.80665, 0.0)
STEEL = 7700.0
UNITS = {"r_0": "m", "v_0": "m/s", "w_a": "rad/s"}
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STEP = 1e-3
"""Of our runs [s]."""
START = 5.235987755982989
"""Of the crank of the four-bars [rad/s]."""


def is_here(folder: Path) -> bool:
    """Whether a folder is a checkout of MAP-LIB_ReferenceResults."""
    return (folder / EXAMPLES).is_dir() and any((folder / EXAMPLES).glob("*/*/*.csv"))


@dataclass(frozen=True)
class Case:
    """A mechanism and its run with a step.

    `signals`: the name of each there, and our channel, its unit, factor and offset. `bodies`: names of vectors there,
    `…r_0`, `…v_0` or `…w_a`, and our link, whose frame is that of the body.
    """

    name: str
    run: Callable[[float], Motion]
    signals: Mapping[str, tuple[str, str, float, float]] = field(default_factory=dict)
    bodies: Mapping[str, str] = field(default_factory=dict)
    within: Path = EXAMPLES


def rows(folder: Path) -> Iterator[Row]:
    """All comparisons that a checkout has results for."""
    for case in CASES:
        home = folder / case.within / case.name
        path = home / f"{home.name}.csv"
        if not path.is_file():
            continue
        tolerance = re.search(r"^Tolerance=(\S+)", (home / "creation.txt").read_text(encoding="utf-8"), re.MULTILINE)
        times, theirs = read(path)
        motion, finer = case.run(STEP), case.run(STEP / 2.0)
        said = f"DASSL {tolerance[1]}" if tolerance else ""
        for signal, (channel, unit, factor, offset) in case.signals.items():
            ours, own = (factor * one.run[channel][:, None] + offset for one in (motion, finer))
            yield _row(home.name, signal, unit, motion, (ours, own), times, theirs[signal][:, None], said)
        for vector, link_name in case.bodies.items():
            ours, own = (of_body(one, link_name, vector) for one in (motion, finer))
            stored = np.array([theirs[f"{vector}[{axis}]"] for axis in (1, 2, 3)]).T
            yield _row(home.name, vector, UNITS[vector[-3:]], motion, (ours, own), times, stored, said)


def _row(
    case: str,
    quantity: str,
    unit: str,
    motion: Motion,
    ours: tuple[Array, Array],
    times: Array,
    theirs: Array,
    said: str,
) -> Row:
    found = make_interp_spline(motion.run.time, ours[0], 5)(times)
    own = float(np.abs(ours[0] - ours[1]).max())
    note = f"half our step changes ours by {own:.0e}"
    return Row(SUITE, case, quantity, unit, rms(found - theirs), said, note)


def of_body(motion: Motion, link_name: str, vector: str) -> Array:
    """A vector of a body as Modelica names it: place and velocity in the world, angular velocity in the body."""
    values = motion.link(link_name).values(motion.run.time)
    if vector.endswith("w_a"):
        return np.einsum("nji,nj->ni", motion.run.poses(link_name)[:, :3, :3], values["Avel"])
    return values["Pos" if vector.endswith("r_0") else "Vel"]


def read(path: Path) -> tuple[Array, dict[str, Array]]:
    """Times and signals, each time once: events are stored before and after."""
    with path.open(encoding="utf-8") as file:
        names, *lines = csv.reader(file)
    values = np.array([[float(word) for word in line] for line in lines])
    _, places = np.unique(values[:, 0], return_index=True)
    return values[places, 0], {name: values[places, column] for column, name in enumerate(names)}


def cylinder(name: str, start: Array, along: Array, diameter: float) -> str:
    """A solid cylinder of steel between two points."""
    length, radius = float(np.linalg.norm(along)), diameter / 2.0
    mass = STEEL * np.pi * length * radius**2
    across = mass * (length**2 + 3.0 * radius**2) / 12.0
    return link(name, start + along / 2.0, (across, across, mass * radius**2 / 2.0), float(mass), turned(along))


def box(name: str, start: Array, along: Array, width: float) -> str:
    """A square bar of steel between two points."""
    length = float(np.linalg.norm(along))
    mass = STEEL * length * width**2
    across = mass * (length**2 + width**2) / 12.0
    return link(name, start + along / 2.0, (across, across, mass * width**2 / 6.0), mass, turned(along))


def turned(along: Array) -> Rotation:
    """A turn of z onto a direction."""
    direction = along / np.linalg.norm(along)
    axis = np.cross(Z, direction)
    size = float(np.linalg.norm(axis))
    angle = np.arctan2(size, direction[2])
    return (
        Rotation.from_rotvec(angle * axis / size)
        if size
        else Rotation.from_rotvec([0.0, np.pi * (direction[2] < 0), 0.0])
    )


def at(*values: float) -> Array:
    """A point or vector."""
    return np.array(values)


def damped(coefficient: float) -> str:
    """Inside of an axis."""
    return f"<dynamics><damping>{coefficient}</damping></dynamics>"


def spring(one: str, place: str, other: str, **numbers: float) -> str:
    """A spring or damper from the origin of a link to a point of another."""
    said = " ".join(f"{name}='{value!r}'" for name, value in numbers.items())
    return f"<simulator:spring link='{one}' at='0 0 0' other='{other}' other_at='{place}' {said}/>"


def hinge(name: str, ours: str) -> dict[str, tuple[str, str, float, float]]:
    """Angle and angular velocity of a joint there, and our joint."""
    return {
        f"{name}.phi": (f"joint/m::{ours}/position", "rad", 1.0, 0.0),
        f"{name}.w": (f"joint/m::{ours}/velocity", "rad/s", 1.0, 0.0),
    }


def slide(name: str) -> dict[str, tuple[str, str, float, float]]:
    """Both signals of a slide."""
    return {
        f"{name}.s": ("joint/m::j2/position", "m", 1.0, 0.0),
        f"{name}.v": ("joint/m::j2/velocity", "m/s", 1.0, 0.0),
    }


def four_bar(rod_text: str) -> str:
    """A crank about x, a slide along x, and a rod between them: a universal joint on the slide, a ball on the crank."""
    return document(
        cylinder("crank", at(0, 0, 0), at(0, 0.5, 0.1), 0.05),
        cylinder("slide", at(1.0, 0, 0), at(0, 0.2, 0), 0.05),
        rod_text,
        joint("j1", "revolute", "world", "crank", (0, 0, 0), X),
        joint("j2", "prismatic", "world", "slide", (1.0, 0, 0), X),
        joint("cross", "universal", "slide", "rod", (1.0, 0.2, 0), Y, Z),
        joint("ball", "ball", "crank", "rod", (0, 0.5, 0.1)),
        gravity=GRAVITY,
    )


def swung(crank: str, rod_text: str, damping: float, second: tuple[float, float, float]) -> str:
    """The same with a damper on the crank, moved by its slide; the universal joint turns about y of the slide, and
    about `second`, which is across the rod."""
    return document(
        crank,
        cylinder("slide", at(1.0, 0, 0), at(0, 0.2, 0), 0.05),
        rod_text,
        joint("j1", "revolute", "world", "crank", (0, 0, 0), X, axis_inside=damped(damping)),
        joint("j2", "prismatic", "world", "slide", (1.0, 0, 0), X),
        joint("cross", "universal", "slide", "rod", (1.0, 0.2, 0), Y, second),
        joint("ball", "ball", "crank", "rod", (0, 0.5, 0.1)),
        gravity=GRAVITY,
    )


def of_points() -> str:
    """0.1 kg at the middle of the crank, at its tip, and at the middle of the rod; the first two have the library's
    moments of 0.001 kg m²."""
    about_x = 0.002 + 0.2 * (0.125**2 + 0.025**2)
    crank = link("crank", (0, 0.375, 0.075), (about_x, about_x, about_x), 0.2)
    return swung(crank, link("rod", (0.5, 0.35, 0.05), (NOTHING, NOTHING, NOTHING), 0.1), 0.5, (0.1, 0.0, 1.0))


def of_balls() -> str:
    """Bodies of 1 kg and 0.1 kg m² on the crank's axis, at its tip, and on the rod, half a metre from the slide."""
    about_x = 0.2 + 2.0 * (0.25**2 + 0.05**2)
    along = at(-1.0, 0.3, 0.1) / np.sqrt(1.1)
    crank = link("crank", (0.005, 0.25, 0.05), (about_x, about_x, about_x), 2.0)
    return swung(crank, link("rod", at(1.0, 0.2, 0) + 0.5 * along, (0.1, 0.1, 0.1), 1.0), 0.1, (0.1, 0.0, 1.0))


def braked() -> str:
    """The universal joint on the crank, a damper on the slide."""
    return document(
        cylinder("crank", at(0, 0, 0), at(0, 0.5, 0.1), 0.05),
        cylinder("slide", at(1.0, 0, 0), at(0, 0.2, 0), 0.05),
        cylinder("rod", at(0, 0.5, 0.1), at(1.0, -0.3, -0.1), 0.05),
        joint("j1", "revolute", "world", "crank", (0, 0, 0), X),
        joint("j2", "prismatic", "world", "slide", (1.0, 0, 0), X, axis_inside=damped(50.0)),
        joint("cross", "universal", "crank", "rod", (0, 0.5, 0.1), (0.0, 0.0, -1.0), (-0.3, -1.0, 0.0)),
        joint("ball", "ball", "slide", "rod", (1.0, 0.2, 0)),
        gravity=GRAVITY,
    )


def pendulum() -> str:
    """A body half a metre from a damped hinge."""
    return document(
        link("body", (0.5, 0, 0), (0.001, 0.001, 0.001)),
        joint("rev", "revolute", "world", "body", (0, 0, 0), Z, axis_inside=damped(0.1)),
        gravity=GRAVITY,
    )


def double_pendulum() -> str:
    """Two bars, the first hinge damped."""
    return document(
        box("one", at(0, 0, 0), at(0.5, 0, 0), 0.06),
        box("two", at(0.5, 0, 0), at(0.5, 0, 0), 0.06),
        joint("j1", "revolute", "world", "one", (0, 0, 0), Z, axis_inside=damped(0.1)),
        joint("j2", "revolute", "one", "two", (0.5, 0, 0), Z),
        gravity=GRAVITY,
    )


def planar_four_bar() -> str:
    """Three bars on the ground, the first hinge damped."""
    return document(
        box("one", at(0, 0, 0), at(0.4, 0, 0), 0.05),
        box("two", at(0.4, 0, 0), at(0.1, 1.1, 0), 0.05),
        box("four", at(-0.15, 1.0, 0), at(0.65, 0.1, 0), 0.05),
        joint("j1", "revolute", "world", "one", (0, 0, 0), Z, axis_inside=damped(0.1)),
        joint("j2", "revolute", "one", "two", (0.4, 0, 0), Z),
        joint("j3", "revolute", "world", "four", (-0.15, 1.0, 0), Z),
        joint("j4", "revolute", "two", "four", (0.5, 1.1, 0), Z),
        gravity=GRAVITY,
    )


def sprung_pendulum() -> str:
    """A body on a guide that turns, a spring and a damper from the hinge to it; at the start it is 0.5 m out."""
    return document(
        rod("guide", (0.3, 0, 0)),
        link("body", (0.8, 0, 0), (1.0, 1.0, 1.0)),
        joint("turn", "revolute", "world", "guide", (0.3, 0, 0), Z),
        joint("slide", "prismatic", "guide", "body", (0.8, 0, 0), X),
        spring("body", "0.3 0 0", "world", stiffness=20.0, damping=1.0, free_length=0.2),
        gravity=GRAVITY,
    )


def hanging_bodies() -> str:
    """A body on a spring and a guide, and one that is free on a spring and a damper."""
    return document(
        link("body1", (0.3, -0.2, 0), (0.1, 0.1, 0.1), centre=(0, -0.2, 0)),
        link("body2", (0.9, -0.1, 0), (0.001, 0.001, 0.001)),
        joint("p2", "prismatic", "world", "body2", (0.9, -0.1, 0), (0.0, -1.0, 0.0)),
        spring("body2", "0.9 0 0", "world", stiffness=30.0, free_length=0.1),
        spring("body1", "0.3 0 0", "world", stiffness=30.0, damping=2.0, free_length=0.1),
        gravity=GRAVITY,
    )


def geared_shafts() -> str:
    """Two shafts on one line, of which the first turns ten times as fast as the second."""
    mimic = "<mimic joint='a'><multiplier>0.1</multiplier><offset>0</offset><reference>0</reference></mimic>"
    return document(
        cylinder("one", at(-0.4, 0, 0), at(0.4, 0, 0), 0.1),
        cylinder("two", at(0, 0, 0), at(0.4, 0, 0), 0.2),
        joint("b", "revolute", "world", "two", (0, 0, 0), X, axis_inside=mimic),
        joint("a", "revolute", "world", "one", (0, 0, 0), X),
        gravity=(0.0, 0.0, 0.0),
    )


def bar(name: str, start: Array, along: float, wide: float, high: float) -> str:
    """A flat bar of steel along y, `wide` along x and `high` along z."""
    mass = STEEL * abs(along) * wide * high
    moments = np.array([along**2 + high**2, wide**2 + high**2, along**2 + wide**2]) * mass / 12.0
    return link(name, start + at(0, along / 2.0, 0), tuple(moments.tolist()), mass)


def engine() -> str:
    """One cylinder above a crank about x with a flywheel of 1 kg m², the piston at its top."""
    pin = at(0.15, 0.1, 0)
    return document(
        cylinder("shaft", at(0, 0, 0), at(0.1, 0, 0), 0.05),
        link("wheel", (0, 0, 0), (1.0, 0.5, 0.5), 1e-9),
        bar("web", at(0.1, 0, 0), 0.1, 0.02, 0.05),
        cylinder("pin", at(0.1, 0.1, 0), at(0.1, 0, 0), 0.03),
        bar("other_web", at(0.2, 0.1, 0), -0.1, 0.02, 0.05),
        bar("rod", pin, 0.2, 0.02, 0.06),
        cylinder("piston", pin + at(0, 0.2, 0), at(0, 0.1, 0), 0.1),
        *(joint(f"on_{name}", "fixed", "shaft", name, (0, 0, 0)) for name in ("wheel", "web", "pin", "other_web")),
        joint("bearing", "revolute", "world", "shaft", (0, 0, 0), X),
        joint("low", "revolute", "shaft", "rod", pin, X),
        joint("high", "revolute", "rod", "piston", pin + at(0, 0.2, 0), X),
        joint("bore", "prismatic", "world", "piston", pin + at(0, 0.2, 0), Y),
        gravity=GRAVITY,
    )


def free_body() -> str:
    """A body between two springs, at the start turned by 10° about each of its axes in turn."""
    start = Rotation.from_euler("XYZ", [10.0, 10.0, 10.0], degrees=True)
    return document(
        link("body", (0.2, -0.5, 0.1), (1.0, 1.0, 1.0), turn=start, centre=(0.2, 0, 0)),
        "<simulator:spring link='body' at='0 0 0' other='world' other_at='0 0 0' stiffness='20'/>",
        "<simulator:spring link='body' at='0.4 0 0' other='world' other_at='0.8 0 0' stiffness='20'/>",
        gravity=GRAVITY,
    )


def held(joints: Sequence[tuple[str, str, str, Sequence[tuple[float, float, float]]]], knob: Array) -> str:
    """A body that turned and tilted joints hold at its end, and a spring at the point `knob` of it. Joints by name,
    type, child and axes, one after the other from the world; links between them weigh nothing."""
    place, turn = at(0.2, -0.3, 0.2), Rotation.from_euler("XYZ", [10.0, 55.0, 68.0], degrees=True)
    parents = ("world", *(child for _, _, child, _ in joints))
    return document(
        *(rod(child, place) for child in parents[1:-1]),
        link("body", place, (1.0, 1.0, 1.0), turn=turn, centre=(0.2, 0, 0)),
        *(
            joint(name, kind, parent, child, place, *(turn.apply(axis) for axis in axes))
            for parent, (name, kind, child, axes) in zip(parents, joints, strict=False)
        ),
        f"<simulator:spring link='body' at='{numbers(knob)}' other='world' other_at='0.8 0 0.3' stiffness='20'/>",
        gravity=GRAVITY,
    )


def gyroscope() -> str:
    """A shaft in a ball joint, and on its end a wheel that spins about an axis at 45°, which is x of the wheel."""
    end, slanted = at(0.25, 0, 0), Rotation.from_euler("y", np.pi / 4)
    radius, length = 0.05, 0.2
    mass = STEEL * np.pi * length * radius**2
    across = mass * (length**2 + 3.0 * radius**2) / 12.0
    return document(
        cylinder("shaft", at(0, 0, 0), end, 0.05),
        link("wheel", end, (mass * radius**2 / 2.0, across, across), float(mass), slanted),
        joint("ball", "ball", "world", "shaft", (0, 0, 0)),
        joint("spin", "revolute", "shaft", "wheel", end, slanted.apply(X)),
        gravity=GRAVITY,
    )


def tip_at(x: float, y: float) -> dict[str, float]:
    """Angles of two bars of half a metre whose tip is at a point, the second turned forward."""
    bend = np.arccos((x**2 + y**2 - 0.5) / 0.5)
    return {"j1": float(np.arctan2(y, x) - bend / 2.0), "j2": float(bend)}


def cranked(text: str, velocities: dict[str, float], dt: float) -> Motion:
    """Five seconds that begin with velocities."""
    return Motion.of(text, 5.0, dt=dt, velocities=velocities, reactions=False)


TURNING = (0.0, 0.0, 0.03490658503988659, 0.0, 0.0, 0.0)
MASSIVE = cylinder("rod", at(1.0, 0.2, 0), at(-1.0, 0.3, 0.1), 0.05)
MASSLESS = rod("rod", (0.5, 0.35, 0.05))
END = at(0.4, 0, 0)
ON_SLIDES = held([("x", "prismatic", "guide", [X]), ("y", "prismatic", "body", [Y])], END)
ON_HINGE = held([("hinge", "revolute", "body", [Y])], END)
ON_BALL = held([("ball", "ball", "body", [])], END)
ON_CROSS = held([("cross", "universal", "body", [Z, X])], at(0.5, 0.15, 0.2))
TURNS = {"bodyOfConstraint.body.w_a": "body"}
WAVE = simulator.effort(simulator.sine(amplitude=2.0, frequency=1.0))
CASES = (
    Case("Elementary/Pendulum", lambda dt: Motion.of(pendulum(), 5.0, dt=dt, reactions=False), hinge("rev", "rev")),
    Case(
        "Elementary/DoublePendulum", lambda dt: Motion.of(double_pendulum(), 3.0, dt=dt, reactions=False),
        {**hinge("revolute1", "j1"), **hinge("revolute2", "j2")},
    ),
    Case(
        "Elementary/DoublePendulumInitTip",
        lambda dt: Motion.of(double_pendulum(), 5.0, dt=dt, positions=tip_at(0.7, 0.3), reactions=False),
        {**hinge("revolute1", "j1"), **hinge("revolute2", "j2")},
    ),
    Case(
        "Elementary/PendulumWithSpringDamper",
        lambda dt: Motion.of(sprung_pendulum(), 10.0, dt=dt, reactions=False),
        {
            **hinge("revolute", "turn"),
            "prismatic.s": ("joint/m::slide/position", "m", 1.0, 0.5),
            "prismatic.v": ("joint/m::slide/velocity", "m/s", 1.0, 0.0),
        },
    ),
    Case(
        "Elementary/SpringDamperSystem",
        lambda dt: Motion.of(hanging_bodies(), 10.0, dt=dt, twists={"body1": TURNING}, reactions=False),
        {
            "p2.s": ("joint/m::p2/position", "m", 1.0, 0.1),
            "p2.v": ("joint/m::p2/velocity", "m/s", 1.0, 0.0),
        },
        {"body1.frame_a.r_0": "body1", "body1.v_0": "body1", "body1.w_a": "body1"},
    ),
    Case(
        "Elementary/FreeBody", lambda dt: Motion.of(free_body(), 10.0, dt=dt, reactions=False), {},
        {"body.body.frame_a.r_0": "body", "body.v_0": "body", "body.body.w_a": "body"},
    ),
    Case("Loops/Fourbar1", lambda dt: cranked(four_bar(MASSIVE), {"j1": START}, dt), hinge("j1", "j1")),
    Case("Loops/Fourbar2", lambda dt: cranked(four_bar(MASSLESS), {"j1": START}, dt), hinge("j1", "j1")),
    Case("Loops/Fourbar_analytic", lambda dt: cranked(four_bar(MASSLESS), {"j1": START}, dt), hinge("j1", "j1")),
    *(
        Case(name, lambda dt: cranked(four_bar(MASSLESS), {"j1": START}, dt), hinge("j1", "j1"), within=VARIANTS)
        for name in ("SphericalAndUniversal", "UniversalSpherical")
    ),
    Case("JointUSP", lambda dt: cranked(braked(), {"j1": START}, dt), hinge("revolute", "j1"), within=VARIANTS),
    Case(
        "JointUSR",
        lambda dt: Motion.of(of_balls(), 2.0, dt=dt, velocities={"j2": -0.4}, reactions=False), slide("j2"),
        within=VARIANTS,
    ),
    Case(
        "JointSSR",
        lambda dt: Motion.of(of_points(), 1.1, dt=dt, velocities={"j2": -0.2}, reactions=False), slide("j2"),
        within=VARIANTS,
    ),
    Case("Loops/Engine1a", lambda dt: cranked(engine(), {"bearing": 10.0}, dt), hinge("inertia", "bearing")),
    Case("Loops/PlanarFourbar", lambda dt: cranked(planar_four_bar(), {}, dt), hinge("revolute1", "j1")),
    Case(
        "Rotational3DEffects/GearConstraint",
        lambda dt: Motion.of(geared_shafts(), 5.0, dt=dt, drives={"a": WAVE}, reactions=False),
        hinge("gearConstraint.actuatedRevolute_b", "b"),
    ),
    Case(
        "Rotational3DEffects/GyroscopicEffects",
        lambda dt: Motion.of(gyroscope(), 5.0, dt=dt, velocities={"spin": 10.0}, still_balls=True, reactions=False),
        hinge("revolute", "spin"), {"bodyCylinder2.body.w_a": "wheel"},
    ),
    Case(
        "Constraints/PrismaticConstraint", lambda dt: Motion.of(ON_SLIDES, 10.0, dt=dt, reactions=False),
        {
            "jointPrismatic_x.s": ("joint/m::x/position", "m", 1.0, 0.0),
            "jointPrismatic_x.v": ("joint/m::x/velocity", "m/s", 1.0, 0.0),
            "jointPrismatic_y.s": ("joint/m::y/position", "m", 1.0, 0.0),
            "jointPrismatic_y.v": ("joint/m::y/velocity", "m/s", 1.0, 0.0),
        },
        {"bodyOfConstraint.r_0": "body", "bodyOfConstraint.v_0": "body"},
    ),
    Case(
        "Constraints/RevoluteConstraint", lambda dt: Motion.of(ON_HINGE, 10.0, dt=dt, reactions=False),
        {"joint.phi": ("joint/m::hinge/position", "rad", 1.0, 0.0)}, TURNS,
    ),
    Case(
        "Constraints/SphericalConstraint",
        lambda dt: Motion.of(ON_BALL, 10.0, dt=dt, still_balls=True, reactions=False), {}, TURNS,
    ),
    Case(
        "Constraints/UniversalConstraint", lambda dt: Motion.of(ON_CROSS, 10.0, dt=dt, reactions=False),
        {
            "joint.phi_a": ("joint/m::cross/position", "rad", 1.0, 0.0),
            "joint.phi_b": ("joint/m::cross:axis2/position", "rad", 1.0, 0.0),
            "joint.w_a": ("joint/m::cross/velocity", "rad/s", 1.0, 0.0),
            "joint.w_b": ("joint/m::cross:axis2/velocity", "rad/s", 1.0, 0.0),
        },
        TURNS,
    ),
)  # fmt: skip
