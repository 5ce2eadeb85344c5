"""Steps in a plane, and nodes in closed form, against the same mechanisms stepped in space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.kinematics.assembly import assemble
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.mechanism.types import Mechanism
from simulator.physics.build import build, simple
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as at
from simulator.session.open.opening import open_document
from tests.helpers.repository import ROOT

TILTED = "<pose>0.3 -0.2 0.5 0.4 -0.7 1.1</pose>"


def _tilted(name: str, write: Callable[..., Path]) -> Mechanism:
    """An example world whose models all lean, under a gravity that pulls out of their planes as well."""
    text = (ROOT / "worlds" / f"{name}.sdf").read_text(encoding="utf-8")
    head, *models = text.replace("<uri>..", f"<uri>{ROOT}").split("<model name=")
    leaning = [model.replace(">", f">{TILTED}", 1) for model in models]
    mechanism = open_document(write("<model name=".join([head, *leaning]))).mechanism
    assert not mechanism.has_errors
    return replace(mechanism, gravity=(2.0, -3.0, -8.0))


def _compiled(mechanism: Mechanism) -> CompiledMechanism:
    model = CompiledMechanism(mechanism)
    model.set_state(assemble(Kinematics(mechanism), rest_state(mechanism), {}).state)
    return model


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "peaucellier", "scissor_lift", "planetary"])
def test_a_plane_moves_as_space_does(name: str, write_document: Callable[..., Path]) -> None:
    """The same equations in fewer numbers: after 200 steps both are apart by a few hundred roundings."""
    mechanism = _tilted(name, write_document)
    flat, full = _compiled(mechanism), _compiled(mechanism)
    assert flat.N[at.PLANAR] == 1
    full.N[at.PLANAR] = 0
    efforts = np.linspace(-0.3, 0.2, len(mechanism.axes)) * [info.in_tree for info in mechanism.axes]
    for model in (flat, full):
        model.set_efforts(efforts)
    for _ in range(20):
        flat.step(1e-3, 10)
        full.step(1e-3, 10)
        one, other = flat.joint_state(), full.joint_state()
        scale = 1.0 + float(np.abs(other.velocity).max())
        assert np.abs(one.position - other.position).max() <= 1e-12 * scale
        assert np.abs(one.velocity - other.velocity).max() <= 1e-11 * scale
    assert flat.loop_residual() <= 1e-14


def test_turns_of_a_loop_joint_are_counted_in_one_call() -> None:
    """Twelve turns of the crank without a look in between: the cut joint's angle has gone with them, angles around the
    loop add up."""
    model = _compiled(replace(open_document(ROOT / "worlds/four_bar.sdf").mechanism, gravity=(0.0, 0.0, 0.0)))
    names = {info.name.rpartition("::")[2]: i for i, info in enumerate(model.mechanism.axes)}
    model.view(at.F_V)[:] = 40.0
    model.project()
    before = model.joint_state().position
    model.step(1e-3, 2000)
    moved = model.joint_state().position - before
    assert abs(moved[names["crank_joint"]]) > 70.0
    around = (
        moved[names["crank_joint"]]
        + moved[names["coupler_joint"]]
        + moved[names["closing_joint"]]
        - moved[names["rocker_joint"]]
    )
    opposite = (
        moved[names["crank_joint"]]
        + moved[names["coupler_joint"]]
        - moved[names["closing_joint"]]
        - moved[names["rocker_joint"]]
    )
    assert min(abs(around), abs(opposite)) <= 1e-10


def test_what_acts_on_a_loop_joint_is_felt() -> None:
    """An effort on the joint that closes the loop leaves the plane's kernels, for they do not know it: the motion is
    that of space."""
    flat, full = (_compiled(open_document(ROOT / "worlds/four_bar.sdf").mechanism) for _ in range(2))
    full.N[at.PLANAR] = 0
    efforts = np.array([0.0 if info.in_tree else 0.5 for info in flat.mechanism.axes])
    idle = _compiled(flat.mechanism)
    for model in (flat, full):
        model.set_efforts(efforts)
    for model in (flat, full, idle):
        model.step(1e-3, 100)
    assert flat.joint_state().position == pytest.approx(full.joint_state().position, abs=1e-13)
    assert np.abs(flat.joint_state().position - idle.joint_state().position).max() > 1e-3


def test_a_mechanism_in_space_is_not_taken_for_a_plane() -> None:
    for name in ("sarrus", "bennett", "stewart"):
        assert _compiled(open_document(ROOT / f"worlds/{name}.sdf").mechanism).N[at.PLANAR] == 0


@pytest.mark.parametrize("name", ["fast_slow_pendulums", "gearbox", "rack_and_pinion", "gear_train", "screw_press"])
def test_closed_forms_of_nodes_move_as_placed_ones_do(
    name: str, write_document: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hinges and slides on the world: A cos q + B sin q instead of placing the body, to round-off."""
    mechanism = _tilted(name, write_document)
    closed = _compiled(mechanism)
    assert closed.N[at.ACTIVE] < closed.N[at.NODES]
    monkeypatch.setattr(build, "find_simple_nodes", _none_is_simple)
    placed = _compiled(mechanism)
    assert placed.N[at.ACTIVE] == placed.N[at.NODES]
    placed.N[at.PLANAR] = 0
    for _ in range(10):
        closed.step(1e-3, 20)
        placed.step(1e-3, 20)
        one, other = closed.joint_state(), placed.joint_state()
        scale = 1.0 + float(np.abs(other.velocity).max(initial=0.0))
        assert np.abs(one.position - other.position).max() <= 1e-13 * scale
        assert np.abs(one.velocity - other.velocity).max() <= 1e-12 * scale
        assert closed.energies() == pytest.approx(placed.energies(), rel=1e-12, abs=1e-13)


def _none_is_simple(tree: object, tables: object, gravity: object, loaded: object) -> simple.SimpleNodes:
    nodes = len(tree.kind)  # type: ignore[attr-defined]
    return simple.SimpleNodes(np.zeros(0, dtype=np.int64), np.arange(nodes), np.zeros((0, 4)))
