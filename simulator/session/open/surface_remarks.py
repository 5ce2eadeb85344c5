"""Properties of surfaces that a strategy omits, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.diagnostics import counted
from simulator.physics.rows.soft import RESOLVED
from simulator.physics.shapes.friction import NEVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.mechanism.types import Body, Mechanism
    from simulator.model.material import Surface


def direction_ignored(mechanism: Mechanism, solver: str) -> str:
    """A sentence that names the first link whose friction has a direction, slips, or resists twisting, if the strategy
    has none; else empty.

    Bullet's own anisotropic friction scales along the axes of the link that touches: it turns with a wheel."""
    named = _named(mechanism, lambda _, surface: solver == "gear" and _is_more_than_mu(surface))
    if not named:
        return ""
    return (
        "strategy gear takes friction as the same in every direction, without slip, and without a moment about the "
        f"normal: of {named} only mu counts"
    )


def threshold_ignored(mechanism: Mechanism, solver: str) -> str:
    """A sentence that names the first link with a bounce threshold, because Bullet has a global one; else
    empty."""
    named = _named(
        mechanism,
        lambda _, surface: solver == "gear" and surface.restitution > 0.0 and surface.bounce_threshold < NEVER,
    )
    return f"strategy gear has its own bounce threshold: that of {named} is ignored" if named else ""


def stiffness_ignored(mechanism: Mechanism, solver: str, dt: float) -> str:
    """A sentence that names the first link whose contacts are springs too stiff for steps of `dt` [s], so that
    they are rigid; else empty."""

    def is_unresolved(body: Body, surface: Surface) -> bool:
        stiff = surface.gives_way and surface.contact_stiffness * dt * dt > RESOLVED * RESOLVED * body.mass
        return solver == "rows" and stiff and body.mass > 0.0

    named = _named(mechanism, is_unresolved)
    return f"contacts of {named} are too stiff for steps of {1e3 * dt:g} ms, so they are rigid" if named else ""


def _named(mechanism: Mechanism, counts: Callable[[Body, Surface], bool]) -> str:
    """The first link with such a collision, and the number of further collisions; "" if there is none."""
    found = [name for body in mechanism.bodies for name, _, item in body.collisions() if counts(body, item.surface)]
    if not found:
        return ""
    return f"'{found[0]}'" + (f" (and {counted(len(found) - 1, 'more collision')})" if len(found) > 1 else "")


def _is_more_than_mu(surface: Surface) -> bool:
    """Whether friction has a direction, slips, or resists twisting."""
    torsion = surface.torsion
    radius = torsion.patch_radius if torsion.use_patch_radius else torsion.surface_radius
    return surface.has_grain or surface.slip > 0.0 or (radius > 0.0 and torsion.coefficient > 0.0)
