"""Everybody in scripts/bench moves the same mechanism: descriptions for peers, and a short run of each that is
installed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.session.text.settings import SOLVERS
from simulator.spatial.pose import IDENTITY, Pose
from tests.benchmarks.contenders import Contender, Way, assemble_field
from tests.benchmarks.peers.bodies import WORLD, PeerLink, links_of, pairs_of, pins_of
from tests.benchmarks.peers.ours import REDUCED, Ours
from tests.benchmarks.peers.pinocchio_peer import flattened
from tests.benchmarks.roster import everybody
from tests.benchmarks.tasks import DT, TASKS, Task
from tests.helpers.linkages import platform
from tests.helpers.mechanisms import joint, link, mechanism, mimic

AGREEMENT = 0.1
"""Seconds until positions are compared. A method of the first order is then off by dt / t = 1 % of the way at a
constant acceleration."""
SOFT = ("rack", "train 8")
"""Where MuJoCo's default rows are too soft to hold the couplings: its tight setting must agree there, the default is
only run."""


def world_poses(links: list[PeerLink]) -> list[Pose]:
    poses: list[Pose] = []
    for item in links:
        poses.append((IDENTITY if item.parent == WORLD else poses[item.parent]) @ item.X_PL)
    return poses


@pytest.mark.parametrize("name", ["rack", "gear pair", "pendulums", "four-bar", "train 8"])
def test_links_stand_where_the_bodies_are(name: str) -> None:
    built = TASKS[name]().mechanism
    links = links_of(built)
    assert all(item.parent < index for index, item in enumerate(links))
    bodies = {body.name: body for body in built.bodies}
    for item, X_WL in zip(links, world_poses(links), strict=True):
        body = bodies[item.name]
        assert X_WL.transform(item.com) == pytest.approx(body.X_WB.transform(body.com), abs=1e-12)
        assert np.linalg.eigvalsh(item.inertia) == pytest.approx(sorted(body.inertia[:3]), rel=1e-6)


def test_links_are_numbered_depth_first_as_bullet_numbers_its_own() -> None:
    """The coupler hangs on the crank, so it comes before the rocker although the document has it after."""
    names = [item.name.split("::")[1] for item in links_of(TASKS["four-bar"]().mechanism)]
    assert names == ["crank", "coupler", "rocker"]


def test_pins_hold_two_points_that_coincide_at_the_start() -> None:
    built = TASKS["four-bar"]().mechanism
    poses = world_poses(links_of(built))
    (pin,) = pins_of(built)
    first, second = (poses[index].transform(point) for index, point in (pin.first, pin.second))
    assert first == pytest.approx(second, abs=1e-12)


def test_what_peers_are_not_told_is_refused() -> None:
    with pytest.raises(ValueError, match="a loop in space"):
        pins_of(build_mechanism(platform()))
    geared = TASKS["gear pair"]().mechanism
    with pytest.raises(ValueError, match="a coupling of 3 axes"):
        pairs_of(replace(geared, couplings=(replace(geared.couplings[0], others=((0, 1.0),)),)))
    balls = mechanism(link("a"), joint("j", "ball", "world", "a"))
    with pytest.raises(ValueError, match="'m::j' is not a hinge"):
        links_of(balls)


def chain(*laws: tuple[str, str, float, float]) -> Mechanism:
    """Three wheels and laws (follower, leader, multiplier, offset)."""
    said = {follower: mimic(leader, multiplier=m, offset=c) for follower, leader, m, c in laws}
    parts: list[Any] = [link(name) for name in "abc"]
    for n in "abc":
        law = {"mimic": said[f"j{n}"]} if f"j{n}" in said else None
        parts.append(joint(f"j{n}", "revolute", "world", n, axis=law))
    return mechanism(*parts)


def test_chains_of_mimics_are_flattened_whoever_leads() -> None:
    assert flattened(chain(("jb", "ja", 2.0, 0.5), ("jc", "jb", -3.0, 1.0))) == {
        0: (0, 1.0, 0.0),
        1: (0, 2.0, 0.5),
        2: (0, -6.0, -0.5),
    }
    assert flattened(chain(("ja", "jc", 4.0, 1.0))) == {0: (0, 1.0, 0.0), 1: (1, 1.0, 0.0), 2: (0, 0.25, -0.25)}


def test_a_ring_of_couplings_is_refused() -> None:
    built = chain(("jb", "ja", 2.0, 0.0), ("jc", "jb", 1.0, 0.0))
    again = replace(built.couplings[0], follower=2, leader=0)
    with pytest.raises(ValueError, match="ring"):
        flattened(replace(built, couplings=(*built.couplings, again)))


def ready(way: Way, task: Task) -> Contender:
    field = assemble_field(task, [way])
    reason = field.absent.get(way.name, "")
    if reason.startswith("not installed") or "is needed" in reason:
        pytest.skip(f"{reason}: scripts/bench installs it")
    assert not reason
    return field.present[0]


@pytest.mark.parametrize("name", ["rack", "pendulums", "four-bar", "train 8"])
@pytest.mark.parametrize("way", everybody(), ids=lambda way: way.name)
def test_everybody_moves_the_same_mechanism_and_starts_anew(name: str, way: Way) -> None:
    task = TASKS[name]()
    contender, ours = ready(way, task), Ours(task)
    try:
        start = contender.state()[0]
        assert start == pytest.approx(np.zeros(len(task.tree_axes())), abs=1e-15)
        ends = []
        for _ in range(2):
            contender.reset()
            contender.run(round(AGREEMENT / DT) // contender.steps_per_call)
            ends.append(contender.state())
        assert ends[1][0] == pytest.approx(ends[0][0], abs=1e-9)
        ours.run(round(AGREEMENT / DT))
        positions, velocities = ours.state()
        if not (name in SOFT and "MuJoCo Euler" in way.name):
            assert ends[0][0] == pytest.approx(positions, abs=0.03 * np.abs(positions).max())
            assert ends[0][1] == pytest.approx(velocities, abs=0.03 * np.abs(velocities).max())
    finally:
        contender.close()


def test_everybody_is_named_once_and_every_strategy_takes_part() -> None:
    names = [way.name for way in everybody()]
    assert len(names) == len(set(names))
    assert names[0] == REDUCED
    assert {f"strategy {solver}" for solver in SOLVERS} <= set(names)


def test_who_is_not_there_is_named_with_the_reason() -> None:
    def not_installed(task: Task) -> Contender:
        raise ModuleNotFoundError("No module named 'sim'", name="sim")

    def refuses(task: Task) -> Contender:
        raise RuntimeError("no mimics here\nbut a long story")

    task = TASKS["rack"]()
    field = assemble_field(task, [Way("a", "a", not_installed), Way("b", "b", refuses), Way(REDUCED, REDUCED, Ours)])
    assert field.absent == {"a": "not installed (sim)", "b": "no mimics here"}
    assert [(contender.name, contender.family) for contender in field.present] == [(REDUCED, REDUCED)]
