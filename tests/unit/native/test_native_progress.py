"""How far a build says it is, beside what is true of times that are made up: seconds that have passed, of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from simulator.native.build.progress import LEAST, OPTIMISING, SURE, Progress

UNITS = {"large": 30.0, "small": 10.0}
LOWERING = sum(UNITS.values()) / 2
LLVM = OPTIMISING * UNITS["large"]


def fractions(pace: Callable[[float], float], lowering: float, llvm: float) -> Iterator[tuple[float, float]]:
    """The true fraction and the one that is said, every tenth of a second of a build by two processes. `pace`: share of
    kernels that are lowered when this share of `lowering` [s] has passed."""
    progress = Progress(UNITS, processes=2)
    progress.begin(100.0)
    whole = lowering + llvm
    for tick in range(int(10 * whole)):
        past = 0.1 * tick
        now = 100.0 + past
        if past < lowering:
            said = progress.lowering(now, pace(past / lowering))
        else:
            if past > lowering + llvm / 3.0:
                progress.optimised("small")
            said = progress.optimising(now)
        yield past / whole, said


@pytest.mark.parametrize("slower", [1.0, 2.5])
def test_a_build_from_nothing(slower: float) -> None:
    """As true as kernels cost what is expected, but for a slow machine at first, and for the last of what is left."""
    for true, said in fractions(lambda share: share, slower * LOWERING, slower * LLVM):
        first = slower > 1.0 and true < slower * SURE
        assert first or said == pytest.approx(min(true, 1.0 / (1.0 + LEAST)), abs=0.01)


def test_kernels_that_are_found_on_disk_do_not_count_as_work() -> None:
    """Nine of ten are there in a second, the last one takes two more; then LLVM takes as long as ever."""
    pace = lambda share: min(0.9 * 3.0 * share, 0.9)  # noqa: E731
    for true, said in fractions(pace, 3.0, LLVM):
        assert said == pytest.approx(true, abs=0.1)


def test_it_goes_on_when_it_takes_longer_than_expected() -> None:
    """By at most 4 per cent less than all, and never back."""
    said = [said for _, said in fractions(lambda share: share, 5.0, 3.0 * LLVM)]
    assert said == sorted(said)
    assert 0.9 < said[-1] < 1.0
