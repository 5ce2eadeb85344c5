"""How a document is to be read: what the user chose beside the file itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

GLTF_UP = ("", "y", "z")
"""What `ReadingOptions.gltf_up` may be; "" leaves the choice to the document."""


@dataclass(frozen=True)
class ReadingOptions:
    """`resource_paths`: folders for `model://`, `package://` and relative URIs, searched after the document's own
    folder and before those of SDF_PATH, GZ_SIM_RESOURCE_PATH and ROS_PACKAGE_PATH; `Resources.search` knows further
    places, unless `strict`. `strict`: refuse what libsdformat refuses; otherwise what RViz, Gazebo and MuJoCo accept is
    accepted with a warning. `gltf_up`: the axis that points up in glTF files, "" to find it out. `hold_base`: what
    would fall with nothing beneath it, the base of a robot, is fixed to the world. `arguments`: names and values for a
    xacro document."""

    resource_paths: tuple[Path, ...] = ()
    strict: bool = False
    gltf_up: str = ""
    hold_base: bool = False
    arguments: tuple[tuple[str, str], ...] = ()


STANDARD = ReadingOptions()
"""No folders, kind to the document."""
