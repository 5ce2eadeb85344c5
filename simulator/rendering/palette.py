"""Colours for parts that the document does not colour."""

from __future__ import annotations

from simulator.model.material import Material, Rgba

PART_COLOURS: tuple[Rgba, ...] = (
    (0.235, 0.451, 0.718, 1.0),
    (0.925, 0.620, 0.180, 1.0),
    (0.110, 0.620, 0.490, 1.0),
    (0.780, 0.420, 0.600, 1.0),
    (0.400, 0.710, 0.890, 1.0),
    (0.820, 0.380, 0.170, 1.0),
    (0.610, 0.640, 0.680, 1.0),
)
"""Okabe and Ito's palette (blue, orange, green, purple, sky, vermilion, grey for its black), slightly muted: the
colours differ in lightness as well as hue, so they stay apart for colour-blind eyes. sRGB."""

FIXED_COLOUR: Rgba = (0.560, 0.585, 0.620, 1.0)
"""Parts of static models [sRGB]."""

WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)

COLLISION_ALPHA = 0.35
"""Opacity of collision shapes that are drawn over visuals."""

MISSING_COLOUR: Rgba = (0.660, 0.400, 0.560, 0.90)
"""The colour of outlines in the place of a mesh that is missing: a quiet shade of the magenta that renderers use for
it, which is seen on light and on dark ground and draws no eye from what is there [sRGB]."""


def colour_of(material: Material | None, fallback: Rgba) -> Rgba:
    """The document's diffuse colour, else its ambient colour, else `fallback`; sRGB with opacity, each in [0, 1].

    A texture is multiplied by the diffuse colour alone, by white where there is none: many give it a dark ambient
    colour.
    """
    stated = material and (material.diffuse or (WHITE if material.texture else material.ambient))
    red, green, blue, alpha = (min(max(part, 0.0), 1.0) for part in (stated or fallback))
    return (red, green, blue, alpha)


def is_coloured(material: Material | None) -> bool:
    """Whether the document says a colour at all; it then covers what a mesh file says itself.

    So Gazebo does it with <material> and libsdformat with the <material> of a URDF. RViz keeps the materials of a mesh
    file that has some (`RobotLink::assignMaterialsToEntities`; newer versions of it do not), which would leave such
    colours of a document without effect.
    """
    return material is not None and not (
        material.diffuse is None and material.ambient is None and material.texture is None
    )
