"""Which nodes loops have a part in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from simulator.physics.build.build import build_buffers
from simulator.physics.layout import buffers as at
from simulator.session.open.opening import open_document
from tests.physics.worlds import joint, link, model, world

Write = Callable[[str], Path]


def looped(path: Path) -> dict[str, bool]:
    """By the name of a link, whether loops have a part in how its node moves."""
    mechanism = open_document(path).mechanism
    parts = build_buffers(mechanism)
    flags = at.int_block(parts.N, at.I_LOOPED)
    names = {index: name.split("::")[-1] for name, index in mechanism.link_bodies().items()}
    nodes = parts.tree.node_of_body
    return {names[body]: bool(flags[nodes[body]]) for body in range(1, len(mechanism.bodies)) if nodes[body] >= 0}


def bars(root: str) -> str:
    """Two bars on a link, and what closes a loop with them: a parallelogram of 1 m by 1 m."""
    links = [link("left", com="0 0.5 0"), link("right", com="0 0.5 0", pose="1 0 0 0 0 0")]
    links.append(link("top", com="0.5 0 0", pose="0 1 0 0 0 0"))
    joints = [joint("a", "revolute", "left", parent=root), joint("b", "revolute", "right", parent=root)]
    joints += [joint("c", "revolute", "top", parent="left"), joint("d", "revolute", "top", parent="right")]
    return "".join((*links, *joints))


def test_what_hangs_on_nothing_of_a_loop_is_none_of_its_business(write_document: Write) -> None:
    """A loose body, and an arm of the world, beside a parallelogram: a push on them moves nothing in it."""
    arm = link("arm") + joint("e", "revolute", "arm") + link("hand") + joint("f", "revolute", "hand", parent="arm")
    document = world(model(bars("world"), name="m") + model(arm, name="n") + model(link("loose"), name="o"))
    found = looped(write_document(document))
    assert found == {"left": True, "right": True, "top": True, "arm": False, "hand": False, "loose": False}


def test_what_carries_a_loop_or_hangs_on_it_is_its_business(write_document: Write) -> None:
    """A free base that carries the parallelogram, and a link on its top."""
    tip = link("tip") + joint("e", "revolute", "tip", parent="top")
    assert all(looped(write_document(world(model(link("base"), bars("base"), tip)))).values())


def test_a_coupling_makes_an_arm_the_business_of_a_loop(write_document: Write) -> None:
    """The arm mimics a joint of the loop: they share a coordinate, so that what pushes the arm moves the loop."""
    mimic = '<mimic joint="a"><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic>'
    arm = link("arm") + joint("e", "revolute", "arm", inside_axis=mimic)
    found = looped(write_document(world(model(bars("world"), arm) + model(link("loose"), name="o"))))
    assert found["arm"]
    assert not found["loose"]
