"""Ropes: constraints that keep an expression within bounds, |φ(q)| <= most, against closed forms of mechanics.

The expression of a rope is its length between the points that it joins, so that it is taut at its bound and slack below
it. Over a fixed guide its tension grows by exp(μθ) (Euler 1769, Eytelwein 1808), which is an efficiency exp(-μθ) both
ways of the law by which one end follows the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.errors import AssemblyError
from simulator.session.batch.conversion import convert_document, convert_to_urdf
from tests.helpers.command import called

G = 9.81
Write = Callable[..., Path]


def slides(
    masses: dict[str, float], directions: dict[str, str], inside: str, mimics: dict[str, str] | None = None
) -> str:
    """Bodies on slides of the world, joint `x` carrying the body `of_x`."""
    parts = []
    for name, mass in masses.items():
        moments = "<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>"
        parent = directions[name].split(":")[0] if ":" in directions[name] else "world"
        axis = directions[name].split(":")[-1]
        parts.append(
            f'<link name="of_{name}"><inertial><mass>{mass}</mass>{moments}</inertial></link>'
            f'<joint name="{name}" type="prismatic"><parent>{parent}</parent><child>of_{name}</child>'
            f"<axis><xyz>{axis}</xyz>{(mimics or {}).get(name, '')}</axis></joint>"
        )
    return (
        '<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w">'
        f'<gravity>0 0 {-G}</gravity><model name="m">{"".join(parts)}{inside}</model></world></sdf>'
    )


UP = "0 0 1"
ATWOOD = slides(
    {"a": 2.0, "b": 3.0},
    {"a": UP, "b": UP},
    '<simulator:constraint name="rope" within="2">2 - a - b</simulator:constraint>',
)


def test_atwoods_machine_falls_with_the_difference_of_its_weights():
    """(m2 - m1) g / (m1 + m2), to rounding, and the tension 2 m1 m2 g / (m1 + m2), to 1e-9: what closes the rope at the
    end of a step."""
    run = simulator.load(ATWOOD).run(1.0, reactions=True)
    assert run["a/velocity"][-1] == pytest.approx(G / 5.0, rel=1e-12)
    assert abs(run["coupling/b/effort"][-1]) == pytest.approx(2.0 * 2.0 * 3.0 * G / 5.0, rel=1e-9)
    assert run["coupling/b/residual"].max() == pytest.approx(2.0, abs=1e-12)


def test_a_rope_that_is_slack_carries_nothing_until_it_is_taut():
    """The lighter weight starts half a metre up: it falls freely for 0.5 = g t²/2 of both, and the blow leaves both
    with the mean of their momenta along the rope, (m2 - m1) v / (m1 + m2)."""
    document = slides(
        {"a": 2.0, "b": 3.0},
        {"a": UP, "b": UP},
        '<simulator:constraint name="rope" within="2">1.5 - a - b</simulator:constraint>',
    )
    run = simulator.load(document).run(0.5)
    taut = math.sqrt(0.5 / G)
    speed = G * taut
    after = speed / 5.0 + (0.5 - taut) * G / 5.0
    assert run["b/velocity"][-1] == pytest.approx(-after, abs=2e-3)
    assert run["energy/dissipated"][-1] == pytest.approx(0.5 * 5.0 * speed**2 * (1.0 - 0.2**2), rel=1e-2)
    assert run["coupling/b/residual"].max() == pytest.approx(2.0, abs=1e-12)


@pytest.mark.parametrize("falls", [2, 4])
def test_a_tackle_lifts_with_its_ratio(falls):
    """The end comes n times as far as the load, so F = W / n holds it; with a mass at the end of the rope the load
    rises with (n F - W) / (M + n² m)."""
    mass, load, force = 1.0, 20.0, 80.0
    rope = f'<simulator:constraint name="rope" within="9">9 - {falls}*b + e</simulator:constraint>'
    sim = simulator.load(slides({"e": mass, "b": load}, {"e": "-1 0 0", "b": UP}, rope))
    sim.drive("e", simulator.effort(load * G / falls))
    held = sim.run(0.2)
    assert np.ptp(held["b/position"]) < 1e-12
    sim.drive("e", simulator.effort(force))
    run = sim.run(0.5)
    exact = (falls * force - load * G) / (load + falls**2 * mass)
    assert (run["b/velocity"][-1] - run["b/velocity"][0]) / 0.5 == pytest.approx(exact, rel=1e-10)


def test_a_weight_on_a_rope_loses_what_its_blow_stops_and_then_swings():
    """Dropped beside its pivot, it falls freely until the rope of 1 m is taut, which takes the speed along it; what is
    left swings without loss."""
    document = slides(
        {"x": 1e-9, "z": 1.0},
        {"x": "1 0 0", "z": "of_x:0 0 1"},
        '<simulator:constraint name="rope" within="1">hypot(x, z)</simulator:constraint>',
    )
    sim = simulator.load(document)
    sim.set(x=0.6)
    run = sim.run(1.5)
    speed = math.sqrt(2.0 * G * 0.8)
    assert run["energy/dissipated"][-1] == pytest.approx(0.5 * (speed * 0.8) ** 2, rel=1e-2)
    lost = run["energy/dissipated"]
    assert lost[-1] - lost[600] < 1e-4
    assert run["coupling/z/residual"].max() == pytest.approx(1.0, abs=1e-10)
    assert np.abs(run["energy/error"]).max() < 1e-6


def test_an_elastic_rope_stretches_as_far_as_its_energy_says():
    """m g (1 + s) = k s² / 2 for a fall of 1 m; second order of a step of a millisecond: 1e-4."""
    stiffness = 500.0
    document = slides(
        {"z": 1.0},
        {"z": UP},
        f'<simulator:constraint name="r" within="1" stiffness="{stiffness}">-z</simulator:constraint>',
    )
    run = simulator.load(document).run(1.2)
    deepest = (G + math.sqrt(G * G + 2.0 * stiffness * G)) / stiffness
    assert -run["z/position"].min() - 1.0 == pytest.approx(deepest, rel=1e-4)
    assert np.abs(run["energy/error"]).max() < 1e-9


def test_a_weight_on_an_elastic_rope_rests_below_its_length():
    """k s = m g, and a rope without stiffness has no linear model."""
    rope = '<simulator:constraint name="r" within="1" stiffness="500">-z</simulator:constraint>'
    sim = simulator.load(slides({"z": 1.0}, {"z": UP}, rope))
    sim.set(z=-1.01)
    assert sim.equilibria()[0].position[0] == pytest.approx(-1.0 - G / 500.0, abs=1e-9)
    rigid = simulator.load(slides({"z": 1.0}, {"z": UP}, rope.replace(' stiffness="500"', "")))
    with pytest.raises(simulator.UsageError, match="the constraint 'r' has rigid bounds"):
        rigid.equilibria()


def test_a_rope_that_winds_onto_a_cylinder_turns_its_weight_faster():
    """Without gravity the speed stays while the free length l = l0 - r θ shortens, so l² = l0² - 2 r v t. The length is
    the tangent and the arc, sqrt(d² - r²) + r times the angle of the point where it leaves the cylinder."""
    radius, free, speed = 0.1, 1.0, 2.0
    d = "(hypot(0.1 + x, 1 + z))"
    tangent = f"sqrt({d}**2 - 0.01)"
    # The cylinder is at (-0.1, -1) of the weight's start; the rope leaves it at the angle of d less atan(l / r).
    angle = f"(atan2(1 + z, 0.1 + x) - atan2({tangent}, 0.1))"
    document = slides(
        {"x": 1e-9, "z": 1.0},
        {"x": "1 0 0", "z": "of_x:0 0 1"},
        f'<simulator:constraint name="rope" within="{free}">{tangent} + 0.1*{angle}</simulator:constraint>',
    ).replace(f"0 0 {-G}", "0 0 0")
    sim = simulator.load(document)
    sim.set(velocity={"x": -speed})
    run = sim.run(0.4)
    x, z = run["x/position"][-1] + radius, run["z/position"][-1] + 1.0
    assert math.hypot(run["x/velocity"][-1], run["z/velocity"][-1]) == pytest.approx(speed, rel=1e-5)
    assert x * x + z * z - radius**2 == pytest.approx(free**2 - 2.0 * radius * speed * 0.4, rel=1e-4)


FRICTION, WRAP = 0.3, math.pi


def guided() -> str:
    """A weight of 10 kg on a rope over a fixed rod, half round it, pulled at the other end."""
    share = math.exp(-FRICTION * WRAP)
    mimic = (
        f'<mimic joint="e"><multiplier>1</multiplier><offset>0</offset><reference>0</reference>'
        f'<simulator:efficiency forward="{share!r}" backward="{share!r}"/></mimic>'
    )
    return slides({"e": 0.1, "b": 10.0}, {"e": "0 0 -1", "b": UP}, "", {"b": mimic})


@pytest.mark.parametrize("pull", [math.exp(FRICTION * WRAP), math.exp(-FRICTION * WRAP)])
def test_a_rope_over_a_fixed_rod_holds_up_to_the_capstan_ratio(pull):
    """W exp(μπ) lifts and W exp(-μπ) lets down, less the weight of the end: to 1e-9 of it."""
    weight = 10.0 * G
    for beside in (1.0 - 1e-9, 1.0 + 1e-9):
        sim = simulator.load(guided())
        sim.drive("e", simulator.effort(weight * pull * beside - 0.1 * G))
        moves = bool(abs(sim.run(0.05)["b/velocity"][-1]) > 1e-12)
        assert moves is ((beside > 1.0) is (pull > 1.0))


def test_a_tendon_turns_the_joints_of_a_finger_in_proportion_to_its_pulleys():
    """k q = r T at both joints: statics of a tendon over pulleys of 12 and 8 mm, pulled with 20 N."""
    inside = "<inertial><mass>0.1</mass><inertia><ixx>1e-4</ixx><iyy>1e-4</iyy><izz>1e-4</izz></inertia></inertial>"
    spring = "<dynamics><damping>0.02</damping><spring_stiffness>0.5</spring_stiffness></dynamics>"
    hinge = "".join(
        f'<link name="l{i}">{inside}</link><joint name="q{i}" type="revolute"><parent>{parent}</parent>'
        f"<child>l{i}</child><axis><xyz>0 0 1</xyz>{spring}</axis></joint>"
        for i, parent in ((1, "world"), (2, "l1"))
    )
    tendon = '<simulator:constraint name="tendon" within="0.3">0.3 + t - 0.012*q1 - 0.008*q2</simulator:constraint>'
    sim = simulator.load(slides({"t": 0.05}, {"t": "1 0 0"}, hinge + tendon).replace(f"0 0 {-G}", "0 0 0"))
    sim.drive("t", simulator.effort(20.0))
    run = sim.run(3.0)
    assert run["q1/position"][-1] == pytest.approx(0.012 * 20.0 / 0.5, rel=1e-6)
    assert run["q2/position"][-1] == pytest.approx(0.008 * 20.0 / 0.5, rel=1e-6)


# -- documents ---------------------------------------------------------------------------------------------------------


def test_a_rope_takes_no_freedom_and_its_end_may_be_driven():
    sim = simulator.load(ATWOOD)
    assert sim.mobility == 2
    sim.drive("b", simulator.effort(1.0))


def test_a_rope_that_is_too_short_is_an_error_by_name():
    """In the document, and where a state is set."""
    with pytest.raises(
        simulator.DocumentError, match=r"the constraint 'rope' is 2 at the start, and is to be within 1\.5"
    ):
        simulator.load(ATWOOD.replace('within="2"', 'within="1.5"'))
    with pytest.raises(AssemblyError, match="the constraint 'rope' is 3 at the start, and is to be within 2"):
        simulator.load(ATWOOD).set(a=-1.0, b=0.0)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('within="0"', "within must be above 0"),
        ('within="-1"', "within is a finite number, 0 or more, not -1"),
        ('within="1" damping="3"', "damping belongs to flanks with a stiffness"),
        ('stiffness="0"', "stiffness must be above 0"),
    ],
)
def test_numbers_that_a_bound_cannot_have_are_named(attributes, message):
    with pytest.raises(simulator.DocumentError, match=message):
        simulator.load(ATWOOD.replace('within="2"', attributes))


@pytest.mark.parametrize("attributes", ['within="2"', 'within="2" stiffness="4e3" damping="5"', 'stiffness="4e3"'])
def test_a_rope_is_written_as_it_was_read(write_document: Write, tmp_path: Path, attributes: str) -> None:
    path = write_document(ATWOOD.replace('within="2"', attributes).replace("9.81", "9.8"))  # that of a URDF
    expected = simulator.load(path).run(0.2)["a/position"][-1]
    for suffix, convert in ((".sdf", convert_document), (".urdf", convert_to_urdf)):
        target = tmp_path / f"written{suffix}"
        target.write_text(convert(path, tmp_path).text, encoding="utf-8")
        assert simulator.load(target).run(0.2)["a/position"][-1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("suffix", [".xml", ".usda"])
def test_a_rope_that_another_format_cannot_have_is_named(write_document: Write, tmp_path: Path, suffix: str) -> None:
    path, target = write_document(ATWOOD), tmp_path / f"written{suffix}"
    result = called("convert", str(path), "-o", str(target))
    assert "the bounds of the constraint 'rope' have no place in" in result.stderr
