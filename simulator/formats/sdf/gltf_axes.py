"""Which axis points up in the glTF files of a document.

glTF says y (section 3.4 of its standard), and Gazebo and Drake turn such files; but many are made for programs that
take them as they are stored. Evidence is another mesh of the same part, of a kind that is never turned: among the
collisions of a link whose visuals are glTF, or the other way round, or beside the file with the same name. Where its
bounding box fits the file as it is stored, and does not fit it when it is turned, the file is not turned. Files about
which nothing is known follow the others that the same document names.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import DiagnosticLog
from simulator.formats.cursor import Cursor
from simulator.formats.mesh.loader import FORMATS, GLTF, MeshError, is_gltf, load_mesh, mesh_of
from simulator.formats.sdf.extensions import MESH_UP
from simulator.formats.sdf.link import read_link
from simulator.model.shape import Mesh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.diagnostics import Source
    from simulator.formats.files import Budget
    from simulator.spatial.pose import Pose

    Placed = tuple[Mesh, Pose]
    Points = NDArray[np.float64]
    Key = tuple[str, str]

FITS = 0.05
"""Boxes fit if no two of their faces are further apart than this part of a diagonal; if they are twice as far apart,
they do not."""
UNTURNED = sorted(set(FORMATS) - set(GLTF))


def find_gltf_axes(root: Cursor) -> dict[Key, str]:
    """The axis that points up, "y" or "z", of each glTF file, by the document that names it and its path; the log says
    which."""
    options = root.reading.options
    named = {} if options.strict or options.gltf_up else _named(root)
    if not named:
        return {}
    shown = _shown_by_links(root)
    for key in named:
        if key not in shown:
            shown[key] = _shown_by_twin(Path(key[1]), root.reading.budget)
    told = {document: {shown[key][0] for key in named if key[0] == document} - {""} for document, _ in named}
    axes = {key: shown[key][0] or ("z" if told[key[0]] == {"z"} else "y") for key in named}
    for key in sorted(named, key=lambda key: not shown[key][1]):
        _report(root, key, named[key], axes[key], shown[key][1])
    return axes


def _named(root: Cursor) -> dict[Key, Source]:
    """The glTF files that are there, and where they are named first without a word about their axes."""
    found: dict[Key, Source] = {}
    for node in root.node.walk():
        uri = node.child("uri") if node.tag == "mesh" and MESH_UP not in node.attributes else None
        if uri is not None and is_gltf(uri.text):
            path = root.reading.find(uri.text, uri.source)
            if path is not None:
                found.setdefault((uri.source.file, str(path)), uri.source)
    return found


def _report(root: Cursor, key: Key, where: Source, axis: str, witness: str) -> None:
    name = Path(key[1]).name
    if axis == "y":
        message = f"the glTF file '{name}' is turned from y up, as its standard says, to z up"
    else:
        reason = f"only as it is stored does it fit '{witness}'" if witness else "the others of its document are not"
        message = f"the glTF file '{name}' is not turned from y up to z up: {reason}"
    hint = f"--gltf-up {'z takes such files as they are stored' if axis == 'y' else 'y turns such files'}"
    root.log.info("MESH_UP_AXIS", where, message, hint, fold=axis)


def _shown_by_links(root: Cursor) -> dict[Key, tuple[str, str]]:
    """Of those glTF files for which other meshes of their link show an axis: that axis, and the name of one of these
    meshes."""
    options = replace(root.reading.options, gltf_up="z")
    trial = replace(root.reading, options=options, log=DiagnosticLog(), unreadable=[], lost_meshes={})
    found: dict[Key, tuple[str, str]] = {}
    for node in root.node.walk():
        if node.tag != "link":
            continue
        spec = read_link(Cursor(node, trial), "")
        if spec.elsewhere:
            continue
        link = spec.link
        visuals = [(item.shape, item.X_LV) for item in link.visuals if isinstance(item.shape, Mesh)]
        collisions = [(item.shape, item.X_LC) for item in link.collisions if isinstance(item.shape, Mesh)]
        for stored, witness in ((visuals, collisions), (collisions, visuals)):
            axis = _shown_by(stored, witness, root.reading.budget)
            for mesh, _ in stored if axis else ():
                found.setdefault((node.source.file, mesh.path), (axis, Path(witness[0][0].path).name))
    return found


def _shown_by(stored: Sequence[Placed], witness: Sequence[Placed], budget: Budget) -> str:
    """The axis by which meshes of a link, glTF files among them, fit others without any; "" if neither or both do."""
    if (
        not witness
        or any(is_gltf(mesh.path) for mesh, _ in witness)
        or not any(is_gltf(mesh.path) for mesh, _ in stored)
    ):
        return ""
    turned = [(replace(mesh, up="y") if is_gltf(mesh.path) else mesh, pose) for mesh, pose in stored]
    return _axis_of(*(_points(placed, budget) for placed in (stored, turned, witness)))


def _points(placed: Sequence[Placed], budget: Budget) -> Points:
    """All vertices of some meshes in their link, shape (n, 3) [m]."""
    return np.concatenate([mesh_of(mesh, budget).vertices @ X.rotation().T + X.position for mesh, X in placed])


def _shown_by_twin(path: Path, budget: Budget) -> tuple[str, str]:
    """The axis by which a glTF file fits one of the same name and another kind beside it, and that name; "" and "" if
    none does."""
    for twin in (path.with_suffix(f".{ending}") for kind in UNTURNED for ending in (kind, kind.upper())):
        if twin.is_file():
            try:
                axis = _axis_of(
                    *(
                        load_mesh(file, up=up, budget=budget).vertices
                        for file, up in ((path, "z"), (path, "y"), (twin, "z"))
                    )
                )
            except MeshError:
                continue
            if axis:
                return axis, twin.name
    return "", ""


def _axis_of(stored: Points, turned: Points, witness: Points) -> str:
    """ "z" if only `stored` has the bounding box of `witness`, "y" if only `turned` has it, "" otherwise."""
    box = np.array([witness.min(axis=0), witness.max(axis=0)])
    size = float(np.linalg.norm(box[1] - box[0]))
    as_is, quarter = (np.abs([p.min(axis=0) - box[0], p.max(axis=0) - box[1]]).max() for p in (stored, turned))
    if as_is <= FITS * size and quarter > 2.0 * FITS * size:
        return "z"
    return "y" if quarter <= FITS * size and as_is > 2.0 * FITS * size else ""
