"""Documents of wheels on fixed axes, a screw and a planetary gear, whose couplings have losses, play or elasticity."""

from __future__ import annotations

from collections.abc import Sequence


def wheels(
    inertias: Sequence[float],
    ratio: float,
    inside: str | Sequence[str] = "",
    *,
    friction: float = 0.0,
    beside: str = "",
) -> str:
    """Wheels w0, w1, … on hinges j0, j1, … of a fixed base, each following the one before by `ratio`, with `inside` in
    the `<mimic>` (of all, or one each), and `beside` in the model."""
    parts = [inside] * (len(inertias) - 1) if isinstance(inside, str) else list(inside)
    links = "".join(_wheel(f"w{i}", inertia) for i, inertia in enumerate(inertias))
    joints = "".join(
        _hinge(f"j{i}", f"w{i}", _mimic(f"j{i - 1}", ratio, parts[i - 1]) if i else "", friction)
        for i in range(len(inertias))
    )
    return _document(links + joints + beside, "")


def screw(inside: str, *, lead: float, mass: float, inertia: float) -> str:
    """A nut of that mass on a slide `s` along z, moved by a screw on the hinge `j`."""
    links = _wheel("spindle", inertia) + _wheel("nut", 1e-3, mass)
    law = _mimic("j", lead / 6.283185307179586, inside)
    slide = (
        '<joint name="s" type="prismatic"><parent>base</parent><child>nut</child>'
        f"<axis><xyz>0 0 1</xyz>{law}</axis></joint>"
    )
    return _document(links + _hinge("j", "spindle", "", 0.0) + slide, "0 0 -9.81")


def planetary(inside: str, ring: float, sun: float, *, inertia: float) -> str:
    """Sun `s` and carrier `c` on a base that holds the ring: a gearbox whose reference body is the carrier."""
    links = _wheel("sun", inertia) + _wheel("arm", inertia)
    gearbox = (
        f'<joint name="g" type="gearbox"><parent>sun</parent><child>base</child><gearbox_ratio>{sun / ring!r}'
        f"</gearbox_ratio><gearbox_reference_body>arm</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis>"
        f"<axis2><xyz>0 0 1</xyz></axis2>{inside}</joint>"
    )
    return _document(links + _hinge("s", "sun", "", 0.0) + _hinge("c", "arm", "", 0.0) + gearbox, "")


def arm(inside: str) -> str:
    """An arm on the hinge `a`, 1 m long, that falls from the side; the rotor on `r` turns five times as fast."""
    bar = (
        '<link name="bar"><inertial><pose>0.5 0 0 0 0 0</pose><mass>2</mass>'
        "<inertia><ixx>0.05</ixx><iyy>0.05</iyy><izz>0.05</izz></inertia></inertial></link>"
    )
    across = "<axis><xyz>0 1 0</xyz>"
    joints = (
        f'<joint name="r" type="revolute"><parent>base</parent><child>rotor</child>{across}</axis></joint>'
        f'<joint name="a" type="revolute"><parent>base</parent><child>bar</child>{across}{_mimic("r", -0.2, inside)}'
        "</axis></joint>"
    )
    return _document(_wheel("rotor", 0.01) + bar + joints, "0 0 -9.8")


def _document(inside: str, gravity: str) -> str:
    held = '<link name="base"/><joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>'
    return (
        '<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w">'
        f'<gravity>{gravity or "0 0 0"}</gravity><model name="m">{held}{inside}</model></world></sdf>'
    )


def _wheel(name: str, inertia: float, mass: float = 1.0) -> str:
    moments = f"<ixx>{inertia!r}</ixx><iyy>{inertia!r}</iyy><izz>{inertia!r}</izz>"
    return f'<link name="{name}"><inertial><mass>{mass!r}</mass><inertia>{moments}</inertia></inertial></link>'


def _hinge(name: str, child: str, law: str, friction: float) -> str:
    dry = f"<dynamics><friction>{friction!r}</friction></dynamics>" if friction else ""
    return (
        f'<joint name="{name}" type="revolute"><parent>base</parent><child>{child}</child>'
        f"<axis><xyz>0 0 1</xyz>{dry}{law}</axis></joint>"
    )


def _mimic(leader: str, ratio: float, inside: str) -> str:
    return (
        f'<mimic joint="{leader}"><multiplier>{ratio!r}</multiplier><offset>0</offset><reference>0</reference>{inside}'
        "</mimic>"
    )
