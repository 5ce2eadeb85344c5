"""Random mechanisms with loops, written as documents that say at which joint they are cut.

Planar rings of four or five bars, with dyads beside them, and rings in space whose joints have seven or eight freedoms
together; wheels on the ground that follow their axes or lead them; springs, dampers, friction, effort limits, and
transmissions with rotors. All are closed at position zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from tests.helpers.documents import mimic
from tests.physics.axes import dynamics, limit
from tests.physics.worlds import joint, link, model, world

Point = tuple[float, float, float]
FREEDOMS = {"revolute": 1, "prismatic": 1, "universal": 2, "ball": 3}
CUT = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
WORLD = "world"


@dataclass
class Draft:
    """A mechanism while it is drawn.

    `links` and `wheels`: as text; `joints` by name: kind, parent, child, place and axes in the world; `laws`, `passive`
    and `efforts`: what is inside their first axes.
    """

    random: np.random.Generator
    planar: bool
    links: list[str] = field(default_factory=list)
    joints: dict[str, tuple[str, str, str, Point, list[Point]]] = field(default_factory=dict)
    laws: dict[str, str] = field(default_factory=dict)
    passive: dict[str, dict[str, float]] = field(default_factory=dict)
    efforts: dict[str, float] = field(default_factory=dict)
    wheels: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    mobility: int = 1

    def body(self, name: str, ends: Sequence[Point]) -> None:
        """A link amid points, with an inertia of its own."""
        place = np.mean(np.array(ends), axis=0) + (0.0 if self.planar else self.random.uniform(-0.02, 0.02, 3))
        a, b, c = self.random.uniform(0.005, 0.02, 3).tolist()
        self.links.append(
            link(
                name,
                pose=f"{_text(place)} 0 0 0",
                mass=float(self.random.uniform(0.3, 1.5)),
                inertia=f"{a!r} {b!r} {c!r}",
            )
        )

    def hinge(self, kind: str, parent: str, child: str, at: Point) -> str:
        """A joint of a loop; returns its name."""
        name = f"j{len(self.joints)}"
        self.joints[name] = (kind, parent, child, at, self._directions(kind))
        return name

    def _inside(self, name: str) -> str:
        stops = limit(effort=self.efforts[name]) if name in self.efforts else ""
        return self.laws.get(name, "") + stops + dynamics(**self.passive.get(name, {}))

    def _directions(self, kind: str) -> list[Point]:
        if self.planar:
            turn = self.random.uniform(0, 2 * math.pi)
            return [(math.cos(turn), 0.0, math.sin(turn)) if kind == "prismatic" else (0.0, 1.0, 0.0)]
        first, other = self.random.normal(size=3), self.random.normal(size=3)
        second = np.cross(first, other)
        return [_unit(first), _unit(second)][: 0 if kind == "ball" else FREEDOMS[kind]]

    @property
    def scalar(self) -> list[str]:
        """Joints of loops that have one axis."""
        return [name for name, (kind, *_) in self.joints.items() if FREEDOMS[kind] == 1]

    @property
    def drivable(self) -> list[str]:
        """Those of them that follow no other."""
        return [name for name in self.scalar if name not in self.laws]

    def text(self, cut: str = "") -> str:
        """The document, cut at a joint, or where the program likes."""
        parts = []
        for name, (kind, parent, child, at, axes) in self.joints.items():
            inside = self._inside(name)
            marked = CUT if name == cut else ""
            lines = "".join(
                f"<{tag}><xyz expressed_in='__model__'>{_text(axis)}</xyz>{inside if tag == 'axis' else ''}</{tag}>"
                for tag, axis in zip(("axis", "axis2"), axes, strict=False)
            )
            parts.append(
                f'<joint name="{name}" type="{kind}"><pose relative_to="__model__">{_text(at)} 0 0 0</pose>'
                f"<parent>{parent}</parent><child>{child}</child>{lines}{marked}</joint>"
            )
        return world(model(*self.links, *parts, *self.wheels, *self.extra))


def random_machine(seed: int) -> Draft:
    """Every second one moves in a plane."""
    random = np.random.default_rng(seed)
    draft = Draft(random, planar=seed % 2 == 0)
    if draft.planar:
        _ring(draft, ["revolute"] * (int(random.integers(0, 2)) + 4), slide=random.random() < 0.4)
        for _ in range(int(random.integers(0, 3))):
            _dyad(draft)
    else:
        _ring(draft, _joints_in_space(random), slide=random.random() < 0.4)
    _add_wheels(draft)
    for name in draft.scalar:
        if random.random() < 0.3:
            draft.passive[name] = {
                "damping": float(random.uniform(0, 0.1)),
                "spring_stiffness": float(random.uniform(0, 3.0)),
            }
    return draft


def _joints_in_space(random: np.random.Generator) -> list[str]:
    """Kinds in a ring, a hinge on the ground first; seven freedoms for a mobility of one, or eight."""
    rings = (
        ["revolute", "ball", "ball", "revolute"],
        ["revolute", "ball", "universal", "revolute"],
        ["revolute", "universal", "ball", "revolute"],
        ["revolute", "revolute", "ball", "revolute", "revolute"],
        ["revolute", "universal", "universal", "universal"],
        ["revolute"] * 7,
        ["revolute", "universal", "ball", "universal"],
        ["revolute"] * 8,
    )
    return list(rings[int(random.integers(len(rings)))])


def _ring(draft: Draft, kinds: list[str], *, slide: bool) -> None:
    """Joints and bodies in a closed chain, the ground being one of them."""
    random, count = draft.random, len(kinds)
    hinges = [i for i in range(1, count) if kinds[i] == "revolute"]
    if slide and hinges:
        kinds[int(random.choice(hinges))] = "prismatic"
    angles = (np.arange(count) + random.uniform(-0.3, 0.3, count)) * 2 * math.pi / count
    radii = random.uniform(0.2, 0.4, count)
    depth = np.zeros(count) if draft.planar else random.uniform(-0.2, 0.2, count)
    places: list[Point] = [
        (float(r * math.cos(a)), float(d), float(r * math.sin(a))) for r, a, d in zip(radii, angles, depth, strict=True)
    ]
    names = [WORLD, *(f"l{i}" for i in range(count - 1)), WORLD]
    for i in range(count - 1):
        draft.body(names[i + 1], places[i : i + 2])
    for i, kind in enumerate(kinds):
        # The last joint is the other end of the chain: its child is the last body.
        parent, child = (names[i], names[i + 1]) if i < count - 1 else (WORLD, names[i])
        draft.hinge(kind, parent, child, places[i])
    # A bar between two balls spins by itself: that is of no use to the others.
    draft.mobility = sum(FREEDOMS[kind] for kind in kinds) - (3 if draft.planar else 6) - kinds.count("ball") // 2


def _dyad(draft: Draft) -> None:
    """Two bars between a body of the ring and the ground: another loop, and no other mobility."""
    random, number = draft.random, len(draft.links)
    first, last = (int(random.integers(1, len(draft.links))), number)
    name, parent = list(draft.joints)[first], draft.joints[list(draft.joints)[first]][2]
    at = np.array(draft.joints[name][3]) + random.uniform(-0.1, 0.1, 3) * (1, 0, 1)
    ground = np.array((random.uniform(-0.5, 0.5), 0.0, random.uniform(-0.6, -0.4)))
    knee = 0.5 * (at + ground) + random.uniform(0.1, 0.2) * np.array((1, 0, 1))
    points = [_point(at), _point(knee), _point(ground)]
    draft.body(f"l{last}", points[:2])
    draft.body(f"l{last + 1}", points[1:])
    draft.hinge("revolute", parent, f"l{last}", points[0])
    draft.hinge("revolute", f"l{last}", f"l{last + 1}", points[1])
    draft.hinge("revolute", WORLD, f"l{last + 1}", points[2])


def _add_wheels(draft: Draft) -> None:
    """Wheels that follow axes of the loops, or each other; with mobility to spare, an axis of a loop follows, too."""
    random, leaders = draft.random, list(draft.scalar)
    for i in range(int(random.integers(0, 4))):
        leader = str(random.choice(leaders))
        law = mimic(leader, float(random.choice([-2.0, -0.5, 0.7, 1.5])))
        turning = dynamics(damping=float(random.uniform(0, 0.02)))
        draft.links.append(link(f"w{i}", pose=f"1 {i} 0 0 0 0", inertia="0.01 0.02 0.01"))
        draft.wheels.append(joint(f"jw{i}", "revolute", f"w{i}", axis="0 1 0", inside_axis=law + turning))
        leaders.append(f"jw{i}")
    free = [name for name in draft.scalar[1:] if draft.joints[name][0] == "revolute"]
    if draft.mobility > 1 and free and random.random() < 0.7:
        name = str(random.choice(free))
        # What follows this axis already must not lead it.
        follows = [leader for leader in (draft.scalar[0], "jw0") if leader in leaders]
        if not any(f'joint="{name}"' in wheel for wheel in draft.wheels):
            draft.laws[name] = mimic(str(random.choice(follows)), float(random.choice([-0.7, 0.5, 1.2])))
            draft.mobility -= 1


def add_friction(draft: Draft) -> None:
    """Friction on one or two axes of the loops."""
    for name in draft.random.choice(draft.scalar, 2):
        draft.passive.setdefault(str(name), {})["friction"] = float(draft.random.uniform(0.05, 0.3))


def add_rotors(draft: Draft) -> None:
    """Simple transmissions on two axes of loops, or a differential on both."""
    random = draft.random
    axes = [str(name) for name in random.permutation(draft.drivable)[:2]]
    motors = [(float(random.uniform(5, 30)), float(random.uniform(1e-5, 2e-4))) for _ in axes]
    if len(axes) < 2 or random.random() < 0.5:
        draft.extra += [transmission(f"t{i}", "Simple", [axes[i]], [motors[i]]) for i in range(len(axes))]
    else:
        draft.extra.append(transmission("t", "Differential", axes, motors))


def transmission(name: str, kind: str, axes: Sequence[str], motors: Sequence[tuple[float, float]]) -> str:
    """Of a kind on these joints, with a reduction and a rotor inertia [kg m² or kg] for each actuator."""
    actuators = "".join(
        f'<actuator name="{name}_a{i}" role="actuator{i + 1}"><mechanical_reduction>{reduction!r}'
        f"</mechanical_reduction><motorInertia>{inertia!r}</motorInertia></actuator>"
        for i, (reduction, inertia) in enumerate(motors)
    )
    joints = "".join(f'<joint name="{axis}" role="joint{i + 1}"/>' for i, axis in enumerate(axes))
    interfaces = "".join(f'<joint name="{axis}"><command_interface name="effort"/></joint>' for axis in axes)
    return (
        f'<ros2_control name="{name}" type="system"><hardware><plugin>p</plugin></hardware>{interfaces}'
        f'<transmission name="{name}"><plugin>transmission_interface/{kind}Transmission</plugin>{actuators}{joints}'
        "</transmission></ros2_control>"
    )


def cut_at(text: str, name: str = "") -> str:
    """A document whose joint of that name is cut, and no other one on request; without visuals, whose meshes are not
    beside a copy."""
    # Comments may hold two hyphens.
    root = etree.fromstring(text.encode(), etree.XMLParser(recover=True))
    for element in list(root.iter("visual", *(["must_be_loop_joint"] if name else []))):
        parent = element.getparent()
        assert parent is not None
        parent.remove(element)
    for joint_ in [element for element in root.iter("joint") if element.get("name") == name]:
        simbody = etree.SubElement(etree.SubElement(joint_, "physics"), "simbody")
        etree.SubElement(simbody, "must_be_loop_joint").text = "true"
    return str(etree.tostring(root, encoding="unicode"))


def _unit(vector: np.ndarray) -> Point:
    return _point(vector / np.linalg.norm(vector))


def _point(values: np.ndarray) -> Point:
    x, y, z = values.tolist()
    return x, y, z


def _text(values: Sequence[float] | np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)
