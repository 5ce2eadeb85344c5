"""Strategy `rows`: contacts beside closed loops are what they are without, and in loops that friction holds they are
exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.benchmarks.piles import EDGE, pile
from tests.physics.solids import box_shape, ground, solid, surface, wall
from tests.physics.worlds import advance, joint, link, model, running, world

Write = Callable[..., Path]
Array = NDArray[np.float64]
G = 9.8
BAR = "0.001 0.001 0.0001"
HINGE = "<axis><xyz>0 1 0</xyz></axis></joint>"


def bars(closing: str) -> str:
    """Three bars, five metres to the side of everything else; `closing` is a joint between the last two."""
    return model(
        link("a", mass=0.3, inertia=BAR, pose="5 0 1 0 0 0", com="0 0 0.1"),
        link("b", mass=0.4, inertia=BAR, pose="5.4 0 1 0 0 0", com="0 0 0.15"),
        link("c", mass=0.3, inertia=BAR, pose="5 0 1.2 0 0 0", com="0.2 0 0.05"),
        joint("ja", "revolute", "a", axis="0 1 0"),
        joint("jb", "revolute", "b", axis="0 1 0"),
        joint("jc", "revolute", "c", parent="a", axis="0 1 0"),
        closing,
        name="bars",
    )


FOUR_BAR = bars(
    f'<joint name="close" type="revolute"><parent>c</parent><child>b</child><pose>0 0 0.3 0 0 0</pose>{HINGE}'
)
"""Its loop is closed from c to b."""
OPEN = bars("")
"""The same bars, as two pendulums."""


CUBES = ("c0::b", "c1::b", "c2::b", "c3::b")


def heap(beside: str) -> str:
    """Four cubes that fall onto each other, with other bodies beside them."""
    cubes, shape = "", box_shape(f"{EDGE} {EDGE} {EDGE}")
    for name, cube in zip(CUBES, pile(len(CUBES)), strict=True):
        pose, moment = " ".join(repr(x) for x in (*cube.at, *cube.turned)), repr(cube.moment)
        inertia = f"{moment} {moment} {moment}"
        cubes += model(solid("b", shape, inertia=inertia, pose=pose, mu=0.5), name=name.removesuffix("::b"))
    return world(ground(0.5) + cubes + beside)


def cubes_after(path: Path, seconds: float) -> Array:
    """Where the cubes are then, shape (n, 3) [m]."""
    with running(path, dt=1e-3) as engine:
        advance(engine, seconds)
        cubes = [body for name, body in engine.mechanism.link_bodies().items() if name in CUBES]
        places: Array = engine.snapshot().body_poses[cubes, :3].copy()
        return places


def test_a_heap_beside_a_four_bar_falls_as_without_it(write_document: Write) -> None:
    """Cubes that fall, tumble and come to rest do not know that bars swing five metres away, nor whether these are
    closed to a loop. What rounding differs by, 1e-14, blows among tumbling cubes make 1e4 times larger each tenth of a
    second at most until they lie: 2e-10 m is what is seen."""
    with_loop = cubes_after(write_document(heap(FOUR_BAR)), 0.6)
    without = cubes_after(write_document(heap(OPEN)), 0.6)
    assert len(without) == len(CUBES)
    assert np.abs(with_loop - without).max() <= 1e-7


BAR_LENGTH, PAD, REACH = 0.06, 0.01, 0.1
"""Of both parallel bars of a finger; thickness of its pad; from the middle of the palm to the finger's first hinge
[m]."""


def finger(side: int, name: str) -> tuple[str, ...]:
    """A parallelogram of two bars that hang from the palm, and a pad that they carry; it closes to the middle."""
    near, far, top = side * REACH, side * (REACH + 0.04), 0.5
    pad = (
        f'<link name="{name}c"><pose>{near!r} 0 {top - BAR_LENGTH!r} 0 0 0</pose><inertial>'
        f"<pose>{0.02 * side!r} 0 -0.02 0 0 0</pose><mass>0.05</mass>"
        "<inertia><ixx>2e-5</ixx><iyy>2e-5</iyy><izz>2e-5</izz></inertia></inertial>"
        f'<collision name="p"><pose>{-0.5 * PAD * side!r} 0 -0.03 0 0 0</pose><geometry>'
        f"{box_shape(f'{PAD} 0.02 0.04')}</geometry>{surface(0.8)}</collision></link>"
    )
    hinge = f"0 {side} 0"
    return (
        link(f"{name}a", mass=0.03, inertia="2e-5 2e-5 2e-5", pose=f"{near!r} 0 {top} 0 0 0", com="0 0 -0.03"),
        link(f"{name}b", mass=0.03, inertia="2e-5 2e-5 2e-5", pose=f"{far!r} 0 {top} 0 0 0", com="0 0 -0.03"),
        pad,
        joint(f"{name}_a", "revolute", f"{name}a", parent="palm", axis=hinge),
        joint(f"{name}_b", "revolute", f"{name}b", parent="palm", axis=hinge),
        joint(f"{name}_c", "revolute", f"{name}c", parent=f"{name}a", axis=hinge),
        f'<joint name="{name}_close" type="revolute"><parent>{name}c</parent><child>{name}b</child>'
        f"<pose>0 0 {-BAR_LENGTH!r} 0 0 0</pose>{HINGE}",
    )


def test_fingers_on_four_bars_lift_a_box_straight_up(write_document: Write) -> None:
    """Two fingers of 0.19 kg in all, driven by 2 N m each, hold a box of 0.2 kg by friction alone while the palm goes
    up by 0.1 m. Everything is alike left and right, front and back: nothing may move aside, but for rounding.

    Virtual work, with bars at an angle a from the vertical, sin a = 1/6: the pad goes L cos a to the middle and L sin a
    up for each radian, the bars half as far up. 2 N m = N L cos a + (bars + pad) g L sin a + box/2 g L sin a. What
    touches may be off by 1e-6 m, which turns the bars by 2e-5 and changes N by 3e-6 of itself."""
    limits = "<limit><lower>-1</lower><upper>2</upper><effort>200</effort><velocity>0.2</velocity></limit>"
    palm = link("palm", mass=0.5, inertia="1e-3 1e-3 1e-3", pose="0 0 0.5 0 0 0")
    lift = joint("lift", "prismatic", "palm", axis="0 0 1", inside_axis=limits)
    box = solid("b", box_shape("0.16 0.03 0.05"), mass=0.2, inertia="1e-4 1e-4 1e-4", pose="0 0 0.41 0 0 0", mu=0.8)
    table = wall(box_shape("0.04 0.1 0.1"), pose="0 0 0.335 0 0 0")
    text = world(table + model(palm, lift, *finger(1, "r"), *finger(-1, "l"), name="gripper") + model(box, name="box"))
    drives = ("r_a=effort:2", "l_a=effort:2", "lift=position:0.1")
    with running(write_document(text), dt=1e-3, drives=drives) as engine:
        box_at = next(body for name, body in engine.mechanism.link_bodies().items() if name.endswith("box::b"))
        worst = advance(engine, 2.0)
        before = engine.snapshot().body_poses[box_at].copy()
        force = sum(contact.force for contact in engine.contacts())
        advance(engine, 2.0)
        after = engine.snapshot().body_poses[box_at]
    sine = (REACH - PAD - 0.08) / BAR_LENGTH
    lifted = (2 * 0.03 / 2 + 0.05 + 0.2 / 2) * G * BAR_LENGTH * sine
    assert force == pytest.approx(2.0 * (2.0 - lifted) / (BAR_LENGTH * math.sqrt(1.0 - sine * sine)), rel=5e-6)
    assert before[2] > 0.5
    assert np.abs(before[:2]).max() <= 1e-9
    assert np.abs(after - before).max() <= 1e-12, "what is held does not creep"
    assert worst.loop[0] <= 1e-12
