"""Published examples of synthesis, within their printed digits."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from simulator import synthesis
from simulator.building.synthesis.design import judged

PLACES = [
    (0.0, 0.0, 0.0),
    *(
        (far * math.cos(math.radians(way)), far * math.sin(math.radians(way)), math.radians(turn))
        for far, way, turn in ((2.798, -31.19, -45.0), (3.919, -16.34, 9.3))
    ),
]
"""R. Norton, Design of Machinery, section 5.7, example 5.2: P21, P31 [in] and the turns of the coupler."""
LEFT = (complex(0.055, 6.832), complex(1.179, 0.940), (342.3, 324.8))
RIGHT = (complex(-2.628, -1.825), complex(-0.109, 1.487), (30.9, 80.6))
"""Its dyads: by how much W turns [degrees] is chosen in the example; W and Z [in] at the first position are what his
equations 5.26, solved here beside the synthesis, give for that, to three decimals."""


def solved(turns: tuple[float, float]) -> tuple[complex, complex]:
    """W and Z of a dyad by his equations, W (e^{i beta} - 1) + Z (e^{i alpha} - 1) = P, for both displacements."""
    rows = [
        [cmath.exp(1j * math.radians(turn)) - 1.0, cmath.exp(1j * angle) - 1.0]
        for turn, (_, _, angle) in zip(turns, PLACES[1:], strict=True)
    ]
    w, z = np.linalg.solve(rows, [complex(x, y) for x, y, _ in PLACES[1:]]).tolist()
    return w, z


@pytest.mark.parametrize(("w", "z", "turns"), [LEFT, RIGHT], ids=["left", "right"])
def test_three_positions_of_norton(w: complex, z: complex, turns: tuple[float, float]) -> None:
    """His equations give these vectors to the last of three decimals; the same dyad comes of its pin, and of its
    pivot."""
    exact_w, exact_z = solved(turns)
    assert (exact_w, exact_z) == pytest.approx((w, z), abs=7e-4)
    pin, pivot = -exact_z, -exact_z - exact_w
    assert synthesis.dyad(PLACES, moving=(pin.real, pin.imag)).centre == pytest.approx(pivot, abs=1e-9)
    assert synthesis.dyad(PLACES, ground=(pivot.real, pivot.imag)).pin == pytest.approx(pin, abs=1e-9)


def test_the_four_bar_of_norton_takes_his_positions() -> None:
    """The lengths are those of his vectors, and the turns of the crank those that he chose, 342.3 and 324.8 degrees."""
    dyads = []
    for _, _, turns in (LEFT, RIGHT):
        _, z = solved(turns)
        dyads.append(synthesis.dyad(PLACES, moving=(-z.real, -z.imag)))
    design = synthesis.four_bar_of(PLACES, *dyads)
    ground, crank, coupler, rocker = design.lengths
    assert (crank, rocker) == pytest.approx((abs(LEFT[0]), abs(RIGHT[0])), abs=1e-3)
    assert coupler == pytest.approx(abs(LEFT[1] - RIGHT[1]), abs=1e-3)
    assert ground == pytest.approx(abs(sum(LEFT[:2]) - sum(RIGHT[:2])), abs=2e-3)
    assert [math.degrees(turn) % 360.0 for turn in design.crank_turns[1:]] == pytest.approx(LEFT[2], abs=1e-9)


@pytest.mark.parametrize(
    ("pivot", "turns"), [((-1.712, 0.033), (11.97, 23.97)), ((0.288, 0.033), (2.78, 9.96))], ids=["left", "right"]
)
def test_given_pivots_of_norton(pivot: tuple[float, float], turns: tuple[float, float]) -> None:
    """Example 5.3 of his section 5.9: three positions with both pivots of the ground given. The turns of both cranks
    are printed to two decimals [degrees]."""
    places = [(0.0, 0.0, 0.0), (-0.244, 0.013, math.radians(-11.34)), (-0.542, 0.029, math.radians(-22.19))]
    dyad = synthesis.dyad(places, ground=pivot)
    found = [
        math.degrees(
            cmath.phase((complex(x, z) + dyad.pin * cmath.exp(1j * turn) - dyad.centre) / (dyad.pin - dyad.centre))
        )
        for x, z, turn in places[1:]
    ]
    assert found == pytest.approx(turns, abs=5.1e-3)


POINTS = ((0.50, 1.06), (0.22, 0.78), (-0.13, 0.43), (-0.34, 0.22), (-0.83, -0.27))
"""Problem 7 of A. Morgan and C. Wampler, Solving a Planar Four-Bar Design Using Continuation, J. Mech. Des. 112, 1990:
five points on a line, and pivots at (0, 0) and (1, 0)."""
COUPLER = (0.0, 0.387116282208, 0.751699211109, 0.928413708131, 1.44734213756)
PINS = (complex(-0.0877960434509, -0.851386907516), complex(0.235837391307, -1.41899202704))
"""Of one of its fifteen real solutions, as J. Verschelde's PHCpack prints it (phcpy, example fourbar): turns of the
coupler [rad], and its pins from the first point."""


def test_five_points_of_morgan_and_wampler() -> None:
    """From three of the positions and both pivots come the pins as printed: twelve digits of the angles leave 1e-10.
    By the exact analysis of its document the point of the coupler is then at all five points."""
    places = [(x, y, turn) for (x, y), turn in zip(POINTS, COUPLER, strict=True)]
    dyads = [synthesis.dyad([places[k] for k in (0, 2, 4)], ground=(x, 0.0)) for x in (0.0, 1.0)]
    assert [dyad.pin for dyad in dyads] == pytest.approx([complex(*POINTS[0]) + pin for pin in PINS], abs=1e-10)
    positions = [synthesis.PlanePosition(complex(x, y), turn) for x, y, turn in places]
    design = judged(synthesis.four_bar_of(places[:4], *dyads), positions)
    assert not design.defects
    assert design.exact_error(positions) < 1e-9
