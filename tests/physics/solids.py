"""Links that can touch something, for worlds written in place: boxes, balls, wheels, walls, a ground."""

from __future__ import annotations

GROUND = (
    '<model name="ground"><static>true</static><link name="plane"><collision name="c"><geometry><plane>'
    "<normal>0 0 1</normal><size>20 20</size></plane></geometry>{surface}</collision></link></model>"
)


def surface(mu: float = 1.0, restitution: float = 0.0) -> str:
    """Friction and restitution of a collision."""
    return (
        f"<surface><friction><ode><mu>{mu!r}</mu><mu2>{mu!r}</mu2></ode></friction>"
        f"<bounce><restitution_coefficient>{restitution!r}</restitution_coefficient><threshold>0</threshold>"
        "</bounce></surface>"
    )


def ground(mu: float = 1.0, restitution: float = 0.0) -> str:
    """The plane z = 0."""
    return GROUND.format(surface=surface(mu, restitution))


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
) -> str:
    """A link with a collision; `inertia` is ixx iyy izz about the centre of mass, `at` is the pose of the shape in the
    link."""
    moments = "".join(f"<{n}>{v}</{n}>" for n, v in zip(("ixx", "iyy", "izz"), inertia.split(), strict=True))
    return (
        f'<link name="{name}"><pose>{pose}</pose><inertial><mass>{mass!r}</mass><inertia>{moments}</inertia></inertial>'
        f'<collision name="c"><pose>{at}</pose>'
        f"<geometry>{shape}</geometry>{surface(mu, restitution)}</collision></link>"
    )


def wall(shape: str, *, pose: str, name: str = "wall", mu: float = 1.0, restitution: float = 0.0) -> str:
    """A static model with one shape."""
    return (
        f'<model name="{name}"><static>true</static><link name="body"><pose>{pose}</pose><collision name="c">'
        f"<geometry>{shape}</geometry>{surface(mu, restitution)}</collision></link></model>"
    )
