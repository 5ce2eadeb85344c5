"""Rigid links as the document has them."""

from __future__ import annotations

from dataclasses import field

from simulator.diagnostics import Source
from simulator.model.material import Material, Surface
from simulator.model.shape import Mesh, Shape
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import Vec3


@dataclass(frozen=True)
class Inertial:
    """Mass [kg] and rotational inertia [kg m^2] about the centre of mass, in the inertial frame I.

    `X_LI` places that frame in the link. `moments` = (ixx, iyy, izz), `products` = (ixy, ixz, iyz); products are the
    elements of the matrix itself (ixy = -integral of x y dm). Defaults are SDFormat's: 1 kg, identity.
    """

    mass: float = 1.0
    X_LI: Pose = IDENTITY
    moments: Vec3 = (1.0, 1.0, 1.0)
    products: Vec3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Visual:
    """Something to look at. `X_LV` is its pose in the link."""

    name: str
    shape: Shape
    X_LV: Pose = IDENTITY
    material: Material | None = None
    transparency: float = 0.0
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Collision:
    """Something to collide with. `X_LC` is its pose in the link."""

    name: str
    shape: Shape
    X_LC: Pose = IDENTITY
    surface: Surface = Surface()
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Omitted:
    """A visual or collision of the document that is neither shown nor touched; a diagnostic says why.

    `element` is "visual" or "collision", `X_L` its pose in the link, `geometry` the name of its shape ("mesh",
    "heightmap", "empty", …), `mesh` what the document says about a mesh whose file cannot be used (its `path` is "").
    One that is `required` keeps the document from being simulated; for another visual mesh something is drawn that says
    that it is missing.
    """

    element: str
    name: str
    geometry: str
    X_L: Pose = IDENTITY
    mesh: Mesh | None = None
    required: bool = False
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class StartVelocity:
    """How a link starts: `linear`, of its origin [m/s], and `angular` [rad/s], both in world axes."""

    linear: Vec3
    angular: Vec3
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Link:
    """A link. `name` is scoped (`model::link`); `X_WL` is its pose in the world at the start.

    `has_inertial` says whether the inertial is stated or computed, and not SDFormat's default. A `kinematic` link moves
    only by command. `omitted` are visuals and collisions that cannot be used; they change nothing. `solid`: where the
    stated moments are all but zero, the inertial of a homogeneous body of the link's shapes and mass, None where there
    is no such body. `start_velocity`: what a `model_state` asks of a link. `states_mass` is False for a
    link of a URDF that states none. `bar`: the ends [m], in the frame of the link, of the bar that its visuals are made
    for, where the document says so; they are drawn from joint to joint.
    """

    name: str
    X_WL: Pose = IDENTITY
    inertial: Inertial = Inertial()
    has_inertial: bool = False
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Collision, ...] = ()
    gravity: bool = True
    kinematic: bool = False
    self_collide: bool = False
    omitted: tuple[Omitted, ...] = ()
    solid: Inertial | None = None
    start_velocity: StartVelocity | None = None
    bar: tuple[Vec3, Vec3] | None = None
    states_mass: bool = field(default=True, compare=False)
    source: Source | None = field(default=None, compare=False)
