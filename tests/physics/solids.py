"""Links that can touch something, for worlds written in place: boxes, balls, wheels, walls, a ground."""

from __future__ import annotations

GROUND = (
    '<model name="ground"><static>true</static><link name="plane"><collision name="c"><geometry><plane>'
    "<normal>0 0 1</normal><size>20 20</size></plane></geometry>{surface}</collision></link></model>"
)


def surface(mu: float = 1.0, restitution: float = 0.0, *, across: float | None = None, grain: str = "") -> str:
    """Friction and restitution of a collision; `grain` is the element of its direction, `across` mu2."""
    mu2 = mu if across is None else across
    return (
        f"<surface><friction><ode><mu>{mu!r}</mu><mu2>{mu2!r}</mu2>{grain}</ode></friction>"
        f"<bounce><restitution_coefficient>{restitution!r}</restitution_coefficient><threshold>0</threshold>"
        "</bounce></surface>"
    )


def grain(fdir1: str, expressed_in: str = "") -> str:
    """The direction of friction; in the frame of the collision unless another is named."""
    return f'<fdir1 gz:expressed_in="{expressed_in}">{fdir1}</fdir1>' if expressed_in else f"<fdir1>{fdir1}</fdir1>"


def ground(mu: float = 1.0, restitution: float = 0.0, *, rubs: str = "") -> str:
    """The plane z = 0; `rubs` is a whole `<surface>` instead of friction and restitution."""
    return GROUND.format(surface=rubs or surface(mu, restitution))


def box_shape(size: str) -> str:
    """A box; `size` is x y z [m]."""
    return f"<box><size>{size}</size></box>"


def ball_shape(radius: float) -> str:
    """A ball."""
    return f"<sphere><radius>{radius!r}</radius></sphere>"


def solid(
    name: str,
    shape: str,
    *,
    mass: float = 1.0,
    inertia: str = "1 1 1",
    pose: str = "0 0 0 0 0 0",
    at: str = "0 0 0 0 0 0",
    mu: float = 1.0,
    restitution: float = 0.0,
    rubs: str = "",
) -> str:
    """A link with a collision; `inertia` is ixx iyy izz about the centre of mass, `at` is the pose of the shape in the
    link, `rubs` a whole `<surface>` instead of friction and restitution."""
    moments = "".join(f"<{n}>{v}</{n}>" for n, v in zip(("ixx", "iyy", "izz"), inertia.split(), strict=True))
    return (
        f'<link name="{name}"><pose>{pose}</pose><inertial><mass>{mass!r}</mass><inertia>{moments}</inertia></inertial>'
        f'<collision name="c"><pose>{at}</pose>'
        f"<geometry>{shape}</geometry>{rubs or surface(mu, restitution)}</collision></link>"
    )


def wall(shape: str, *, pose: str, name: str = "wall", mu: float = 1.0, restitution: float = 0.0) -> str:
    """A static model with one shape."""
    return (
        f'<model name="{name}"><static>true</static><link name="body"><pose>{pose}</pose><collision name="c">'
        f"<geometry>{shape}</geometry>{surface(mu, restitution)}</collision></link></model>"
    )
