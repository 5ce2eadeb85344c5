"""Example worlds written for MuJoCo: the same masses, frames and accelerations at the start, and loops that stay closed
as far as MuJoCo's softness lets them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.session.batch.conversion import write_conversion
from simulator.session.batch.mjcf_conversion import convert_to_mjcf
from simulator.session.open.examples import examples
from tests.helpers.mujoco_agreement import (
    greatest_difference,
    our_accelerations,
    their_accelerations,
    without_softness,
)
from tests.physics.test_laws import pendulums, polynomial

mujoco = pytest.importorskip("mujoco", minversion="4.0", reason="MuJoCo 4 has no wheel for this Python or system")

NO_PLACE = ("cam_valve", "elliptic_gears", "hooke_shaft")
"""Worlds with laws that are no polynomials of degree 4: MJCF has no place for them, and the conversion says so."""
LONGER = "gear_train_1024"
"""Says nothing that gear_train does not say, and costs a hundred times as much."""
WORLDS = {example.name: example.path for example in examples() if example.name not in (*NO_PLACE, LONGER)}
EXACT = 1e-9
"""Both compute in double precision from the same digits."""
GIVES_WAY = 2e-4
"""Metres and radians by which a loop or coupling is open after a second at the world's own step: MuJoCo gives a
constraint 0.9999 of its force, and a spring of two steps closes what the rest opens. The four-bar, whose crank turns
fastest, is open by 1.1e-4."""


def written(source: Path, folder: Path) -> Path:
    path = folder / "world.xml"
    write_conversion(path, convert_to_mjcf(source, folder))
    return path


def ideal(source: Path) -> str:
    """The document with ideal couplings, which MJCF has: without losses, play, elasticity and clutches; and without
    cables, which are slack by a rounding at the start."""
    text = re.sub(
        r"<simulator:(efficiency|bearing_friction|thread|backlash|compliance|freewheel|clutch|brake|stribeck|bearing)\b[^>]*/>",
        "",
        source.read_text(),
    )
    text = re.sub(r"<simulator:cable\b.*?</simulator:cable>", "", text, flags=re.DOTALL)
    return text.replace("<uri>../", f"<uri>{source.parent.parent}/")


def at_start(path: Path) -> tuple[Any, Any]:
    """Model and data at the keyframe."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def bodies_of(model: Any, sim: simulator.Simulation) -> dict[int, str]:
    """Links that move, by the numbers of their bodies there."""
    links = [link.name for item in sim._core.opened.world.models for link in item.links]
    by_name = {name: link for link in links for name in (link.rpartition("::")[2], link.replace("::", "_"))}
    return {body: by_name[model.body(body).name] for body in range(1, model.nbody)}


@pytest.mark.filterwarnings("ignore::simulator.DocumentWarning")
@pytest.mark.parametrize("name", WORLDS)
def test_a_world_starts_as_here(name: str, tmp_path: Path) -> None:
    model, data = at_start(written(WORLDS[name], tmp_path))
    without_softness(model)
    data.qvel[:] = 0.0
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos[: data.ne]).max(initial=0.0) < 1e-12, "loops and couplings are closed"
    with simulator.load(ideal(WORLDS[name])) as sim:
        bodies = bodies_of(model, sim)
        links = {link.name: link for item in sim._core.opened.world.models for link in item.links}
        assert len(bodies) == len(links)
        for body, link in bodies.items():
            if not sim._core.opened.world.models[0].static and model.body_dofnum[body]:
                assert model.body_mass[body] == pytest.approx(links[link].inertial.mass, rel=1e-12)
            X = sim.pose(link)
            assert np.abs(data.xpos[body] - X[:3, 3]).max() < EXACT
            assert np.abs(data.xmat[body].reshape(3, 3) - X[:3, :3]).max() < EXACT
        few = list(bodies)[:20]
        theirs = their_accelerations(model, data, few)
        assert greatest_difference(theirs, our_accelerations(sim, [bodies[body] for body in few])) < EXACT


@pytest.mark.parametrize("name", WORLDS)
def test_loops_and_couplings_stay_closed(name: str, tmp_path: Path) -> None:
    """One second with all that the document has, as MuJoCo steps it."""
    model, data = at_start(written(WORLDS[name], tmp_path))
    for _ in range(round(1.0 / model.opt.timestep)):
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all()
    assert not data.warning.number.any()
    assert np.abs(data.efc_pos[: data.ne]).max(initial=0.0) < GIVES_WAY


def test_a_law_of_degree_four_is_an_equality(tmp_path: Path) -> None:
    """A polynomial is MuJoCo's, and starts where it is here; other laws are left out with a warning."""
    path = tmp_path / "law.sdf"
    path.write_text(pendulums("", polynomial((0.1, 0.5, 0.3, -0.1, 0.05)), start=0.8), encoding="utf-8")
    model, data = at_start(written(path, tmp_path))
    assert model.eq_data[0][:5] == pytest.approx([0.1, 0.5, 0.3, -0.1, 0.05], abs=1e-15)
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-12
    for name in NO_PLACE:
        world = next(example.path for example in examples() if example.name == name)
        said = [item.message for item in convert_to_mjcf(world, tmp_path).diagnostics]
        assert any("has no place in MJCF, whose couplings are polynomials of degree 4" in text for text in said)
