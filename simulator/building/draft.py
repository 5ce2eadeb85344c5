"""A document that is being written: what `simulator.new` and `simulator.edit` give."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from simulator.api.drives import profile_of
from simulator.api.loading import load
from simulator.building.files import DraftFiles
from simulator.building.joints import Place, pose_node
from simulator.building.model import ModelDraft, model_node
from simulator.building.part import require_free
from simulator.building.schema import numbers
from simulator.building.scope import Named, ScopeDraft
from simulator.engine.drives import Drive
from simulator.errors import DocumentError, UsageError
from simulator.formats.editing.tree import EditableTree
from simulator.formats.options import ReadingOptions
from simulator.formats.profile_text import format_profile
from simulator.formats.sdf.extensions import DRIVE, EXCLUDE
from simulator.formats.sdf.names import SCOPE
from simulator.formats.writing.elements import element
from simulator.formats.writing.elements import numbers as numbers_node
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.save.document_edit import DocumentEdit, exchange, is_ours, read_files
from simulator.session.save.saving import NOT_EDITED
from simulator.session.save.saving_changes import with_whole_paths

if TYPE_CHECKING:
    import os

    from simulator.api.simulation import Simulation
    from simulator.formats.editing.tree import EditableElement
    from simulator.session.open.opening import Opened

EMPTY = """<?xml version="1.0" encoding="UTF-8"?>
<sdf version="1.12">
  <world name="{name}">
    <gravity>0 0 -9.81</gravity>
    <physics name="step" type="ode">
      <max_step_size>0.001</max_step_size>
      <real_time_factor>1</real_time_factor>
    </physics>
    <model name="{name}">
    </model>
  </world>
</sdf>
"""


class WorldDraft(ScopeDraft):
    """The world of a draft; as the parent of a joint it is what does not move."""

    def __init__(self, item: EditableElement, files: DraftFiles) -> None:
        super().__init__(item)
        self.files = files

    def __str__(self) -> str:
        return "world"

    @property
    def models(self) -> dict[str, ModelDraft]:
        """Its models by name."""
        return {item.get("name"): ModelDraft(item, self.files) for item in self.element.all("model")}

    def model(self, name: str, *, pose: Place | None = None, static: bool = False) -> ModelDraft:
        """One more model. Raises UsageError for a name that is taken."""
        require_free(name, list(self.named("model", "joint", "frame")), "model")
        return ModelDraft(self.put(model_node(name, pose, "", static=static)), self.files)

    def drive(self, joint: Named, drive: Drive) -> None:
        """How the window drives an axis when it opens the document, `simulator.velocity(2.0)` say. Raises
        UnknownNameError for a joint that does not exist, UsageError for what a document cannot say."""
        if not isinstance(drive, Drive):
            raise UsageError(f"a drive is made by simulator.position, velocity or effort, not {drive!r}")
        text = format_profile(profile_of(drive.profile))
        if drive.gains is not None or text.startswith("<"):
            raise UsageError("a document holds drives without gains, by numbers, generators and files")
        joints = self.named("joint")
        wanted = str(joint).removesuffix(":axis2")
        if not any(name == wanted or name.endswith(f"{SCOPE}{wanted}") for name in joints):
            self.joint_named(wanted)
        self.put_before(element(DRIVE, axis=str(joint), kind=drive.kind.value, value=text), ("gravity", "physics"))

    def exclude(self, link: Named, other: Named) -> None:
        """Two links that never touch each other, by their names as the world sees them."""
        for name in (str(link), str(other)):
            self._link(name)
        self.put(element(EXCLUDE, link=str(link), other=str(other)))

    def include(self, uri: str, *, name: str = "", pose: Place | None = None) -> None:
        """Include another document."""
        self.put(
            element(
                "include",
                element("uri", text=uri),
                element("name", text=name) if name else None,
                None if pose is None else pose_node(pose),
            )
        )

    def gravity(self, x: float, y: float, z: float) -> None:
        """Set gravity [m/s^2]."""
        old = self.element.child("gravity")
        if old is None:
            self.put(numbers_node("gravity", numbers((x, y, z), 3, "gravity")))
        else:
            self.set("gravity", numbers((x, y, z), 3, "gravity"))

    def step(self, seconds: float) -> None:
        """Set the time step [s]. Raises UsageError for one that is not positive."""
        if not 0.0 < seconds < 1.0:
            raise UsageError(f"a time step is above 0 and below 1 [s], not {seconds!r}")
        self.set("physics/max_step_size", float(seconds))


class Draft(ModelDraft):
    """A document over its text: a change is one of its elements, and all else stays as it is written.

    The methods of a model are those of its only model; where it has several, of the one that `model=` names, and
    `draft.world.models["name"]` are the others.
    """

    def __init__(self, data: bytes, path: Path | None, *, model: str = "") -> None:
        """Raises UsageError where the text is no SDFormat in UTF-8, or has several models and none is named."""
        self.tree = EditableTree(data)
        self.path = path
        self.notes: list[str] = []
        """Figures and warnings of the generator that made it."""
        self._read = data
        files = DraftFiles(path.resolve().parent if path is not None else Path.cwd())
        super().__init__(_chosen(self.tree.root, model), files)

    @property
    def world(self) -> WorldDraft:
        """The world around the model. Raises UsageError where the document is a model alone."""
        item = self.tree.root.child("world")
        if item is None:
            raise UsageError("the document has no world, only a model")
        return WorldDraft(item, self.files)

    def drive(self, joint: Named, drive: Drive) -> None:
        """See `WorldDraft.drive`."""
        self.world.drive(joint, drive)

    def title(self, text: str) -> None:
        """Set the first comment, by which lists of documents call it."""
        self.tree.title(text)

    # -- the document --------------------------------------------------------------------------------------------------

    def to_sdf(self) -> str:
        """The document."""
        return self.tree.data.decode()

    def check(self) -> Opened:
        """Read the document as it is now: its mechanism, and its `diagnostics`."""
        with TemporaryDirectory() as folder:
            path = Path(folder, self.path.name if self.path is not None else "draft.sdf")
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

    def edit_of(self) -> DocumentEdit:
        """What saving would change in the file that was opened, as a change that can be taken back. Raises UsageError
        for a document that was not opened from a file."""
        if self.path is None:
            raise UsageError("a new document has no file yet")
        return DocumentEdit({self.path: self._read}, {self.path: self.tree.data})

    def restore(self, data: bytes) -> None:
        """Take the whole document back to an earlier `tree.data`."""
        name = self.name
        self.tree = EditableTree(data)
        self._element = _chosen(self.tree.root, name)

    def moved_to(self, folder: Path) -> bytes:
        """The document for another folder: what it names from its own is named by whole paths."""
        if self.files.folder == folder:
            return self.tree.data
        text = with_whole_paths(self.to_sdf(), self.files.folder)
        return text.encode()


def new(name: str) -> Draft:
    """An empty mechanism: a world with gravity along -z, 9.81 m/s^2, a step of 1 ms, and one model of that name.

    Raises UsageError for a name that no model can have.
    """
    require_free(name, (), "mechanism")
    if not all(letter.isalnum() or letter in "_-. " for letter in name):
        raise UsageError(f"'{name}' is no name for a mechanism: use letters, digits, '_', '-' and '.'")
    return Draft(EMPTY.format(name=name).encode(), None)


def edit(path: str | os.PathLike[str], *, model: str = "") -> Draft:
    """An SDFormat document (or an example world by its name) to be changed; comments and layout stay.

    `model`: the one that is meant, where there are several. Raises UsageError for a file that is not there or is not
    edited as text, and what to do instead.
    """
    file = find_file(str(path))
    reason = NOT_EDITED.get(file.suffix.lower())
    if reason is not None:
        raise UsageError(reason)
    draft = Draft(read_files((file,))[file], file, model=model)
    if is_ours(file):
        draft.path = None
    return draft


def _chosen(root: EditableElement, model: str) -> EditableElement:
    """The only model, or the one of that name. Raises UsageError."""
    if root.tag not in ("sdf", "gazebo"):
        raise UsageError(
            f"a <{root.tag}> is not edited by its parts; `simulator convert` makes an SDFormat document of it"
        )
    owner = root.child("world") or root
    models = owner.all("model")
    names = [item.get("name") for item in models]
    if model:
        if model not in names:
            raise UsageError(f"no model is named '{model}'. Available: {', '.join(names)}")
        return models[names.index(model)]
    moving = [
        item for item in models if (still := item.child("static")) is None or still.text.lower() not in ("true", "1")
    ]
    if len(moving) == 1 or len(models) == 1:
        return (moving or models)[0]
    if not models:
        raise UsageError("the document has no model")
    raise UsageError(f"the document has several models: {', '.join(names)}; name one, edit(path, model='{names[0]}')")
