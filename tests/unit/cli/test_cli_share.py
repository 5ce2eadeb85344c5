"""What `simulator share` prints about a folder."""

from __future__ import annotations

from simulator.cli.share_command import stayed_behind


def test_files_that_stay_behind_are_one_line() -> None:
    few, many = (stayed_behind([f"{i}.stl" for i in range(count)]) for count in (3, 40))
    assert "elsewhere: '0.stl', '1.stl', '2.stl'; the page" in few
    assert "elsewhere: '0.stl', '1.stl', '2.stl' and 37 more; the page" in many
