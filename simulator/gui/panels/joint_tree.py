"""The tree of the model, out of which joints can be dragged onto the plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PyQt6.QtCore import QByteArray, QMimeData
from PyQt6.QtWidgets import QTreeWidget, QTreeWidgetItem

AXES = "application/x-simulator-axes"
"""What is dragged: indices of axes, with blanks between."""


class JointTree(QTreeWidget):
    """`axes_of` says which axes an entry is about; others cannot be dragged."""

    def __init__(self, axes_of: Callable[[QTreeWidgetItem], Sequence[int]]) -> None:
        super().__init__()
        self._axes_of = axes_of
        self.setDragEnabled(True)
        self.setDragDropMode(QTreeWidget.DragDropMode.DragOnly)

    def mimeTypes(self) -> list[str]:
        """Axes alone."""
        return [AXES]

    def mimeData(self, items: Iterable[QTreeWidgetItem | None]) -> QMimeData | None:
        """The axes of the entries; None, which begins no drag, where they have none."""
        axes = [axis for entry in items if entry is not None for axis in self._axes_of(entry)]
        if not axes:
            return None
        data = QMimeData()
        data.setData(AXES, QByteArray(" ".join(map(str, axes)).encode()))
        return data


def dragged_axes(data: QMimeData | None) -> tuple[int, ...]:
    """The axes that are dragged; none where it is something else."""
    if data is None or not data.hasFormat(AXES):
        return ()
    return tuple(int(number) for number in data.data(AXES).data().decode().split())
