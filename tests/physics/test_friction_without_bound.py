"""Friction whose coefficient is below zero, as Gazebo has it: nothing slips, however steep.

A box on a plane of 1.2 rad would slide with g (sin 1.2 - mu cos 1.2): 9.1 m/s² without friction, 5.6 m/s² with a
coefficient of 1. It is wide and flat, so that it does not tip. What holds is exact, and only round-off is left: 1e-9 m
after half a second."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simulator

SLOPE = 1.2
WORLD = """<sdf version="1.12"><world name="w"><gravity>0 0 -9.8</gravity>
<model name="floor"><static>true</static><pose>0 0 0 0 {slope} 0</pose><link name="l"><collision name="c">
<geometry><box><size>10 10 1</size></box></geometry>{surface}</collision></link></model>
<model name="box"><pose>0 0 0 0 {slope} 0</pose><link name="b"><pose>0 0 0.55 0 0 0</pose>
<inertial auto="true"/><collision name="c"><geometry><box><size>1 1 0.1</size></box></geometry>{surface}</collision>
</link></model></world></sdf>"""


@pytest.mark.parametrize(
    ("friction", "acceleration"),
    [
        ("<ode><mu>-1</mu></ode>", 0.0),
        ("<bullet><friction>-1</friction></bullet>", 0.0),
        ("<bullet><friction>1</friction></bullet>", 9.8 * (np.sin(SLOPE) - np.cos(SLOPE))),
    ],
)
def test_a_box_on_a_steep_plane(write_document: Callable[..., Path], friction: str, acceleration: float) -> None:
    surface = f"<surface><friction>{friction}</friction></surface>"
    sim = simulator.load(write_document(WORLD.format(slope=SLOPE, surface=surface)))
    start = sim.pose("b")[:3, 3]
    sim.step(500)
    assert np.linalg.norm(sim.pose("b")[:3, 3] - start) == pytest.approx(0.5 * acceleration * 0.25, abs=1e-9)
