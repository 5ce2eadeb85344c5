"""Expands one document: the program of the process that `expand` starts. Bounded in memory, in time, and unable to
write files."""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from xml.dom import UserDataHandler, expatbuilder

from simulator.formats.expansion.guard import REMOVED, check_expression
from simulator.formats.files import MAX_ELEMENTS, read_regular
from simulator.formats.packages import inside_package
from simulator.formats.resources import Resources

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.dom.minidom import Document, Element, Node

    from simulator.formats.expansion.exchange import Answer, Request, Row


Module: TypeAlias = Any
"""A module of xacro, whose functions are replaced."""
MEMORY = 2 * 2**30
"""Bytes that an expansion may take."""
MAX_DEPTH = 200
"""Levels of elements that are handed back; what reads them has a limit of its own."""
STAND_IN = "0"
"""What takes the place of a missing argument: false, zero, and a text."""
_ASKED = re.compile(r"\$\(arg\s+([\w.-]+)\s*\)")
_DECLARED = re.compile(r"<xacro:arg\s[^>]*?name\s*=\s*[\"']([\w.-]+)[\"']")
_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
LONGEST = 600
"""Characters of a message."""


class PackageMissingError(Exception):
    """$(find …) names a package that is nowhere."""


class Arguments(dict[str, str]):
    """What $(arg …) finds; `known` are the arguments that the document asks for, with their defaults, None for one
    without. One without a value is `missing`, and `STAND_IN` takes its place, so that all are met."""

    def __init__(self, given: dict[str, str]) -> None:
        super().__init__(given)
        self.known: dict[str, str | None] = {}
        self.missing: dict[str, int] = {}

    def __getitem__(self, name: str) -> str:
        self.known.setdefault(name, None)
        return super().__getitem__(name)

    def look_up(self, name: str, place: int) -> str:
        """Its value; where there is none, note the place that asks for it."""
        if name in self:
            return self[name]
        self.missing.setdefault(name, place)
        return STAND_IN

    def __contains__(self, name: object) -> bool:
        self.known.setdefault(str(name), None)
        return super().__contains__(name)

    def __setitem__(self, name: str, value: str) -> None:
        self.known[name] = value
        super().__setitem__(name, value)


def main(request: Request) -> None:
    """Answer a request on standard output, as JSON."""
    answer, sys.stdout = sys.stdout, sys.stderr
    import resource

    if sys.platform != "darwin":  # which has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    json.dump(expanded(request), answer)
    answer.flush()


def expanded(request: Request) -> Answer:
    """The tree of a document, or the fault that was met; places are numbers of rows of `places`."""
    import xacro

    places = Places()
    arguments = Arguments(request["arguments"])
    result: Answer = {"places": places.table}
    try:
        resources = Resources(tuple(map(Path, request["folders"])), tuple(map(Path, request["more"])))
        _prepare(xacro, places, resources)
        xacro.init_stacks(request["document"])
        document = parse_with_places(request["document"], places, -1)
        xacro.process_doc(document, mappings=arguments)
        root = document.documentElement
        assert root is not None
        result["tree"] = _encoded(root, places, [0], 0)
        result["title"] = next((node.data for node in document.childNodes if node.nodeType == node.COMMENT_NODE), "")
    except Exception as error:  # whatever a document provokes in xacro
        result.update(_fault(error))
        result["place"] = places.now
    if arguments.missing:
        result["fault"], result["place"] = "argument", next(iter(arguments.missing.values()))
        result["missing"] = [*arguments.missing, *_asked_elsewhere(request["document"], xacro, arguments)]
    result["files"] = [str(file) for file in xacro.all_includes]
    result["arguments"] = arguments.known
    return result


def _asked_elsewhere(document: str, xacro: Module, arguments: Arguments) -> list[str]:
    """Arguments without a default that the files that were read ask for where nothing has led so far."""
    asked: dict[str, None] = {}
    stated = {*arguments.known, *arguments}
    for file in (document, *map(str, xacro.all_includes)):
        with suppress(OSError):
            text = _COMMENT.sub("", read_regular(file, MAX_BYTES).decode("utf-8", errors="replace"))
            stated.update(_DECLARED.findall(text))
            asked.update(dict.fromkeys(_ASKED.findall(text)))
    return [name for name in asked if name not in stated]


def _prepare(xacro: Module, places: Places, resources: Resources) -> None:
    """Put our reading of files, search for packages and judgement of expressions into xacro."""
    import xacro.substitution_args as substitution

    _search(xacro, substitution, places, resources)
    substitution._eval_arg = lambda name, args: args.look_up(name, places.now)
    _note_places(xacro, places)
    xacro.open = _opened
    xacro.safe_eval = _guarded(xacro.safe_eval)
    substitution._eval = _guarded(substitution._eval)
    for name in REMOVED:
        dict.pop(xacro._global_symbols["python"], name, None)


def _opened(path: str) -> io.StringIO:
    """What xacro's own functions get for `open`."""
    return io.StringIO(read_regular(path, MAX_BYTES).decode())


def _search(xacro: Module, substitution: Module, places: Places, resources: Resources) -> None:
    """$(find …) asks our search for packages, and includes from packages may be where their sources have them."""
    found: dict[str, str] = {}

    def parse(_text: object, filename: str) -> Document:
        for folder in found.values():
            if filename.startswith(f"{folder}/"):
                filename = inside_package(folder, filename[len(folder) + 1 :]) or filename
        try:
            return parse_with_places(filename, places, places.now)
        except OSError as error:
            xacro.filestack.pop()
            raise xacro.XacroException(exc=error) from error

    def find(name: str) -> str:
        if name not in found:
            folder = resources.package(name, str(Path(xacro.filestack[0]).parent))
            if folder is None:
                raise PackageMissingError(name)
            found[name] = str(folder)
        return found[name]

    xacro.parse = parse
    substitution._eval_find = substitution._eval_dict["find"] = find


def _note_places(xacro: Module, places: Places) -> None:
    """Keep in mind which element xacro looks at, and which macros it expands."""
    original = xacro.handle_macro_call

    def macro_call(node: Element, macros: object, symbols: object) -> bool:
        if not node.tagName.startswith("xacro:"):
            return False
        places.now = places.of(node)
        places.calls.append(places.now)
        done: bool = original(node, macros, symbols)
        places.calls.pop()
        return done

    xacro.handle_macro_call = macro_call
    for name in ("eval_all", "check_attrs"):
        setattr(xacro, name, _noting(getattr(xacro, name), places))


def _guarded(evaluate: Callable[..., object]) -> Callable[..., object]:
    def guarded(expression: str, *arguments: object) -> object:
        check_expression(expression)
        return evaluate(expression, *arguments)

    return guarded


def _noting(function: Callable[..., object], places: Places) -> Callable[..., object]:
    """The function, which remembers where the element is that it is asked about."""

    def noting(node: Element, *arguments: object) -> object:
        place = places.of(node)
        places.now = place if place >= 0 else places.now
        return function(node, *arguments)

    return noting


def _fault(error: Exception) -> Answer:
    """What went wrong: the innermost reason of xacro's nested exceptions, and the sentence around it."""
    inner: BaseException = error
    while isinstance(getattr(inner, "exc", None), Exception):
        inner = inner.exc  # type: ignore[attr-defined]
    kinds = {"PackageMissingError": "package"}
    message = " ".join(str(error).split()) or type(error).__name__
    if isinstance(inner, OSError) and inner.filename:
        message = f"'{inner.filename}' cannot be read: {inner.strerror}"
    name = str(inner).strip("'\"")
    return {"fault": kinds.get(type(inner).__name__, "other"), "message": message[:LONGEST], "name": name[:LONGEST]}


def _encoded(element: Element, places: Places, count: list[int], depth: int) -> Row:
    """Tag, attributes, text, place, children."""
    count[0] += 1
    if count[0] > MAX_ELEMENTS or depth > MAX_DEPTH:
        raise ValueError("the document expands to more elements, or deeper ones, than are read")
    attributes = {name: value for name, value in element.attributes.items() if not name.startswith("xmlns")}
    text = ""
    children: list[Row] = []
    for child in element.childNodes:
        if child.nodeType == child.ELEMENT_NODE:
            children.append(_encoded(child, places, count, depth + 1))
        elif child.nodeType in (child.TEXT_NODE, child.CDATA_SECTION_NODE) and not children:
            text += child.data
    return element.tagName, attributes, text.strip(), places.of(element), children


MAX_BYTES = 16 * 2**20
"""The largest file that is read."""
_KEY = "place"


class Places:
    """Numbers for places: `table` holds file, line and the number of the include or macro call that led there, -1 for
    none."""

    def __init__(self) -> None:
        self.table: list[tuple[str, int, int]] = []
        self.calls: list[int] = []
        """The macro calls that are being expanded, the innermost last."""
        self.now = -1
        """The element that xacro looks at."""
        self._numbers: dict[tuple[str, int, int], int] = {}

    def number(self, file: str, line: int, outer: int) -> int:
        """The number of a place."""
        place = file, line, outer
        if place not in self._numbers:
            self._numbers[place] = len(self.table)
            self.table.append(place)
        return self._numbers[place]

    def of(self, element: Node) -> int:
        """The number of an element's place, -1 where it has none."""
        place: int | None = element.getUserData(_KEY)
        return -1 if place is None else place

    def note(self, element: Node, place: int) -> None:
        """Let an element remember its place."""
        element.setUserData(_KEY, place, self)

    def handle(self, operation: int, _key: str, place: int, _source: Node, copy: Node | None) -> None:
        """Called by the document for a copy of an element: that of a macro's body comes from the call."""
        if operation == UserDataHandler.NODE_CLONED and copy is not None:
            file, line, outer = self.table[place]
            self.note(copy, self.number(file, line, self.calls[-1] if self.calls else outer))


def parse_with_places(path: str, places: Places, outer: int) -> Document:
    """The document object of a file. Raises OSError for one that cannot be read, ExpatError and ValueError for one that
    is not plain XML."""
    return _Builder(path, places, outer).parseString(read_regular(path, MAX_BYTES))


class _Builder(expatbuilder.ExpatBuilderNS):
    def __init__(self, path: str, places: Places, outer: int) -> None:
        super().__init__()
        self._path = path
        self._places = places
        self._outer = outer

    def start_element_handler(self, name: str, attributes: list[str]) -> None:
        super().start_element_handler(name, attributes)
        line = self.getParser().CurrentLineNumber
        self._places.note(self.curNode, self._places.number(self._path, line, self._outer))

    def entity_decl_handler(self, *_: object) -> None:
        raise ValueError("the document declares an entity; entities are not expanded, because they can fill the memory")
