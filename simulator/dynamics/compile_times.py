"""How long the compilation of kernels takes, for those who wait."""

from __future__ import annotations

import math

SECONDS = (0.55, 1.1)
"""Of one kernel on the average: on a processor of 2024 and on one that is half as fast or has other work. All 215 took
two to four minutes on a dozen systems."""


def minutes_of(kernels: int) -> tuple[int, int]:
    """Whole minutes in which so many kernels are compiled, from the quickest to the slowest; 0 for less than one."""
    quick, slow = (kernels * seconds / 60.0 for seconds in SECONDS)
    return (max(round(quick), 1), math.ceil(slow)) if slow > 1.0 else (0, 0)


def minutes_text(kernels: int) -> str:
    """`less than a minute`, `1 to 2 minutes`."""
    quick, slow = minutes_of(kernels)
    if slow == 0:
        return "less than a minute"
    return f"{quick} to {slow} minutes"
