"""Motors without an effort limit that press bodies together, from touch to release: each moves as near to what it asks
for as the others let it, by impulses where that jumps, and by no efforts that grow as the step shrinks. Compared with
balances of momentum and with the least squares that say who gives way: of motors with inertias m that ask for s, the
velocities v minimise the sum of m (v - s)^2 among those with which nothing goes through anything."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from tests.physics.test_blows_of_motors import BOX, INERTIA, leg, load

STEPS = [1e-3, 5e-4, 2.5e-4]
NOISE = 1e-5
"""Impulse [N s] that is left of pressing: motors that give way are soft by 1e-6 of their inertia while it is found how
far they do, here of 5 kg m/s at most."""


def body(name: str, mass: float, pose: str, shape: str = "", axis: str = "") -> str:
    """A box of 0.2 m, or another shape, that is free or on a slide along its own `axis`; nothing rubs."""
    part = BOX.format(0).replace("<box><size>0.2 0.2 0.2</size></box>", shape or "<box><size>0.2 0.2 0.2</size></box>")
    joint = f"""<joint name="j" type="prismatic"><parent>world</parent><child>body</child>
      <axis><xyz>{axis}</xyz></axis></joint>"""
    link = f'<link name="body">{INERTIA.format(mass)}{part}</link>'
    return f'<model name="{name}"><pose>{pose}</pose>{link}{joint if axis else ""}</model>'


def given(run: simulator.Run, *axes: int, after: float = 0.0) -> float:
    """The sum of the impulses [N s] of drives, without those at the start."""
    return sum(item.impulse for item in run.impulses if item.time > after and item.axis in axes)


@pytest.mark.parametrize("dt", STEPS)
def test_pushers_on_four_sides_of_a_box_share_what_is_left(dt: float) -> None:
    """Along x, 3 kg at 1 m/s and 2 kg at -0.5 m/s meet over a box of 1.5 kg: all move at (3 - 1) / 5 m/s; then across,
    1 kg at 0.7 m/s and 2.5 kg at -0.2 m/s: at 0.2 / 3.5 m/s. The impulses of each pair are the change of the momentum
    along it, those at the start apart."""
    small = "<box><size>0.1 0.1 0.1</size></box>"
    across = [body("c", 1, "0.01 -0.165 0 0 0 0", small, "0 1 0"), body("d", 2.5, "0.01 0.17 0 0 0 0", small, "0 1 0")]
    along = [body("a", 3, "-0.205 0 0 0 0 0", axis="1 0 0"), body("b", 2, "0.21 0 0 0 0 0", axis="1 0 0")]
    sim = load("".join([*along, *across, body("box", 1.5, "0 0 0 0 0 0")]), dt)
    asked = {"a": 1.0, "b": -0.5, "c": 0.7, "d": -0.2}
    run = sim.run(0.06, drives={f"{name}::j": simulator.velocity(speed) for name, speed in asked.items()})
    left = {"a": 0.4, "b": 0.4, "c": 0.2 / 3.5, "d": 0.2 / 3.5}
    for name, speed in left.items():
        assert run[f"{name}::j/velocity"][-1] == pytest.approx(speed, abs=NOISE)
        assert run.drives[f"{name}::j"]["peak"] < NOISE / dt
    assert given(run, 0, 1) == pytest.approx(6.5 * 0.4 - (3.0 - 1.0), abs=NOISE)
    assert given(run, 2, 3) == pytest.approx(5.0 * 0.2 / 3.5 - (0.7 - 0.5), abs=NOISE)
    assert abs(sim.energies["error"]) < 1e-9


@pytest.mark.parametrize("dt", STEPS)
def test_three_fingers_close_on_a_cylinder(dt: float) -> None:
    """Of 2 kg each, at 120 degrees, towards a cylinder in the middle: it can move with two of them, not with all
    three, whose velocities towards it then add up to 0. Asked for 1, 0.6 and 0.2 m/s, each lacks the mean of all."""
    asked, models = (1.0, 0.6, 0.2), []
    for k, place in enumerate((0.205, 0.215, 0.204)):
        angle = 2.0 * math.pi * k / 3.0
        pose = f"{place * math.cos(angle)} {place * math.sin(angle)} 0 0 0 {angle}"
        models.append(body(f"f{k}", 2, pose, axis="-1 0 0"))
    cylinder = "<cylinder><radius>0.1</radius><length>0.2</length></cylinder>"
    sim = load("".join([*models, body("c", 1.5, "0 0 0 0 0 0", cylinder)]), dt)
    run = sim.run(0.05, drives={f"f{k}::j": simulator.velocity(speed) for k, speed in enumerate(asked)})
    for k, speed in enumerate(asked):
        assert run[f"f{k}::j/velocity"][-1] == pytest.approx(speed - 0.6, abs=2e-3)
        assert run.drives[f"f{k}::j"]["peak"] < 1.0
    assert abs(sim.energies["error"]) < 1e-9


@pytest.mark.parametrize("dt", STEPS)
def test_what_is_let_go_jumps_by_an_impulse(dt: float) -> None:
    """Two jaws of 3 kg press a box at 0.1 m/s each, with no force: it falls out between them, 0.2 m in 0.2019 s, and
    they continue at 0.1 m/s, by 0.3 N s each."""
    jaws = [body("a", 3, "-0.205 0 0 0 0 0", axis="1 0 0"), body("b", 3, "0.205 0 0 0 0 0", axis="1 0 0")]
    text = "".join([*jaws, body("box", 1, "0 0 0 0 0 0")])
    world = f'<sdf version="1.12"><world name="w"><gravity>0 0 -9.81</gravity>{text}</world></sdf>'
    run = simulator.load(world, dt=dt).run(
        0.3, drives={"a::j": simulator.velocity(0.1), "b::j": simulator.velocity(-0.1)}
    )
    out = math.sqrt(0.4 / 9.81)
    for axis, (name, impulse) in enumerate((("a", 0.3), ("b", -0.3))):
        assert given(run, axis, after=0.19) == pytest.approx(impulse, abs=NOISE)
        (last,) = [item for item in run.impulses if item.axis == axis and item.time > 0.19]
        assert last.time == pytest.approx(out, abs=2.0 * dt)
        assert run.drives[f"{name}::j"]["peak"] < NOISE / dt
        assert run[f"{name}::j/velocity"][-1] == pytest.approx(impulse / 3.0, abs=1e-9)


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_what_motors_press_does_not_bounce(dt: float, restitution: float) -> None:
    """They would bring it back at once, and so on: both continue at the mean of 1 and -0.5 m/s by 3 and 2 kg."""
    text = body("a", 3, "-0.3 0 0 0 0 0", axis="1 0 0") + body("b", 2, "0 0 0 0 0 0", axis="1 0 0")
    sim = load(text.replace("coefficient>0<", f"coefficient>{restitution}<"), dt)
    run = sim.run(0.2, drives={"a::j": simulator.velocity(1.0), "b::j": simulator.velocity(-0.5)})
    assert run["a::j/velocity"][-1] == pytest.approx(0.4, abs=1e-6)
    assert max(drive["peak"] for drive in run.drives.values()) < NOISE / dt
    assert given(run, 0, 1) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "shape",
    ["<cylinder><radius>0.05</radius><length>0.4</length></cylinder>", "<sphere><radius>0.1</radius></sphere>"],
)
def test_efforts_of_six_pressing_motors_do_not_depend_on_the_step(shape: str) -> None:
    """Two legs of three hinges each that touch, press and part twice. A fourth of the step made efforts four times as
    large; now they differ as the motions do, whose contacts begin up to a step apart."""
    ways = {"a::j0": (-0.6, 1.0), "a::j1": (0.3, 0.5), "a::j2": (0.4, 1.0), "b::j0": (0.48, 1.0), "b::j1": (-0.4, 0.5)}
    drives = {name: simulator.position(simulator.sine(*way)) for name, way in ways.items()}
    drives["b::j2"] = simulator.position(simulator.sine(0.5, 1.0))
    peaks = []
    for dt in STEPS:
        text = leg("a", 0.15, shape) + leg("b", -0.15, shape)
        run = simulator.load(f'<sdf version="1.12"><world name="w">{text}</world></sdf>', dt=dt).run(1.0, drives=drives)
        peaks.append(max(drive["peak"] for drive in run.drives.values()))
    assert max(peaks) < 1.25 * min(peaks)
    assert np.all(np.array(peaks) < 60.0)
