"""The loads of compiled steps against those of numpy, which are written apart."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.load_kernels import load_powers
from simulator.dynamics.compiled.model import CompiledMechanism
from simulator.dynamics.compiled.step_kernels import accelerate
from simulator.dynamics.loads import load_wrenches
from simulator.model.loads import PointSpring, SpringTable
from simulator.session.force_text import parse_force, with_loads
from simulator.session.opening import open_document
from simulator.spatial.pose_arrays import matrices
from tests.helpers.repository import ROOT


@pytest.mark.parametrize("world", ["four_bar", "slider_crank", "stewart", "wrist"])
def test_powers_are_the_same_in_both(world: str) -> None:
    """Forces of every profile, springs with and without a table, at a moving state: power and losses agree to
    rounding."""
    mechanism = open_document(ROOT / "worlds" / f"{world}.sdf").mechanism
    links = [body.links[0].name for body in mechanism.bodies[1:]]
    profiles = ("3", "ramp(-1,4,2)", "sine(2,0.7,0.5,0.3)", "step(1,5,0.2)", "chirp(1,0.2,2,1.5,0.1)", "constant(-2)")
    loads = [parse_force(f"{link}@0.1,-0.2,0.3=" + ",".join(np.roll(profiles, i))) for i, link in enumerate(links[:6])]
    table = SpringTable((0.1, 0.4, 2.0), (-3.0, 1.0, 8.0))
    springs = [
        PointSpring(links[0], "world", (0.1, 0.0, 0.0), (0.5, 0.2, 0.1), 40.0, 2.0, 0.2),
        PointSpring(links[-1], links[0], (0.0, 0.1, 0.0), (0.0, 0.0, 0.1), table=table, damping=1.0),
    ]
    mechanism = with_loads(mechanism, [*loads, *springs])
    model = CompiledMechanism(mechanism)
    model.view(at.F_V)[:] = np.linspace(0.5, 1.5, len(model.view(at.F_V)))
    model.project()
    model.set_time(0.35)
    accelerate(model.F, model.N)
    work, taken = load_powers(model.F, model.N)
    model.refresh()
    poses, velocities = model.read_bodies()
    placed = matrices(poses)
    arms = np.einsum("bij,bj->bi", placed[:, :3, :3], np.array([body.com for body in mechanism.bodies]))
    velocities[:, 3:] -= np.cross(velocities[:, :3], arms)
    found = load_wrenches(mechanism.loads, placed, velocities, 0.35)
    assert work == pytest.approx(found.power, rel=1e-10, abs=1e-12)
    assert taken == pytest.approx(found.loss, rel=1e-10, abs=1e-12)
