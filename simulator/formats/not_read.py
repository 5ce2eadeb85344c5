"""Parts of XML that neither libsdformat nor tinyxml2 follows, and which would pass unnoticed: they are named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.diagnostics import Source

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

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
