"""Real couplings move as they do alone while something else touches.

A pair of hinges that a coupling ties swings beside a box that falls on the ground and comes to rest there: nothing ties
the two, so the motion of the hinges is that without the box.
"""

from __future__ import annotations

import numpy as np
import pytest

import simulator

COUPLINGS = {
    "bearing friction": '<simulator:bearing_friction forward="0.1" backward="0.1"/>',
    "losses": '<simulator:efficiency forward="0.8" backward="0.6"/>',
    "play": '<simulator:backlash width="0.02"/>',
    "elastic": '<simulator:compliance stiffness="200" damping="0.1"/>',
    "freewheel": "<simulator:freewheel/>",
    "ideal": "",
}
HINGES = """
<link name="a"><pose>0 0 1 0 0 0</pose><inertial><pose>0.2 0 0 0 0 0</pose><mass>1</mass></inertial></link>
<joint name="ja" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
<link name="b"><pose>0.4 0 1 0 0 0</pose><inertial><pose>0.2 0 0 0 0 0</pose><mass>1</mass></inertial></link>
<joint name="jb" type="revolute"><parent>{parent}</parent><child>b</child><axis><xyz>0 1 0</xyz><mimic joint="ja">
<multiplier>-2</multiplier><offset>0</offset><reference>0</reference>{coupling}</mimic></axis></joint>"""
BOX = """
<model name="ground"><static>true</static><link name="ground">
<collision name="c"><geometry><plane/></geometry></collision></link></model>
<model name="box"><link name="box"><pose>3 0 0.3 0.3 0.2 0</pose>
<inertial><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>
<collision name="c"><geometry><box><size>.1 .1 .1</size></box></geometry></collision></link></model>"""


def motion(coupling: str, parent: str, beside: str) -> simulator.Run:
    """Half a second of the hinges, the second on `parent`, with models `beside` them."""
    hinges = HINGES.format(parent=parent, coupling=coupling)
    document = (
        '<sdf version="1.11" xmlns:simulator="urn:simulator"><world name="w">'
        f'<model name="m">{hinges}</model>{beside}</world></sdf>'
    )
    return simulator.load(document).run(0.5)


@pytest.mark.parametrize("parent", ["a", "world"])
@pytest.mark.parametrize("kind", COUPLINGS)
def test_what_touches_elsewhere_does_not_move_a_coupling(kind: str, parent: str) -> None:
    """To rounding: the same equations, solved with other rows beside them."""
    alone = motion(COUPLINGS[kind], parent, "")
    beside = motion(COUPLINGS[kind], parent, BOX)
    assert np.any(beside["energy/contact"] != 0.0)
    for axis in ("m::ja", "m::jb"):
        np.testing.assert_allclose(beside[f"{axis}/position"], alone[f"{axis}/position"], rtol=0, atol=1e-12)
