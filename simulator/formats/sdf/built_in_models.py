"""`sun` and `ground_plane`, which nearly every world of Gazebo includes: they come with the program, for where they are
not installed."""

from __future__ import annotations

from pathlib import Path

from simulator.formats.fuel import fuel_model
from simulator.formats.uris import parse_uri

FOLDER = Path(__file__).parent / "built_in"
"""One document for each, with the names and numbers of the models of Fuel and of Gazebo's model database."""
OWNER = "openrobotics"


def built_in(uri: str) -> Path | None:
    """The document that takes the place of a model that is found nowhere; None if the URI names another one."""
    model = fuel_model(uri)
    if model is not None:
        name = model.name if model.owner.lower() == OWNER and not model.file else ""
    else:
        plain = parse_uri(uri)
        name = plain.package if plain.inside in ("", "model.sdf") else ""
    path = FOLDER / f"{name.lower().replace(' ', '_')}.sdf"
    return path if name and "/" not in name and path.is_file() else None
