"""`<include>`: the model of another file takes its place, with the name and pose that the include gives it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.formats.cursor import Cursor
from simulator.formats.fuel import fuel_model
from simulator.formats.sdf.manifest import may_be_model, model_file
from simulator.formats.sdf.merge import merged
from simulator.formats.sdf.params import PARAMS, apply_params
from simulator.formats.sdf.root import ROOT_ENTITIES
from simulator.formats.uris import parse_uri

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.diagnostics import Source
    from simulator.formats.cursor import Reading
    from simulator.formats.nodes import Node


class Includes:
    """Replaces the includes of one tree; `load` gives a copy of another file's tree."""

    def __init__(self, reading: Reading, load: Callable[[Path, Source], Node | None]) -> None:
        self._reading, self._load = reading, load

    def expand(self, scope: Node) -> None:
        """Replace every `<include>` below an sdf, world or model element."""
        children: list[Node] = []
        for child in scope.children:
            if child.tag == "include":
                children += self._replacement(Cursor(child, self._reading), scope)
                continue
            if child.tag in ("world", "model"):
                self._reading.level += 1
                self.expand(child)
                self._reading.level -= 1
            children.append(child)
        scope.children = children

    def _replacement(self, include: Cursor, scope: Node) -> list[Node]:
        """What replaces the include: the included entity, its merged children, or nothing."""
        path = self._path(include, scope)
        if path is None:
            return []
        tree = self._load(path, include.source)
        if tree is None:
            if self._reading.options.strict:
                message = f"'{include.string('uri')}' cannot be included; see above"
                self._reading.fatal("ELEMENT_INVALID", include.source, message)
            return []
        entity = self._entity(tree, include)
        if entity is None:
            return []
        if entity.tag == "model" and not self._override(entity, include):
            return []
        if include.flag("merge"):
            return merged(entity, scope, include)
        return [entity]

    def _path(self, include: Cursor, scope: Node) -> Path | None:
        """The document to include; None (and a finding) where there is none."""
        uri = include.string("uri")
        if not uri:
            message = "<include> has no <uri>"
            include.log.error("ATTRIBUTE_MISSING", include.source, message, "write <uri>folder_of_a_model</uri>")
            return None
        where = include.child("uri") or include
        found = self._found(uri, include)
        strict = self._reading.options.strict
        if found is not None:
            document = model_file(found, where) if found.is_dir() else found
            if strict or document is None or document.exists():
                return document
        if strict:
            message = f"there is no model '{uri}'; the include is left out"
            self._reading.report_missing(uri, where.source, message, error=True)
            return None
        return self._instead(uri, where, include, scope)

    def _found(self, uri: str, include: Cursor) -> Path | None:
        """What the URI names; a plain name of a folder is a model's, too. Folders of its name that are none are passed
        over."""
        if self._reading.options.strict:
            return self._reading.find(uri, include.source)
        found = self._reading.find(uri, include.source, may_be_model)
        plain = parse_uri(uri)
        if found is not None or plain.scheme not in ("", "file") or plain.is_absolute:
            return found
        return self._reading.find(f"model://{plain.path}", include.source, may_be_model)

    def _instead(self, uri: str, where: Cursor, include: Cursor, scope: Node) -> Path | None:
        """The model of ours that takes the place of one that is missing; None where the include is left out."""
        path = built_in(uri)
        if path is not None:
            message = f"'{uri}' is not on this machine; the built-in {path.stem} takes its place"
            include.log.info("INCLUDE_BUILT_IN", where.source, message, fold="built-in", about=uri)
            return path
        model = fuel_model(uri)
        if model is not None and not model.file:
            self._reading.missing_models.setdefault(model, where.source)
        else:
            folder = self._reading.resources.find(uri, os.path.dirname(include.source.file))
            reason = f"there is no model '{uri}'" if folder is None else f"the folder '{folder}' has no model.config"
            message = f"{reason}; the include is left out"
            self._reading.report_missing(uri, where.source, message, fold=f"include {folder is None}")
        name = "" if include.flag("merge") else include.string("name")
        scope.missing = (*scope.missing, name)
        return None

    def _entity(self, tree: Node, include: Cursor) -> Node | None:
        """The one model, actor or light of a file."""
        entities = [child for child in tree.children if child.tag in ROOT_ENTITIES]
        entities.sort(key=lambda node: ROOT_ENTITIES.index(node.tag))
        if not entities:
            message = f"'{include.string('uri')}' holds no model that could be included"
            hint = "it holds a world; include the files of its models" if tree.child("world") is not None else ""
            include.log.error("ELEMENT_MISSING", include.source, message, hint)
            return None
        for extra in entities[1:]:
            message = (
                f"an included file holds one model; this <{extra.tag}> '{extra.attributes.get('name', '')}' is not read"
            )
            include.log.error("ELEMENT_INCORRECT_TYPE", extra.source, message)
        return entities[0]

    def _override(self, model: Node, include: Cursor) -> bool:
        """Apply what the include says about the model. False (and an error) where that cannot be done."""
        own_pose = model.child("pose")
        if own_pose is not None and own_pose.attributes.get("relative_to"):
            message = "the pose of an included model names relative_to, but nothing is around it in its file"
            include.log.error("ATTRIBUTE_INVALID", own_pose.source, message)
        if include.child("name") is not None:
            model.attributes["name"] = include.string("name")
            model.source = include.source
        for tag in ("static", "pose"):
            given = include.node.child(tag)
            if given is not None:
                model.children = [given, *(child for child in model.children if child.tag != tag)]
        model.children += include.node.all("plugin") + include.node.all("model_state")
        for params in include.node.all(PARAMS):
            apply_params(model, params, include.log)
        return self._place(model, include)

    def _place(self, model: Node, include: Cursor) -> bool:
        placement = include.child("placement_frame")
        if placement is None:
            return True
        if include.child("pose") is None:
            message = "<placement_frame> needs a <pose> beside it"
            self._reading.fatal("MODEL_PLACEMENT_FRAME_INVALID", placement.source, message)
            include.log.consequence("ELEMENT_INVALID", include.source, "the include is left out")
            return False
        if placement.text == "__root__":
            include.log.error(
                "RESERVED_NAME", placement.source, "placement_frame is '__root__', which cannot be referred to"
            )
        model.attributes["placement_frame"] = placement.text
        return True


FOLDER = Path(__file__).parent / "built_in"
"""One document for each, with the names and numbers of the models of Fuel and of Gazebo's model database."""
OWNER = "openrobotics"


def built_in(uri: str) -> Path | None:
    """The document that takes the place of a model that is found nowhere; None if the URI names another one."""
    model = fuel_model(uri)
    if model is not None:
        name = model.name if model.owner.lower() == OWNER and not model.file else ""
    else:
        plain = parse_uri(uri)
        name = plain.package if plain.inside in ("", "model.sdf") else ""
    path = FOLDER / f"{name.lower().replace(' ', '_')}.sdf"
    return path if name and "/" not in name and path.is_file() else None
