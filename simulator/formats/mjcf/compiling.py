"""A document → MuJoCo's compiled model, without what it cannot have here: textures, skins, files that are missing."""

from __future__ import annotations

import importlib.util
import os
import re
import stat
import warnings
from typing import TYPE_CHECKING, Any

from simulator.diagnostics import Source
from simulator.formats.mjcf.flags import apply_flags
from simulator.formats.mjcf.places import MjcfPlaces
from simulator.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.formats.cursor import Reading
    from simulator.formats.nodes import Node

MOST_PARTS = 100_000
"""Elements that replicate, composite and flexcomp may multiply a document to."""
LARGEST_FILE = 256 * 2**20
"""Bytes of a mesh that MuJoCo is given to read."""
PLACEHOLDER = (0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01)
"""Vertices of a tetrahedron, in place of a mesh whose file is missing."""
_LINE = re.compile(r"line (\d+)")
_ATTRIBUTE = re.compile(r"attribute: '([^']+)'")
_ELEMENT = re.compile(r"Element '([^']+)'")
_NAME = re.compile(r"Element name '([^']+)'")


@dataclass(frozen=True)
class Compiled:
    """MuJoCo's library, its editable document, its model, and where elements are written.

    `files`: the path of each mesh's file by the mesh's name, as far as it has one; `pictures` that of each material's
    texture; `colours` the mean colour of a material's texture that is computed.
    """

    mujoco: Any
    spec: Any
    model: Any
    places: MjcfPlaces
    files: dict[str, str]
    pictures: dict[str, str]
    colours: dict[str, tuple[float, float, float]]

    def name(self, kind: str, index: int) -> str:
        """The name of an element of the model; "" where it has none. `kind` as in `mjtObj`: BODY, JOINT, …"""
        found = self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), index)
        return found or ""


def is_installed() -> bool:
    """Whether there is MuJoCo; a mere folder of that name is none."""
    found = importlib.util.find_spec("mujoco")
    return found is not None and found.origin is not None


def compile_document(path: Path, tree: Node, reading: Reading) -> Compiled | None:
    """None, with an error that has MuJoCo's words and the line, where MuJoCo refuses the document."""
    log = reading.log
    if not is_installed():
        message = "reading MJCF takes MuJoCo, which is not installed"
        log.error("MJCF_NEEDS_MUJOCO", tree.source, message, "pip install 'simulator[mjcf]'")
        return None
    if _multiplied(tree) > MOST_PARTS:
        message = f"replicate, composite and flexcomp multiply the document to more than {MOST_PARTS} elements"
        log.error("FILE_TOO_LARGE", tree.source, message, "lower the counts")
        return None
    import mujoco

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_file(os.path.abspath(path))
            looks = _take_looks(spec)
            files = _mesh_files(spec, reading, tree)
            model = spec.compile()
        except (ValueError, RuntimeError, MemoryError) as error:
            _report_refusal(str(error), tree, log)
            return None
    for warning in warned:
        log.warning("MJCF_WARNING", tree.source, f"MuJoCo warns: {' '.join(str(warning.message).split())}")
    if model is None:
        _report_refusal("MuJoCo gives no model", tree, log)
        return None
    apply_flags(model, mujoco)
    return Compiled(mujoco, spec, model, MjcfPlaces.of(tree, spec), files, *looks)


def _report_refusal(text: str, tree: Node, log: Any) -> None:
    """MuJoCo's sentence, at the line that it names; the line of an included file is that of the file of its element."""
    line, name = _LINE.search(text), _NAME.search(text)
    first = " ".join(text.split("\n", 1)[0].split()).removeprefix("XML Error: ").removeprefix("Error: ")
    named = [node for node in tree.walk() if name is not None and node.attributes.get("name") == name[1]]
    named = named or _with_attribute(text, tree)
    number = int(line[1]) if line is not None else 0
    where = next((node.source for node in named if number in (0, node.source.line)), None)
    if where is None:
        where = named[0].source if named else Source(tree.source.file, number or tree.source.line)
    about = f" (at '{name[1]}')" if name is not None else ""
    log.error("MJCF_REFUSED", where, f"MuJoCo refuses the document: {first}{about}", "MuJoCo's own words")
    log.consequence("FILE_READ", where, "the document is not read, because MuJoCo does not read it")


def _with_attribute(text: str, tree: Node) -> list[Node]:
    """The elements that have the attribute, or are of the kind, that MuJoCo does not know."""
    attribute, element = _ATTRIBUTE.search(text), _ELEMENT.search(text)
    if element is None or "unrecognized" not in text:
        return []
    return [
        node
        for node in tree.walk()
        if node.tag == element[1] and (attribute is None or attribute[1] in node.attributes)
    ]


def _multiplied(node: Node) -> int:
    """How many elements a tree becomes."""
    times = 1
    if node.tag in ("replicate", "composite", "flexcomp"):
        for word in node.attributes.get("count", "1").split():
            try:
                times *= max(1, int(float(word)))
            except (ValueError, OverflowError):
                return MOST_PARTS + 1
    below = 1 + sum(_multiplied(child) for child in node.children)
    return min(times, MOST_PARTS + 1) * below


def _take_looks(spec: Any) -> tuple[dict[str, str], dict[str, tuple[float, float, float]]]:
    """Pictures and computed colours of materials. Textures and skins are taken out: MuJoCo would need their files."""
    textures = {texture.name: texture for texture in spec.textures}
    pictures: dict[str, str] = {}
    colours: dict[str, tuple[float, float, float]] = {}
    for material in spec.materials:
        texture = next((textures[name] for name in material.textures if name in textures), None)
        if texture is None:
            continue
        if texture.file:
            pictures[material.name] = _in_folder(spec, spec.texturedir, texture.file)
        elif texture.builtin:
            first, second = (tuple(map(float, colour)) for colour in (texture.rgb1, texture.rgb2))
            red, green, blue = ((a + b) / 2.0 for a, b in zip(first, second, strict=True))
            colours[material.name] = (red, green, blue)
        material.textures = [""] * len(material.textures)
    for item in (*spec.textures, *spec.skins):
        spec.delete(item)
    for light in spec.lights:
        light.texture = ""
    return pictures, colours


def _in_folder(spec: Any, folder: str, file: str) -> str:
    name = os.path.basename(file) if spec.strippath else file
    return os.path.normpath(os.path.join(spec.modelfiledir or "", folder or "", name))


def _mesh_files(spec: Any, reading: Reading, tree: Node) -> dict[str, str]:
    """Where the files of meshes are. A mesh without one gets vertices in its place, terrain without one is
    taken out."""
    files = {}
    for mesh in spec.meshes:
        if not mesh.file:
            continue
        file = _in_folder(spec, spec.meshdir, mesh.file)
        name = mesh.name or os.path.splitext(os.path.basename(mesh.file))[0]
        files[name] = file
        if not _is_readable(file):
            mesh.name = name
            mesh.file = ""
            mesh.content_type = ""
            mesh.uservert = list(PLACEHOLDER)
        else:
            reading.files[file] = None
    gone = {
        item.name: item
        for item in spec.hfields
        if item.file and not _is_readable(_in_folder(spec, spec.meshdir, item.file))
    }
    for geom in list(spec.geoms):
        if geom.hfieldname in gone:
            where = next((node.source for node in tree.walk() if node.tag == "hfield"), tree.source)
            message = f"there is no file of the terrain '{geom.hfieldname}'; it is left out"
            reading.log.warning("URI_LOOKUP", where, message, fold="hfield", about=geom.hfieldname)
            spec.delete(geom)
    for item in gone.values():
        spec.delete(item)
    return files


def _is_readable(file: str) -> bool:
    """Whether MuJoCo may be given a file: it would wait at a pipe."""
    try:
        state = os.stat(file)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(state.st_mode) and state.st_size <= LARGEST_FILE
