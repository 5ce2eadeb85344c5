"""`<simulator:parameter>` of a model: lengths of links by names, and whether the links are as long as they say.

Bodies are as the document places them, for us as for programs that read no names: a name that says something else is a
finding, and build mode redraws the links.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.sdf.extensions import PARAMETER
from simulator.formats.sdf.names import SCOPE
from simulator.model.lengths import LengthParameter, LengthValues, require_name
from simulator.model.shape import Cylinder

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.cursor import Cursor
    from simulator.model.world import Model

INVALID, DIFFERS = "PARAMETER_INVALID", "PARAMETER_DIFFERS"
EXAMPLE = f"e.g. <{PARAMETER} name='b' value='2.5*a' link='bar_2'/>"
WITHIN = 1e-6
"""By how much a link may be longer or shorter than its parameter says [m]."""


def read_parameters(owner: Cursor) -> tuple[LengthParameter, ...]:
    """The parameters of a model, in the order of the document; a name that is given twice is its first."""
    found: list[LengthParameter] = []
    for cursor in owner.children(PARAMETER):
        parameter = LengthParameter(cursor.get("name"), cursor.get("value"), cursor.get("link"), cursor.source)
        try:
            _require_sound(parameter, found)
        except UsageError as error:
            owner.log.warning(INVALID, cursor.source, f"<{PARAMETER}>: {error}; it is not read", EXAMPLE)
        else:
            found.append(parameter)
    return tuple(found)


def report_parameters(model: Model, log: DiagnosticLog) -> None:
    """Say which parameters have no value, name no link, or differ from their link."""
    values = LengthValues(model.parameters)
    links = {link.name.removeprefix(f"{model.name}{SCOPE}") for link in model.links}
    for parameter in model.parameters:
        assert parameter.source is not None
        try:
            value = values.of(parameter)
        except UsageError as error:
            log.warning(INVALID, parameter.source, f"<{PARAMETER}>: {error}", EXAMPLE)
            continue
        if parameter.link and parameter.link not in links:
            there = f"the link '{parameter.link}' does not exist in model '{model.name}'"
            log.warning(INVALID, parameter.source, f"<{PARAMETER}>: {there}", f"links: {', '.join(sorted(links))}")
            continue
        length = _length(model, parameter.link) if parameter.link else None
        if length is not None and abs(length - value) > WITHIN:
            name = f"parameter '{parameter.name}'" if parameter.name else "its parameter"
            message = f"link '{parameter.link}' is {length:.9g} m long, {name} is {value:.9g} m; the link stays as long"
            log.warning(DIFFERS, parameter.source, message, "build mode (key B) redraws it by its name")


def _require_sound(parameter: LengthParameter, before: list[LengthParameter]) -> None:
    if not parameter.value.strip():
        raise UsageError("it has no value")
    if not parameter.name and not parameter.link:
        raise UsageError("it has neither a name nor a link")
    if parameter.name:
        require_name(parameter.name)
    if parameter.name and any(item.name == parameter.name for item in before):
        raise UsageError(f"there is a length '{parameter.name}' already")
    if parameter.link and any(item.link == parameter.link for item in before):
        raise UsageError(f"'{parameter.link}' has a length already")


def _length(model: Model, link: str) -> float | None:
    """How long a link of a model is, by its name without scope: between its frames LINK_a and LINK_b, else the
    radius of the only cylinder that it looks like [m]; None for another one."""
    places = {frame.name.rpartition(SCOPE)[2]: frame.X_WF.position for frame in model.frames}
    ends = [places[name] for name in (f"{link}_a", f"{link}_b") if name in places]
    if len(ends) == 2:
        return math.dist(*ends)
    found = next((item for item in model.links if item.name.rpartition(SCOPE)[2] == link), None)
    shapes = [] if found is None else [visual.shape for visual in found.visuals]
    return shapes[0].radius if len(shapes) == 1 and isinstance(shapes[0], Cylinder) else None
