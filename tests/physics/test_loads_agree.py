"""The loads of compiled steps against those of numpy, which are written apart."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.kinematics.loads import load_wrenches
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as at
from simulator.physics.motion.free import accelerate
from simulator.physics.tree.loads import load_powers, open_loads
from simulator.physics.tree.views import open_state
from simulator.session.open.opening import open_document
from simulator.spatial.pose_arrays import matrices
from tests.helpers.loads import with_every_kind_of_load
from tests.helpers.repository import ROOT


@pytest.mark.parametrize("world", ["four_bar", "slider_crank", "stewart", "wrist"])
def test_powers_are_the_same_in_both(world: str) -> None:
    """Forces of every profile, springs with and without a table, at a moving state: power and losses agree to
    rounding."""
    mechanism = with_every_kind_of_load(open_document(ROOT / "worlds" / f"{world}.sdf").mechanism)
    model = CompiledMechanism(mechanism)
    model.view(at.F_V)[:] = np.linspace(0.5, 1.5, len(model.view(at.F_V)))
    model.project()
    model.set_time(0.35)
    accelerate(model.F, model.N)
    work, taken = load_powers(open_loads(model.F, model.N), open_state(model.F, model.N))
    model.refresh()
    poses, velocities = model.read_bodies()
    placed = matrices(poses)
    arms = np.einsum("bij,bj->bi", placed[:, :3, :3], np.array([body.com for body in mechanism.bodies]))
    velocities[:, 3:] -= np.cross(velocities[:, :3], arms)
    found = load_wrenches(mechanism.loads, placed, velocities, 0.35)
    assert work == pytest.approx(found.power, rel=1e-10, abs=1e-12)
    assert taken == pytest.approx(found.loss, rel=1e-10, abs=1e-12)
