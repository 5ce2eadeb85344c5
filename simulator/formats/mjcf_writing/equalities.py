"""Loops and couplings as equalities, as stiff as MuJoCo takes them.

A ball is pinned at a point (connect), a hinge at two points of its axis, a fixed joint is welded, each between two
sites. A coupling of two joints is a line between them, one of more the length of a fixed tendon. `solref` is the time
constant of the spring that closes what is open: MuJoCo holds it above two steps. `solimp` is the greatest share of the
constraint's force that MuJoCo gives it; the rest is how it gives way.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

from simulator.formats.mjcf_writing.forest import TURNING
from simulator.formats.mjcf_writing.shapes import CODE, place
from simulator.formats.values import number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.model.joint import JointType
from simulator.records import dataclass
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.mjcf_writing.forest import BodyForest
    from simulator.formats.nodes import Node
    from simulator.model.joint import Joint

SOLIMP = "0.9999 0.9999 0.001 0.5 2"
POWERS = 5
"""Coefficients of MuJoCo's polynomial."""
PIN = 0.5
"""Metres between the two pins of a hinge."""


@dataclass
class Equalities:
    """Elements of `<equality>`, and sites by the scoped name of their link."""

    stiffness: dict[str, str]
    nodes: list[Node] = field(default_factory=list)
    sites: dict[str, list[Node]] = field(default_factory=dict)

    @staticmethod
    def with_step(step: float) -> Equalities:
        """For a time step [s]."""
        return Equalities({"solref": numbers_text((2.0 * step, 1.0)), "solimp": SOLIMP})

    def add_site(self, link: str, X: Pose, name: str) -> str:
        """A site on a link; its name."""
        self.sites.setdefault(link, []).append(element("site", name=name, **place(X)))
        return name

    def add_loop(self, joint: Joint, forest: BodyForest, log: DiagnosticLog) -> None:
        """What closes a loop; a finding for a type that MuJoCo cannot close one by."""
        name = forest.name(joint.name)
        X_PE = forest.pose(joint.parent_link).inverse() @ (joint.X_WJ_parent or joint.X_WJ)
        X_CE = forest.pose(joint.child_link).inverse() @ joint.X_WJ
        if joint.type in TURNING:
            x, y, z = joint.axes[0].xyz_joint
            pins = [Pose((0.0, 0.0, 0.0)), Pose((PIN * x, PIN * y, PIN * z))]
            tag = "connect"
        elif joint.type in (JointType.BALL, JointType.FIXED):
            pins = [Pose()]
            tag = "connect" if joint.type is JointType.BALL else "weld"
        else:
            message = f"a loop closed by the {joint.type.value} joint '{name}' has no place in MJCF: it is open"
            log.warning(CODE, joint.source, message, "close it by a ball, a hinge or a fixed joint")
            return
        for number, pin in enumerate(pins):
            label = name if len(pins) == 1 else f"{name}_{number}"
            one = self.add_site(joint.parent_link, X_PE @ pin, f"{label}_parent")
            other = self.add_site(joint.child_link, X_CE @ pin, f"{label}_child")
            self.nodes.append(element(tag, name=label, site1=one, site2=other, **self.stiffness))
        self._report_lost(joint, name, log)

    def _report_lost(self, joint: Joint, name: str, log: DiagnosticLog) -> None:
        """A joint that closes a loop has no coordinate in MuJoCo."""
        for axis in joint.axes:
            limited = math.isfinite(axis.lower) or math.isfinite(axis.upper)
            if limited or axis.mimic is not None or axis.damping or axis.friction or axis.spring_stiffness:
                message = (
                    f"joint '{name}' closes a loop: its limits, damping, friction, spring and mimic have no place there"
                )
                log.warning(CODE, joint.source, message, fold="loop joint", about=name)
                return


@dataclass(frozen=True)
class CouplingRow:
    """Σ coefficient · q = constant over channels, the follower first; or with a `curve` the follower is a polynomial of
    the leader, of these coefficients, or what MJCF has no place for where it is empty."""

    terms: tuple[tuple[str, float], ...]
    constant: float
    curve: tuple[float, ...] | None = None


def add_couplings(
    equalities: Equalities,
    rows: Iterable[CouplingRow],
    there: Mapping[str, str],
    where: Source | None,
    log: DiagnosticLog,
) -> list[Node]:
    """Couplings of two joints as equalities of joints; those of one or of more as equalities of fixed tendons, which
    are given back. `there`: names of MuJoCo's joints by channel."""
    tendons = []
    for row in rows:
        terms = [(channel, factor) for channel, factor in row.terms if factor]
        missing = [channel for channel, _ in terms if channel not in there]
        if missing:
            message = f"a coupling of '{missing[0]}', which closes a loop and has no coordinate in MuJoCo, is left out"
            log.warning(CODE, where, message, fold="coupling", about=missing[0])
            continue
        (follower, own), *leaders = terms
        if row.curve is not None and not 0 < len(row.curve) <= POWERS:
            message = f"the law of '{follower}' has no place in MJCF, whose couplings are polynomials of degree 4"
            log.warning(CODE, where, f"{message}: it is left out", fold="law", about=follower)
            continue
        name = f"{there[follower]}_coupling"
        if len(leaders) == 1:
            ((leader, factor),) = leaders
            straight = (row.constant / own + 0.0, -factor / own)
            coefficients = straight if row.curve is None else row.curve
            polynomial = numbers_text((*coefficients, *(0.0,) * (POWERS - len(coefficients))))
            ends = {"joint1": there[follower], "joint2": there[leader]}
            equalities.nodes.append(element("joint", name=name, polycoef=polynomial, **ends, **equalities.stiffness))
            continue
        parts = [element("joint", joint=there[channel], coef=number_text(factor)) for channel, factor in terms]
        tendons.append(element("fixed", *parts, name=name))
        polynomial = numbers_text((row.constant + 0.0, 0.0, 0.0, 0.0, 0.0))
        equalities.nodes.append(element("tendon", name=name, tendon1=name, polycoef=polynomial, **equalities.stiffness))
    return tendons
