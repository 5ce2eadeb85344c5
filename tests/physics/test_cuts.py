"""Where a loop is cut changes nothing: neither accelerations, nor what joints and couplings carry, nor the motion.

Example worlds and random machines are cut at one joint after the other, and each is compared with the same document cut
where the program likes, or where the document says. At one instant all that differs is round-off. Motions differ by the
error of their steps, so that half the step leaves a part of the difference: of smooth ones an eighth and less (order
four), of driven ones a third and less (order two).

`SIMULATOR_EXAMPLES=200 scripts/test --timeout 0 tests/physics/test_cuts.py` tries that many machines, and every joint
of the worlds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.engine.drives import Drive
from simulator.errors import SimulationError
from simulator.mechanism.loops import loop_path
from simulator.mechanism.types import Mechanism
from tests.helpers.cut_mechanisms import Draft, add_friction, add_rotors, cut_at, random_machine, transmission
from tests.helpers.documents import mimic
from tests.helpers.repository import ROOT
from tests.physics.worlds import joint, link

COUNT = int(os.environ.get("SIMULATOR_EXAMPLES", "0"))
MACHINES = range(COUNT or 4)
WORLDS = (
    "bennett", "four_bar", "hoeken", "peaucellier", "sarrus", "scissor_lift", "slider_crank", "stewart"
)  # fmt: skip
ROUND_OFF = 1e-9
"""Of the greatest acceleration or wrench: the equations of badly placed loops lose six digits of sixteen."""
FALLING = 1e-8
"""What steps of order four and 1 ms leave of the motion of example worlds, which start from rest; the platform of
`stewart` falls fastest, and leaves 1e-9."""
DURATION = 0.04
FLOORS = {"position": 1e-10, "velocity": 1e-8, "effort": 1e-6, "other": 1e-6}
"""Differences [SI] below which round-off, and what loops are left open by, 1e-12 m, have a part: of velocities over a
step, of efforts and forces once more."""
SMOOTH, DRIVEN = 1.0 / 8.0, 1.0 / 3.0
"""What half the step leaves, at most, of orders four and two."""
KINDS = ("smooth", "position", "velocity", "effort", "pid", "limit", "friction", "rotors")

Numbers = dict[str, float]


@pytest.mark.parametrize("example", WORLDS)
def test_example_worlds(example: str) -> None:
    text = cut_at(Path(ROOT, "worlds", f"{example}.sdf").read_text(encoding="utf-8"))
    meant = simulator.load(text)
    names = [name for name in joints_in_loops(meant.mechanism) if name not in cuts(meant)]
    reference, end = at_an_instant(meant), motion(text, {}, meant.dt)
    for name in names if COUNT else names[:: max(1, len(names) // 2)]:
        other = cut_at(text, name.rpartition("::")[2])
        sim = simulator.load(other)
        assert name in cuts(sim)
        assert difference(reference, at_an_instant(sim)) < ROUND_OFF
        assert difference(end, motion(other, {}, meant.dt)) < FALLING


@pytest.mark.parametrize("seed", MACHINES)
def test_forces_and_accelerations_of_random_machines(seed: int) -> None:
    """Every second one with rotors; efforts on all axes, and the first hinge moves."""
    machine = random_machine(seed)
    if seed % 4 > 1:
        add_rotors(machine)
    random = np.random.default_rng(seed)
    efforts = {f"m::{name}": float(random.normal()) for name in machine.scalar}
    velocity = {machine.scalar[0]: 1.0}
    reference = at_an_instant(simulator.load(machine.text()), efforts, velocity)
    for name in machine.joints:
        sim = simulator.load(machine.text(name))
        assert f"m::{name}" in cuts(sim)
        assert difference(reference, at_an_instant(sim, efforts, velocity)) < ROUND_OFF, name


@pytest.mark.parametrize("seed", MACHINES)
def test_motions_of_random_machines(seed: int) -> None:
    machine = random_machine(seed)
    # Planar ones are every second: the shift gives each kind to both.
    kind = KINDS[(seed + seed // len(KINDS)) % len(KINDS)]
    drives = driven(machine, kind, np.random.default_rng(seed))
    moving = {machine.scalar[0]: 0.5} if kind in ("smooth", "friction") else {}
    steps = (1e-3, 5e-4)
    try:
        reference = [motion(machine.text(), drives, dt, moving) for dt in steps]
    except SimulationError:
        pytest.skip("the drive runs into the end of what the machine can do")
    own = worst_by_kind(*reference)
    left = SMOOTH if kind == "smooth" else DRIVEN
    for name in machine.joints if COUNT else list(machine.joints)[seed % 2 :: 2]:
        found = [
            worst_by_kind(one, motion(machine.text(name), drives, dt, moving))
            for one, dt in zip(reference, steps, strict=True)
        ]
        for what, (whole, half) in {key: (found[0][key], found[1][key]) for key in found[0]}.items():
            assert half <= max(left * whole, own[what], FLOORS[what]), (kind, name, what, whole, half)


@pytest.mark.parametrize("seed", MACHINES)
def test_a_rotor_is_a_wheel_that_follows_its_joint(seed: int) -> None:
    """A wheel of inertia J that a mimic turns n times as fast as a joint has the kinetic energy of the rotor behind a
    reduction of n. Its coupling is a row, or is eliminated: either knows nothing of rotors."""
    ratio, inertia = 12.0, 1e-4
    machine, other = random_machine(seed), random_machine(seed)
    name = str(np.random.default_rng(seed).choice(machine.drivable))
    machine.extra.append(transmission("t", "Simple", [name], [(ratio, inertia)]))
    other.links.append(link("rotor", pose="2 0 0 0 0 0", inertia=f"1 {inertia!r} 1"))
    other.wheels.append(joint("j_rotor", "revolute", "rotor", axis="0 1 0", inside_axis=mimic(name, ratio)))
    moving = {machine.scalar[0]: 1.0}
    for cut in machine.joints:
        found, meant = (at_an_instant(simulator.load(one.text(cut)), {}, moving) for one in (machine, other))
        same = {key for key in found if key.startswith("acceleration")}
        assert difference({key: found[key] for key in same}, {key: meant[key] for key in same}) < ROUND_OFF, cut


def driven(machine: Draft, kind: str, random: np.random.Generator) -> dict[str, Drive]:
    """Drives of a kind on axes of loops that follow no other; the machine gets what belongs to it."""
    axes = [str(name) for name in random.permutation(machine.drivable)]
    first, last = axes[0], axes[-1]
    if kind == "friction":
        add_friction(machine)
    if kind == "rotors":
        add_rotors(machine)
    if kind == "limit":
        machine.efforts[first] = 0.5
    swing = simulator.sine(0.02, 4.0, 0.02, -np.pi / 2)
    drives = {
        "position": {first: simulator.position(swing)},
        "velocity": {first: simulator.velocity(simulator.sine(0.5, 4.0))},
        "effort": {first: simulator.effort(simulator.sine(0.5, 5.0, 0.3)), last: simulator.effort(0.4)},
        "pid": {last: simulator.effort(0.3), first: simulator.position(0.1, simulator.pid(p=4.0, i=5.0, d=0.2))},
        "limit": {first: simulator.velocity(1.0)},
        "rotors": {first: simulator.position(0.1, simulator.pid(p=4.0, d=0.2)), last: simulator.effort(0.2)},
    }
    return drives.get(kind, {})


def joints_in_loops(mechanism: Mechanism) -> list[str]:
    """Names of all joints of all loops."""
    found: dict[str, None] = {}
    for loop in mechanism.loop_joints:
        parent_side, child_side = loop_path(loop, mechanism.joints)
        found |= dict.fromkeys([loop.name, *(mechanism.joints[i].name for i in (*parent_side, *child_side))])
    return list(found)


def cuts(sim: simulator.Simulation) -> list[str]:
    """Where it is cut."""
    return [loop.name for loop in sim.mechanism.loop_joints]


def at_an_instant(
    sim: simulator.Simulation, efforts: Mapping[str, float] | None = None, velocity: Mapping[str, float] | None = None
) -> Numbers:
    """Accelerations, and what joints and couplings carry as far as it is determined."""
    sim.set({}, velocity=velocity or {})
    found = sim.reactions(efforts or {})
    result = {f"acceleration/{axis}": value for axis, value in found.accelerations.items()}
    for name, wrench, known in zip(found.wrenches.rows, found.wrenches.array, found.determined, strict=True):
        result |= {f"reaction/{name}/{i}": float(wrench[i]) for i in np.flatnonzero(known)}
    for (follower, effort), known in zip(found.couplings.items(), found.couplings_determined, strict=True):
        result |= {f"coupling/{follower}": effort} if known else {}
    return result


def motion(text: str, drives: Mapping[str, Drive], dt: float, velocity: Mapping[str, float] | None = None) -> Numbers:
    """All channels of axes, actuators, joints and couplings after a while, as far as they are determined."""
    sim = simulator.load(text, dt=dt)
    if velocity:
        sim.set({}, velocity=velocity)
    run = sim.run(DURATION, drives=drives, every=DURATION, reactions=True)
    found = sim.reactions()
    left_out = {
        f"reaction/{name}/{component}"
        for name, known in zip(found.wrenches.rows, found.determined, strict=True)
        for component, one in zip(found.wrenches.columns, known, strict=True)
        if not one
    }
    left_out |= {
        f"coupling/{name}/effort"
        for name, known in zip(found.couplings.keys(), found.couplings_determined, strict=True)
        if not known
    }
    channels = [name for name in run if name.startswith(("joint/", "actuator/", "reaction/", "coupling/"))]
    return {name: float(run[name][-1]) for name in channels if name not in left_out}


def difference(one: Numbers, other: Numbers) -> float:
    """The greatest, per the greatest number, and 1 at least."""
    assert set(one) == set(other)
    return max(abs(one[name] - other[name]) for name in one) / max(1.0, *(abs(value) for value in one.values()))


def worst_by_kind(one: Numbers, other: Numbers) -> Numbers:
    """The greatest differences of positions, velocities, efforts and all else."""
    assert set(one) == set(other)
    result = dict.fromkeys(FLOORS, 0.0)
    for name in one:
        last = name.rpartition("/")[2] if name.startswith(("joint/", "actuator/")) else ""
        kind = last if last in result else "other"
        result[kind] = max(result[kind], abs(one[name] - other[name]))
    return result
