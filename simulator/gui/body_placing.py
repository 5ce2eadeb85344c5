"""Puts bodies onto places that were picked in the view: solids, meshes, and mechanisms by their parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.gui.file_names import ask_existing
from simulator.gui.viewport.body_row import BOX, CYLINDER, MESH, PART, SPHERE

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QWidget

    from simulator.building.draft import Draft
    from simulator.building.features import Feature
    from simulator.building.robot import RobotDraft
    from simulator.building.shapes import PlacedShape
    from simulator.gui.units import Units
    from simulator.gui.viewport.body_row import BodyRow

MESHES = "Meshes (*.stl *.obj *.ply *.dae *.glb *.gltf)"


class BodyPlacing:
    """What is put onto the next place: by the sizes of a row, or a file or mechanism that is chosen."""

    def __init__(self, row: BodyRow) -> None:
        self._row = row
        self._file: Path | None = None
        self._mechanism: tuple[str, dict[str, object]] | None = None

    def choose(self, kind: str, parent: QWidget, theme: str, units: Units, document: Path | None) -> bool:
        """Ask for the file or mechanism of a kind that needs one; whether there is one."""
        if kind == MESH:
            self._file = ask_existing(parent, "mesh", parent.tr("Mesh of the body"), MESHES, document)
            self._row.what.setText("" if self._file is None else self._file.name)
            return self._file is not None
        if kind == PART:
            from simulator.gui.making.new_mechanism import chosen_mechanism, title_of

            self._mechanism = chosen_mechanism(parent, theme, units)
            self._row.what.setText("" if self._mechanism is None else title_of(self._mechanism[0]))
            return self._mechanism is not None
        return True

    def put(self, draft: Draft | RobotDraft, kind: str, feature: Feature) -> str:
        """Put a body of a kind onto a place; gives its name. Raises UsageError for what cannot be."""
        turn, over = self._row.angle(), self._row.over.isChecked()
        if kind != PART:
            return draft.mount(kind if kind != MESH else "body", feature, self._shape(kind), turn=turn, over=over)
        from simulator.building.draft import Draft
        from simulator.building.parts.catalogue import KINDS

        if not isinstance(draft, Draft):
            raise UsageError(
                "a mechanism has loops and couplings that a URDF does not hold: File ▸ Save document as… makes an "
                "SDFormat document"
            )
        assert self._mechanism is not None
        name, values = self._mechanism
        return draft.mount_mechanism(feature, KINDS[name](**values), turn=turn, over=over)

    def _shape(self, kind: str) -> PlacedShape:
        from simulator.building import shapes

        if kind == BOX:
            return shapes.box(self._row.lengths(3), collides=True)
        if kind == CYLINDER:
            radius, length = self._row.lengths(2)
            return shapes.cylinder(radius, length, collides=True)
        if kind == SPHERE:
            return shapes.sphere(self._row.lengths(1)[0], collides=True)
        assert self._file is not None
        return shapes.mesh(self._file, scale=self._row.lengths(1)[0], collides=True)
