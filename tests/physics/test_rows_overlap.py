"""Links that overlap from the start where their joints hardly let them move apart: nothing may be thrown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings
from tests.helpers import documents
from tests.physics.worlds import make_steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]


def box(name: str, pose: str, size: str, mass: float = 1.0, moment: float = 0.01) -> str:
    inertia = f"<inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz></inertia>"
    shape = f'<collision name="c"><geometry><box><size>{size}</size></box></geometry></collision>'
    return f'<link name="{name}"><pose>{pose}</pose><inertial><mass>{mass}</mass>{inertia}</inertial>{shape}</link>'


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9, 1e-5])
def test_an_overlap_along_the_axes_of_hinges(write_document: Write, tilt: float) -> None:
    """Three boxes that turn about parallel axes, the third 5 mm into the first along them: no turn takes them apart, so
    none is made of it. Axes that are tilted against each other give the contact levers of `tilt` times a metre, by
    which 5 mm would be up to 5e9 rad. The boxes fall together: the energy is constant, and inside nothing moves by more
    than 0.1 rad a step for each contact."""
    hinges = "".join(
        f'<joint name="{name}" type="revolute"><pose relative_to="__model__">{place} 0 0 0 0 0</pose>'
        f"<parent>{parent}</parent><child>{child}</child><axis><xyz>{lean} 0 "
        "1</xyz><limit><lower>-0.2</lower><upper>0.2</upper></limit></axis></joint>"
        for name, place, parent, child, lean in (("j", 0.3, "a", "b", 0.0), ("k", 0.2, "b", "c", tilt))
    )
    links = (
        box("a", "0 0 0 0 0 0", "0.4 0.4 0.1"), box("b", "0.3 0 0.3 0 0 0", "0.1 0.1 0.1"),
        box("c", "0 0 0.095 0 0 0", "0.2 0.2 0.1"),
    )  # fmt: skip
    engine = make_engine(
        open_document(write_document(documents.world(documents.model("m", *links, hinges)))), SessionSettings()
    )
    scale = 3.0 * 9.8 * 0.5 * 9.8 * 2.0**2
    for _ in range(2000):
        engine.step()
        state = engine.snapshot()
        assert np.abs(state.velocity).max() < 1.0
        assert np.abs(state.position).max() < 0.2 + 1e-6
    assert engine.contacts() or tilt > 0.0 or state.position == pytest.approx([0.0, 0.0], abs=1e-9)
    assert abs(state.energy.error) < 1e-9 * scale


def legs_in_a_trunk() -> str:
    """Four legs of two crossing hinges, the ball of each 44 mm deep in the trunk along the axis of its second hinge;
    about that of the first it has a lever of 0.1 to 0.4 mm."""
    parts = [box("trunk", "0 0 0 0 0 0", "0.647 0.15 0.112", 12.0, 0.2)]
    for k, (x, side) in enumerate(((0.24, 1), (0.24, -1), (-0.24, 1), (-0.24, -1))):
        small = "<inertia><ixx>0.003</ixx><iyy>0.004</iyy><izz>0.004</izz></inertia>"
        ball = (
            f"<pose>-0.007 {-0.1 * side} {1e-4 * (k + 1)} 0 0 0</pose><geometry><sphere><radius>0.02</radius>"
            "</sphere></geometry>"
        )
        parts += [
            f'<link name="hip{k}"><pose>{x} {0.051 * side} 0 0 0 0</pose><inertial>'
            f"<mass>2</mass>{small}</inertial></link>",
            f'<link name="leg{k}"><pose>{x} {0.135 * side} 0 0 0 0</pose><inertial><mass>0.8</mass>{small}</inertial>'
            f'<collision name="c">{ball}</collision></link>',
            f'<joint name="h{k}" type="revolute"><parent>trunk</parent><child>hip{k}</child><axis><xyz>1 0 0</xyz>'
            "<limit><lower>-1.2</lower><upper>1.2</upper></limit></axis></joint>",
            f'<joint name="t{k}" type="revolute"><parent>hip{k}</parent><child>leg{k}</child><axis>'
            "<xyz>0 1 0</xyz></axis></joint>",
        ]
    return documents.world(documents.model("m", "<self_collide>true</self_collide>", *parts))


def test_legs_that_begin_deep_in_a_trunk(write_document: Write) -> None:
    """Making room turns the legs, by impulses that are large beside what they move: nothing of their rounding may be
    left. What is lifted until they are apart is the only error of the energy, less than to lift the legs by the depth;
    then all of it falls freely."""
    engine = make_engine(open_document(write_document(legs_in_a_trunk())), SessionSettings())
    make_steps(engine, 200)
    lifted = engine.snapshot().energy.error
    assert 0.0 <= lifted < 4 * 2.8 * 9.8 * 0.044
    fallen = engine.snapshot().body_velocities[1, 5]
    make_steps(engine, 800)
    state = engine.snapshot()
    assert state.energy.error == pytest.approx(lifted, abs=1e-9)
    assert state.body_velocities[1, 5] - fallen == pytest.approx(-9.8 * 0.8, abs=1e-9)
    assert np.abs(state.velocity).max() < 1e-9


FLAP = (
    '<joint name="hinge" type="revolute"><pose relative_to="__model__">0 0 0.5 0 0 0</pose><parent>world</parent>'
    "<child>flap</child><axis><xyz>0 1 0</xyz>{spring}</axis></joint>"
)
SPRING = "<dynamics><spring_stiffness>40</spring_stiffness><spring_reference>0.3</spring_reference></dynamics>"


def boxes_in_each_other() -> str:
    """Two boxes, the upper one 20 mm in the lower one, which is 10 mm in the ground."""
    plane = "<geometry><plane><normal>0 0 1</normal></plane></geometry>"
    ground = f'<static>true</static><link name="l"><collision name="c">{plane}</collision></link>'
    lower, upper = box("b", "0 0 0.09 0 0 0", "0.2 0.2 0.2"), box("b", "0 0 0.27 0 0 0", "0.2 0.2 0.2")
    return "".join(
        documents.model(name, part) for name, part in (("ground", ground), ("lower", lower), ("upper", upper))
    )


def box_on_a_hinge(spring: str = "") -> str:
    """A flap that hangs from the world and leans by 30 mm into a box that is fixed."""
    fixed = "<static>true</static>" + box("b", "0.12 0 0 0 0 0", "0.2 0.2 0.2")
    flap = box("flap", "0 0 0.2 0 0 0", "0.1 0.1 0.6")
    return documents.model("wall", fixed) + documents.model("m", flap, FLAP.format(spring=spring))


@pytest.mark.parametrize("parts", [boxes_in_each_other(), box_on_a_hinge(), box_on_a_hinge(SPRING)])
def test_energy_of_moving_overlaps_apart_is_booked(write_document: Write, parts: str) -> None:
    """What parting lifts and strains is measured where it happens, so that of it no more than 1e-3 is missing in the
    balance (which leaves room for the smooth motion meanwhile). A spring that pulls the same way loses by it."""
    engine = make_engine(open_document(write_document(documents.world(parts))), SessionSettings())
    make_steps(engine, 60)
    energy = engine.snapshot().energy
    assert abs(energy.overlap) > 5e-3
    assert abs(energy.error) <= 1e-3 * abs(energy.overlap)


def test_two_boxes_are_lifted_by_what_they_overlap(write_document: Write) -> None:
    """The lower one by 10 mm, the upper one by 30 mm, at rest on each other: m g h of both; 1e-4 is left of it by what
    counts as touching, 1e-6 m."""
    engine = make_engine(open_document(write_document(documents.world(boxes_in_each_other()))), SessionSettings())
    make_steps(engine, 200)
    assert engine.snapshot().energy.overlap == pytest.approx(1.0 * 9.8 * (0.01 + 0.03), rel=1e-3)


def test_nothing_is_booked_where_nothing_overlaps(write_document: Write) -> None:
    """A box that falls flat on the ground, and one in a block of steps and step by step: the same column."""
    text = boxes_in_each_other().replace("0 0 0.09", "0 0 0.1").replace("0 0 0.27", "0 0 0.4")
    path = write_document(documents.world(text))
    engine, single = (make_engine(open_document(path), SessionSettings()) for _ in range(2))
    make_steps(engine, 300)
    for _ in range(300):
        single.step()
    assert abs(engine.snapshot().energy.overlap) < 1e-9
    assert single.snapshot().energy.overlap == engine.snapshot().energy.overlap
