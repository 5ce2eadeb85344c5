"""How a surface looks and rubs."""

from __future__ import annotations

from dataclasses import field

from simulator.records import dataclass
from simulator.spatial.rotation import Vec3

Rgba = tuple[float, float, float, float]


@dataclass(frozen=True)
class Texture:
    """A picture that colours a surface, not decoded yet: the file `path` or, if a mesh file holds the picture itself,
    its bytes `data`.

    `name` is what the document calls it, for messages and for writing. `size` is how much of the surface, in units of u
    and v, one copy of the picture covers. `cutout`: where the picture is less than half opaque, nothing is drawn.
    """

    name: str = field(compare=False)
    path: str = ""
    data: bytes = field(default=b"", repr=False)
    size: tuple[float, float] = (1.0, 1.0)
    cutout: bool = True


@dataclass(frozen=True)
class Material:
    """Colours of a visual, each (r, g, b, a) in [0, 1] as written in the document or its material script; None where
    they say nothing.

    `texture` (the albedo map) is multiplied by the diffuse colour, or by white.
    """

    ambient: Rgba | None = None
    diffuse: Rgba | None = None
    specular: Rgba | None = None
    emissive: Rgba | None = None
    texture: Texture | None = None


@dataclass(frozen=True)
class FrictionDirection:
    """The direction of a surface with a grain, SDFormat's fdir1; of it counts what is along the surface.

    `xyz` is as written, in the frame that `expressed_in` names; "" is the collision's own. `xyz_link` is the same as a
    unit vector in the frame of `link` (scoped, or "world"), which carries it along; in the collision's frame where
    `link` is "".
    """

    xyz: Vec3
    expressed_in: str = ""
    link: str = ""
    xyz_link: Vec3 = (1.0, 0.0, 0.0)


RIGID = 1e9
"""Stiffness [N/m] from which on contacts are rigid."""


@dataclass(frozen=True)
class Torsion:
    """Friction against turning about the normal, SDFormat's torsional: its coefficient, and the radius [m] of the patch
    in which bodies touch, or the radius [m] of curvature that it is found from where contacts give way. `slip`
    [rad/s/(N m)]: how fast it turns for each newton metre below the bound."""

    coefficient: float = 1.0
    use_patch_radius: bool = True
    patch_radius: float = 0.0
    surface_radius: float = 0.0
    slip: float = 0.0


@dataclass(frozen=True)
class Surface:
    """Contact properties of a collision.

    `friction` is SDFormat's ode mu, along `direction`, and `friction2` mu2, across it; without a direction friction is
    the same everywhere, and mu2 is stored without effect. `slip` and `slip2` [m/s/N], slip1 and slip2 there, are how
    fast a contact slips for each newton of friction along the direction and across it, below the bound of friction.
    `restitution` is in [0, 1], `bounce_threshold` the velocity [m/s] above which bodies bounce (default 100000),
    `collide_bitmask` the 16-bit category mask (two collisions meet where the AND of their masks is not zero),
    `contact_stiffness` kp [N/m] and `contact_damping` kd [N s/m].
    """

    friction: float = 1.0
    friction2: float = 1.0
    slip: float = 0.0
    slip2: float = 0.0
    direction: FrictionDirection | None = None
    restitution: float = 0.0
    collide_bitmask: int = 0xFFFF
    contact_stiffness: float = 1e12
    contact_damping: float = 1.0
    torsion: Torsion = Torsion()
    bounce_threshold: float = 100_000.0

    @property
    def gives_way(self) -> bool:
        """Whether its contacts are springs and dampers."""
        return 0.0 < self.contact_stiffness < RIGID

    @property
    def has_grain(self) -> bool:
        """Whether friction is not the same in every direction."""
        return self.direction is not None and (self.friction, self.slip) != (self.friction2, self.slip2)
