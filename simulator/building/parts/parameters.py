"""What the parameters of a kind of mechanism are: their units, and the words that some of them take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.building.parts.cam import FOLLOWERS, LAWS
from simulator.building.parts.catalogue import parameters_of
from simulator.building.parts.linkage_kinds import GRASHOF
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.building.draft import Draft

ANGLES = {"angle", "dwell", "fall", "helix", "pressure_angle", "rise", "twist"}
NUMBERS = {"factor", "scale", "shifts"}
"""Pure numbers that are not counts."""
UNITS = {"cam.stiffness": "N/m", "ratchet.stiffness": "N m/rad"}
WORDS = {
    "cam.follower": FOLLOWERS,
    "cam.law": tuple(LAWS),
    "four_bar.kind": tuple(GRASHOF),
    "gripper.kind": ("parallel", "angular"),
    "stewart.kind": ("6-UPS", "6-SPS"),
}
LEFT_OPEN = {
    "bevel_gears.face",
    "four_bar.coupler",
    "four_bar.crank",
    "four_bar.ground",
    "four_bar.rocker",
    "hoeken.width",
    "worm_gears.diameter",
}
"""Lengths that follow from the other parameters where they are 0."""


@dataclass(frozen=True)
class KindParameter:
    """A parameter of a kind. `unit`: of its value, or of each where the default is a tuple; "" for counts, pure
    numbers, words and choices of yes and no. `words`: those that it takes, if it takes words. `is_open`: 0 leaves it
    to the other parameters."""

    name: str
    default: object
    unit: str = ""
    words: tuple[str, ...] = ()
    is_open: bool = False

    @property
    def label(self) -> str:
        """Its name as text."""
        return self.name.replace("_", " ")


def described(kind: Callable[..., Draft]) -> list[KindParameter]:
    """The parameters of a kind, in the order of its signature."""
    return [
        KindParameter(
            name,
            default,
            _unit(f"{kind.__name__}.{name}", name, default),
            WORDS.get(f"{kind.__name__}.{name}", ()),
            f"{kind.__name__}.{name}" in LEFT_OPEN,
        )
        for name, default in parameters_of(kind).items()
    ]


def _unit(key: str, name: str, default: object) -> str:
    if key in UNITS:
        return UNITS[key]
    one = default[0] if isinstance(default, tuple) else default
    if name in NUMBERS or not isinstance(one, float):
        return ""
    return "rad" if name in ANGLES else "m"
