"""Lengths by their names: `<simulator:parameter name="a" .../>` sets every link whose length it is or follows from it.

The end of a link that comes later in the tree moves along the line between its ends, and joints between them keep their
share of it, as in `varied_length`; shapes and inertia stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.errors import UsageError
from simulator.mechanism.parameters import Allowed
from simulator.mechanism.varied_length import NO_LENGTH, length_of, pins_of, with_joint, with_length
from simulator.model.lengths import LengthValues, names_in
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Mechanism
    from simulator.model.lengths import LengthParameter
    from simulator.model.world import Model
    from simulator.spatial.arrays import Array

NAMED = ""
"""The field of a length that has a name of its own: its parameter is called as it is."""
SAME = 1e-6
"""By how much a link may differ from what its name says, so that it is that long [m]."""


class Known(NamedTuple):
    """A named length, and the model that has it."""

    model: Model
    parameter: LengthParameter

    @property
    def name(self) -> str:
        """Its scoped name."""
        return f"{self.model.name}::{self.parameter.name}"


class NamedLengths:
    """The named lengths of all models."""

    owner = "length"
    fields = (NAMED,)

    def names(self, of: Numbered) -> Sequence[str]:
        """All of them, those that follow from others, too."""
        return [known.name for known in _known(of)]

    def allowed(self, of: Numbered, index: int, _field: str) -> Allowed | None:
        """Only where it is a number, and every link that it sets is a bar."""
        return None if self.lacking(of, index, NAMED) else Allowed("m", NO_LENGTH)

    def lacking(self, of: Numbered, index: int, _field: str) -> str:
        """Why it cannot be set."""
        model, parameter = _known(of)[index]
        if parameter.number is None:
            return f"'{parameter.name}' follows from {', '.join(names_in(parameter.value))}; vary these"
        try:
            links = _set_by(model, parameter)
            _ = list(LengthValues(model.parameters))
        except UsageError as error:
            return str(error)
        reasons = (_reason(of, f"{model.name}::{item.link}") for item in links)
        return next(filter(None, reasons), "")

    def read(self, of: Numbered, index: int, _field: str) -> float:
        """The length of its link where that has two pins, else what the document says."""
        model, parameter = _known(of)[index]
        link = f"{model.name}::{parameter.link}"
        if parameter.link and pins_of(of, link)[0] is not None:
            return length_of(of, link)
        return parameter.number or 0.0

    def change(self, of: Numbered, _index: int, values: Mapping[str, float]) -> Mechanism:
        """All links that follow from `values`, which are by scoped names here and set together."""
        for model in of.world.models:
            mine = {item.parameter.name: item for item in _known(of) if item.model is model and item.name in values}
            wanted = [
                replace(item, value=repr(float(values[mine[item.name].name]))) if item.name in mine else item
                for item in model.parameters
            ]
            linked = {item.link for known in mine.values() for item in _set_by(model, known.parameter)}
            for item, length in LengthValues(wanted):
                if item.link in linked:
                    of = of.with_numbers(_with_length(of, f"{model.name}::{item.link}", length))
        return of.mechanism


def _known(of: Numbered) -> list[Known]:
    return [Known(model, item) for model in of.world.models for item in model.parameters if item.name]


def _set_by(model: Model, parameter: LengthParameter) -> list[LengthParameter]:
    """The lengths of links that are a parameter, or follow from it."""
    names = {parameter.name}
    found = [parameter]
    grown = True
    while grown:
        new = [
            item
            for item in model.parameters
            if item not in found and item.number is None and names.intersection(names_in(item.value))
        ]
        found += new
        names |= {item.name for item in new if item.name}
        grown = bool(new)
    return [item for item in found if item.link]


def _reason(of: Numbered, link: str) -> str:
    """Why a link cannot have another length; empty where it can."""
    if link not in of.places:
        return f"there is no link '{link}'"
    if pins_of(of, link)[0] is None and _ends(of, link) is None:
        return f"'{link}' is no bar with two ends, of which a length is; build mode (key B) redraws it"
    return ""


def _ends(of: Numbered, link: str) -> Array | None:
    """The frames at the ends of a bar, in its body [m], shape (2, 3); None where they are not there."""
    frames = [of.frames.get(f"{link}_{mark}") for mark in "ab"]
    if None in frames or f"{link}_c" in of.frames:
        return None
    ends = np.array([frame.position for frame in frames if frame is not None])
    return ends if float(np.linalg.norm(ends[1] - ends[0])) > NO_LENGTH else None


def _with_length(of: Numbered, link: str, length: float) -> Mechanism:
    """By its ends, where it has more joints than two or fewer."""
    ends = _ends(of, link)
    pins, _ = pins_of(of, link)
    if pins is not None and (ends is None or abs(length_of(of, link) - np.linalg.norm(ends[1] - ends[0])) <= SAME):
        return with_length(of, link, length)
    assert ends is not None, "only bars are asked"
    line = ends[1] - ends[0]
    before = float(np.linalg.norm(line))
    sides = [(joint, of.said[joint.name].child_link == link) for joint in of.joints_on.get(link, ())]
    mechanism = of.mechanism
    if not sides:
        return mechanism
    first = np.array(sides[0][0].side(child=sides[0][1]).position)
    for joint, is_child in sides[1:]:
        X_BJ = joint.side(child=is_child)
        share = float((np.array(X_BJ.position) - first) @ line) / before**2
        x, y, z = np.array(X_BJ.position) + (length / before - 1.0) * share * line
        moved = joint.with_side(Pose((float(x), float(y), float(z)), X_BJ.orientation), child=is_child)
        mechanism = with_joint(mechanism, joint, moved)
    return mechanism
