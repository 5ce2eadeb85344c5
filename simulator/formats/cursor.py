"""A place in a document: typed values out of elements, faults into the log."""

from __future__ import annotations

import heapq
import os
from dataclasses import field
from typing import TYPE_CHECKING, TypeVar

from simulator.diagnostics import DiagnosticLog
from simulator.errors import closest
from simulator.formats.files import Budget
from simulator.formats.fuel import FuelModel, fuel_model
from simulator.formats.mesh.loader import is_gltf
from simulator.formats.options import STANDARD, ReadingOptions
from simulator.formats.uris import parse_uri, refusal
from simulator.formats.values import (
    FARTHEST,
    mended_numbers,
    nearest_color,
    numbers_text,
    parse_bool,
    parse_color,
    parse_number,
    parse_numbers,
    plain_numbers,
)
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from simulator.diagnostics import Source
    from simulator.formats.nodes import Node, Version
    from simulator.formats.resources import Accept, Found, Resources
    from simulator.formats.xml import ParsedFile
    from simulator.spatial.rotation import Vec3

T = TypeVar("T")
ONLY_SHOWN = frozenset({"transparency", "real_time_factor"})
"""Values without any influence on what is simulated: one that cannot be read is not a reason to refuse a document."""
GUESSED = 2000
"""Of more names than this, none is guessed."""
SEARCHED = 1000
"""URIs that are searched for; each may cost a look into many folders."""


@dataclass
class LostMesh:
    """A mesh that cannot be used: where its URI is written first, what is wrong with its file ("" if there is none) and
    what to do, and the elements that are without: "visual", "collision"."""

    uri: str
    where: Source
    fault: str = ""
    hint: str = ""
    owners: set[str] = field(default_factory=set)


@dataclass
class Reading:
    """What is shared while one document is read: the log, the folders for URIs, and the values that could not be read.

    `level` is the number of models and worlds around the include that is being expanded, over all files. `files` are
    all that were looked into: the document, what it includes, meshes, pictures. `undrawn` are kinds of looks that are
    not drawn, with the first place of each. `document` is the path of the document itself; `searched` is what was found
    for URIs that are not where they say, by URI, folder and what is accepted. `missing_models` are models of Fuel that
    are not on this machine, with the place of the first include of each. `lost_meshes` are those that cannot be used,
    by their URI and what is wrong; `gltf_axes` the axis that points up in glTF files, by the document that names one
    and its path. `format` is that of the document itself. `budget` is what the document has led to; `manifests` are
    those that were read.
    """

    resources: Resources
    options: ReadingOptions = STANDARD
    log: DiagnosticLog = field(default_factory=DiagnosticLog)
    unreadable: list[Source] = field(default_factory=list)
    level: int = 0
    files: dict[str, None] = field(default_factory=dict)
    document: str = ""
    searched: dict[tuple[str, str, Accept | None], Found | None] = field(default_factory=dict)
    missing_models: dict[FuelModel, Source] = field(default_factory=dict)
    undrawn: dict[str, Source] = field(default_factory=dict)
    lost_meshes: dict[tuple[str, str], LostMesh] = field(default_factory=dict)
    gltf_axes: dict[tuple[str, str], str] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    manifests: dict[Path, ParsedFile | None] = field(default_factory=dict)
    format: str = "sdf"

    def leave_undrawn(self, kind: str, where: Source) -> None:
        """Note that something of the looks is not drawn; all of it is reported in one finding at the end."""
        self.undrawn.setdefault(kind, where)

    def __post_init__(self) -> None:
        """libsdformat lists errors that follow from others as well."""
        self.log.consequences = self.options.strict

    def fatal(self, code: str, where: Source, message: str, hint: str = "") -> None:
        """An error of syntax: libsdformat rejects the file here; reading continues with a default."""
        self.unreadable.append(where)
        self.log.error(code, where, message, hint)

    def find(self, uri: str, where: Source, accept: Accept | None = None) -> Path | None:
        """The file or folder that a URI at `where` names; None where there is none. A warning says what had to be
        searched for."""
        beside = os.path.dirname(where.file)
        found = self.resources.find(uri, beside, accept)
        if found is None and not self.options.strict:
            found = self._search(uri, beside, where, accept)
        if found is not None and found.is_file():
            self.files[str(found)] = None
        return found

    def _search(self, uri: str, beside: str, where: Source, accept: Accept | None) -> Path | None:
        if (uri, beside, accept) not in self.searched:
            if len(self.searched) >= SEARCHED:
                return None
            folders = dict.fromkeys((beside, os.path.dirname(self.document or where.file)))
            self.searched[uri, beside, accept] = self.resources.search(uri, tuple(folders), accept)
        found = self.searched[uri, beside, accept]
        if found is None:
            return None
        if found.told:
            message = f"'{uri}' is found by searching: {found.told}"
            hint = "write where it is, or name its folder with --resource-path"
            report = self.log.warning if found.is_guess else self.log.info
            report("URI_SEARCHED", where, message, hint, fold=found.kind or found.told)
        return found.path

    def up_axis(self, path: Path, where: Source, said: str) -> str:
        """The axis that points up in a mesh file that is named at `where`, as in `Mesh`; `said` is what is written
        there about it."""
        if not is_gltf(path):
            return ""
        return self.options.gltf_up or (
            said if said in ("y", "z") else self.gltf_axes.get((where.file, str(path)), "y")
        )

    def report_missing(self, uri: str, where: Source, what: str, *, error: bool = False, fold: str = "") -> None:
        """Say that `find` found nothing; `what` is the sentence about it, `fold` the kind of such findings that are
        reported as one."""
        reason = refusal(uri)
        model = None if self.options.strict else fuel_model(uri)
        folders = self.resources.searched(os.path.dirname(where.file))
        hint = reason or f"searched in {folders}; name further folders with --resource-path"
        hint = hint if model is None else model.download
        code = "URI_INVALID" if reason and not parse_uri(uri).is_remote else "URI_LOOKUP"
        (self.log.error if error else self.log.warning)(
            code, where, what, hint, fold=fold and f"{fold} {reason or model}", about=uri.rpartition("/")[2]
        )


def report_missing_models(reading: Reading) -> None:
    """One finding for all models of Fuel that are missing, with the commands that bring them."""
    if not reading.missing_models:
        return
    models = list(reading.missing_models)
    what = "a model of Fuel is" if len(models) == 1 else f"{len(models)} models of Fuel are"
    names = listed(f"{model.owner}/{model.name}" for model in models)
    message = f"{what} not on this machine, so that the include is left out: {names}"
    hint = f"get it with: {' && '.join(dict.fromkeys(model.download for model in models))}"
    reading.log.warning("URI_LOOKUP", next(iter(reading.missing_models.values())), message, hint)


def listed(names: Iterable[str]) -> str:
    """Names for a message: sorted, at most twelve, none longer than sixty characters."""
    items = list(names)
    if not items:
        return "none"
    more = f", … ({len(items)} in all)" if len(items) > 12 else ""
    return ", ".join(name if len(name) <= 60 else f"{name[:59]}…" for name in heapq.nsmallest(12, items)) + more


def offered(log: DiagnosticLog, wanted: str, names: Iterable[str], label: str) -> str:
    """A hint for a name that does not exist: `did you mean 'base'? links there: arm, base`.

    A document with hundreds of faults gets no more of them: each costs a search through all names.
    """
    if not log.may_hint:
        return ""
    items = list(names)
    near = sorted(item for item in set(items) if len(item) <= 60)[:1000] if len(items) <= GUESSED else ()
    close = closest(wanted, near) if 0 < len(wanted) <= 60 else ""
    guess = f"did you mean '{close}'? " if close else ""
    return f"{guess}{label}: {listed(items)}"


def _finite(numbers: tuple[float, ...]) -> tuple[float, ...]:
    if not all(-FARTHEST <= number <= FARTHEST for number in numbers):
        raise ValueError(f"{numbers_text(numbers)} is not finite, or beyond {FARTHEST:g}")
    return numbers


@dataclass
class Cursor:
    """An element and the log. Methods that take a tag read the first child of that name, or give the default.

    Not frozen, because a document makes hundreds of thousands of these.
    """

    node: Node
    reading: Reading

    @property
    def tag(self) -> str:
        """The element's name."""
        return self.node.tag

    @property
    def text(self) -> str:
        """The element's own text, trimmed."""
        return self.node.text

    @property
    def source(self) -> Source:
        """File and line."""
        return self.node.source

    @property
    def version(self) -> Version:
        """SDFormat version of the file in which the element is written."""
        return self.node.version

    @property
    def log(self) -> DiagnosticLog:
        """Where findings go."""
        return self.reading.log

    def child(self, tag: str) -> Cursor | None:
        """The first child of that name."""
        for node in self.node.children:
            if node.tag == tag:
                return Cursor(node, self.reading)
        return None

    def descend(self, *tags: str) -> Cursor:
        """The first grandchild along a path of names; an empty element, whose values are all defaults, where there is
        none."""
        node: Node | None = self.node
        for tag in tags:
            node = None if node is None else node.child(tag)
        return Cursor(self.node.with_text(tags[-1], "") if node is None else node, self.reading)

    def children(self, tag: str) -> Iterator[Cursor]:
        """All children of that name."""
        return (Cursor(node, self.reading) for node in self.node.all(tag))

    def get(self, attribute: str, default: str = "") -> str:
        """An attribute's text."""
        return self.node.attributes.get(attribute, default)

    def required(self, attribute: str) -> str:
        """An attribute that must be there; an error and "" otherwise."""
        value = self.node.attributes.get(attribute)
        if value is None:
            self.reading.fatal(
                "ATTRIBUTE_MISSING",
                self.source,
                f"<{self.tag}> has no attribute '{attribute}'",
                f'write <{self.tag} {attribute}="…">',
            )
            return ""
        return value

    def flag(self, attribute: str) -> bool:
        """A true/false attribute; false where it is missing."""
        value = self.node.attributes.get(attribute)
        if value is None:
            return False
        try:
            return parse_bool(value)
        except ValueError as error:
            self.reading.fatal("ATTRIBUTE_INVALID", self.source, f"{attribute} of <{self.tag}>: {error}")
            return False

    def string(self, tag: str, default: str = "") -> str:
        """Text of a child."""
        return self.node.text_of(tag, default)

    def number(self, tag: str, default: float) -> float:
        """Number in a child."""
        for node in self.node.children:
            if node.tag == tag:
                break
        else:
            return default
        text = node.text
        if text.isascii() and "_" not in text:  # Python reads such a number as C does
            try:
                return float(text)
            except ValueError:
                pass
        return self._value(tag, default, lambda cursor: cursor.own_numbers(1)[0])

    def finite(self, tag: str, default: float) -> float:
        """Number in a child that must be neither infinite nor nan, nor beyond what can be computed with."""
        value = self.number(tag, default)
        if -FARTHEST <= value <= FARTHEST:
            return value
        child = self.node.child(tag)
        where = self.source if child is None else child.source
        message = f"<{tag}> must be a finite number below {FARTHEST:g}, not {value:g}"
        self.reading.fatal("ELEMENT_INVALID", where, message)
        return default

    def boolean(self, tag: str, default: bool) -> bool:
        """true/false in a child."""
        return self._value(tag, default, lambda cursor: parse_bool(cursor.text))

    def vector3(self, tag: str, default: Vec3) -> Vec3:
        """Three finite numbers in a child."""

        def read(cursor: Cursor) -> Vec3:
            x, y, z = _finite(cursor.own_numbers(3))
            return (x, y, z)

        return self._value(tag, default, read)

    def pair(self, tag: str, default: tuple[float, float]) -> tuple[float, float]:
        """Two finite numbers in a child."""

        def read(cursor: Cursor) -> tuple[float, float]:
            x, y = _finite(cursor.own_numbers(2))
            return (x, y)

        return self._value(tag, default, read)

    def two_vectors(self, tag: str) -> tuple[Vec3, Vec3]:
        """Two vectors of a child, zeros where there is none."""

        def read(cursor: Cursor) -> tuple[Vec3, Vec3]:
            x, y, z, u, v, w = _finite(cursor.own_numbers(6))
            return (x, y, z), (u, v, w)

        return self._value(tag, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), read)

    def color(self, tag: str) -> tuple[float, float, float, float] | None:
        """A colour in a child, None where there is none."""
        return self._value(tag, None, lambda cursor: cursor._own_color())

    def _own_color(self) -> tuple[float, float, float, float] | None:
        """The colour in the element's own text. Raises ValueError; unless `strict`, what is none is only warned
        about."""
        try:
            return parse_color(self.text)
        except ValueError as error:
            if self.reading.options.strict:
                raise
            color = nearest_color(self.text)
            done = "it is not used" if color is None else f"{numbers_text(color)} is taken"
            hint = "write three or four numbers from 0 to 1"
            self.log.warning(
                "ELEMENT_INVALID", self.source, f"<{self.tag}>: {error}; {done}", hint, fold=f"color {color is None}"
            )
            return color

    def mended(self, count: int) -> tuple[float, ...] | None:
        """The numbers in this element's own text, if they are separated by commas or have blanks behind their signs."""
        return None if self.reading.options.strict else mended_numbers(self.text, count)

    def own_numbers(self, count: int) -> tuple[float, ...]:
        """The numbers in this element's own text. Raises ValueError; warns where something is left over, or has been
        mended."""
        plain = plain_numbers(self.text)
        if len(plain) == count:
            return plain
        mended = self.mended(count)
        if mended is not None:
            message = f"'{self.text}' in <{self.tag}> is read as {numbers_text(mended)}"
            hint = "write numbers with blanks between them, and none behind a sign"
            self.log.warning("ELEMENT_INVALID", self.source, message, hint, fold="numbers")
            return mended
        if count == 1:
            number, rest = parse_number(self.text)
            numbers: tuple[float, ...] = (number,)
        else:
            numbers, rest = parse_numbers(self.text, count)
        if rest:
            message = f"'{rest}' in <{self.tag}> is not read; only {numbers_text(numbers)} counts"
            hint = "write numbers alone, with a decimal point and blanks between them; SI units, angles in radians"
            self.log.warning("ELEMENT_INVALID", self.source, message, hint)
        return numbers

    def _value(self, tag: str, default: T, read: Callable[[Cursor], T]) -> T:
        child = self.child(tag)
        if child is None:
            return default
        if not child.text:
            message = f"<{tag}> is empty; its default {default} is taken"
            self.log.warning("ELEMENT_INVALID", child.source, message, fold="empty", about=f"<{tag}>")
            return default
        try:
            return read(child)
        except ValueError as error:
            if tag in ONLY_SHOWN and not self.reading.options.strict:
                message = f"<{tag}>: {error}; its default {default} is taken"
                self.log.warning("ELEMENT_INVALID", child.source, message)
            else:
                self.reading.fatal("ELEMENT_INVALID", child.source, f"<{tag}>: {error}")
            return default
