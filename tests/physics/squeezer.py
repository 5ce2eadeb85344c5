"""Andrews' squeezing mechanism: seven bodies in the plane, four loops, driven by a constant moment.

Numbers, start and state at 0.03 s are those of the Test Set for Initial Value Problem Solvers (Mazzia and Magherini,
release 2.4, 2008, problem "Andrews' squeezing mechanism"; Hairer and Wanner, Solving Ordinary Differential Equations
II, VI.10), whose names are used here. Its spring acts between a point of body 3 and the ground: as a spring between
points, or on the slide of a leg of two links that weigh nothing to speak of.
"""

from __future__ import annotations

import math

NAMES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
START = (
    -0.0617138900142764496,
    0.0,
    0.455279819163070380,
    0.222668390165885885,
    0.487364979543842550,
    -0.222668390165885885,
    1.23054744454982119,
)
END = (
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
)
"""Angles at 0.03 s [rad]."""
MOMENT, STIFFNESS, REST = 0.033, 4530.0, 0.07785
LEG = 1e-10
"""Mass of each of the two links of the leg [kg]. It changes the angles at the end by 81 rad per kg, 8e-9 rad."""
A, B, C = -0.06934 - 0.00227j, -0.03635 + 0.03273j, 0.014 + 0.072j

_Place = complex


def document(*, leg: bool, mass: float = LEG) -> str:
    """The mechanism at its start, with the spring on a leg or between points."""
    beta, theta, gamma, phi, delta, omega, epsilon = START
    crank = 0.007 * _turn(beta)
    e = crank - 0.028 * _turn(beta + theta)
    h, g = A + 0.04 * _turn(delta), A - 0.04j * _turn(epsilon)
    d = B + (0.02 - 0.018j) * _turn(gamma)
    parts = [
        _link("k1", 0j, beta, 0.04325, 2.194e-6, 0.00092),
        _link("k2", crank, beta + theta, 0.00365, 4.410e-7, -0.0115),
        _link("k3", B, gamma, 0.02373, 5.255e-6, 0.01043 - 0.01874j),
        _link("k4", h, phi + delta, 0.00706, 5.667e-7, -0.00579j),
        _link("k5", A, delta, 0.07050, 1.169e-5, 0.02308 + 0.00916j),
        _link("k6", g, omega + epsilon, 0.00706, 5.667e-7, 0.00579),
        _link("k7", A, epsilon, 0.05498, 1.912e-5, -0.00449 - 0.01228j),
        _joint("beta", "world", "k1", 0j),
        _joint("theta", "k1", "k2", crank),
        _joint("gamma", "world", "k3", B),
        _joint("delta", "world", "k5", A),
        _joint("phi", "k5", "k4", h),
        _joint("epsilon", "world", "k7", A),
        _joint("omega", "k7", "k6", g),
        *(_joint(f"e{k}", "k2", f"k{k}", e, cut=True) for k in (3, 4, 6)),
        f'<simulator:load link="k1" moment="0 0 {MOMENT}"/>',
        *(_leg(d, mass) if leg else _spring()),
    ]
    return (
        '<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w"><gravity>0 0 0</gravity>'
        f'<model name="m">{"".join(parts)}</model></world></sdf>'
    )


def _leg(end: _Place, mass: float) -> tuple[str, ...]:
    way = end - C
    angle = math.atan2(way.imag, way.real)
    sprung = (
        f"<dynamics><spring_stiffness>{STIFFNESS}</spring_stiffness>"
        f"<spring_reference>{REST - abs(way)!r}</spring_reference></dynamics>"
    )
    slide = (
        '<joint name="leg" type="prismatic"><parent>barrel</parent><child>rod</child>'
        f"<axis><xyz>1 0 0</xyz>{sprung}</axis></joint>"
    )
    return (
        _link("barrel", C, angle, mass, 1e-3 * mass, 0.0),
        _link("rod", end, angle, mass, 1e-3 * mass, 0.0),
        _joint("swing", "world", "barrel", C),
        slide,
        _joint("end", "rod", "k3", end, cut=True),
    )


def _spring() -> tuple[str]:
    return (
        f'<simulator:spring link="k3" at="0.02 -0.018 0" other="world" other_at="{C.real} {C.imag} 0" '
        f'stiffness="{STIFFNESS}" free_length="{REST}"/>',
    )


def _turn(angle: float) -> complex:
    return complex(math.cos(angle), math.sin(angle))


def _link(name: str, at: _Place, angle: float, mass: float, moment: float, centre: complex) -> str:
    """`centre` of mass in the link's axes."""
    centre = complex(centre)
    return (
        f'<link name="{name}"><pose>{at.real!r} {at.imag!r} 0 0 0 {angle!r}</pose><inertial>'
        f"<pose>{centre.real!r} {centre.imag!r} 0 0 0 0</pose><mass>{mass!r}</mass>"
        f"<inertia><ixx>{moment!r}</ixx><iyy>{moment!r}</iyy><izz>{moment!r}</izz></inertia></inertial></link>"
    )


def _joint(name: str, parent: str, child: str, at: _Place, *, cut: bool = False) -> str:
    loop = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>" if cut else ""
    return (
        f'<joint name="{name}" type="revolute"><pose relative_to="__model__">{at.real!r} {at.imag!r} 0 0 0 0</pose>'
        f"<parent>{parent}</parent><child>{child}</child><axis><xyz>0 0 1</xyz></axis>{loop}</joint>"
    )
