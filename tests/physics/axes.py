"""What stands inside an axis or is left out of a document, for worlds written in place; contact forces by the names of
links."""

from __future__ import annotations

import re

from simulator.engine.engine import Engine


def limit(
    lower: float | None = None,
    upper: float | None = None,
    *,
    effort: float | None = None,
    velocity: float | None = None,
) -> str:
    """Stops and limits of an axis."""
    values = {"lower": lower, "upper": upper, "effort": effort, "velocity": velocity}
    inside = "".join(f"<{tag}>{value!r}</{tag}>" for tag, value in values.items() if value is not None)
    return f"<limit>{inside}</limit>"


def mimic(leader: str, multiplier: float, offset: float = 0.0, reference: float = 0.0) -> str:
    """A mimic by its three numbers."""
    values = {"multiplier": multiplier, "offset": offset, "reference": reference}
    return (
        f'<mimic joint="{leader}">' + "".join(f"<{tag}>{value!r}</{tag}>" for tag, value in values.items()) + "</mimic>"
    )


def dynamics(**values: float) -> str:
    """Damping, friction, spring."""
    return "<dynamics>" + "".join(f"<{tag}>{value!r}</{tag}>" for tag, value in values.items()) + "</dynamics>"


def without_visuals(text: str) -> str:
    """A document without its visuals, whose meshes are not beside a copy."""
    return re.sub(r"<visual.*?</visual>", "", text, flags=re.DOTALL)


def body(engine: Engine, link_name: str) -> int:
    """Index of the body that a link belongs to."""
    return engine.mechanism.link_bodies()[link_name]


def pressed(engine: Engine, *bodies: str) -> float:
    """Sum of the contact forces between two links, or on one [N]."""
    wanted = {body(engine, name) for name in bodies}
    return sum(contact.force for contact in engine.contacts() if wanted <= set(contact.bodies))
