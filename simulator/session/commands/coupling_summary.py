"""What couplings with losses passed on over a run: power, efficiency, heat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.analysis.losses import power_summary

if TYPE_CHECKING:
    from simulator.engine.engine import Engine

Sums = dict[str, float]


def coupling_summaries(engine: Engine, simulated: float) -> dict[str, Sums]:
    """By the follower of every coupling with losses: energy [J] that went in and came out, forwards from leader to
    follower (`forward_in_J`, `forward_out_J`) and backwards, the efficiency of each that there was, and the heat
    (`heat_J`, and its mean over the run, `heat_W`). Empty where a physics engine of its own moves the mechanism."""
    bounded = engine.core.bounded
    if bounded is None:
        return {}
    mechanism = engine.mechanism
    names = {number: mechanism.axes[coupling.follower].name for number, coupling in enumerate(mechanism.couplings)}
    return {names[number]: power_summary(*passed, simulated) for number, passed in bounded.coupling_energies().items()}


def coupling_lines(summaries: dict[str, Sums]) -> list[str]:
    """A line each, for people."""
    return [f"{name}: {', '.join(_texts(sums))}" for name, sums in summaries.items()]


def _texts(sums: Sums) -> list[str]:
    found = [f"{sums['heat_J']:.4g} J lost, {sums['heat_W']:.4g} W"]
    for way in ("forward", "backward"):
        if f"efficiency_{way}" in sums:
            share = 100.0 * sums[f"efficiency_{way}"]
            found.append(f"{way} {sums[f'{way}_in_J']:.4g} J in, {sums[f'{way}_out_J']:.4g} J out ({share:.4g} %)")
    return found
