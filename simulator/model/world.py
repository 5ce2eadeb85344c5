"""Documents, worlds and models."""

from __future__ import annotations

from dataclasses import field

from simulator.diagnostics import Diagnostic, Source
from simulator.model.actuation import HardwareInfo, TransmissionInfo
from simulator.model.joint import Joint
from simulator.model.laws import JointConstraint
from simulator.model.lengths import LengthParameter
from simulator.model.link import Link
from simulator.model.loads import AnyLoad
from simulator.model.profiles import Profile
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import Vec3


@dataclass(frozen=True)
class Frame:
    """An explicit frame. `attached_body` is the scoped link (or static model's frame, or the world) it is rigidly
    attached to."""

    name: str
    X_WF: Pose = IDENTITY
    attached_body: str = ""
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Physics:
    """The physics profile of a world: `max_step_size` [s] is the time step."""

    type: str = "ode"
    max_step_size: float = 0.001
    real_time_factor: float = 1.0
    solver_iterations: int = 50


@dataclass(frozen=True)
class DemonstrationDrive:
    """How a document wants to be shown: `<simulator:drive axis="…" kind="position|velocity|effort" value="…"/>` of a
    world, whose value is a number or a profile over time.

    The window starts with it; commands without a window do not. Other programs skip it, as they do every namespaced
    element.
    """

    axis: str
    kind: str
    profile: Profile
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Model:
    """A model. Nested models are further entries of the same flat list, by their scoped name (`outer::inner`).

    `hardware` are its `<ros2_control>` blocks, `transmissions` its older `<transmission>` elements outside of them.
    `parameters` name lengths of its links. `gravity` [m/s^2] acts on its links instead of the world's where it is not
    None.
    """

    name: str
    static: bool = False
    self_collide: bool = False
    canonical_link: str = ""
    X_WM: Pose = IDENTITY
    links: tuple[Link, ...] = ()
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    hardware: tuple[HardwareInfo, ...] = ()
    transmissions: tuple[TransmissionInfo, ...] = ()
    loads: tuple[AnyLoad, ...] = ()
    constraints: tuple[JointConstraint, ...] = ()
    parameters: tuple[LengthParameter, ...] = ()
    gravity: Vec3 | None = None
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class World:
    """A world. `gravity` [m/s^2]; `joints` and `frames` are those of the world itself, names without a scope.

    `excluded`: pairs of links, by their scoped names, that never touch each other, nor do links that are fixed to them,
    besides those that other rules keep apart.
    """

    name: str = "default"
    gravity: Vec3 = (0.0, 0.0, -9.8)
    physics: Physics = Physics()
    models: tuple[Model, ...] = ()
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    drives: tuple[DemonstrationDrive, ...] = ()
    loads: tuple[AnyLoad, ...] = ()
    constraints: tuple[JointConstraint, ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Document:
    """A whole file. `root_models` are models outside any world; a URDF is one of them. `files`: all that were looked
    into, the file itself first, then what it includes and meshes. `format`: "sdf", "urdf", "mjcf" or
    "asmt", "fcstd"."""

    file: str
    title: str = ""
    worlds: tuple[World, ...] = ()
    root_models: tuple[Model, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    files: tuple[str, ...] = field(default=(), compare=False)
    format: str = field(default="sdf", compare=False)

    @property
    def has_errors(self) -> bool:
        """Whether the document cannot be simulated as it is."""
        return any(diagnostic.is_error for diagnostic in self.diagnostics)

    def world(self) -> World:
        """The first world, or an SDFormat default world around the root models."""
        if self.worlds:
            return self.worlds[0]
        return World(models=self.root_models)
