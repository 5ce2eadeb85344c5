"""A file → the tree of an `<sdf>` element in SDFormat 1.12, included models in their places."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.diagnostics import Source
from simulator.formats.cursor import report_missing_models
from simulator.formats.expansion.expand import expand, first_macro, is_part, is_xacro
from simulator.formats.expansion.leftover import leave_out_calls
from simulator.formats.files import BudgetError
from simulator.formats.sdf.detachable import add_loops
from simulator.formats.sdf.include import Includes
from simulator.formats.sdf.left_out import prune
from simulator.formats.sdf.versions import FIRST_ROOT, read_version, upgrade
from simulator.formats.sdf.vocabulary import SDFORMAT
from simulator.formats.unread_loops import report_unknown_ties, report_unread_loops
from simulator.formats.urdf.convert import robot_to_sdf
from simulator.formats.urdf.dialects import read_relationships
from simulator.formats.urdf.vocabulary import URDF
from simulator.formats.vocabulary import check_vocabulary
from simulator.formats.xml import MAX_DEPTH, parse_file

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.formats.cursor import Reading
    from simulator.formats.nodes import Node
    from simulator.formats.xml import ParsedFile


MAX_INCLUDE_DEPTH = 30
PARTS = {"model": 1, "link": 1, "joint": 1, "frame": 1, "include": 3, "gazebo": 1}
"""Elements that cost more than their text, and how much of it: each is placed, named and tied to others, an include is
looked for."""
FORMATS = {"robot": "urdf", "mujoco": "mjcf"}
"""Formats of documents by their root element, where it is not SDFormat's."""
ASSEMBLY, FREECAD = ".asmt", ".fcstd"
"""Endings of files that are no XML of a root element. Their readers, and MJCF's, are loaded when needed."""
DIVIDE = "divide the document, and look for includes that multiply each other"


class _GivenUpError(Exception):
    """The document leads to more than is read; the log says so."""


class Loader:
    """Loads documents and what they include; every file is parsed and judged once."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._trees: dict[Path, Node | None] = {}
        self._open: list[Path] = []

    def document(self, path: Path) -> tuple[Node | None, str]:
        """The tree of the document itself and its title."""
        self._reading.files[str(path)] = None
        try:
            parsed = self._parsed(path)
            if parsed is not None:
                form = FORMATS.get(parsed.root.tag, "sdf")
                suffix = path.suffix.lower()
                self._reading.format = suffix.lstrip(".") if suffix in (ASSEMBLY, FREECAD) else form
            tree = None if parsed is None else self._tree(path, parsed)
        except BudgetError as error:
            self._reading.log.error("FILE_TOO_LARGE", Source(str(path), 1), str(error.strerror), DIVIDE)
            return None, ""
        except _GivenUpError:
            return None, ""
        if parsed is None:
            return None, ""
        if tree is not None:
            report_missing_models(self._reading)
            prune(tree, self._reading.log)
        return tree, parsed.title

    def included(self, path: Path, where: Source) -> Node | None:
        """A copy of the tree of an included file; None (and errors) where it cannot be used. Gives up where there is
        too much of it."""
        try:
            return self._copied(path, where)
        except BudgetError as error:
            self._reading.log.error("INCLUDE_LIMIT", where, str(error.strerror), DIVIDE)
            raise _GivenUpError from error

    def _copied(self, path: Path, where: Source) -> Node | None:
        key = path.resolve()
        if key in self._open:
            names = " → ".join(item.name for item in [*self._open[self._open.index(key) :], key])
            self._reading.log.error("INCLUDE_CYCLE", where, f"files include each other in a circle: {names}")
            return None
        if key not in self._trees:
            if len(self._open) >= MAX_INCLUDE_DEPTH or self._reading.level >= MAX_DEPTH:
                self._refuse(where, f"files include each other more than {MAX_INCLUDE_DEPTH} deep")
                return None
            self._reading.files[str(path)] = None
            parsed = self._parsed(path, where)
            self._trees[key] = None if parsed is None else self._tree(path, parsed)
        tree = self._trees[key]
        if tree is None:
            return None
        if tree.depth() > MAX_DEPTH:
            self._refuse(where, f"the included model is nested more than {MAX_DEPTH} deep")
            return None
        self._reading.budget.take_elements(tree.size())
        self._take_parts(tree)
        copy = tree.copy()
        _seen_from(copy, where)
        return copy

    def _parsed(self, path: Path, where: Source | None = None) -> ParsedFile | None:
        """The elements of a file, macros expanded."""
        reading = self._reading
        if path.suffix.lower() == ASSEMBLY:
            from simulator.formats.asmt.convert import parse_assembly

            return parse_assembly(path, reading.log, reading.budget)
        if path.suffix.lower() == FREECAD:
            from simulator.formats.fcstd.convert import parse_freecad

            return parse_freecad(path, reading.log, reading.budget)
        parsed = parse_file(path, reading.log, where, strict=reading.options.strict, budget=reading.budget)
        if parsed is None or parsed.root.tag not in ("robot", "sdf"):
            return parsed
        if not reading.options.strict:
            leave_out_calls(parsed.root, path, reading.log)
        macro = first_macro(parsed.root, path)
        if macro is None:
            if is_xacro(path) and is_part(parsed.root, parsed.root.source, reading.log):
                return None
            self._take_parts(parsed.root)
            return parsed
        expanded = expand(path, macro, reading)
        if expanded is not None:
            reading.budget.take_elements(expanded.root.size())
            self._take_parts(expanded.root)
        return expanded

    def _take_parts(self, tree: Node) -> None:
        self._reading.budget.take_parts(sum(PARTS.get(node.tag, 0) for node in tree.walk()))

    def _refuse(self, where: Source, message: str) -> None:
        self._reading.log.error("INCLUDE_LIMIT", where, message, "includes that multiply each other fill the memory")

    def _tree(self, path: Path, parsed: ParsedFile) -> Node | None:
        root = self._sdf(path, parsed.root)
        if root is None:
            return None
        self._open.append(path.resolve())
        Includes(self._reading, self.included).expand(root)
        self._open.pop()
        return root

    def _sdf(self, path: Path, root: Node) -> Node | None:
        """The tree in SDFormat 1.12: the root element decides what the file is, not its name."""
        log = self._reading.log
        strict = self._reading.options.strict
        report_unknown_ties(root, log)
        if strict:
            report_unread_loops(root, log)
        if root.tag == "robot":
            if not strict:
                read_relationships(root, log)
            check_vocabulary(root, URDF, log)
            return robot_to_sdf(root, self._reading)
        if root.tag == "mujoco":
            from simulator.formats.mjcf.convert import mjcf_to_sdf

            return mjcf_to_sdf(path, root, self._reading)
        if root.tag == FIRST_ROOT and not strict:
            message = f"<{FIRST_ROOT}> is the root element of SDFormat 1.2 and older; it is read as <sdf>"
            log.warning("ELEMENT_DEPRECATED", root.source, message, "write <sdf version='1.12'>")
        elif root.tag != "sdf":
            message = f"the root element is <{root.tag}>, which is none of <sdf>, <robot> and <mujoco>"
            log.error("PARSING_ERROR", root.source, message, "an SDFormat document starts with <sdf version='1.12'>")
            log.consequence("FILE_READ", root.source, f"'{path}' is not read: it is no SDFormat, URDF or MJCF")
            return None
        version = read_version(root, log, strict=strict)
        if version is None:
            return None
        root.tag = "sdf"
        upgrade(root, version)
        if not strict:
            add_loops(root, log)
        check_vocabulary(root, SDFORMAT, log, strict=strict)
        return root


def _seen_from(tree: Node, where: Source) -> None:
    """Make `where` the include that led to the tree's file, which may have been read for another include."""
    first = tree.source.included_from
    if first is where:
        return
    moved: dict[int, Source] = {}

    def seen(source: Source) -> Source:
        if id(source) not in moved:
            outer = source.included_from
            new = where if outer is first else None if outer is None else seen(outer)
            moved[id(source)] = replace(source, included_from=new)
        return moved[id(source)]

    for node in tree.walk():
        node.source = seen(node.source)
