"""Links of a selected item, and the joint of a link."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from simulator.diagnostics import Source
from simulator.gui.selection import Item, ItemKind
from simulator.mechanism.types import Coupling, Mechanism
from simulator.model.joint import Joint
from simulator.model.link import Link
from simulator.model.world import Model, World
from simulator.records import dataclass


@dataclass(frozen=True)
class Relations:
    """Look-ups between the parts of one document and its mechanism."""

    world: World
    mechanism: Mechanism

    def joints(self) -> tuple[Joint, ...]:
        """All joints of the document, those of the world first."""
        return (*self.world.joints, *(joint for model in self.world.models for joint in model.joints))

    @cached_property
    def axes_of_joints(self) -> Mapping[str, tuple[int, ...]]:
        """Axis indices by the scoped name of their joint."""
        found: dict[str, tuple[int, ...]] = {}
        for index, axis in enumerate(self.mechanism.axes):
            found[axis.joint] = (*found.get(axis.joint, ()), index)
        return found

    @cached_property
    def coupling_numbers(self) -> Mapping[int, int]:
        """Index of the coupling of every follower axis."""
        return {coupling.follower: i for i, coupling in enumerate(self.mechanism.couplings)}

    @cached_property
    def named_axes(self) -> tuple[int, ...]:
        """The first axis of every joint that moves, those that others follow or that lead alone before their
        followers, and what closes loops last."""
        firsts: dict[str, int] = {}
        for index, axis in enumerate(self.mechanism.axes):
            if not axis.hidden:
                firsts.setdefault(axis.joint, index)
        axes = self.mechanism.axes
        followers = self.coupling_numbers
        return tuple(sorted(firsts.values(), key=lambda i: (not axes[i].in_tree, i in followers, i)))

    def joint(self, name: str) -> Joint | None:
        """The document's joint of that scoped name."""
        return next((joint for joint in self.joints() if joint.name == name), None)

    def link(self, name: str) -> Link | None:
        """The link of that scoped name, with the numbers of the mechanism."""
        return next((link for body in self.mechanism.bodies for link in body.links if link.name == name), None)

    def model(self, name: str) -> Model | None:
        """The model of that scoped name."""
        return next((model for model in self.world.models if model.name == name), None)

    def axis_joint(self, axis_name: str) -> str:
        """Name of the joint that an axis belongs to."""
        return next((axis.joint for axis in self.mechanism.axes if axis.name == axis_name), axis_name)

    def coupling(self, follower: str) -> Coupling | None:
        """The coupling whose follower axis has that name."""
        axes = self.mechanism.axes
        return next((c for c in self.mechanism.couplings if axes[c.follower].name == follower), None)

    def axes_of(self, item: Item | None) -> tuple[int, ...]:
        """Axis indices that an item is about; a coupling's are its follower and its leaders."""
        if item is None:
            return ()
        if item.kind is ItemKind.COUPLING:
            coupling = self.coupling(item.name)
            return tuple(axis for axis, _ in coupling.terms) if coupling else ()
        axes = enumerate(self.mechanism.axes)
        if item.kind is ItemKind.AXIS:
            return tuple(i for i, axis in axes if axis.name == item.name)
        if item.kind in {ItemKind.JOINT, ItemKind.LOOP}:
            return self.axes_of_joints.get(item.name, ())
        if item.kind is ItemKind.LINK:
            carried = {joint.name for joint in self.joints() if joint.child_link == item.name}
            return tuple(i for i, axis in axes if axis.joint in carried)
        return ()

    def couplings_of(self, item: Item | None) -> tuple[Coupling, ...]:
        """The coupling that is selected, else those that the axes of an item are in."""
        if item is not None and item.kind is ItemKind.COUPLING:
            coupling = self.coupling(item.name)
            return (coupling,) if coupling is not None else ()
        axes = set(self.axes_of(item))
        return tuple(law for law in self.mechanism.couplings if axes.intersection(axis for axis, _ in law.terms))

    def links_of(self, item: Item | None) -> frozenset[str]:
        """Scoped names of the links to be highlighted for an item: what it moves, or what it ties together."""
        if item is None:
            return frozenset()
        if item.kind is ItemKind.LINK:
            return frozenset({item.name})
        if item.kind is ItemKind.MODEL:
            inside = item.name + "::"
            links = (link.name for model in self.world.models for link in model.links)
            return frozenset(name for name in links if name.startswith(inside))
        names = self._joint_names(item)
        found = (self.joint(name) for name in names)
        ends = {end for joint in found if joint for end in self._ends(joint, item.kind is ItemKind.LOOP)}
        return frozenset(end for end in ends if self.link(end) is not None)

    def _joint_names(self, item: Item) -> tuple[str, ...]:
        if item.kind in {ItemKind.JOINT, ItemKind.LOOP}:
            return (item.name,)
        return tuple(self.mechanism.axes[index].joint for index in self.axes_of(item))

    @staticmethod
    def _ends(joint: Joint, both: bool) -> tuple[str, ...]:
        return (joint.parent_link, joint.child_link) if both else (joint.child_link,)

    def joint_of(self, item: Item | None) -> str:
        """Name of the joint that an item is about: itself, that of a follower, or the one that carries a link; empty
        where there is none."""
        if item is None or item.kind is ItemKind.MODEL:
            return ""
        if item.kind is ItemKind.LINK:
            return next((joint.name for joint in self.joints() if joint.child_link == item.name), "")
        return item.name if item.kind in {ItemKind.JOINT, ItemKind.LOOP} else self.axis_joint(item.name)

    def source_of(self, item: Item | None) -> Source | None:
        """Where the document says an item."""
        if item is None:
            return None
        found = (
            self.link(item.name) if item.kind is ItemKind.LINK
            else self.model(item.name) if item.kind is ItemKind.MODEL
            else self.coupling(item.name) if item.kind is ItemKind.COUPLING
            else self.joint(self.joint_of(item))
        )  # fmt: skip
        return found.source if found is not None else None

    def item_of_joint(self, name: str) -> Item:
        """The item of a joint: a loop where it was cut to open one."""
        cut = any(joint.name == name for joint in self.mechanism.loop_joints)
        return Item(ItemKind.LOOP if cut else ItemKind.JOINT, name)
