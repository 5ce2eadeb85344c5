"""Linkages by synthesis: what is found does what was asked for, by the exact analysis of its document."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from simulator.building.synthesis.design import FourBarDesign, PlanePosition, judged
from simulator.building.synthesis.dwell import circle_of, dwell
from simulator.building.synthesis.function import freudenstein, function, slider_function
from simulator.building.synthesis.line import best_ground, straight_line, straightness
from simulator.building.synthesis.motion import Dyad, burmester, dyad, four_bar_of, motion, positions_of
from simulator.building.synthesis.path import cognates, path
from simulator.errors import UsageError

THREE = [(0.0, 0.0, 0.0), (0.1, 0.05, 0.4), (0.2, 0.0, 0.9)]
FOUR = [(0.0, 0.0, 0.0), (0.1, 0.05, 0.3), (0.2, 0.04, 0.6), (0.28, 0.0, 0.8)]


def test_three_positions_are_taken() -> None:
    designs = motion(THREE)
    assert len(designs) == 6
    for design in designs:
        assert design.defects == ()
        assert design.exact_error(positions_of(THREE)) < 1e-9


@pytest.mark.timeout(600)
def test_thirty_problems_of_three_positions() -> None:
    """At random: each is solved, and its best linkage is turned through the positions by `analyse`, which stays on the
    circuit of the start; 1e-9 of a metre, in problems a metre wide. A third of such problems, whose positions turn far
    between each other, have no four-bar without a defect on the grid that is searched: they are drawn again."""
    random = Random(7)
    solved = 0
    for _ in range(90):
        x, z = random.uniform(0.2, 0.5), random.uniform(-0.3, 0.3)
        places = [(0.0, 0.0, 0.0), (x, z, random.uniform(0.1, 0.6))]
        places.append(
            (x + random.uniform(0.2, 0.5), z + random.uniform(-0.3, 0.3), places[1][2] + random.uniform(0.1, 0.6))
        )
        try:
            best = motion(places, count=1)[0]
        except UsageError:
            continue
        assert best.exact_error(positions_of(places)) <= 1e-9
        solved += 1
        if solved == 30:
            break
    assert solved == 30


@pytest.mark.parametrize("end", ["moving", "ground"])
def test_a_pivot_is_on_a_circle_in_all_positions(end: str) -> None:
    found = dyad(THREE, moving=(0.05, 0.1)) if end == "moving" else dyad(THREE, ground=(0.1, -0.2))
    positions = positions_of(THREE)
    radii = [abs(position.carried(found.pin, positions[0]) - found.centre) for position in positions]
    assert max(radii) - min(radii) < 1e-14
    assert found.pin == 0.05 + 0.1j if end == "moving" else found.centre == 0.1 - 0.2j


def test_two_positions_with_a_turn() -> None:
    found = dyad(THREE[:2], moving=(0.1, 0.0), turn=0.5)
    positions = positions_of(THREE[:2])
    after = positions[1].carried(found.pin, positions[0])
    ratio = (after - found.centre) / (found.pin - found.centre)
    assert ratio == pytest.approx(complex(math.cos(0.5), math.sin(0.5)), abs=1e-14)
    other = dyad(THREE[:2], ground=(0.0, -0.3), turn=0.5)
    design = four_bar_of(THREE[:2], Dyad(found.centre, found.pin), other)
    assert design.crank_turns[1] == pytest.approx(0.5, abs=1e-12)


def test_burmester_curves_for_four_positions() -> None:
    """By definition: the four places of a circle point are at one distance of its centre point."""
    positions = positions_of(FOUR)
    dyads = burmester(FOUR)
    assert len(dyads) > 100
    for item in dyads:
        radius = abs(item.pin - item.centre)
        for position in positions:
            assert abs(position.carried(item.pin, positions[0]) - item.centre) == pytest.approx(radius, rel=1e-8)
    best = motion(FOUR, count=2)
    assert all(design.exact_error(positions) < 1e-9 for design in best)


def test_a_linkage_goes_through_its_own_positions_again() -> None:
    """Four positions of a known four-bar: its own cranks are on the curves that are computed from them."""
    known = FourBarDesign(0j, 0.4 + 0j, 0.05 + 0.0866j, 0.333 + 0.2925j, 0.15 + 0.3j)
    places = []
    for turn in (0.0, 0.5, 1.1, 1.6):
        a, b = known.pins(turn) or (0j, 0j)
        angle = np.angle((b - a) / (known.rocker_pin - known.crank_pin))
        at = known.point_at(turn) or 0j
        places.append((at.real, at.imag, float(angle)))
    # The crank turns by 0.5 between the first two: that is one of the samples where 360 degrees are 4 pi / 0.5 parts.
    dyads = burmester(places, count=4000)
    near = min(abs(item.pin - known.crank_pin) + abs(item.centre - known.crank_pivot) for item in dyads)
    assert near < 2e-3
    assert not judged(known, positions_of(places)).defects


def test_defects_are_found() -> None:
    known = FourBarDesign(0j, 0.4 + 0j, 0.05 + 0.0866j, 0.333 + 0.2925j, 0.15 + 0.3j)

    def place(design: FourBarDesign, turn: float) -> PlanePosition:
        a, b = design.pins(turn) or (0j, 0j)
        return PlanePosition(
            design.point_at(turn) or 0j, float(np.angle((b - a) / (known.rocker_pin - known.crank_pin)))
        )

    mixed = [place(known, turn) for turn in (0.0, 2.0, 1.0, 3.0)]
    assert "order" in judged(known, mixed).defects[0]
    a, b = known.pins(0.7) or (0j, 0j)
    line = known.rocker_pivot - a
    mirrored = a + line * ((b - a) / line).conjugate()
    turn = (mirrored - a) / (known.rocker_pin - known.crank_pin)
    other = PlanePosition(a + (known.point - known.crank_pin) * turn, float(np.angle(turn)))
    assert "branch" in judged(known, [place(known, 0.0), other]).defects[0]
    rocking = FourBarDesign(0j, 0.4 + 0j, 0.25j, 0.1 + 0.5j, 0.1 + 0.4j)
    assert rocking.cannot_pass(0.0, 6.0)


def test_freudenstein_meets_three_pairs_exactly() -> None:
    """The angles of a known four-bar give it back."""
    known = FourBarDesign(0j, 1.0 + 0j, 0.4 * np.exp(0.5j), 0j, 0j)
    rocker, coupler = 0.9, 1.1
    pairs = []
    for phi in (0.5, 0.9, 1.4):
        a = 0.4 * np.exp(1j * phi)
        line = 1.0 - a
        d = abs(line)
        along = (coupler**2 - rocker**2 + d**2) / (2 * d)
        b = a + (along + 1j * math.sqrt(coupler**2 - along**2)) * line / d
        pairs.append((phi, float(np.angle(b - 1.0))))
    found = freudenstein(pairs)
    assert found.lengths == pytest.approx((1.0, 0.4, coupler, rocker), rel=1e-9)
    assert found.error < 1e-9
    assert known.crank_pivot == found.crank_pivot


def log_pairs(places: list[float]) -> list[tuple[float, float]]:
    """log10 from 1 to 2, over 60 degrees of the crank and 90 of the rocker: Freudenstein's function and ranges."""
    wide, far = math.radians(60.0), math.radians(90.0)
    return [(wide * (x - 1.0), far * math.log10(x) / math.log10(2.0)) for x in places]


@pytest.mark.parametrize("count", [3, 4, 5])
def test_a_logarithm_is_generated_exactly_at_its_points(count: int) -> None:
    """Chebyshev's spacing of 3, 4 or 5 points; five are the most that a four-bar with free starts meets."""
    at = [1.5 - 0.5 * math.cos(math.pi * (2 * j + 1) / (2 * count)) for j in range(count)]
    best = function(log_pairs(at))[0]
    assert best.error < 1e-6
    simulation = best.draft().simulate()
    for turn, (_, wanted) in zip(best.crank_turns, log_pairs(at), strict=True):
        if turn == 0.0:
            continue
        moved = simulation.analyse({"crank_joint": (0.0, turn)}, points=91, loads=False)
        x, _, z = moved.point("rocker", (best.rocker_pin.real, 0.0, best.rocker_pin.imag))[0][-1]
        turned = np.angle((complex(x, z) - best.rocker_pivot) / (best.rocker_pin - best.rocker_pivot))
        assert turned == pytest.approx(wanted - log_pairs(at)[0][1], abs=1e-6)


def test_more_pairs_are_met_in_the_least_squares() -> None:
    best = function(log_pairs(list(np.linspace(1.0, 2.0, 21))))[0]
    assert math.degrees(best.error) < 0.1, "the structural error of a good four-bar for this function, of 90 degrees"


def test_a_slider_crank_from_three_places() -> None:
    a, b, e = 0.05, 0.16, 0.02
    pairs = [(phi, a * math.cos(phi) + math.sqrt(b**2 - (a * math.sin(phi) - e) ** 2)) for phi in (0.3, 1.2, 2.4)]
    found = slider_function(pairs)
    assert (found.crank, found.rod, found.offset) == pytest.approx((a, b, e), rel=1e-9)
    assert found.error < 1e-12
    assert found.draft().check().diagnostics == ()


def test_cognates_draw_the_same_curve() -> None:
    """The theorem of Roberts and Chebyshev, by the exact position of each: points of the one are on the others'."""
    known = FourBarDesign(0j, 0.4 + 0j, 0.05 + 0.0866j, 0.333 + 0.2925j, 0.15 + 0.3j)
    for other in cognates(known):
        curve = [other.point_at(float(turn)) for turn in np.linspace(0.0, 2.0 * math.pi, 20001)]
        there = np.array([point for point in curve if point is not None])
        for turn in (0.1, 0.4, -0.3):
            wanted = known.point_at(turn)
            assert wanted is not None
            assert np.abs(there - wanted).min() < 1e-4, "20000 points of a curve of about a metre"


def test_hoeken_and_chebyshev_go_straight_where_their_books_say() -> None:
    """Hoeken 1 : 2 : 2.5 (R. Norton, Design of Machinery, table 3-1: within 0.1 % of the length for 180 degrees of the
    crank, about 4 cranks long). Chebyshev 4 : 5 : 2: the middle of the coupler is at the height 4 in three
    positions."""
    hoeken = FourBarDesign(0j, 2.0 + 0j, -1.0 + 0j, 0.5 + 2.0j, 2.0 + 4.0j)
    places = np.array([hoeken.point_at(float(turn)) for turn in np.linspace(-0.5 * math.pi, 0.5 * math.pi, 181)])
    length = np.ptp(places.real)
    assert length == pytest.approx(4.0, abs=0.25)
    assert np.ptp(places.imag) < 2.5e-3 * length
    chebyshev = FourBarDesign(-2.0 + 0j, 2.0 + 0j, 1.0 + 4.0j, -1.0 + 4.0j, 0.0 + 4.0j)
    # In its end position the crank is upright: its pin is at (-2, 5), that of the rocker at (-2, 3).
    for turn, x in ((0.0, 0.0), (math.pi / 2.0 - math.acos(0.6), -2.0)):
        point = chebyshev.point_at(turn)
        assert point == pytest.approx(complex(x, 4.0), abs=1e-12)


def test_a_path_through_points() -> None:
    points = [(0.0, 0.0), (0.1, 0.03), (0.2, 0.02), (0.15, -0.05), (0.05, -0.05)]
    best = path(points)[0]
    assert best.error < 1e-6
    again = [best.point_at(turn) for turn in best.crank_turns]
    gaps = [abs(place - complex(*point)) for place, point in zip(again, points, strict=True) if place is not None]
    assert max(gaps) == pytest.approx(best.error, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: motion([(0, 0, 0)]), "two, three or four"),
        (lambda: motion([(0, 0, 0), (0, 0, 0)]), "the same"),
        (lambda: dyad(THREE), "either the moving pivot or the one on the ground"),
        (lambda: dyad([(0, 0, 0), (1, 0, 0), (2, 0, 0)], moving=(0, 0)), "on a line"),
        (lambda: dyad(FOUR, moving=(0, 0)), "burmester"),
        (lambda: burmester(THREE), "four positions"),
        (lambda: freudenstein([(0.1, 0.2)]), "three pairs"),
        (lambda: slider_function([(0.1, 0.2)]), "three pairs"),
        (lambda: path([(0, 0), (1, 1)]), "three to nine"),
        (lambda: path([(0, 0), (1, 1), (2, 0)], turns=[0.0, 1.0]), "3 points and 2 turns"),
    ],
)
def test_what_cannot_be_found(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(UsageError, match=message):
        call()


NORTON = (  # turn of the crank [degrees], ground and coupler [cranks], largest deviation of the line [%]
    (20, 2.975, 3.963, 0.00001), (40, 2.950, 3.925, 0.00004), (60, 2.900, 3.850, 0.00027), (80, 2.825, 3.738, 0.001),
    (100, 2.725, 3.588, 0.004), (120, 2.625, 3.438, 0.010), (140, 2.500, 3.250, 0.023), (160, 2.350, 3.025, 0.047),
    (180, 2.200, 2.800, 0.096),
)  # fmt: skip
"""R. Norton, Design of Machinery: link ratios for the straightest lines of a Hoeken linkage."""


@pytest.mark.parametrize(("degrees", "ground", "coupler", "percent"), NORTON)
def test_lines_are_as_straight_as_published(degrees: int, ground: float, coupler: float, percent: float) -> None:
    """His ratios give his deviations, to the digits that are printed; they are a table in steps of a fortieth, so the
    best ground is within one of them, and no worse."""
    turn = math.radians(degrees)
    last = 10.0 ** -(5 if percent < 0.001 else 3)
    assert (3.0 * ground - 1.0) / 2.0 == pytest.approx(coupler, abs=6e-4)
    assert 100.0 * straightness(ground, turn) == pytest.approx(percent, abs=0.6 * last)
    best = best_ground(turn)
    assert best == pytest.approx(ground, abs=0.025)
    assert straightness(best, turn) <= straightness(ground, turn)


def test_a_point_goes_along_the_line_of_the_document() -> None:
    """By the exact analysis: from end to end, and off by what the design says, on both sides of a slanted line."""
    start, end = np.array([0.1, -0.05]), np.array([0.3, 0.1])
    along = (end - start) / np.linalg.norm(end - start)
    designs = straight_line(tuple(start), tuple(end))
    assert len(designs) == 8
    for design in designs:
        turn = design.crank_turns[-1]
        found = design.draft().simulate().analyse({"crank_joint": (0.0, turn)}, points=181, loads=False)
        place = found.point("coupler", (design.point.real, 0.0, design.point.imag))[0][:, [0, 2]]
        np.testing.assert_allclose(place[[0, -1]], [start, end], atol=1e-12)
        off = np.abs((place - start) @ np.array([-along[1], along[0]]))
        assert off.max() == pytest.approx(design.error, rel=1e-3)
    errors = [design.error for design in designs]
    assert errors == sorted(errors, reverse=True)


def test_a_line_that_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="are apart"):
        straight_line((0.0, 0.0), (0.0, 0.0))
    with pytest.raises(UsageError, match="10 to 180 degrees"):
        straight_line((0.0, 0.0), (1.0, 0.0), turns=(4.0,))


def test_a_dwell_stands_and_swings_by_the_exact_analysis() -> None:
    """Over 90 of 360 degrees by less than a hundredth of a degree, and by 30 degrees in the rest. Its document, turned
    by `analyse`, moves as the closed form of the design says, to 1e-9."""
    best = dwell(math.radians(90.0), math.radians(30.0), count=1)[0]
    assert best.error < math.radians(0.01)
    assert best.swing == pytest.approx(math.radians(30.0), abs=1e-9)
    assert best.least_transmission_angle > math.radians(29.9)
    assert best.exact_error() == pytest.approx(best.error, abs=1e-9)
    swept = best.draft().simulate().analyse({"crank_joint": (0.0, 2.0 * math.pi)}, points=181, loads=False)
    tips = swept.point("output", (best.pin.real, 0.0, best.pin.imag))[0]
    angles = np.unwrap(np.arctan2(tips[:, 2] - best.pivot.imag, tips[:, 0] - best.pivot.real))
    wanted = best.output_angle(np.linspace(0.0, 2.0 * math.pi, 181))
    assert np.abs(angles - angles[0] - wanted).max() < 1e-9
    assert np.abs(angles[:46] - angles[0]).max() < math.radians(0.01) < np.abs(angles[60:] - angles[0]).max()


def test_the_circle_through_points_of_one_is_that() -> None:
    points = 3.0 - 2.0j + 1.5 * np.exp(1j * np.linspace(0.2, 1.1, 9))
    centre, radius = circle_of(points)
    assert (abs(centre - (3.0 - 2.0j)), radius) == (pytest.approx(0.0, abs=1e-12), pytest.approx(1.5, abs=1e-12))


@pytest.mark.parametrize(("turn", "swing", "words"), [(10.0, 30.0, "the turn of a dwell"), (90.0, 150.0, "the swing")])
def test_dwells_that_nothing_makes_are_refused(turn: float, swing: float, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        dwell(math.radians(turn), math.radians(swing))
