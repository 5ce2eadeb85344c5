"""Labels that find room lie apart, inside of the view, and stay where they were; the least important go first."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PyQt6.QtCore import QLineF

from simulator.gui.viewport.label_layout import APART, AT_HAND, EDGE, NEAR, LabelLayout, Wanted

VIEW = (900.0, 360.0)
BOUNDED = QLineF.IntersectionType.BoundedIntersection
SIZE = (270.0, 22.0)
HINT = (300.0, 10.0, 600.0, 40.0)


def crowd(count: int, seed: int = 3) -> list[Wanted]:
    """Points within 60 pixels of each other, the more important the earlier."""
    random = np.random.default_rng(seed)
    points = (np.array(VIEW) / 2.0 + random.uniform(-30.0, 30.0, (count, 2))).tolist()
    return [Wanted(f"label {i}", (x, y), SIZE, 1.0 - i / count) for i, (x, y) in enumerate(points)]


def box(place: tuple[float, float]) -> tuple[float, float, float, float]:
    return (place[0], place[1], place[0] + SIZE[0], place[1] + SIZE[1])


def distance(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Gap between two boxes along the axis on which they are further apart; negative where they overlap."""
    return max(max(one[i] - other[i + 2], other[i] - one[i + 2]) for i in (0, 1))


@pytest.mark.parametrize("count", [1, 2, 12, 40, 500])
def test_labels_are_apart_and_inside(count: int) -> None:
    found = LabelLayout().place(crowd(count), [HINT], VIEW)
    boxes = [HINT, *map(box, found.values())]
    assert 1 <= len(found) <= count
    for number, one in enumerate(boxes):
        assert all(distance(one, other) >= APART - 1e-9 for other in boxes[:number])
    for left, top, right, bottom in boxes[1:]:
        assert left >= EDGE - 1e-9
        assert top >= EDGE - 1e-9
        assert right <= VIEW[0] - EDGE + 1e-9
        assert bottom <= VIEW[1] - EDGE + 1e-9


def test_the_most_important_are_placed() -> None:
    wanted = crowd(60)
    found = LabelLayout().place(wanted[::-1], [], VIEW)
    kept = sorted(59 - index for index in found)
    assert 6 <= len(kept) < 60
    assert kept[:6] == list(range(6)), "what is left out comes after the most important"


def test_a_selected_label_is_placed_where_there_is_room_for_one_only() -> None:
    """Beside labels that are there already."""
    layout, wanted = LabelLayout(), crowd(30)
    before = layout.place(wanted, [], VIEW)
    left_out = next(i for i in range(30) if i not in before)
    chosen = [one._replace(weight=one.weight + 2.0) if i == left_out else one for i, one in enumerate(wanted)]
    assert left_out in layout.place(chosen, [], VIEW)


def test_labels_stay_on_their_side_and_on_show_while_points_tremble() -> None:
    layout, wanted = LabelLayout(), crowd(14)
    first = layout.place(wanted, [], VIEW)
    random = np.random.default_rng(5)
    for _ in range(20):
        moved = [
            one._replace(
                point=(one.point[0] + random.uniform(-0.5, 0.5), one.point[1] + random.uniform(-0.5, 0.5)),
                weight=one.weight + random.uniform(-0.05, 0.05),
            )
            for one in wanted
        ]
        found = layout.place(moved, [], VIEW)
        common = found.keys() & first.keys()
        assert len(common) >= len(first) - 1
        jumped = [i for i in common if np.abs(np.subtract(found[i], first[i])).max() > 12.0]
        assert len(jumped) <= 1


def test_nothing_is_placed_where_everything_is_taken() -> None:
    assert LabelLayout().place(crowd(3), [(0.0, 0.0, *VIEW)], VIEW) == {}


def test_lines_of_labels_do_not_cross_where_there_is_a_choice() -> None:
    """Eight points in a row, as the shafts of a gear train, with labels above and below the gears: without the rule one
    pair of lines crosses."""
    size = (90.0, 22.0)
    wanted = [Wanted(f"gear {i}", (230.0 + 36.0 * i, 150.0), size, 1.0 - i / 20.0) for i in range(8)]
    found = LabelLayout().place(wanted, [(200.0, 115.0, 512.0, 185.0)], VIEW)
    assert len(found) == 8
    lines = []
    for number, (left, top) in found.items():
        x, y = wanted[number].point
        lines.append((x, y, min(max(x, left), left + size[0]), min(max(y, top), top + size[1])))
    assert not any(QLineF(*one).intersects(QLineF(*other))[0] is BOUNDED for one, other in combinations(lines, 2))


def test_of_many_labels_none_is_far_from_its_point_unless_it_is_selected() -> None:
    """Lines of 200 pixels from a robot that looks small would hide it: what is not near is left out."""
    wanted = [label._replace(size=(90.0, 22.0)) for label in crowd(60)]
    wanted[7] = wanted[7]._replace(weight=3.0)
    blocked = [(300.0, 30.0, 600.0, 330.0)]
    found = LabelLayout().place(wanted, blocked, VIEW)
    assert set(found) == {7}, "around the points all is taken, and further away is for what is selected"
    found = LabelLayout().place(wanted, [], VIEW)
    for number, (left, top) in found.items():
        if number != 7:
            x, y = wanted[number].point
            gaps = max(left - x, x - left - 90.0, 0.0), max(top - y, y - top - 22.0, 0.0)
            assert max(gaps) <= NEAR[AT_HAND - 1] + 1.0
