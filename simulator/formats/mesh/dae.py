"""COLLADA files, made ready for pycollada."""

from __future__ import annotations

import copy
import io

import collada
from lxml import etree

PAINT = ("asset", "library_images", "library_effects", "library_materials")
"""The parts of a file that contain its materials."""


def without_broken_materials(data: bytes) -> bytes:
    """The file without its uses of materials that cannot be read, because they need an image that is nowhere, say:
    pycollada would leave out every geometry that has one."""
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    uses = list(root.iter("{*}instance_material"))
    if not uses:
        return data
    paint = etree.Element(root.tag)
    paint.extend(copy.deepcopy(part) for part in root if etree.QName(part).localname in PAINT)
    known = collada.Collada(io.BytesIO(etree.tostring(paint)), ignore=[collada.common.DaeError]).materials
    broken = [use for use in uses if use.get("target", "").removeprefix("#") not in known]
    for use in broken:
        owner = use.getparent()
        if owner is not None:
            owner.remove(use)
    return etree.tostring(root) if broken else data
