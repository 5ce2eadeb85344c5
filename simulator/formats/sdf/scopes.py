"""Scopes and the frames in them: who can name whom.

A world and every model is a scope. Its frames are its links, joints, explicit frames and nested models, and the scope's
own origin, called `world` or `__model__`. A reference descends only: `x` or `nested::x`.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from simulator.diagnostics import Source
from simulator.formats.sdf.names import MODEL_FRAME, SCOPE
from simulator.formats.sdf.specs import FrameSpec, JointSpec, LinkSpec, ModelSpec, PoseSpec, WorldSpec
from simulator.model.joint import WORLD
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = "__root__"
"""libsdformat's name for the outside of everything; documents must not use it."""


LONGEST_REFERENCE = 10_000
"""Characters; longer ones name nothing (each `::` in them costs a look-up)."""


@dataclass(eq=False)
class Vertex:
    """One frame. `scope` is its own, in which the names that it uses are looked up.

    `attached_to` is "" for links and models; `inner` is the scope of a model.
    """

    kind: str
    scope: Scope
    spec: LinkSpec | JointSpec | FrameSpec | ModelSpec
    attached_to: str = ""
    inner: Scope | None = None

    @property
    def name(self) -> str:
        """As the scope knows it."""
        return self.spec.name

    @property
    def pose(self) -> PoseSpec:
        """As written."""
        return self.spec.pose

    @property
    def source(self) -> Source:
        """The place of its element."""
        return self.spec.source

    @property
    def scoped_name(self) -> str:
        """`model::nested::name`."""
        return self.scope.prefix + self.spec.name

    @property
    def relative_to(self) -> str:
        """The frame that the pose is given in; "" is the scope's origin."""
        return self.spec.pose.relative_to or self.attached_to


@dataclass(eq=False)
class Scope:
    """A world (`root_name` "world") or a model ("__model__"). `owner` is the frame of the model itself in the scope
    around it."""

    name: str
    prefix: str
    root_name: str
    owner: Vertex | None = None
    vertices: dict[str, Vertex] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """For messages."""
        return f"world '{self.name}'" if self.owner is None else f"model '{self.name}'"

    @property
    def scopes(self) -> list[Scope]:
        """Those of the nested models."""
        return [vertex.inner for vertex in self.vertices.values() if vertex.inner is not None]

    def names(self) -> Iterator[str]:
        """Every frame that a reference from here may name without descending."""
        yield self.root_name
        yield from self.vertices

    def names_of(self, kind: str) -> Iterator[str]:
        """The frames of one kind: link, joint, frame or model."""
        return (name for name, vertex in self.vertices.items() if vertex.kind == kind)

    def path(self, reference: str) -> list[Vertex] | None:
        """Frames from this scope down to the one named; empty for the scope's own origin, None where there is no such
        frame."""
        if reference in ("", self.root_name):
            return []
        if reference in self.vertices:
            return [self.vertices[reference]]
        start = reference.find(SCOPE) if len(reference) <= LONGEST_REFERENCE else -1
        while start >= 0:
            vertex = self.vertices.get(reference[:start])
            if vertex is not None and vertex.inner is not None:
                rest = vertex.inner.path(reference[start + len(SCOPE) :] or ROOT)
                if rest is not None:
                    return [vertex, *rest]
            start = reference.find(SCOPE, start + 1)
        return None

    def reach(self, reference: str) -> Scope | None:
        """The nearest of this scope and those around it that has the frame named; None where none has."""
        scope = self
        while scope.path(reference) is None:
            if scope.owner is None:
                return None
            scope = scope.owner.scope
        return scope

    def forget(self) -> None:
        """Let go of all frames: they and their scope hold each other, and would stay until Python's cycle collector
        runs."""
        for inner in self.scopes:
            inner.forget()
            inner.owner = None
        self.vertices.clear()

    def vertex(self, reference: str) -> Vertex | None:
        """The frame named, None where there is none and for the origin of a world."""
        path = self.path(reference)
        if path is None:
            return None
        return path[-1] if path else self.owner


def world_scope(world: WorldSpec) -> Scope:
    """The scope of a world with everything below it."""
    scope = Scope(world.name, "", WORLD)
    _fill(scope, world)
    return scope


def root_scope(model: ModelSpec) -> Scope:
    """A nameless world around a model at the root of a document."""
    scope = Scope("", "", WORLD)
    scope.vertices[model.name] = _model_vertex(scope, model)
    return scope


def _fill(scope: Scope, spec: ModelSpec | WorldSpec) -> None:
    add = scope.vertices.setdefault
    if isinstance(spec, ModelSpec):
        for link in spec.links:
            add(link.name, Vertex("link", scope, link))
    for model in spec.models:
        if model.name not in scope.vertices:
            add(model.name, _model_vertex(scope, model))
    for joint in spec.joints:
        add(joint.name, Vertex("joint", scope, joint, joint.child))
    for frame in spec.frames:
        add(frame.name, Vertex("frame", scope, frame, frame.attached_to))


def _model_vertex(scope: Scope, model: ModelSpec) -> Vertex:
    vertex = Vertex("model", scope, model)
    name = scope.prefix + model.name
    vertex.inner = Scope(name, name + SCOPE, MODEL_FRAME, owner=vertex)
    _fill(vertex.inner, model)
    return vertex


def canonical_link(model: ModelSpec) -> str:
    """Reference (from inside the model) to its canonical link: the named one, else the first link, else a nested
    model's."""
    if model.canonical_link:
        return model.canonical_link
    if model.links:
        return model.links[0].name
    for nested in model.models:
        inner = canonical_link(nested)
        if inner:
            return f"{nested.name}{SCOPE}{inner}"
    return ""
