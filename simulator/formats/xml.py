"""Bytes → `Node` tree: `expat.py` reads what is plain, `mending.py` repairs what tinyxml2 reads, lxml says what is
wrong.

The only file that imports lxml.
"""

from __future__ import annotations

import errno
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from lxml import etree

from simulator.diagnostics import DiagnosticLog, Source
from simulator.formats.expat import NotPlainError, parse_plain
from simulator.formats.files import Budget, BudgetError, RefusedError, read_named, read_regular
from simulator.formats.mending import AMPERSAND_HINT, HINTS, HYPHEN, mended
from simulator.formats.nodes import Node
from simulator.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path


Element: TypeAlias = Any
"""Of lxml, whose type stubs allow bytes and comments everywhere."""
MAX_BYTES = 8 * 2**20
"""The largest document that is read: three times as large as the largest public one. What is wrong in it and is mended
needs thirty times its size in memory."""
MAX_DEPTH = 60
"""Elements nested deeper than in any real document are refused, before a recursion gets too deep."""
ENCODING_HINT = (
    "save the file as UTF-8, or name its encoding in the first line: <?xml version='1.0' encoding='ISO-8859-1'?>"
)
_RULER = " -=*#|_~"
_LEGAL = re.compile(r"copyright|licen[cs]e|all rights reserved|\(c\) \d", re.IGNORECASE)
LONGEST_TITLE = 200
"""Characters of a title."""
_MISMATCH = re.compile(r"Opening and ending tag mismatch: (\S+) line (\d+) and (\S+)")
_HINTS = {
    "xmlParseEntityRef": AMPERSAND_HINT,
    "EntityRef": AMPERSAND_HINT,
    "AttValue": "write the value of each attribute in quotes, as name='value'",
    "Unescaped '<'": "write &lt; for the character itself",
    "StartTag: invalid element name": "names begin with a letter: write &lt; for the character itself, and resolve "
    "what git marks with <<<<<<<",
    "Attribute": "each attribute occurs once, as name='value'",
    "Start tag expected": "this is not XML: an SDFormat document starts with <sdf version='1.12'>, a URDF with <robot "
    "name='…'>",
    "Invalid bytes in character encoding": ENCODING_HINT,
    "Input is not proper UTF-8": ENCODING_HINT,
    "Invalid character": "take the character out; it is invisible in most editors",
}
_UNDECLARED_PREFIX = 201
_TRAILING_CONTENT = 5
_TOLERATED = {_UNDECLARED_PREFIX, 202, 203, 204, 205}


@dataclass(frozen=True)
class ParsedFile:
    """The root element of a file and its title, the first comment that says something, on one line."""

    root: Node
    title: str = ""


def parse_file(
    path: Path,
    log: DiagnosticLog,
    included_from: Source | None = None,
    *,
    strict: bool = False,
    budget: Budget | None = None,
) -> ParsedFile | None:
    """The element tree of an XML file, or None and an error in the log. Never raises for bad input.

    `included_from` is the place that names the file, if it is not the document itself. Unless `strict`, what tinyxml2
    reads is read with a warning. Raises BudgetError if the document leads to more than is read.
    """
    data = _read_bytes(path, log, included_from, budget)
    if data is not None and budget is not None:
        budget.take_elements(_size(data))
    return None if data is None else parse_bytes(data, str(path), log, included_from, strict=strict)


def _size(data: bytes) -> int:
    """No fewer than the elements and attributes in it; rulers of equals signs in comments are none."""
    return data.count(b"<") - data.count(b"</") + data.count(b"=") - 2 * data.count(b"==")


def parse_bytes(
    data: bytes, file: str, log: DiagnosticLog, included_from: Source | None = None, *, strict: bool = False
) -> ParsedFile | None:
    """As `parse_file`, for bytes already in memory; `file` names them in diagnostics."""
    start = Source(file, 1, included_from)
    if not data.strip():
        log.error("FILE_READ", start, "the file is empty", "an SDFormat document starts with <sdf version='1.12'>")
        return None
    letters = letters_of(data)
    if _declares_entity(letters, start, log):
        return None
    parsed = _parse(data, start, log, strict=strict)
    if parsed is not None:
        report_not_read(letters, parsed.root, start, log)
    return parsed


def _parse(data: bytes, start: Source, log: DiagnosticLog, *, strict: bool) -> ParsedFile | None:
    with suppress(NotPlainError):
        return _parsed(*parse_plain(data, start, MAX_DEPTH))
    return _parse_with_lxml(data, start, log) if strict else _parse_mended(data, start, log)


def _declares_entity(data: bytes, start: Source, log: DiagnosticLog) -> bool:
    if b"<!ENTITY" not in data:
        return False
    line = data[: data.index(b"<!ENTITY")].count(b"\n") + 1
    message = (
        "the document declares an entity; entities are not expanded, because a few lines of them can fill the memory"
    )
    where = Source(start.file, line, start.included_from)
    log.error("PARSING_ERROR", where, message, "write the text out where the entity is used")
    return True


def _parse_mended(data: bytes, start: Source, log: DiagnosticLog) -> ParsedFile | None:
    """What is not XML, the way tinyxml2 reads it; what it would not read either is reported of the mended text."""
    result = mended(data)
    if not result.faults:
        return _parse_with_lxml(data, start, log)
    if _declares_entity(result.data, start, log):
        return None
    findings = DiagnosticLog(consequences=log.consequences)
    parsed = _parse_again(result.data, start, findings)
    for fault, line in result.faults if parsed is not None else ():
        where = Source(start.file, line, start.included_from)
        message = f"{fault}, which is not well-formed XML; it is read as Gazebo and RViz read it"
        log.warning("XML_MENDED", where, message, HINTS[fault], fold=fault)
    log.extend(findings)
    return parsed


def _parse_again(data: bytes, start: Source, log: DiagnosticLog) -> ParsedFile | None:
    with suppress(NotPlainError):
        return _parsed(*parse_plain(data, start, MAX_DEPTH))
    return _parse_with_lxml(data, start, log)


def _parse_with_lxml(data: bytes, start: Source, log: DiagnosticLog) -> ParsedFile | None:
    """The slow way, which says what is wrong."""
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        root = None
        message = str(error)
    else:
        message = "no element was found"
    if not _accepted(parser, start, log, root is not None, message):
        return None
    declared: Element = None if root is None else root.getroottree().docinfo.internalDTD
    if declared is not None and _declares_entity(b"<!ENTITY" * bool(declared.entities()), start, log):
        return None
    try:
        return _parsed(_node(root, start, 0), _comments(root))
    except _TooDeepError:
        log.error("PARSING_ERROR", start, f"elements are nested more than {MAX_DEPTH} deep")
        return None


def _parsed(root: Node, comments: list[str]) -> ParsedFile:
    """With a title: the first comment that says something, and not of a licence. Xacro's own header is about xacro;
    there it is the robot's name."""
    lines = [" ".join(comment.replace(HYPHEN, "-").split()).strip(_RULER) for comment in comments]
    if any("autogenerated by xacro" in line for line in lines):
        return ParsedFile(root, root.attributes.get("name", ""))
    title = next((line for line in lines if line and not _LEGAL.search(line)), "")
    return ParsedFile(root, title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1].rstrip()}…")


class _TooDeepError(Exception):
    """Elements are nested deeper than any real document."""


def _read_bytes(path: Path, log: DiagnosticLog, included_from: Source | None, budget: Budget | None) -> bytes | None:
    where = Source(str(path), 0, included_from)
    try:
        return read_named(path, MAX_BYTES) if included_from is None else read_regular(path, MAX_BYTES, budget)
    except BudgetError:
        raise
    except RefusedError as error:
        code, hint = ("FILE_TOO_LARGE", "divide it") if error.errno == errno.EFBIG else ("FILE_READ", "name a file")
        log.error(code, where, f"'{path}' is not read: {error.strerror}", hint)
    except FileNotFoundError:
        folder = path.parent
        beside = sorted(p.name for p in folder.glob("*.sdf"))[:8] if folder.is_dir() else []
        hint = f"documents in that folder: {', '.join(beside)}" if beside else "check the path"
        log.error("FILE_READ", where, f"there is no file '{path}'", hint)
    except IsADirectoryError:
        log.error("FILE_READ", where, f"'{path}' is a folder, not a document", "name a file inside it")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        log.error("FILE_READ", where, f"'{path}' cannot be read: {reason}")
    return None


def _accepted(parser: etree.XMLParser, start: Source, log: DiagnosticLog, has_root: bool, message: str) -> bool:
    """Whether the tree may be used; reports the first syntax fault otherwise."""
    for entry in parser.error_log:
        where = Source(start.file, max(1, int(entry.line)), start.included_from)
        if entry.type in _TOLERATED:
            continue
        if entry.type == _TRAILING_CONTENT and has_root:
            log.warning("PARSING_ERROR", where, "there is text after the end of the root element; it is not read")
            continue
        message = _in_words(entry.message.strip())
        log.error("PARSING_ERROR", where, message, _hint(message))
        log.consequence("FILE_READ", where, "the file is not read, because its XML is broken")
        return False
    if not has_root:
        log.error("FILE_READ", start, f"the file is not XML: {message}")
    return has_root


def _in_words(message: str) -> str:
    """libxml2's sentence about tags that do not match, in the order in which one looks at them."""
    match = _MISMATCH.fullmatch(message)
    if match is None:
        return message
    opened, line, closed = match.groups()
    return f"<{opened}> of line {line} is not closed before </{closed}>"


def _hint(message: str) -> str:
    """What to do about a sentence of libxml2."""
    known = (hint for beginning, hint in _HINTS.items() if message.startswith(beginning))
    return next(
        known, "the document is not well-formed XML: look for an unclosed or misspelt tag at or before this line"
    )


def _comments(root: Element) -> list[str]:
    before = reversed([item for item in root.itersiblings(preceding=True) if item.tag is etree.Comment])
    return [comment.text or "" for comment in (*before, *root.iter(etree.Comment))]


def _node(element: Element, start: Source, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise _TooDeepError
    tag = element.tag
    text = element.text or ""
    children = []
    if len(element):
        for child in element:
            if isinstance(child.tag, str):
                children.append(_node(child, start, depth + 1))
            elif not text.strip():  # a comment or processing instruction
                text += child.tail or ""
    attributes = dict(element.items())
    if "{" in tag:
        tag = _plain(element, tag)
    if attributes and "{" in "".join(attributes):
        attributes = {_plain(element, name): value for name, value in attributes.items()}
    return Node(
        tag, Source(start.file, element.sourceline or 0, start.included_from), attributes, text.strip(), children
    )


def _plain(element: Element, name: str) -> str:
    """`{uri}local` as it was written: `prefix:local`, or `local` under a default namespace."""
    if not name.startswith("{"):
        return name
    uri, _, local = name[1:].partition("}")
    prefixes = [prefix for prefix, bound in element.nsmap.items() if bound == uri]
    if uri == "http://www.w3.org/XML/1998/namespace":
        return f"xml:{local}"
    named = [prefix for prefix in prefixes if prefix]
    return local if None in prefixes or not named else f"{named[0]}:{local}"


XINCLUDE = "xi"
"""The prefix that everybody uses."""
_PREFIX = re.compile(rb"xmlns:([\w.-]+)\s*=\s*[\"']http://www\.w3\.org/2001/XInclude[\"']")


def letters_of(data: bytes) -> bytes:
    """The same with one byte for each letter of ASCII, whether it is UTF-8, UTF-16 or UTF-32; what is not ASCII is not
    text any more."""
    is_wide = data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:4]
    return data.replace(b"\0", b"") if is_wide else data


def report_not_read(letters: bytes, root: Node, start: Source, log: DiagnosticLog) -> None:
    """Warn of default attributes in a document type, and of what XInclude would bring."""
    if b"<!ATTLIST" in letters and b"<!DOCTYPE" in letters:
        line = letters[: letters.index(b"<!ATTLIST")].count(b"\n") + 1
        message = "<!ATTLIST …> gives attributes their defaults; it is not read"
        hint = "write the attributes where they belong"
        log.warning("XML_NOT_READ", Source(start.file, line, start.included_from), message, hint)
    if b":include" not in letters:
        return
    tags = {f"{prefix}:include" for prefix in (XINCLUDE, *(match.decode() for match in _PREFIX.findall(letters)))}
    for node in root.walk():
        if node.tag in tags:
            message = (
                f"<{node.tag}> includes a part of another file by XInclude, which is not supported; it is left out"
            )
            log.warning("XML_NOT_READ", node.source, message, "use <include> of SDFormat, or a xacro document")
