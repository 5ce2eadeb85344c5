"""What gz-physics tests of mimic joints (joint_mimic_features.cc), as worlds of our own and a thousand times tighter.

gz allows 0.1 for the triples and the universal joints and 5e-3 for the pendulums; here 1e-4 and 5e-6 are asked for,
1e-9 where nothing stands against it. Laws come one after the other, the state is carried over by `change_coupling`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.errors import DocumentError
from simulator.session.open.opening import open_document
from tests.physics.worlds import advance, example, joint, link, model, running, world

Write = Callable[..., Path]
Law = tuple[float, float, float]
OWN = pytest.mark.parametrize("solver", ["rows", "reduced"])
ALL = pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
TRIPLES: tuple[Law, ...] = (
    (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (1.0, 0.1, 0.0), (1.0, 0.05, 0.05),
    (-1.0, 0.2, 0.0), (-1.0, 0.05, -0.05), (-2.0, 0.0, 0.0), (2.0, 0.1, 0.0),
)  # fmt: skip
PENDULUM_TRIPLES: tuple[Law, ...] = (
    (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (1.0, 0.1, 0.0), (1.0, 0.2, 0.1),
    (-1.0, 0.2, 0.0), (-2.0, 0.0, 0.0), (2.0, 0.1, 0.0), (2.0, 0.3, -0.1),
)  # fmt: skip


def mimic(leader: str) -> str:
    return f'<mimic joint="{leader}"><multiplier>1</multiplier></mimic>'


def axis(engine: Engine, name: str) -> int:
    index = engine.mechanism.axis_index(name)
    assert index is not None
    return index


def law_error(engine: Engine, leader: str, follower: str, law: Law) -> float:
    q = engine.snapshot().position
    multiplier, offset, reference = law
    return abs(float(multiplier * (q[axis(engine, leader)] - reference) + offset - q[axis(engine, follower)]))


def slides_and_wheels(*, tied: bool) -> str:
    """Three vertical slides on springs, of which two have stops at +-0.25 m, and two damped wheels with a lopsided
    mass.

    p2 and r1 follow p1, r2 and p3 follow r1.
    """
    stop, free = "<limit><lower>-0.25</lower><upper>0.25</upper></limit>", ""

    def slide(name: str, x: float, stiffness: float, limits: str, leader: str) -> tuple[str, str]:
        spring = f"<dynamics><spring_stiffness>{stiffness}</spring_stiffness></dynamics>"
        inside = spring + limits + (mimic(leader) if tied and leader else "")
        return link(f"link_{name}", pose=f"{x} 0 2 0 0 0"), joint(name, "prismatic", f"link_{name}", inside_axis=inside)

    def wheel(name: str, x: float, leader: str) -> tuple[str, str]:
        inside = "<dynamics><damping>3</damping></dynamics>" + (mimic(leader) if tied else "")
        body = link(f"link_{name}", inertia="0.1 0.1 0.1", com="0.2 0 0", pose=f"{x} 0 2 0 0 0")
        return body, joint(name, "revolute", f"link_{name}", axis="0 1 0", inside_axis=inside)

    parts = (
        *slide("p1", 0, 50, stop, ""),
        *slide("p2", 1, 100, stop, "p1"),
        *wheel("r1", 2, "p1"),
        *wheel("r2", 3, "r1"),
        *slide("p3", 4, 100, free, "r1"),
    )
    return world(model(*parts))


TIES = (("p1", "p2"), ("p1", "r1"), ("r1", "r2"), ("r1", "p3"))


def test_slides_and_wheels_alone_differ(write_document: Write) -> None:
    """Without couplings they move apart, so that what follows shows something."""
    with running(write_document(slides_and_wheels(tied=False))) as engine:
        for step in range(10):
            engine.step()
            if step > 5:
                q = {name: engine.snapshot().position[axis(engine, name)] for name in ("p1", "p2", "r1", "p3")}
                assert q["p1"] != q["p2"]
                assert q["p1"] != q["r1"]
                assert q["r1"] != q["p3"]


@ALL
def test_triples_of_slides_and_wheels(write_document: Write, solver: str) -> None:
    """All four laws change to each triple in turn and hold at every step, also where a stop stands against them."""
    with running(write_document(slides_and_wheels(tied=True)), solver=solver) as engine:
        at = {frozenset(a for a, _ in c.terms): i for i, c in enumerate(engine.mechanism.couplings)}
        order = [at[frozenset((axis(engine, leader), axis(engine, follower)))] for leader, follower in TIES]
        for law in TRIPLES:
            for index in order:
                engine.change_coupling(index, *law)
            energy = engine.snapshot().energy.kinetic
            assert np.isfinite(energy)
            advance(engine, 0.2)
            for _ in range(10):
                engine.step()
                for leader, follower in TIES:
                    assert law_error(engine, leader, follower, law) <= (1e-4 if solver == "gear" else 1e-12)
                q = engine.snapshot().position
                assert max(abs(q[axis(engine, "p1")]), abs(q[axis(engine, "p2")])) <= 0.25 + 1e-9 or solver == "gear"


def two_pendulums() -> str:
    return world(
        model(
            link("base", inertia="1 1 1"),
            link("upper_1", inertia="0.1 0.1 0.1", com="0.5 0 0", pose="0 0 2 0 0 0"),
            link("upper_2", inertia="0.1 0.1 0.1", com="0.3 0 0.1", pose="0 1 2 0 0 0"),
            '<joint name="weld" type="fixed"><parent>world</parent><child>base</child></joint>',
            joint("upper_joint_1", "revolute", "upper_1", parent="base", axis="0 1 0"),
            joint(
                "upper_joint_2", "revolute", "upper_2", parent="base", axis="0 1 0", inside_axis=mimic("upper_joint_1")
            ),
        )
    )


@ALL
def test_triples_of_pendulums(write_document: Write, solver: str) -> None:
    with running(write_document(two_pendulums()), solver=solver) as engine:
        for law in PENDULUM_TRIPLES:
            engine.change_coupling(0, *law)
            advance(engine, 0.075)
            for _ in range(10):
                engine.step()
                assert law_error(engine, "upper_joint_1", "upper_joint_2", law) <= (5e-6 if solver == "gear" else 1e-12)
        assert abs(engine.snapshot().velocity).max() > 0.1, "nothing moved"


@ALL
def test_fast_and_slow_pendulums(solver: str) -> None:
    """The free fast one outruns all, the free slow one is outrun by all; tied ones move alike, for any choice of the
    leader."""
    with running(example("fast_slow_pendulums"), solver=solver) as engine:
        names = [info.name for info in engine.mechanism.axes]
        free = {
            kind: next(i for i, n in enumerate(names) if n.startswith("pendulums_free::") and kind in n)
            for kind in ("fast", "slow")
        }
        tied = [i for i in range(len(names)) if i not in free.values()]
        assert len(tied) == 4
        advance(engine, 0.002)
        for _ in range(300):
            engine.step()
            snapshot = engine.snapshot()
            for values in (snapshot.position, snapshot.velocity):
                assert (values > 0.0).all()
                assert values[free["fast"]] > values[tied].max()
                assert values[free["slow"]] < values[tied].min()
            assert (snapshot.position <= math.pi / 2).all()
            assert np.ptp(snapshot.velocity[tied]) <= 5e-6


def universal(name: str, x: float, inside: str = "") -> tuple[str, str]:
    body = link(f"link_{name}", inertia="0.1 0.2 0.3", com="0 0 -0.4", pose=f"{x} 0 2 0 0 0")
    axes = f"<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz>{inside}</axis2>"
    return body, f'<joint name="{name}" type="universal"><parent>world</parent><child>link_{name}</child>{axes}</joint>'


@OWN
def test_second_axis_of_a_universal_joint(write_document: Write, solver: str) -> None:
    """q2 of the second = 2 q2 of the first + 0.1: set to 0.5 it stands at 1.1 at once, and swings on by the law."""
    law = '<mimic joint="universal_joint_1" axis="axis2"><multiplier>2</multiplier><offset>0.1</offset></mimic>'
    document = write_document(world(model(*universal("universal_joint_1", 0), *universal("universal_joint_2", 2, law))))
    with running(document, solver=solver) as engine:
        names = [info.name for info in engine.mechanism.axes]
        lead = next(i for i, n in enumerate(names) if "joint_1" in n and i % 2 == 1)
        follow = next(i for i, n in enumerate(names) if "joint_2" in n and i % 2 == 1)
        engine.place(lead, 0.5)
        position = engine.snapshot().position
        assert position[lead] == pytest.approx(0.5, abs=1e-12)
        assert position[follow] == pytest.approx(1.1, abs=1e-12)
        assert np.abs(np.delete(position, [lead, follow])).max() <= 1e-12
        for _ in range(100):
            engine.step()
            snapshot = engine.snapshot()
            assert snapshot.position[follow] == pytest.approx(2.0 * snapshot.position[lead] + 0.1, abs=1e-12)
            assert snapshot.velocity[follow] == pytest.approx(2.0 * snapshot.velocity[lead], abs=1e-12)
        assert abs(snapshot.velocity[lead]) > 0.1, "nothing moved"


@pytest.mark.parametrize("follower", ["ball", "hinge"])
def test_balls_neither_lead_nor_follow(write_document: Write, follower: str) -> None:
    """A ball has three freedoms and no axis: the document is refused and the finding names the joint."""
    other = "hinge" if follower == "ball" else "ball"
    inside = {name: (mimic(other) if name == follower else "") for name in ("ball", "hinge")}
    ball = (
        '<joint name="ball" type="ball"><parent>world</parent><child>a</child><axis>'
        f"<xyz>0 0 1</xyz>{inside['ball']}</axis></joint>"
    )
    parts = model(
        link("a"), link("b", pose="1 0 0 0 0 0"), ball, joint("hinge", "revolute", "b", inside_axis=inside["hinge"])
    )
    opened = open_document(write_document(world(parts)))
    if follower == "hinge":
        with pytest.raises(DocumentError) as failure:
            opened.require_valid()
        assert any("ball" in str(finding) for finding in failure.value.diagnostics)
    else:
        assert any("ball" in str(finding) for finding in opened.diagnostics), (
            "what a ball says of an axis is not passed over in silence"
        )
        assert not opened.mechanism.couplings


@ALL
def test_a_law_is_given_before_the_first_step(write_document: Write, solver: str) -> None:
    """A chain of three links of a model that was just opened takes another law at once."""
    parts = model(
        link("base", pose="0 0 1 0 0 0"),
        link("one", inertia="0.1 0.1 0.1", com="0.2 0 0", pose="0 0 1 0 0 0"),
        link("two", inertia="0.1 0.1 0.1", com="0.2 0 0", pose="0.5 0 1 0 0 0"),
        '<joint name="weld" type="fixed"><parent>world</parent><child>base</child></joint>',
        joint("leader_joint", "revolute", "one", parent="base", axis="0 1 0"),
        joint("follower_joint", "revolute", "two", parent="one", axis="0 1 0", inside_axis=mimic("leader_joint")),
    )
    with running(write_document(world(parts)), solver=solver) as engine:
        engine.change_coupling(0, -2.0, 0.1, 0.0)
        advance(engine, 0.2)
        assert law_error(engine, "leader_joint", "follower_joint", (-2.0, 0.1, 0.0)) <= 5e-6
