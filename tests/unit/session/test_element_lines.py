"""Which lines of a document an element takes: XML's own rules, whatever comments and layout say."""

from __future__ import annotations

import pytest

from simulator.session.open.element_lines import element_lines

TEXT = """<?xml version="1.0"?>
<sdf version="1.12">
  <!-- <link name="a"> in a comment
  </link> -->
  <model name="m">
    <link name="a">
      <visual name="v"><geometry/></visual>
    </link>
    <link name="b"/>
    <model name="inner"
           placement_frame="f">
      <link name="a">
      </link>
    </model>
  </model>
</sdf>
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (2, (2, 16)),
        (5, (5, 15)),
        (6, (6, 8)),
        (7, (7, 7)),
        (9, (9, 9)),
        (10, (10, 14)),
        (11, (10, 14)),
        (12, (12, 13)),
        (4, (4, 4)),
        (99, (99, 99)),
    ],
)
def test_an_element_is_found_by_the_line_of_its_start_tag(line: int, expected: tuple[int, int]) -> None:
    assert element_lines(TEXT, line) == expected


def test_what_is_whole_before_an_error_is_found() -> None:
    broken = TEXT.replace('<link name="b"/>', '<link name="b">')
    assert element_lines(broken, 6) == (6, 8)
    assert element_lines(broken, 9) == (9, 9)
