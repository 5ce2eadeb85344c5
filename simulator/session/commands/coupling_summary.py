"""What couplings with losses passed on over a run: power, efficiency, heat."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.engine.engine import Engine

Sums = dict[str, float]


def coupling_summaries(engine: Engine, simulated: float) -> dict[str, Sums]:
    """By the follower of every coupling with losses: energy [J] that went in and came out, forwards from leader to
    follower (`forward_in_J`, `forward_out_J`) and backwards, the efficiency of each that there was, and the heat
    (`heat_J`, and its mean over the run, `heat_W`). Empty where a physics engine of its own moves the mechanism."""
    bounded = engine.dynamics.bounded
    if bounded is None:
        return {}
    mechanism = engine.mechanism
    names = {number: mechanism.axes[coupling.follower].name for number, coupling in enumerate(mechanism.couplings)}
    return {names[number]: _summary(*passed, simulated) for number, passed in bounded.coupling_energies().items()}


def _summary(forward_in: float, forward_out: float, backward_in: float, backward_out: float, simulated: float) -> Sums:
    heat = forward_in - forward_out + backward_in - backward_out
    found = {
        "forward_in_J": forward_in,
        "forward_out_J": forward_out,
        "backward_in_J": backward_in,
        "backward_out_J": backward_out,
        "heat_J": heat,
        "heat_W": heat / simulated if simulated > 0.0 else 0.0,
    }
    if forward_in > 0.0:
        found["efficiency_forward"] = forward_out / forward_in
    if backward_in > 0.0:
        found["efficiency_backward"] = backward_out / backward_in
    return found


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
