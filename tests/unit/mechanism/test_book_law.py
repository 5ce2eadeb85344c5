"""Laws as a book writes them."""

from __future__ import annotations

import pytest

from simulator.mechanism.book_law import BookLaw, book_law, combined_laws
from simulator.mechanism.types import Coupling, CouplingKind

GEARBOX = CouplingKind.GEARBOX


def test_a_mimic_keeps_its_number() -> None:
    law = book_law(Coupling(CouplingKind.MIMIC, 1, 0, 0.02, 0.5, 0.25))
    assert law == BookLaw(((1, 1.0),), ((0, 0.02),), pytest.approx(0.495))
    assert book_law(Coupling(CouplingKind.MIMIC, 1, 0, -2.0)) == BookLaw(((1, 1.0),), ((0, -2.0),), 0.0)


def test_willis_in_whole_numbers() -> None:
    """Ring held by ratio 0.5 on the carrier: ring = -0.5 sun + 1.5 carrier is 2 ring + sun = 3 carrier (Willis, N_s/N_r
    = 1/2)."""
    law = book_law(Coupling(GEARBOX, 2, 0, -0.5, others=((1, 1.5),)))
    assert law == BookLaw(((2, 2.0), (0, 1.0)), ((1, 3.0),), 0.0)


def test_a_differential_is_left_plus_right_equals_twice_the_cage() -> None:
    """The classical law of the bevel differential; axes: left 0, right 1, spider 2, cage 3."""
    spider = Coupling(GEARBOX, 2, 0, 1.5, others=((3, -1.5),))
    right = Coupling(GEARBOX, 1, 2, -2.0 / 3.0, others=((3, 1.0),))
    assert combined_laws((spider, right)) == (BookLaw(((1, 1.0), (0, 1.0)), ((3, 2.0),), 0.0),)


def test_a_planetary_train_obeys_willis() -> None:
    """planet = -2 (sun - carrier) and ring = planet / 4 + ... give 2 ring + sun = 3 carrier: (ring - carrier) / (sun -
    carrier) = -1/2."""
    planet = Coupling(GEARBOX, 3, 0, -2.0, others=((2, 2.0),))
    ring = Coupling(GEARBOX, 1, 3, 0.25, others=((2, 1.0),))
    assert combined_laws((planet, ring)) == (BookLaw(((1, 2.0), (0, 1.0)), ((2, 3.0),), 0.0),)


def test_numbers_that_are_no_fractions_stay_as_they_are() -> None:
    law = book_law(Coupling(GEARBOX, 2, 0, -0.1234567, others=((1, 1.1234567),)))
    assert law == BookLaw(((2, 1.0), (0, 0.1234567)), ((1, 1.1234567),), 0.0)
