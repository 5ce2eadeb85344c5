"""Everybody who takes part in scripts/bench, this project first."""

from __future__ import annotations

from tests.benchmarks.contenders import Way
from tests.benchmarks.peers import drake_peer, mujoco_peer, ours, pinocchio_peer, pybullet_peer


def everybody() -> list[Way]:
    """In the order of the table."""
    return [way for peer in (ours, mujoco_peer, pybullet_peer, pinocchio_peer, drake_peer) for way in peer.ways()]
