"""Whether PyBullet is there, and how to get it where it is not: it has wheels for few systems."""

from __future__ import annotations

HOW_TO_GET = (
    "`pip install pybullet` gets it, or `scripts/run --with-bullet` in a checkout "
    "(where there is no wheel, a C++ compiler works for some minutes)"
)


def bullet_is_missing() -> bool:
    """Whether PyBullet cannot be loaded, for whatever reason."""
    try:
        import simulator.bullet.pybullet_import  # noqa: F401  # loads it without its greeting
    except ImportError:
        return True
    return False
