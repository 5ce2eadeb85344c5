"""Mechanisms by their parameters: each can be simulated, moves as its theory says, and refuses what cannot be."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.building.draft import Draft
from simulator.building.parts import catalogue as parts
from simulator.building.parts.cam import CamLaw, cam_profile, rise_and_fall
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.document import read_document

MOBILITY = {
    "planetary": 2, "differential": 2, "cam": 2, "geneva": 2, "ratchet": 2, "pantograph": 2, "five_bar": 2,
    "excavator": 3, "delta": 3, "stewart": 6,
}  # fmt: skip
"""Freedoms of what has more than one; cams, Geneva wheels and ratchets are held by contact alone."""


@pytest.mark.parametrize("name", parts.KINDS)
def test_every_kind_can_be_simulated(name: str, tmp_path: Path) -> None:
    draft = parts.KINDS[name]()
    opened = draft.check()
    assert [str(item) for item in opened.diagnostics if item.code != "MESH_AS_HULL"] == []
    simulation = draft.simulate()
    assert f"mobility {MOBILITY.get(name, 1)}" in repr(simulation)
    found = read_document(draft.save(tmp_path / "part.sdf"))
    assert not found.has_errors
    assert found.worlds[0].drives, "the window shows it moving"


@pytest.mark.parametrize(
    ("make", "moved", "follower", "ratio"),
    [
        (lambda: parts.spur_gears(teeth=(20, 50)), "pinion_joint", "wheel_joint", -0.4),
        (lambda: parts.gear_train(teeth=(20, 40, 20, 50)), "gear_1_joint", "gear_4_joint", -0.4),
        (lambda: parts.internal_gears(teeth=(20, 50)), "pinion_joint", "ring_joint", 0.4),
        (lambda: parts.rack_and_pinion(module=0.002, teeth=30), "pinion_joint", "rack_joint", 0.03),
        (lambda: parts.bevel_gears(teeth=(15, 45)), "pinion_joint", "wheel_joint", -1.0 / 3.0),
        (lambda: parts.worm_gears(starts=2, teeth=40), "worm_joint", "wheel_joint", 0.05),
        (lambda: parts.belt_drive(radii=(0.02, 0.08)), "first_joint", "second_joint", 0.25),
        (lambda: parts.belt_drive(radii=(0.02, 0.08), crossed=True), "first_joint", "second_joint", -0.25),
    ],
)
def test_ratios(make: Callable[[], Draft], moved: str, follower: str, ratio: float) -> None:
    simulation = make().simulate()
    simulation.set(**{moved: 0.5})
    assert simulation.positions[follower] == pytest.approx(0.5 * ratio, rel=1e-12)


def test_willis() -> None:
    """The ring held: the carrier turns 1 / (1 + ring / sun) of the sun."""
    simulation = parts.planetary(sun=24, planet=12).simulate()
    simulation.set(sun_joint=0.8, ring_joint=0.0)
    assert simulation.positions["carrier_joint"] == pytest.approx(0.8 / (1.0 + 48.0 / 24.0), rel=1e-12)


def test_a_differential_shares_the_speed() -> None:
    simulation = parts.differential().simulate()
    simulation.set(left_joint=0.3, cage_joint=0.5)
    assert simulation.positions["right_joint"] == pytest.approx(0.7, rel=1e-12)


def test_gears_drive_by_their_teeth_alone() -> None:
    """Nothing couples them but contact; a backlash of 20 um lets the facets of the flanks pass. The transmission error
    is below a thousandth of a tooth, and the ratio of the mean speeds is that of the teeth within as much over the
    angle that is measured."""
    draft = parts.spur_gears(by_teeth=True, teeth=(18, 24), backlash=2e-5)
    draft.joints["wheel_joint"].set("axis/dynamics/friction", 0.02)
    run = draft.simulate().run(1.0, drives={"pinion_joint": simulator.velocity(2.0)})
    pinion, wheel = (np.asarray(run[f"{name}_joint/position"]) for name in ("pinion", "wheel"))
    settled = len(pinion) // 2
    error = (wheel + pinion * 18 / 24)[settled:]
    assert np.ptp(error) < 1e-3 * 2.0 * math.pi / 24
    ratio = (wheel[-1] - wheel[settled]) / (pinion[-1] - pinion[settled])
    assert ratio == pytest.approx(-18 / 24, abs=1e-3 * 2.0 * math.pi / 24 / (pinion[-1] - pinion[settled]))


@pytest.mark.parametrize("follower", ["roller", "flat", "knife"])
def test_a_follower_follows_its_law_by_contact(follower: str) -> None:
    """One turn of the cam. Bodies in contact stay a tenth of a millimetre apart at most; chords of the outline are
    below that."""
    draft = parts.cam(follower=follower, base_radius=0.04)
    run = draft.simulate().run(3.0, drives={"cam_joint": simulator.velocity(2.0)})
    law = rise_and_fall(0.02, math.radians(120.0), math.radians(60.0), math.radians(120.0), "cycloidal")
    angle, lift = (np.asarray(run[f"{name}_joint/position"]) for name in ("cam", "follower"))
    assert np.abs(lift - law.lift(angle)[0]).max() < 1e-4


def test_a_geneva_wheel_goes_on_by_a_quarter_a_turn() -> None:
    """By contact: four slots, 90 degrees; the clearance of 0.3 mm about a disc of 34 mm leaves it half a degree."""
    run = parts.geneva().simulate().run(6.2, drives={"crank_joint": simulator.velocity(2.0)})
    crank, wheel = (np.degrees(np.asarray(run[f"{name}_joint/position"])) for name in ("crank", "wheel"))
    for turns in (1, 1.9):
        at = int(np.searchsorted(crank, 360.0 * turns))
        assert wheel[at] == pytest.approx(-90.0 * math.ceil(turns - 0.5), abs=0.6)


def test_a_ratchet_turns_one_way_only() -> None:
    back = parts.ratchet().simulate().run(1.0, drives={"wheel_joint": simulator.velocity(-1.0)})
    assert float(back["wheel_joint/position"][-1]) == pytest.approx(-1.0, abs=1e-3)
    held = parts.ratchet().simulate().run(1.0, drives={"wheel_joint": simulator.effort(0.05)})
    assert abs(float(held["wheel_joint/position"][-1])) < 2.0 * math.pi / 16


@pytest.mark.parametrize("law", ["cycloidal", "harmonic", "345"])
def test_the_derivatives_of_a_law_are_its_derivatives(law: str) -> None:
    course = rise_and_fall(0.02, 2.0, 1.0, 2.0, law)
    angle = np.array([0.3, 1.1, 1.9, 2.5, 3.4, 4.6, 5.5])
    h = 1e-6
    for order in (0, 1):
        wanted = (course.lift(angle + h)[order] - course.lift(angle - h)[order]) / (2.0 * h)
        assert course.lift(angle)[order + 1] == pytest.approx(wanted, abs=1e-7)


def test_the_curvature_of_a_flat_follower_s_cam() -> None:
    """h + h'' by the law, and by the circle through three neighbouring points of the outline."""
    course = rise_and_fall(0.01, 2.0, 1.0, 2.0, "345")
    profile = cam_profile(course, 0.05, follower="flat", count=7200)
    a, b, c = profile.points[:-2], profile.points[1:-1], profile.points[2:]
    area = np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    sides = [np.linalg.norm(x - y, axis=1) for x, y in ((a, b), (b, c), (a, c))]
    radius = sides[0] * sides[1] * sides[2] / (2.0 * area)
    assert radius.min() == pytest.approx(profile.smallest_curvature, rel=1e-3)


def test_a_four_bar_by_its_class() -> None:
    for kind in ("crank-rocker", "double-crank", "double-rocker", "triple-rocker"):
        assert parts.four_bar(kind=kind).notes == [kind]
    assert parts.grashof_class(0.3, 0.15, 0.3, 0.15) == "change point"


def test_hoeken_draws_a_line_and_peaucellier_an_exact_one() -> None:
    simulation = parts.peaucellier().simulate()
    xs = []
    for angle in np.linspace(-0.4, 0.3, 15):
        simulation.set(crank_joint=float(angle))
        tracer = np.array([0.0, 0.0, 0.0, 1.0])
        start = parts.peaucellier().frames["tracer"].get("pose").split()
        tracer[:3] = [float(word) for word in start[:3]]
        xs.append((simulation.pose("upper_outer") @ tracer)[0])
    assert np.ptp(xs) < 1e-12


def test_a_pantograph_enlarges() -> None:
    draft = parts.pantograph(factor=2.5)
    place = np.array([float(word) for word in draft.frames["far"].get("pose").split()[:3]] + [1.0])
    simulation = draft.simulate()
    before = simulation.pose("second") @ place
    simulation.set(cart_joint=0.02, rider_joint=-0.01)
    after = simulation.pose("second") @ place
    assert (after - before)[[0, 2]] == pytest.approx([0.05, -0.025], abs=1e-10)


def test_hooke_s_joint_turns_unevenly_and_two_of_them_evenly() -> None:
    """tan(output) = tan(input) / cos(angle), with the input's pin across the plane of the shafts at first."""
    one, two = parts.hooke_shaft().simulate(), parts.hooke_shaft(joints=2).simulate()
    for simulation in (one, two):
        simulation.set(input_joint=0.7)
    out = one.positions["output_joint"]
    c = math.cos(math.radians(30.0))
    assert min(abs(math.tan(out) - math.tan(0.7) * c), abs(math.tan(out) - math.tan(0.7) / c)) < 1e-10
    assert two.positions["output_joint"] == pytest.approx(0.7, abs=1e-10)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: parts.kind_named("gearbox"), "no kind of mechanism"),
        (lambda: parts.four_bar(kind="quick"), "no class of four-bars is named 'quick'. Available: crank-rocker"),
        (lambda: parts.four_bar(1.0, 0.1, 0.2, 0.3), "longer than the others"),
        (lambda: parts.four_bar(0.4, 0.3, 0.2, 0.25, angle=3.0), "at most"),
        (lambda: parts.slider_crank(crank=0.1, rod=0.02, offset=0.05), "longer than the offset"),
        (lambda: parts.geneva(slots=2), "3 slots"),
        (lambda: parts.geneva(pin=0.02), "no room"),
        (lambda: parts.ratchet(teeth=3), "6 teeth"),
        (lambda: parts.cam(follower="flat", base_radius=0.005), "a base radius above"),
        (lambda: parts.cam(lift=0.05, rise=0.8, fall=0.8, roller=0.04, base_radius=0.01), "smaller roller"),
        (lambda: parts.cam(law="linear"), "no law of a cam"),
        (lambda: parts.cam(rise=4.0, fall=3.0), "at most 360"),
        (lambda: CamLaw(((1.0, 0.01),)), "a turn of 360"),
        (lambda: parts.bennett(first=0.1, second=0.3), "between 0 and 1"),
        (lambda: parts.delta(rod=0.1), "do not reach"),
        (lambda: parts.stewart(kind="6-XPS"), "no kind of Stewart platform"),
        (lambda: parts.hooke_shaft(joints=3), "one joint or two"),
        (lambda: parts.gripper(kind="soft"), "no kind of gripper"),
        (lambda: parts.belt_drive(distance=0.05), "further apart"),
        (lambda: parts.pantograph(factor=1.0), "above 1"),
        (lambda: parts.peaucellier(long=0.1, short=0.2), "longer than those of the rhombus"),
    ],
)
def test_what_cannot_be_made(make: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()


def test_stl_and_dxf(tmp_path: Path) -> None:
    import ezdxf

    gear = parts.InvoluteGear(0.002, 20)
    shape = parts.gear_shape(gear, 0.012, bore=0.004)
    stl = parts.save_stl(shape, tmp_path / "gear.stl")
    found = simulator.mesh(stl, scale=1e-3)
    assert found.volume == pytest.approx(shape.volume, rel=1e-3)
    dxf = parts.save_dxf(gear.outline(24), tmp_path / "gear.dxf", bore=0.004)
    space = ezdxf.filemanagement.readfile(dxf).modelspace()
    (line,) = space.query("LWPOLYLINE")
    assert line.closed
    assert max(abs(x) for x, *_ in line.get_points()) == pytest.approx(22.0, rel=1e-3)
    with pytest.raises(UsageError, match="generated meshes"):
        parts.save_stl(simulator.box((1, 1, 1)), tmp_path / "box.stl")


def test_names_of_kinds() -> None:
    assert parts.kind_named("spur-gears") is parts.spur_gears
    with pytest.raises(UnknownNameError, match="did you mean 'spur_gears'"):
        parts.kind_named("spur_gear")
