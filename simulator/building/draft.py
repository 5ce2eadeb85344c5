"""A document that is being written: what `simulator.new` and `simulator.edit` give."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.api.drives import profile_of
from simulator.building.closing import free_name
from simulator.building.document import EditedDocument
from simulator.building.files import DraftFiles
from simulator.building.joints import Place, pose_node
from simulator.building.model import ModelDraft, model_node
from simulator.building.mounting import hang, on_model, seat
from simulator.building.part import require_free
from simulator.building.robot import RobotDraft
from simulator.building.schema import numbers
from simulator.building.scope import Named, ScopeDraft, Z
from simulator.engine.drives import Drive
from simulator.errors import UsageError
from simulator.formats.editing.nodes import declare_namespaces
from simulator.formats.editing.tree import EditableTree
from simulator.formats.profile_text import format_profile
from simulator.formats.sdf.extensions import DRIVE, EXCLUDE
from simulator.formats.sdf.names import SCOPE
from simulator.formats.writing.elements import element
from simulator.formats.writing.elements import numbers as numbers_node
from simulator.model.joint import WORLD
from simulator.session.open.examples import find_file
from simulator.session.save.document_edit import is_ours, read_files
from simulator.session.save.saving import NOT_EDITED

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from simulator.building.closing import JointBetween
    from simulator.building.features import Feature
    from simulator.building.shapes import PlacedShape
    from simulator.formats.editing.tree import EditableElement
    from simulator.spatial.pose import Pose

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
        wanted = str(joint).removesuffix(":axis2")
        if not any(name == wanted or name.endswith(f"{SCOPE}{wanted}") for name in self.named("joint")):
            self.joint_named(wanted)
        self.put_before(element(DRIVE, axis=str(joint), kind=drive.kind.value, value=text), ("gravity", "physics"))

    def take_drive(self, item: EditableElement) -> None:
        """A drive that was taken out of another draft."""
        later = next((child for child in self.element.elements if child.tag in ("gravity", "physics")), None)
        declare_namespaces(self.element, (item.tag,))
        self.element.insert(item, before=later)

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


class Draft(EditedDocument, ModelDraft):
    """An SDFormat document over its text.

    The methods of a model are those of its only model; where it has several, of the one that `model=` names, and
    `draft.world.models["name"]` are the others.
    """

    def __init__(self, data: bytes, path: Path | None, *, model: str = "") -> None:
        """Raises UsageError where the text is no SDFormat in UTF-8, or has several models and none is named."""
        EditedDocument.__init__(self, data, path)
        files = DraftFiles(path.resolve().parent if path is not None else Path.cwd())
        ModelDraft.__init__(self, _chosen(self.tree.root, model), files)

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

    def _put_between(self, name: str, kind: str, joint: JointBetween) -> None:
        """In the model, where both links are in it, else in the world."""
        scope, (parent, child) = self._scope_of(joint.parent, joint.child)
        axes = (*joint.axes, Z, Z)
        apart = joint.X_PJ if joint.is_apart else None
        place = {"at": joint.at, "axis": axes[0], "axis2": axes[1], "relative_to": "", "parent_at": apart}
        scope.joint(name, kind, parent, child, loop=joint.is_loop, **place)  # type: ignore[arg-type]

    def _put_ground(self, link: str) -> str:
        scope, (child,) = self._scope_of(link)
        name = free_name("ground", scope.named("link", "joint", "frame", "model"))
        scope.fixed(name, WORLD, child)
        return name

    def _seat_of(self, feature: Feature) -> tuple[str, Feature]:
        return on_model(self.check().world, self.name, feature)

    def _weld_on(self, name: str, link: str, X: Pose, shapes: Sequence[PlacedShape]) -> str:
        made = free_name(name, self.named("link", "joint", "frame", "model"))
        self.link(made, *shapes, pose=X, relative_to="" if link == WORLD else link)
        self.fixed(free_name("weld", self.named("link", "joint", "frame", "model")), link, made)
        return made

    def mount_mechanism(self, feature: Feature, part: Draft, *, turn: float = 0.0, over: bool = False) -> str:
        """The links, joints and drives of another draft at a feature of a link, as `mount` puts a body there: what
        hangs on the ground in `part`, which is used up, hangs on that link here. Gives the name that is in front of
        theirs, which is that of the frame of their places. Raises UsageError for a place of another model."""
        link, here = self._seat_of(feature)
        stem = free_name(part.name, self.named("link", "joint", "frame", "model"))
        shapes = [
            (visual.shape, item.X_WL @ visual.X_LV)
            for model in part.check().world.models
            for item in model.links
            for visual in item.visuals
        ]
        X = seat(here, shapes, turn=turn, over=over)
        self.frame(stem, X, attached_to="" if link == WORLD else link)
        for item in list(hang(part, stem, link)):
            later = [one for one in self.element.elements if one.tag in ("joint", "model_state", "plugin")]
            self.element.insert(item, before=later[0] if item.tag == "link" and later else None)
        for item in part.world.element.all(DRIVE):
            part.world.element.remove(item)
            self.world.take_drive(item)
        self.files.adopt(part.files)
        return stem

    def _scope_of(self, *links: str) -> tuple[ScopeDraft, list[str]]:
        """The model if it has all of some links, else the world; and their names as seen from there."""
        inside = f"{self.name}{SCOPE}"
        if all(link == WORLD or link.startswith(inside) for link in links):
            return self, [link.removeprefix(inside) for link in links]
        return self.world, list(links)

    def restore(self, data: bytes) -> None:
        """Take the whole document back to an earlier `tree.data`."""
        name = self.name
        super().restore(data)
        self._element = _chosen(self.tree.root, name)


def new(name: str) -> Draft:
    """An empty mechanism: a world with gravity along -z, 9.81 m/s^2, a step of 1 ms, and one model of that name.

    Raises UsageError for a name that no model can have.
    """
    require_free(name, (), "mechanism")
    if not all(letter.isalnum() or letter in "_-. " for letter in name):
        raise UsageError(f"'{name}' is no name for a mechanism: use letters, digits, '_', '-' and '.'")
    return Draft(EMPTY.format(name=name).encode(), None)


def edit(path: str | os.PathLike[str], *, model: str = "") -> Draft | RobotDraft:
    """An SDFormat document (or an example world by its name) or a URDF to be changed; comments and layout stay.

    `model`: the one that is meant, where there are several. Raises UsageError for a file that is not there or is not
    edited as text, and what to do instead.
    """
    file = find_file(str(path))
    reason = NOT_EDITED.get(file.suffix.lower())
    if reason is not None:
        raise UsageError(reason)
    data = read_files((file,))[file]
    if EditableTree(data).root.tag == "robot":
        return RobotDraft(data, file)
    draft = Draft(data, file, model=model)
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
