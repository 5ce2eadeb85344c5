"""Published examples of synthesis, within their printed digits."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from simulator import synthesis

PLACES = [
    (0.0, 0.0, 0.0),
    *(
        (far * math.cos(math.radians(way)), far * math.sin(math.radians(way)), math.radians(turn))
        for far, way, turn in ((2.798, -31.19, -45.0), (3.919, -16.34, 9.3))
    ),
]
"""R. Norton, Design of Machinery, 2nd ed., example 5-2: P21, P31 [in] and the turns of the coupler."""
LEFT = (complex(0.055, 6.832), complex(1.179, 0.940), (342.3, 324.8))
RIGHT = (complex(-2.628, -1.825), complex(-0.109, 1.487), (30.9, 80.6))
"""Its dyads: W and Z [in] at the first position, and by how much W turns [degrees]."""


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
    """His equations have what he prints, to the last of three decimals; the same dyad comes of its pin, and of its
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
