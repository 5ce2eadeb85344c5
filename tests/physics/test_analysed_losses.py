"""Motion without time through couplings with losses: efforts against closed forms, and against the motion in time,
which finds its losses by a complementarity of its own.

1e-11 relative: a sweep is exact but for rounding, which the unit efforts behind the slopes of Λ enlarge by a digit or
two.
"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from simulator.errors import UsageError
from tests.helpers.command import called
from tests.helpers.real_couplings import arm, planetary, screw, wheels
from tests.helpers.repository import ROOT

EXACT = 1e-11
J = (0.5, 2.0, 0.7)
M = -2.0
LOSSES = (
    '<simulator:efficiency forward="0.9" backward="0.8"/><simulator:bearing_friction forward="0.1" backward="0.15"/>'
)


def effort(document: str, axis: str, velocity: float, acceleration: float, end: float = 1.0) -> NDArray[np.float64]:
    """On the moved axis, at each of eleven positions."""
    found = simulator.load(document).analyse(
        {axis: (0.0, end)}, points=11, velocity=velocity, acceleration=acceleration
    )
    return found[f"joint/m::{axis}/effort"]


@pytest.mark.parametrize("end", [1.0, -1.0])
@pytest.mark.parametrize("acceleration", [3.0, -3.0])
def test_a_train_takes_what_its_teeth_lose_one_behind_the_other(end: float, acceleration: float) -> None:
    """Where it hurries, power passes forwards, and each mesh gives on 0.9 of it; where it slows down, the wheels drive
    each other back. Each leader has drag besides."""
    hurries = acceleration > 0.0
    share, drag = (1.0 / 0.9, 0.1) if hurries else (0.8, 0.15)
    last = share * J[2] * M**4 * acceleration + abs(M) * drag
    middle = M * M * J[1] * acceleration + last
    first = J[0] * acceleration + share * middle + drag
    found = effort(wheels(J, M, LOSSES), "j0", 2.0, acceleration, end)
    assert found == pytest.approx(np.full(11, math.copysign(1.0, end) * first), rel=EXACT)


def test_at_rest_the_sense_of_the_route_decides() -> None:
    """As with the dry friction of joints: a load of 6.4 kN on the screw of Shigley's example 8-1, up and down."""
    lead, mass = 0.008, 6400.0 / 9.81
    inside = '<simulator:thread friction="0.08" mean_diameter="0.03" collar_friction="0.08" collar_diameter="0.04"/>'
    document = screw(inside, lead=lead, mass=mass, inertia=0.1)
    assert effort(document, "j", 0.0, 0.0) == pytest.approx(np.full(11, 26.18), abs=0.005)
    assert effort(document, "j", 0.0, 0.0, -1.0) == pytest.approx(np.full(11, -9.77), abs=0.005)


def test_a_leader_that_runs_down_through_its_drag_passes_on_nothing() -> None:
    """Its inertia gives 0.12 N m, less than the drag where it drives, 0.15, and more than where it is driven, 0.1."""
    inside = '<simulator:efficiency forward="0.9"/><simulator:bearing_friction forward="0.15" backward="0.1"/>'
    found = effort(wheels(J[:2], M, inside), "j1", 4.0, -0.12 / J[0] * abs(M))
    assert found == pytest.approx(np.full(11, -J[1] * 0.12 / J[0] * abs(M)), rel=EXACT)


def test_a_nut_cannot_be_moved_through_a_thread_that_locks() -> None:
    inside = '<simulator:thread friction="0.2" mean_diameter="0.03"/>'
    document = screw(inside, lead=0.008, mass=1.0, inertia=0.1)
    with pytest.raises(UsageError, match="'m::s' locks"):
        simulator.load(document).analyse({"s": (0.0, 0.01)}, points=3, velocity=1.0, acceleration=1.0)


def test_a_planetary_gear_with_fixed_ring_passes_on_what_its_basic_ratio_says() -> None:
    """(1 + 3 * 0.97) / 4 = 0.9775 from sun to carrier: the inertia of the carrier, felt at the sun."""
    inside = '<simulator:efficiency forward="0.97"/>'
    inertia = 0.3
    document = planetary(inside, 3.0, 1.0, inertia=inertia)
    found = effort(document, "s", 1.0, 2.0)
    assert found == pytest.approx(np.full(11, inertia * 2.0 * (1.0 + 1.0 / 16.0 / 0.9775)), rel=EXACT)


def in_time(sim: simulator.Simulation, axis: str) -> tuple[float, float, float]:
    """Position, velocity and acceleration of an axis in the middle of 20 µs."""
    run = sim.run(2e-5)
    position, velocity = run[f"{axis}/position"], run[f"{axis}/velocity"]
    rate = float(velocity[-1] - velocity[0]) / 2e-5
    return float(position[0] + position[-1]) / 2.0, float(velocity[0] + velocity[-1]) / 2.0, rate


def same_effort(document: str, axis: str, rate: float, given: float) -> None:
    """1e-5 of the effort: in 20 µs, a worm with a time constant of 20 ms changes its acceleration by 1e-3; of the mean
    over that time, 1e-7 are left."""
    sim = simulator.load(document, dt=1e-6)
    sim.set(velocity={axis: rate})
    sim.drive(axis, simulator.effort(given))
    at, velocity, acceleration = in_time(sim, axis)
    sense = math.copysign(1.0, velocity)
    found = simulator.load(document).analyse(
        {axis: (at, at + 0.1 * sense)}, points=2, velocity=abs(velocity), acceleration=sense * acceleration
    )
    name = next(info.name for info in sim.mechanism.axes if info.name.endswith(axis))
    assert found[f"joint/{name}/effort"][0] == pytest.approx(given, rel=1e-5)


@pytest.mark.parametrize(("rate", "given"), [(5.0, 0.35), (-5.0, 0.02), (-5.0, -0.3)])
def test_an_effort_is_that_of_the_motion_in_time(rate: float, given: float) -> None:
    same_effort("worm_hoist", "worm_joint", rate, given)


GEAR = """<link name="motor"><inertial><mass>1</mass><inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia>
</inertial></link><joint name="motor_joint" type="revolute"><parent>world</parent>
<child>motor</child><axis><xyz>0 1 0</xyz></axis>
</joint></model>"""
LAW = (
    '<mimic joint="motor_joint"><multiplier>-0.25</multiplier><offset>0</offset><reference>0</reference>'
    '<simulator:efficiency forward="0.8" backward="0.7"/></mimic></axis>'
)


@pytest.mark.parametrize(("rate", "given"), [(-8.0, -5.0), (-8.0, 5.0), (12.0, 0.5)])
def test_so_is_one_through_a_loop(rate: float, given: float) -> None:
    """A four-bar behind a gear: the losses of the gear change what the bars of the loop carry, and in turn its load."""
    text = (ROOT / "worlds" / "four_bar.sdf").read_text().replace("</model>", GEAR, 1)
    head, joint, tail = text.partition('<joint name="crank_joint"')
    same_effort(head + joint + tail.replace("</axis>", LAW, 1), "motor_joint", rate, given)


def test_power_circulates_as_in_time() -> None:
    """The power split once it is steady: the carrier gives what ring and sun take, and the teeth lose."""
    sim = simulator.load("power_split")
    sim.drive("carrier_joint", simulator.velocity(0.8))
    sim.drive("sun_joint", simulator.effort(-0.02))
    run = sim.run(20.0)
    sun, carrier = (float(run[f"{name}_joint/velocity"][-1]) for name in ("sun", "carrier"))
    found = simulator.load("power_split").analyse(
        {"carrier_joint": (0.0, 1.0), "sun_joint": (0.0, sun / carrier)}, points=2, velocity=carrier
    )
    assert found["joint/power_split::sun_joint/effort"][-1] == pytest.approx(-0.02, rel=1e-6)
    assert found["joint/power_split::carrier_joint/effort"][-1] == pytest.approx(
        run["carrier_joint/effort"][-1], rel=1e-6
    )


def test_losses_are_summed_by_coupling(tmp_path) -> None:
    """Steadily against the drag alone, 0.1 N m over a radian at the first mesh and over two at the second."""
    path = tmp_path / "wheels.sdf"
    path.write_text(wheels(J, M, LOSSES))
    page = tmp_path / "report.html"
    done = called("analyse", path, "--move", "j0=0:1", "--velocity", "2", "--json", "--report", page)
    assert done.returncode == 0
    (branch,) = json.loads(done.stdout)["branches"]
    first, second = branch["couplings"]["m::j1"], branch["couplings"]["m::j2"]
    assert second["heat_J"] == pytest.approx(0.2, rel=1e-9)
    assert second["heat_W"] == pytest.approx(0.4, rel=1e-9)
    assert first["forward_in_J"] == pytest.approx(0.2 / 0.9 + 0.1, rel=1e-9)
    assert first["forward_out_J"] == pytest.approx(0.2, rel=1e-9)
    assert first["efficiency_forward"] == pytest.approx(0.2 / (0.2 / 0.9 + 0.1), rel=1e-9)
    assert branch["work"]["given_J"] == pytest.approx(0.2 / 0.9 + 0.1, rel=1e-9)
    assert branch["work"]["heat_J"] == pytest.approx(0.2 / 0.9 + 0.1, rel=1e-9)
    losses = page.read_text(encoding="utf-8").partition("<h2>Losses</h2>")[2].partition("<h2>")[0]
    assert "<td>m::j1</td><td>forward</td><td>0.322222 J</td><td>0.2 J</td><td>62.07 %</td>" in losses
    assert "<td>m::j2</td><td>heat</td><td>0.2 J</td><td>0.4 W</td>" in losses


@pytest.mark.parametrize("inside", ['<simulator:backlash width="0.1"/>', '<simulator:compliance stiffness="9"/>'])
def test_play_and_elasticity_are_refused_by_name(inside: str) -> None:
    """But for what positions alone give."""
    sim = simulator.load(arm(inside))
    with pytest.raises(UsageError, match=r"'m::a' moves by itself through the (backlash|compliance)"):
        sim.analyse({"r": (0.0, 1.0)})
    assert sim.analyse({"r": (0.0, 1.0)}, loads=False)["joint/m::a/position"][-1] == pytest.approx(-0.2)
