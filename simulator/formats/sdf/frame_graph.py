"""Where every frame is, and which body it is attached to.

Both questions are walks along references that may run into a cycle or into nothing. Each frame is settled once; a fault
is reported once, at the element that has it, and everything that depends on it is quietly left without an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from simulator.formats.cursor import offered
from simulator.formats.sdf.names import MODEL_FRAME, SCOPE
from simulator.formats.sdf.scopes import ROOT, Scope, Vertex, canonical_link
from simulator.formats.sdf.specs import JointSpec, ModelSpec
from simulator.model.joint import WORLD
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.diagnostics import DiagnosticLog, Source

T = TypeVar("T")


class FrameGraph:
    """Poses and attachments of all frames of one world (or one root model). Unless `strict`, the ends of a joint are
    looked for in the models around its own, too."""

    def __init__(self, log: DiagnosticLog, *, strict: bool) -> None:
        self._log, self._strict = log, strict
        self._origins: dict[Vertex, Pose] = {}
        self._poses: _Settled[Pose] = _Settled(self._pose_needs, self._pose, self._pose_cycle)
        self._bodies: _Settled[str] = _Settled(self._body_needs, self._body, self._body_cycle)

    def settle(self, scope: Scope) -> None:
        """Resolve every frame of the scope and of those below it, reporting all faults."""
        for vertex in scope.vertices.values():
            _check_root_reference(vertex, self._log)
            self._poses.of(vertex)
            self._bodies.of(vertex)
            if vertex.inner is not None:
                self.settle(vertex.inner)

    def forget(self) -> None:
        """Let go of all answers, when no more are needed."""
        self._origins.clear()
        self._poses.forget()
        self._bodies.forget()

    def lost_poses(self) -> list[str]:
        """Frames that have no pose, by scoped name."""
        return sorted(vertex.scoped_name for vertex in self._poses.lost)

    def lost_bodies(self) -> list[str]:
        """Frames that are attached to nothing, by scoped name."""
        return sorted(vertex.scoped_name for vertex in self._bodies.lost)

    def pose_of(self, vertex: Vertex | None) -> Pose:
        """Pose of a frame in the world; identity for the world itself and for a frame without a pose."""
        if vertex is None:
            return IDENTITY
        X_SV = self._poses.of(vertex) or IDENTITY
        owner = vertex.scope.owner
        if owner is None:
            return X_SV
        if owner not in self._origins:
            self._origins[owner] = self.pose_of(owner)
        return self._origins[owner] @ X_SV

    def pose_at(self, scope: Scope, reference: str) -> Pose | None:
        """Pose in the world of the frame that `reference` names in `scope`; None where there is no such frame."""
        path = scope.path(reference)
        if path is None:
            return None
        return self.pose_of(path[-1] if path else scope.owner)

    def body_at(self, scope: Scope, reference: str) -> str | None:
        """Scoped link, `static model::__model__` or "world" to which a frame is attached; None where there is none."""
        path = scope.path(reference)
        if path is None:
            return None
        vertex = path[-1] if path else scope.owner
        return WORLD if vertex is None else self._bodies.of(vertex)

    def carrier_at(self, scope: Scope, reference: str) -> tuple[str, Pose] | None:
        """As `body_at`, with the pose of the link in the world; the world itself where it is no link."""
        path = scope.path(reference)
        if path is None or self.body_at(scope, reference) is None:
            return None
        vertex = path[-1] if path else scope.owner
        while vertex is not None and (needs := self._body_needs(vertex)):
            vertex = needs[0]
        if vertex is None or vertex.kind != "link":
            return WORLD, IDENTITY
        return vertex.scoped_name, self.pose_of(vertex)

    # poses: each vertex relative to the origin of its own scope

    def _pose_needs(self, vertex: Vertex) -> list[Vertex] | None:
        inner, scope = self._outwards(vertex)
        path = scope.path(vertex.relative_to)
        if path is None:
            if vertex.kind != "frame" or vertex.pose.relative_to:
                self._report_unknown("POSE_RELATIVE_TO_INVALID", vertex, "has its pose relative to", vertex.relative_to)
            return None
        placement = self._placement(vertex)
        return None if placement is None else inner + path + placement

    def _pose(self, vertex: Vertex, needs: list[Vertex]) -> Pose:
        inner = self._outwards(vertex)[0]
        placement = self._placement(vertex) or []
        path = needs[len(inner) : len(needs) - len(placement)]
        X = self._along(path) @ vertex.pose.pose if path else vertex.pose.pose
        X = self._along(inner).inverse() @ X if inner else X
        return X @ self._along(placement).inverse() if placement else X

    def _outwards(self, vertex: Vertex) -> tuple[list[Vertex], Scope]:
        """The scope that has the frame in which a pose is given, and the models from there down to the vertex."""
        if vertex.kind != "joint" or vertex.pose.relative_to:
            return [], vertex.scope
        scope = self.scope_of_end(vertex.scope, vertex.attached_to)
        inner = list[Vertex]()
        around = vertex.scope
        while around is not scope and around.owner is not None:
            inner.insert(0, around.owner)
            around = around.owner.scope
        return inner, scope

    def scope_of_end(self, scope: Scope, name: str) -> Scope:
        """The scope that has the parent or child of a joint of `scope`: the nearest around it where it is not its own,
        as in Gazebo classic; its own where none has."""
        if self._strict:
            return scope
        return scope.reach(name) or scope

    def _along(self, path: list[Vertex]) -> Pose:
        X, *more = (self._poses.of(vertex) or IDENTITY for vertex in path)
        for X_next in more:
            X = X @ X_next
        return X

    def _placement(self, vertex: Vertex) -> list[Vertex] | None:
        """Path inside a model to its placement frame; empty for none, None (and an error) for an unknown one."""
        if not isinstance(vertex.spec, ModelSpec) or vertex.inner is None or not vertex.spec.placement_frame:
            return []
        path = vertex.inner.path(vertex.spec.placement_frame)
        if path is None and vertex not in self._poses.lost:
            name = vertex.spec.placement_frame
            message = f"the placement_frame '{name}' of model '{vertex.scoped_name}' does not exist"
            hint = offered(self._log, name, vertex.inner.names(), "frames in it")
            self._log.consequence("POSE_RELATIVE_TO_INVALID", vertex.source, message, hint)
            self._log.error("MODEL_PLACEMENT_FRAME_INVALID", vertex.source, message, hint)
        return path

    def _pose_cycle(self, cycle: list[Vertex]) -> None:
        self._report_cycle("POSE_RELATIVE_TO_CYCLE", cycle, "are placed relative to each other in a circle")

    # attachments

    def _body_needs(self, vertex: Vertex) -> list[Vertex] | None:
        if vertex.kind == "link":
            return []
        if isinstance(vertex.spec, ModelSpec):
            return self._model_body(vertex, vertex.spec)
        scope = self.scope_of_end(vertex.scope, vertex.attached_to) if vertex.kind == "joint" else vertex.scope
        path = scope.path(vertex.attached_to)
        if path is None:
            self._report_unknown("FRAME_ATTACHED_TO_INVALID", vertex, "is attached to", vertex.attached_to)
            return None
        if path:
            return path[-1:]
        return [] if scope.owner is None else [scope.owner]

    def _model_body(self, vertex: Vertex, spec: ModelSpec) -> list[Vertex] | None:
        if spec.static or vertex.inner is None:
            return []
        name = canonical_link(spec)
        found = vertex.inner.vertex(name) if name else None
        if found is not None and found.kind == "link":
            return [found]
        if not name and spec.models:  # all of them are static, and have no link
            return [vertex.inner.vertices[spec.models[0].name]]
        if name:
            message = f"the canonical_link '{name}' of model '{vertex.scoped_name}' does not exist"
            hint = offered(self._log, name, vertex.inner.names_of("link"), "links in it")
            self._log.error("MODEL_CANONICAL_LINK_INVALID", vertex.source, message, hint)
        else:
            message = f"model '{vertex.scoped_name}' has no link"
            hint = "a model needs a link, a nested model with one, or <static>true</static>"
            self._log.error("MODEL_WITHOUT_LINK", vertex.source, message, hint)
        return None

    def _body(self, vertex: Vertex, needs: list[Vertex]) -> str | None:
        if needs:
            return self._bodies.of(needs[0])
        if vertex.kind == "link":
            return vertex.scoped_name
        return f"{vertex.scoped_name}{SCOPE}{MODEL_FRAME}" if vertex.kind == "model" else WORLD

    def _body_cycle(self, cycle: list[Vertex]) -> None:
        self._report_cycle("FRAME_ATTACHED_TO_CYCLE", cycle, "are attached to each other in a circle")

    # reports

    def _report_unknown(self, code: str, vertex: Vertex, how: str, name: str) -> None:
        spoken_of = isinstance(vertex.spec, JointSpec) and name == vertex.spec.child  # with the joint's ends
        if spoken_of and not self._log.consequences:
            return
        scope = vertex.scope
        message = f"{vertex.kind} '{vertex.name}' {how} '{name}', which does not exist in {scope.label}"
        hint = offered(self._log, name, scope.names(), "frames there")
        report = self._log.consequence if spoken_of else self._log.error
        report(code, _reference(vertex, code), message, hint)

    def _report_cycle(self, code: str, cycle: list[Vertex], what: str) -> None:
        names = " → ".join(vertex.name for vertex in [*cycle, cycle[0]])
        message = f"frames {what}: {names}" if len(cycle) > 1 else f"{cycle[0].kind} '{cycle[0].name}' refers to itself"
        pose_follows = code.startswith("POSE") and not any(vertex.pose.relative_to for vertex in cycle)
        own_child = len(cycle) == 1 and isinstance(cycle[0].spec, JointSpec)
        report = self._log.consequence if pose_follows or own_child else self._log.error
        hint = "give one of them a frame outside the circle" if len(cycle) > 1 else "name another frame, or none"
        report(code, _reference(cycle[0], code), message, hint)


def _reference(vertex: Vertex, code: str) -> Source:
    """Where a vertex names the frame that a finding about poses or attachments is about."""
    if code.startswith("POSE") and vertex.pose.relative_to and vertex.pose.source:
        return vertex.pose.source
    if isinstance(vertex.spec, JointSpec):  # it is at, and attached to, its child
        return vertex.spec.end_sources.get("child", vertex.source)
    return vertex.source


class _Settled(Generic[T]):
    """Answers that depend on one another, each found once: depth first with a stack of our own (chains may be long)."""

    def __init__(
        self,
        needs: Callable[[Vertex], list[Vertex] | None],
        answer: Callable[[Vertex, list[Vertex]], T | None],
        report_cycle: Callable[[list[Vertex]], None],
    ) -> None:
        self._needs = needs
        self._answer = answer
        self._report_cycle = report_cycle
        self._known: dict[Vertex, T] = {}
        self.lost: set[Vertex] = set()

    def of(self, vertex: Vertex) -> T | None:
        """The answer, None where there is none."""
        if vertex not in self._known and vertex not in self.lost:
            self._search(vertex)
        return self._known.get(vertex)

    def forget(self) -> None:
        """Let go of all answers, and of the graph that gives them."""
        self._known.clear()
        self.lost.clear()
        del self._needs, self._answer, self._report_cycle

    def _search(self, start: Vertex) -> None:
        needs = self._needs(start)
        if needs is None:
            self.lost.add(start)
            return
        if all(need in self._known for need in needs):
            self._settle(start, needs)
            return
        stack: dict[Vertex, list[Vertex]] = {start: needs}
        while stack:
            vertex = next(reversed(stack))
            open_needs = [need for need in stack[vertex] if need not in self._known and need not in self.lost]
            if not open_needs:
                self._leave(stack, vertex)
            elif open_needs[0] in stack:
                order = list(stack)
                cycle = order[order.index(open_needs[0]) :]
                self._report_cycle(cycle)
                self.lost.update(cycle)
                for member in cycle:
                    stack.pop(member)
            else:
                self._enter(stack, open_needs[0])

    def _enter(self, stack: dict[Vertex, list[Vertex]], vertex: Vertex) -> None:
        needs = self._needs(vertex)
        if needs is None:
            self.lost.add(vertex)
        else:
            stack[vertex] = needs

    def _leave(self, stack: dict[Vertex, list[Vertex]], vertex: Vertex) -> None:
        self._settle(vertex, stack.pop(vertex))

    def _settle(self, vertex: Vertex, needs: list[Vertex]) -> None:
        answer = None if any(need in self.lost for need in needs) else self._answer(vertex, needs)
        if answer is None:
            self.lost.add(vertex)
        else:
            self._known[vertex] = answer


def _check_root_reference(vertex: Vertex, log: DiagnosticLog) -> None:
    written = {"relative_to": vertex.pose.relative_to}
    if vertex.kind == "frame":
        written["attached_to"] = vertex.attached_to
    for attribute, name in written.items():
        if name == ROOT:
            where = vertex.pose.source if attribute == "relative_to" else vertex.source
            message = f"{attribute} of {vertex.kind} '{vertex.name}' is '{ROOT}', which cannot be referred to"
            log.error("ATTRIBUTE_INVALID", where, message, offered(log, "", vertex.scope.names(), "frames"))
