"""The materials that Gazebo brings along, in plain colours. A table, not code."""

from __future__ import annotations

from simulator.model.material import Material

PREFIX = "Gazebo/"

_PLAIN: dict[str, tuple[float, float, float]] = {
    "Grey": (0.7, 0.7, 0.7),
    "DarkGrey": (0.175, 0.175, 0.175),
    "White": (1.0, 1.0, 1.0),
    "FlatBlack": (0.1, 0.1, 0.1),
    "Black": (0.0, 0.0, 0.0),
    "Red": (1.0, 0.0, 0.0),
    "RedBright": (0.87, 0.26, 0.07),
    "Green": (0.0, 1.0, 0.0),
    "Blue": (0.0, 0.0, 1.0),
    "SkyBlue": (0.13, 0.44, 0.70),
    "Yellow": (1.0, 1.0, 0.0),
    "ZincYellow": (0.9725, 0.9529, 0.2078),
    "DarkYellow": (0.7, 0.7, 0.0),
    "Purple": (1.0, 0.0, 1.0),
    "Turquoise": (0.0, 1.0, 1.0),
    "Orange": (1.0, 0.5088, 0.0468),
    "Indigo": (0.33, 0.0, 0.5),
    "WhiteGlow": (1.0, 1.0, 1.0),
    "RedGlow": (1.0, 0.0, 0.0),
    "GreenGlow": (0.0, 1.0, 0.0),
    "BlueGlow": (0.0, 0.0, 1.0),
    "YellowGlow": (1.0, 1.0, 0.0),
    "PurpleGlow": (1.0, 0.0, 1.0),
    "TurquoiseGlow": (0.0, 1.0, 1.0),
    "TurquoiseGlowOutline": (0.0, 1.0, 1.0),
    "LightOn": (0.0, 1.0, 0.0),
    "LightOff": (1.0, 0.0, 0.0),
    "Gold": (0.8, 0.6487, 0.1208),
    "Pioneer2Body": (0.6812, 0.0009, 0.0009),
    "JointAnchor": (1.0, 1.0, 1.0),
}
"""sRGB, of gazebo.material in Gazebo's media folder; of SkyBlue the ambient colour, because its diffuse one is plain
blue."""

_GLASSY: dict[str, tuple[float, float, float]] = {
    "RedTransparent": (1.0, 0.0, 0.0),
    "GreenTransparent": (0.0, 1.0, 0.0),
    "BlueTransparent": (0.0, 0.0, 1.0),
    "YellowTransparent": (1.0, 1.0, 0.0),
    "OrangeTransparent": (1.0, 0.44, 0.0),
    "DarkMagentaTransparent": (0.6, 0.0, 0.6),
    "GreyTransparent": (0.5, 0.5, 0.5),
    "BlackTransparent": (0.0, 0.0, 0.0),
    "RedTransparentOverlay": (1.0, 0.0, 0.0),
    "GreenTransparentOverlay": (0.0, 1.0, 0.0),
    "BlueTransparentOverlay": (0.0, 0.0, 1.0),
    "OrangeTransparentOverlay": (1.0, 0.5088, 0.0468),
    "DarkOrangeTransparentOverlay": (0.6, 0.305, 0.028),
    "LightBlueLaser": (0.5, 0.5, 1.0),
    "BlueLaser": (0.0, 0.0, 1.0),
}
"""Half transparent ones."""

PICTURES: dict[str, tuple[float, float, float]] = {
    "Wood": (0.61, 0.43, 0.26),
    "WoodFloor": (0.60, 0.42, 0.27),
    "WoodPallet": (0.66, 0.53, 0.38),
    "Bricks": (0.55, 0.33, 0.27),
    "CeilingTiled": (0.78, 0.78, 0.76),
    "PaintedWall": (0.80, 0.79, 0.74),
    "PioneerBody": (0.70, 0.05, 0.05),
    "GreyGradientSky": (0.60, 0.60, 0.62),
    "CloudySky": (0.55, 0.67, 0.83),
    "Grass": (0.30, 0.42, 0.20),
    "Runway": (0.30, 0.30, 0.31),
    "Road": (0.33, 0.33, 0.34),
    "Residential": (0.38, 0.38, 0.38),
    "Tertiary": (0.38, 0.38, 0.38),
    "Pedestrian": (0.58, 0.56, 0.53),
    "Footway": (0.58, 0.56, 0.53),
    "Motorway": (0.30, 0.30, 0.31),
    "Lanes_6": (0.30, 0.30, 0.31),
    "Trunk": (0.32, 0.32, 0.33),
    "Lanes_4": (0.32, 0.32, 0.33),
    "Primary": (0.34, 0.34, 0.35),
    "Lanes_2": (0.34, 0.34, 0.35),
    "Secondary": (0.36, 0.36, 0.37),
    "Lane_1": (0.36, 0.36, 0.37),
    "Steps": (0.62, 0.60, 0.57),
    "BuildingFrame": (0.62, 0.50, 0.36),
    "CoM": (0.50, 0.50, 0.50),
}
"""Materials with a picture of Gazebo's own, which is not here: a colour like it."""


def _alike(colours: dict[str, tuple[float, float, float]], opacity: float) -> dict[str, Material]:
    return {
        f"{PREFIX}{name.replace('Grey', spelling)}": Material(ambient=(*colour, opacity), diffuse=(*colour, opacity))
        for name, colour in colours.items()
        for spelling in ("Grey", "Gray")
    }


GAZEBO = {**_alike(_PLAIN, 1.0), **_alike(_GLASSY, 0.5), **_alike(PICTURES, 1.0)}
"""By full name: `Gazebo/Red`."""
WITHOUT_PICTURE = frozenset(f"{PREFIX}{name}" for name in PICTURES)
"""Names of those that are drawn without their picture."""
