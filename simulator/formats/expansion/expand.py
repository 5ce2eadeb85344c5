"""A xacro document → the tree of what it expands to."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from simulator.diagnostics import Source
from simulator.formats.cursor import offered
from simulator.formats.nodes import Node
from simulator.formats.xml import ParsedFile

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.cursor import Reading
    from simulator.formats.expansion.exchange import Answer, Request, Row

PREFIX = "xacro:"
SECONDS = 60.0
"""Wall time that an expansion may take."""
_START = (
    "import json, sys; request = json.load(sys.stdin); sys.path[:] = request['path']; "
    "from simulator.formats.expansion.worker import main; main(request)"
)


def is_xacro(path: Path) -> bool:
    """Whether a file is named so."""
    return path.suffix.lower() == ".xacro"


def first_macro(root: Node, path: Path) -> Node | None:
    """An element that only xacro understands; in a file named .xacro also one with an expression. None where there is
    nothing to expand."""
    is_named = is_xacro(path)
    for node in root.walk():
        if node.tag.startswith(PREFIX) or any(name.startswith(PREFIX) for name in node.attributes):
            return node
        if is_named and any("${" in text or "$(" in text for text in (node.text, *node.attributes.values())):
            return node
    return None


def expand(path: Path, macro: Node, reading: Reading) -> ParsedFile | None:
    """The tree without macros, its sources lines of the files that they are written in. None (and an error) where that
    cannot be."""
    if reading.options.strict or not (_is_installed() and _is_bounded()):
        _refuse(path, macro, reading)
        return None
    answer = _request_expansion(path, macro, reading)
    if answer is None:
        return None
    reading.files.update(dict.fromkeys(answer["files"]))
    sources = _sources(answer["places"], macro.source.included_from)
    if "fault" not in answer:
        _report_arguments(answer["arguments"], macro, reading)
        tree = _decoded(answer["tree"], sources, Source(str(path), 1, macro.source.included_from))
        if is_part(tree, macro.source, reading.log):
            return None
        return ParsedFile(tree, " ".join(answer["title"].split()))
    where = sources[answer["place"]] if answer["place"] >= 0 else macro.source
    _report_fault(answer, where, reading)
    return None


def is_part(tree: Node, where: Source, log: DiagnosticLog) -> bool:
    """Whether a robot without macros has no link, which is an error then."""
    if tree.tag != "robot" or tree.child("link") is not None:
        return False
    left = "no link is" if tree.children else "nothing is"
    message = f"{left} left when the macros of xacro are expanded: the document is a part of another"
    log.error("XACRO_EMPTY", where, message, "open the document that includes it")
    return True


def _is_installed() -> bool:
    """Whether the package xacro is there; a mere folder of that name, as many repositories have one, is none."""
    found = importlib.util.find_spec("xacro")
    return found is not None and found.origin is not None


def _is_bounded() -> bool:
    """Whether memory of a process can be bounded, which Windows does in no such way: documents of strangers are not
    expanded there."""
    try:
        import resource  # noqa: F401  # whether there is such a thing is the question
    except ImportError:
        return False
    return True


def _refuse(path: Path, macro: Node, reading: Reading) -> None:
    message = f"<{macro.tag}> is a macro of xacro, which has to be expanded before the robot can be read"
    result = f"{path.name.split('.')[0]}.urdf"
    result = result if result != path.name else f"expanded_{result}"
    hint = f"run: xacro {path} > {result}"
    if not reading.options.strict and _is_bounded():
        hint = f"install xacro, and it is done here: pip install 'simulator[xacro]'; or {hint}"
    reading.log.error("XACRO_NOT_EXPANDED", macro.source, message, hint)


def _request_expansion(path: Path, macro: Node, reading: Reading) -> Answer | None:
    """The answer of a worker."""
    request: Request = {
        "path": [folder for folder in sys.path if folder],
        "document": os.path.abspath(path),
        "arguments": dict(reading.options.arguments),
        "folders": [os.path.abspath(folder) for folder in reading.resources.folders],
        "more": [os.path.abspath(folder) for folder in reading.resources.more],
    }
    command = [sys.executable, "-I", "-c", _START]
    hint = ""
    try:
        done = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, timeout=SECONDS, check=False
        )
        answer: Answer = json.loads(done.stdout)
        return answer
    except subprocess.TimeoutExpired:
        message = f"the macros of xacro are not expanded after {SECONDS:g} s"
        hint = "a macro may call itself without an end"
    except (OSError, ValueError) as error:
        message = f"the macros of xacro cannot be expanded: {error}"
        hint = "the expansion broke off; it may take more memory than it is given"
    reading.log.error("XACRO_FAILED", macro.source, message, hint)
    return None


def _sources(places: list[tuple[str, int, int]], outermost: Source | None) -> list[Source]:
    """Sources for the rows of a table; a row names only rows before it."""
    sources: list[Source] = []
    for file, line, outer in places:
        sources.append(Source(file, line, sources[outer] if outer >= 0 else outermost))
    return sources


def _decoded(row: Row, sources: list[Source], above: Source) -> Node:
    tag, attributes, text, place, children = row
    source = sources[place] if place >= 0 else above
    return Node(tag, source, attributes, text, [_decoded(child, sources, source) for child in children])


def _report_arguments(known: dict[str, str | None], macro: Node, reading: Reading) -> None:
    """Warn of arguments that the document does not ask for: a slip in a name would go unnoticed."""
    for name, _ in reading.options.arguments:
        if name not in known:
            message = f"the document has no argument '{name}'; it is not used"
            hint = offered(reading.log, name, known, "arguments there")
            reading.log.warning("XACRO_ARGUMENT", Source(macro.source.file, 1), message, hint)


def _report_fault(answer: Answer, where: Source, reading: Reading) -> None:
    log = reading.log
    if answer["fault"] == "argument":
        names = answer["missing"]
        known = (key if value is None else f"{key}={value}" for key, value in answer["arguments"].items())
        what = f"the argument '{names[0]}'" if len(names) == 1 else f"{len(names)} arguments"
        has = "has" if len(names) == 1 else "have"
        line = " ".join(f"--arg {missing}=VALUE" for missing in names)
        message = f"{what} of the xacro document {has} no value"
        log.error("XACRO_ARGUMENT", where, message, f"give {line}; arguments met so far: {', '.join(known)}")
    elif answer["fault"] == "package":
        name = answer["name"]
        folders = reading.resources.searched(os.path.dirname(where.file))
        hint = f"searched in {folders} and around; name the folder it is in with --resource-path"
        log.error("URI_LOOKUP", where, f"there is no package '{name}', which $(find {name}) asks for", hint)
    else:
        hint = "the line is that of the element around the fault"
        log.error("XACRO_FAILED", where, f"the macros of xacro cannot be expanded: {answer['message']}", hint)
