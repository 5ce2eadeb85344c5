"""Texts inside of control elements → values; what cannot be read is an error with its line, never a silent default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.values import parse_bool, parse_number

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

INVALID = "ROS2_CONTROL_VALUE_INVALID"
LARGEST = 1e30
"""Larger reductions, offsets and inertias are mistakes, and their products would be infinite."""


def number_of(
    node: Node, log: DiagnosticLog, default: float, *, code: str = INVALID, text: str | None = None, minor: bool = False
) -> float:
    """The number that is the whole text of `node` (or `text`); an error, or a `minor` warning, and the default where it
    is none."""
    written = node.text if text is None else text
    try:
        value, rest = parse_number(written)
        if rest:
            raise ValueError(f"'{written}' is not a number")
    except ValueError as error:
        done = f"; {default:g} is taken" if minor else ""
        report = log.warning if minor else log.error
        report(code, node.source, f"{_label(node)}: {error}{done}", "write a number, such as 10 or -0.5")
        return default
    return value


def finite_of(
    node: Node, log: DiagnosticLog, default: float, *, code: str = INVALID, text: str | None = None, minor: bool = False
) -> float:
    """As `number_of`; infinity, nan and what no machine has are errors too."""
    value = number_of(node, log, default, code=code, text=text, minor=minor)
    if abs(value) < LARGEST:
        return value
    log.error(code, node.source, f"{_label(node)} must be a finite number below {LARGEST:g}, not {value:g}")
    return default


def flag_of(node: Node, attribute: str, log: DiagnosticLog) -> bool | None:
    """A true/false attribute, None where it is missing or (with an error) unreadable."""
    written = node.attributes.get(attribute)
    if written is None:
        return None
    try:
        return parse_bool(written)
    except ValueError as error:
        log.error(INVALID, node.source, f"{attribute} of {_label(node)}: {error}")
        return None


def parameters_of(node: Node) -> tuple[tuple[str, str], ...]:
    """All `<param name="…">text</param>` of an element."""
    return tuple((param.attributes.get("name", ""), param.text) for param in node.all("param"))


def _label(node: Node) -> str:
    name = node.attributes.get("name")
    return f"<{node.tag}> '{name}'" if name else f"<{node.tag}>"
