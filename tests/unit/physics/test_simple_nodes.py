"""Bodies whose part of the dynamics is known in closed form have the energies that their poses and velocities say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as at
from simulator.spatial.pose_arrays import matrices
from tests.helpers.energy_meter import EnergyMeter

BODY = """<link name="{name}"><pose>{place} 0.3 -0.2 0.7</pose>{more}<inertial><pose>0.2 -0.1 0.3 0 0 0</pose>
<mass>{mass}</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz><ixy>0.001</ixy><ixz>-0.002</ixz>
<iyz>0.003</iyz></inertia></inertial></link>
<joint name="{name}_joint" type="{kind}"><parent>world</parent><child>{name}</child><pose>0.05 0.1 0 0.4 0 0</pose>
<axis><xyz>0.6 0 0.8</xyz></axis></joint>"""


def written() -> str:
    """A hinge and a slide out of line with everything, each with gravity and without, and a pendulum of two links
    beside them."""
    bodies = [
        BODY.format(name=name, place=f"{place} 1 2", kind=kind, mass=mass, more=more)
        for name, place, kind, mass, more in (
            ("swing", 1, "revolute", 1.5, ""),
            ("slide", 2, "prismatic", 0.7, ""),
            ("loose_swing", 3, "revolute", 2.0, "<gravity>false</gravity>"),
            ("loose_slide", 4, "prismatic", 0.4, "<gravity>false</gravity>"),
            ("upper", 5, "revolute", 1.0, ""),
        )
    ]
    bodies.append(
        BODY.format(name="lower", place="6 1 2", kind="revolute", mass=0.5, more="").replace(">world<", ">upper<")
    )
    return (
        '<sdf version="1.12"><world name="w"><gravity>1.5 -2 -9.81</gravity><model name="m">'
        f"{''.join(bodies)}</model></world></sdf>"
    )


@pytest.mark.parametrize("source", ["written", "rack_and_pinion", "planetary", "gear_train"])
def test_energies_are_those_of_the_bodies(source: str) -> None:
    """The closed forms and sums over bodies at their poses differ by rounding of some ten terms."""
    sim = simulator.load(written() if source == "written" else source)
    model, meter = CompiledMechanism(sim.mechanism), EnergyMeter(sim.mechanism)
    assert model.N[at.ACTIVE] < model.N[at.NODES], "no body of this world is in closed form"
    random = np.random.default_rng(3)
    for _ in range(5):
        model.view(at.F_Q)[:] = random.uniform(-2.0, 2.0, len(model.view(at.F_Q)))
        model.view(at.F_V)[:] = random.uniform(-2.0, 2.0, len(model.view(at.F_V)))
        kinetic, potential = model.energies()
        poses, velocities = model.read_bodies()
        placed = matrices(poses)
        assert kinetic == pytest.approx(meter.kinetic(placed, velocities), rel=1e-13)
        assert potential == pytest.approx(meter.potential(placed), rel=1e-13, abs=1e-13)


def test_bodies_without_gravity_have_no_potential(tmp_path: Path) -> None:
    """Half of the world is weightless: its potential is that of the other half, -m g . c summed by hand at the
    start."""
    sim = simulator.load(written())
    expected = 0.0
    for body in sim.mechanism.bodies[1:]:
        centre = sim.pose(body.links[0].name) @ np.append(body.com, 1.0)
        expected -= body.mass * np.array([1.5, -2.0, -9.81]) @ centre[:3] * body.gravity
    assert sim.energies["potential"] == pytest.approx(expected, rel=1e-13)


def test_blocks_leave_all_bodies_where_they_belong() -> None:
    """A block of steps does not place bodies in closed form; what is asked for afterwards is placed all the same."""
    sim = simulator.load(written())
    sim.run(0.5, every=0.5)
    for name in ("swing", "slide", "lower"):
        pose = sim.pose(name)
        again = sim.copy()
        again.set(dict(zip(sim.positions.names, sim.positions.array, strict=True)))
        np.testing.assert_allclose(pose, again.pose(name), atol=1e-12)
    assert abs(sim.energies["error"]) < 1e-8
