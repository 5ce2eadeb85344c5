"""The text of a document that is edited: reading, running and saving it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from simulator.api.loading import load
from simulator.building.closing import base_of, joint_between, judged
from simulator.building.features import features_at, features_of
from simulator.building.mounting import seat
from simulator.building.part import one_of
from simulator.errors import DocumentError, UsageError, place_of
from simulator.formats.editing.tree import EditableTree
from simulator.formats.options import ReadingOptions
from simulator.model.joint import WORLD
from simulator.model.names import tail_name
from simulator.session.open.opening import open_document
from simulator.session.save.document_edit import exchange
from simulator.session.save.saving_changes import with_whole_paths

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from simulator.api.simulation import Simulation
    from simulator.building.closing import Joined, JointBetween
    from simulator.building.features import Feature
    from simulator.building.files import DraftFiles
    from simulator.building.shapes import PlacedShape
    from simulator.session.open.opening import Opened
    from simulator.spatial.pose import Pose


class EditedDocument:
    """A document as a tree: a change is one of its elements, and all else stays as it is written."""

    suffix = ".sdf"
    files: DraftFiles

    def __init__(self, data: bytes, path: Path | None) -> None:
        """Raises UsageError where the text is no XML in UTF-8."""
        self.tree = EditableTree(data)
        self.path = path
        self.notes: list[str] = []
        """Figures and warnings of the generator that made it."""
        self._read = data

    def title(self, text: str) -> None:
        """Set the first comment, by which lists of documents call it."""
        self.tree.title(text)

    def to_sdf(self) -> str:
        """The document."""
        return self.tree.data.decode()

    def check(self) -> Opened:
        """Read the document as it is now: its mechanism, and its `diagnostics`."""
        with TemporaryDirectory() as folder:
            path = Path(folder, self.path.name if self.path is not None else f"draft{self.suffix}")
            path.write_text(self.to_sdf(), encoding="utf-8")
            return open_document(path, ReadingOptions(resource_paths=self.files.places))

    def simulate(self, *, solver: str = "rows", dt: float | None = None) -> Simulation:
        """The simulation of the document as it is now: see `simulator.load`, which raises the same."""
        return load(self.to_sdf(), resource_paths=self.files.places, solver=solver, dt=dt)

    def save(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Write the document, and generated meshes beside it. Returns where.

        Without `path` into the file that was opened. Raises UsageError where that has been changed since, or came with
        the program; DocumentError, with every finding, for a document that cannot be simulated.
        """
        opened = self.check()
        errors = [item.message for item in opened.diagnostics if item.is_error]
        if errors:
            raise DocumentError(f"the document cannot be simulated: {errors[0]}", opened.diagnostics)
        target = self.path if path is None else Path(path)
        if target is None:
            raise UsageError("a new document is saved by a path: draft.save('name.sdf')")
        data = self.tree.data
        same = self.path is not None and target.exists() and target.samefile(self.path)
        if same:
            exchange({target: self._read}, {target: data})
        else:
            data = self.moved_to(target.resolve().parent)
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            except OSError as error:
                raise UsageError(f"'{target}' cannot be written: {error}") from error
        self.files.save(target.resolve().parent)
        self.files.folder = target.resolve().parent
        self.path = target
        self._read = data
        return target

    def features(self, link: object) -> dict[str, Feature]:
        """Places on a link at which a joint can be, by name: frames of joints and of the document, faces, edges, axes
        and rims of what is drawn; those of the ground are of "world". A link that a fixed joint of a URDF makes part of
        another has the places of that one, and its own origin. Raises UnknownNameError."""
        return {item.name: item for item in features_at(self.check().world, str(link))}

    def close(self, name: str, kind: str, first: Feature, second: Feature) -> Joined:
        """A joint between two `features`: a loop where a chain connects their links already, else the link without a
        parent hangs on the other. `kind`: "revolute", "ball", "prismatic", "fixed", "universal" or "planar", about or
        along the direction of a feature.

        Bodies keep their places along a hinge or slide; otherwise, what is apart is brought together before anything
        moves. Raises UsageError where that cannot be, with the distance; the document is then as it was.
        """
        before = self.check()
        known = features_of(before.world)
        for feature in (first, second):
            one_of(feature.link, list(known), "link")
        joint = joint_between(before.world, kind, first, second, [*known[first.link], *known[second.link]])
        data = self.tree.data
        try:
            self._put_between(name, kind, joint)
            return judged(name, joint, before, self.check())
        except UsageError:
            self.restore(data)
            raise

    def mount(self, name: str, feature: Feature, *shapes: PlacedShape, turn: float = 0.0, over: bool = False) -> str:
        """A link made of shapes at a feature of another one, and welded to that. On a face it stands, with its lowest
        point; elsewhere its frame is at the place, with z along the direction. `turn` [rad] about that; `over`: upside
        down. Gives its name, with a number behind `name`.

        Raises UsageError for a place of another model, for shapes without mass, and for what a URDF does not have.
        """
        if not shapes:
            raise UsageError("a body is made of one shape or more")
        link, here = self._seat_of(feature)
        pieces = [item for shape in shapes for item in shape.pieces]
        return self._weld_on(name, link, seat(here, pieces, turn=turn, over=over), shapes)

    def _seat_of(self, feature: Feature) -> tuple[str, Feature]:
        """The link of a feature as it is named here, and the feature in its frame."""
        raise NotImplementedError

    def _weld_on(self, name: str, link: str, X: Pose, shapes: Sequence[PlacedShape]) -> str:
        """Write a link at a pose in another one, and the joint between both; gives its name."""
        raise NotImplementedError

    def ground(self, link: object) -> str:
        """Weld the base of a chain to the ground, where it is; returns the name of the joint. Raises UnknownNameError,
        and UsageError for a link that hangs on another one, or is on the ground already."""
        world = self.check().world
        links = [item.name for model in world.models if not model.static for item in model.links]
        name = links[place_of(links, str(link), "link")]
        base, over = base_of(world, name)
        if base == WORLD:
            raise UsageError(f"'{tail_name(name)}' hangs on the ground already, by joint '{tail_name(over)}'")
        if base != name:
            raise UsageError(f"'{tail_name(name)}' hangs on joint '{tail_name(over)}': ground '{tail_name(base)}'")
        return self._put_ground(name)

    def _put_between(self, name: str, kind: str, joint: JointBetween) -> None:
        """Write a joint between two places."""
        raise NotImplementedError

    def _put_ground(self, link: str) -> str:
        """Write a weld to the ground of a link, by its scoped name."""
        raise NotImplementedError

    def restore(self, data: bytes) -> None:
        """Take the whole document back to an earlier `tree.data`."""
        self.tree = EditableTree(data)

    def moved_to(self, folder: Path) -> bytes:
        """The document for another folder: what it names from its own is named by whole paths."""
        if self.files.folder == folder:
            return self.tree.data
        text = with_whole_paths(self.to_sdf(), self.files.folder)
        return text.encode()
