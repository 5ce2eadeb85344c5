"""Where the looks of a visual come from: `<pbr>`, `<script>`, or the mesh file itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.formats.files import is_regular
from simulator.formats.mesh.loader import mesh_of
from simulator.formats.mesh.neighbours import FOLDERS, MAX_BYTES, NOT_DRAWN, find_beside
from simulator.formats.sdf.gazebo_materials import GAZEBO, PREFIX, WITHOUT_PICTURE
from simulator.formats.sdf.ogre_script import ScriptMaterial, materials_in
from simulator.model.material import Material, Texture
from simulator.model.shape import Mesh

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor, Reading
    from simulator.model.shape import Shape

NOT_DRAWN_MAPS = {
    "normal_map": "normal maps",
    "roughness_map": "roughness maps",
    "metalness_map": "metalness maps",
    "specular_map": "specular maps",
    "glossiness_map": "glossiness maps",
    "emissive_map": "emissive maps",
    "environment_map": "environment maps",
    "ambient_occlusion_map": "occlusion maps",
    "light_map": "light maps",
}
"""Children of a workflow of `<pbr>`."""
WORKFLOWS = ("metal", "specular")
WHITE = (1.0, 1.0, 1.0)
MISSING = "texture"
"""What missing pictures are folded by."""


def read_pbr(material: Cursor) -> Texture | None:
    """The albedo map of `<pbr>`; what else it names is noted as not drawn."""
    pbr = material.child("pbr")
    workflow = None if pbr is None else next(filter(None, (pbr.child(tag) for tag in WORKFLOWS)), None)
    if workflow is None:
        return None
    for tag, kind in NOT_DRAWN_MAPS.items():
        found = workflow.child(tag)
        if found is not None and found.text:
            found.reading.leave_undrawn(kind, found.source)
    albedo = workflow.child("albedo_map")
    return None if albedo is None or not albedo.text else _texture(albedo.text, albedo)


def _texture(uri: str, where: Cursor) -> Texture | None:
    """The picture that a URI names; None and a warning where there is none."""
    reading = where.reading
    suffix = Path(uri).suffix.lower()
    if suffix in NOT_DRAWN:
        reading.leave_undrawn(f"{suffix} pictures", where.source)
        return None
    path = reading.find(uri, where.source)
    if path is not None and is_regular(path, MAX_BYTES):
        return Texture(uri, path=str(path))
    message = f"there is no picture '{uri}'; what it should cover is drawn in its plain colour"
    reading.report_missing(uri, where.source, message, error=False, fold=MISSING)
    return None


def read_script(script: Cursor) -> Material | None:
    """The material that a `<script>` names: one of Gazebo's own, else one of the scripts that its URIs lead to."""
    name = script.string("name") or script.text
    if name in GAZEBO:
        if name in WITHOUT_PICTURE:
            script.reading.leave_undrawn(f"the picture of {name}", script.source)
        return GAZEBO[name]
    places = [path for uri in script.children("uri") if (path := _place(uri)) is not None]
    for place in places:
        found = materials_in(place, script.reading.budget).get(name)
        if found is not None:
            return _from_script(found, places, script)
    if name:
        what = "is none of Gazebo's" if name.startswith(PREFIX) else "is in no script that is found"
        script.reading.leave_undrawn(f"the material '{name}', which {what}", script.source)
    return None


def _place(uri: Cursor) -> Path | None:
    """The script or folder that a URI leads to. Gazebo's own media folder is not here."""
    return uri.reading.find(uri.text, uri.source) if uri.text else None


def _from_script(found: ScriptMaterial, places: list[Path], script: Cursor) -> Material:
    material = Material(found.ambient, found.diffuse, found.specular, found.emissive)
    if not found.picture:
        return material
    folders = [place if place.is_dir() else place.parent for place in places]
    path = next(filter(None, (find_beside(found.picture, folder, FOLDERS) for folder in folders)), None)
    if path is None:
        message = f"there is no picture '{found.picture}', which a material script names; its plain colour is drawn"
        hint = f"searched beside {', '.join(map(str, folders))}"
        script.log.warning("URI_LOOKUP", script.source, message, hint, fold=MISSING)
        return material
    script.reading.files[str(path)] = None
    texture = Texture(found.picture, path=str(path), size=found.size, cutout=found.blends)
    return replace(material, texture=texture)


def judge_mesh_looks(visual: Cursor, shape: Shape, material: Material | None) -> None:
    """Say what of the looks that a mesh file brings is missing or not drawn."""
    if not isinstance(shape, Mesh):
        return
    mesh = mesh_of(shape, visual.reading.budget)
    reading = visual.reading
    if material is not None and (material.diffuse or material.ambient or material.texture):
        stated = material.diffuse or material.ambient
        if mesh.textures and material.texture is None and stated is not None and stated[:3] != WHITE:
            reading.leave_undrawn("textures of mesh files under a colour of the document", visual.source)
        return
    file = Path(shape.path).name
    for name in mesh.unfound:
        message = f"there is no '{name}', which the mesh file '{file}' names; the shape is drawn without"
        hint = "put it beside the mesh file, or into ../materials/textures as seen from there"
        reading.log.warning("URI_LOOKUP", visual.source, message, hint, fold=MISSING)
    for kind in mesh.undrawn:
        reading.leave_undrawn(kind, visual.source)
    reading.files.update(dict.fromkeys(texture.path for texture in mesh.textures if texture.path))


def report_undrawn(reading: Reading) -> None:
    """One finding about all looks of the document that are not drawn, at the first of them."""
    if reading.undrawn:
        kinds = sorted(reading.undrawn)
        message = f"not drawn: {', '.join(kinds[:20])}{', …' if len(kinds) > 20 else ''}"
        hint = "colours and albedo textures are drawn; nothing that moves depends on the rest"
        reading.log.info("LOOKS_NOT_DRAWN", next(iter(reading.undrawn.values())), message, hint)
