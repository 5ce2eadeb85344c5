"""What XML forbids and tinyxml2 reads → well-formed XML with every line where it was.

Gazebo, RViz and MuJoCo read documents with tinyxml2 (Gazebo classic with its forerunner TinyXML), which asks less of a
document than the XML recommendation does: two hyphens in a comment, an ampersand alone, a declaration behind a blank
line. Documents in use have all of these. The first thing that tinyxml2 would refuse as well ends the mending; the
parser then says what is wrong there.
"""

from __future__ import annotations

import re

from simulator.records import dataclass

AMPERSAND_HINT = "'&' begins the name of an entity: write &amp; for the character itself"
HINTS = {
    "a comment holds '--', or ends with '--->'": "write a comment without two hyphens in a row",
    "'&' is not escaped": AMPERSAND_HINT,
    "'<' is in the value of an attribute": "write &lt; for the character itself",
    "']]>' is in a text": "write ]]&gt;",
    "the value of an attribute has no quotes": "write name='value'",
    "no blank separates two attributes": "write a blank between them",
    "a tag has a blank behind its '<', or a closing tag holds more than its name": "write <name> and </name>",
    "<?xml …?> is misspelt, or is not the very first thing in the file": "take it out, or make it <?xml "
    "version='1.0'?> in the first line",
    "there is text before the root element": "take it out, or make it a comment",
    "there are characters that no text has": "take them out; they are invisible in most editors",
    "there are bytes that are not in the encoding of the file; they are taken as Latin-1": (
        "save the file as UTF-8, or name its encoding in the first line: <?xml version='1.0' encoding='ISO-8859-1'?>"
    ),
}
"""What can be mended, and what to do about it. Each is read as tinyxml2 reads it."""
(_HYPHENS, _AMPERSAND, _LESS, _CDATA, _UNQUOTED, _JOINED, _TAG, _DECLARATION, _BEFORE, _CONTROL, _ENCODING) = HINTS
HYPHEN = "\u2010"
"""What a hyphen of a run in a comment becomes, since XML forbids the run; it looks the same."""

_MARKUP = re.compile(
    r"""<!--(?P<comment>.*?)-->|<!\[CDATA\[.*?\]\]>|<\?(?P<instruction>.*?)\?>|"""
    r"""<\s*(?P<slash>/?)\s*(?P<name>[^\W\d][\w:.-]*)(?P<rest>(?:[^<>"']|"[^"]*"|'[^']*')*)>""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""(?P<gap>\s*)(?P<name>[^\s=<>"'/]+)(?P<equals>\s*=\s*)"""
    r"""(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'<>=]+))"""
)
_ALONE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_PLAIN_DECLARATION = re.compile(
    r"""xml\s+version\s*=\s*["']1\.[0-9]+["'](\s+encoding\s*=\s*["'][\w.-]+["'])?"""
    r"""(\s+standalone\s*=\s*["'](yes|no)["'])?\s*"""
)
_NAMED_ENCODING = re.compile(rb"""^[^>]{0,200}?encoding\s*=\s*["']([\w.-]{1,40})["']""")
_ENCODINGS = (
    "utf-8",
    "utf8",
    "iso-8859",
    "latin",
    "windows-125",
    "cp125",
    "us-ascii",
    "ascii",
    "koi8",
    "gb",
    "big5",
    "shift",
    "euc",
)
"""How the encodings begin that are believed; tinyxml2 believes none."""
_LONE_BYTE = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class Mended:
    """`data` is UTF-8; `faults` are (what, line), one for each place."""

    data: bytes
    faults: tuple[tuple[str, int], ...]


def mended(data: bytes) -> Mended:
    """The document as tinyxml2 understands it. Of what is well-formed, only the encoding and the declaration change."""
    text, wrong_encoding = _decoded(data)
    faults = [(_ENCODING, wrong_encoding)] if wrong_encoding else []
    control = _FORBIDDEN.search(text)
    if control:
        faults.append((_CONTROL, text.count("\n", 0, control.start()) + 1))
        text = _FORBIDDEN.sub(" ", text)
    mender = _Mender(text)
    result = mender.run()
    return Mended(result.encode(), (*faults, *mender.faults)) if mender.inside else Mended(data, ())


def _decoded(data: bytes) -> tuple[str, int]:
    """The text, and the line of the first byte that is not in the encoding that the file names (0: none)."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace"), 0
    data = data.removeprefix(b"\xef\xbb\xbf")
    named = _NAMED_ENCODING.match(data)
    encoding = named[1].decode("ascii").lower() if named else "utf-8"
    if encoding.startswith(_ENCODINGS):
        try:
            return data.decode(encoding), 0
        except (UnicodeDecodeError, LookupError):
            pass
    text = data.decode("utf-8", errors="surrogateescape")
    lone = _LONE_BYTE.search(text)
    if lone is None:
        return text, 0
    line = text.count("\n", 0, lone.start()) + 1
    return _LONE_BYTE.sub(lambda match: chr(ord(match[0]) - 0xDC00), text), line


class _Mender:
    """Walks once over a text, from one `<` to the next."""

    def __init__(self, text: str) -> None:
        self.faults: list[tuple[str, int]] = []
        self._text = text
        self.inside = False
        """Whether the root element has begun."""
        self._line = 1

    def run(self) -> str:
        """The mended text."""
        text = self._text
        done = []
        place = 0
        while (start := text.find("<", place)) >= 0:
            done.append(self._mend_text(text[place:start]))
            match = _MARKUP.match(text, start)
            if match is None:  # tinyxml2 would not understand it either, or it is a document type
                return "".join(done) + text[start:]
            done.append(self._mend_markup(match))
            self._line += match[0].count("\n")
            place = match.end()
        return "".join(done) + self._mend_text(text[place:])

    def _mend_text(self, text: str) -> str:
        result = text
        if not self.inside:
            if text.strip():
                self._note(_BEFORE, text, len(text) - len(text.lstrip()))
                result = _blank(text)
        elif "&" in text or "]]>" in text:
            alone = _ALONE.search(text)
            if alone:
                self._note(_AMPERSAND, text, alone.start())
            if "]]>" in text:
                self._note(_CDATA, text, text.index("]]>"))
            result = _ALONE.sub("&amp;", text).replace("]]>", "]]&gt;")
        self._line += text.count("\n")
        return result

    def _mend_markup(self, match: re.Match[str]) -> str:
        if match["name"] is not None:
            self.inside = True
            return self._mend_tag(match)
        comment, instruction = match["comment"], match["instruction"]
        if comment is not None and ("--" in comment or comment.endswith("-")):
            self._note(_HYPHENS, comment, max(comment.find("--"), 0))
            inner = re.sub("--+", lambda run: HYPHEN * len(run[0]), comment)
            return f"<!--{inner[:-1] + HYPHEN if inner.endswith('-') else inner}-->"
        if instruction is not None and re.match(r"xml\b(?!-)", instruction):
            if match.start() > 0 or not _PLAIN_DECLARATION.fullmatch(instruction):
                self._note(_DECLARATION, instruction, 0)
            return _blank(match[0])  # the text is UTF-8 from here on
        return match[0]

    def _mend_tag(self, match: re.Match[str]) -> str:
        name, rest = match["name"], match["rest"]
        if match["slash"]:
            if match[0] == f"</{name}{rest}>" and not rest.strip():
                return match[0]
            self._note(_TAG, match[0], 0)
            return f"</{name}{_blank(rest)}>"
        if not match[0].startswith(f"<{name}"):
            self._note(_TAG, match[0], 0)
        return f"<{name}{self._mend_attributes(rest)}>"

    def _mend_attributes(self, rest: str) -> str:
        if not rest.strip(" \t\r\n/"):
            return rest
        done = []
        place = 0
        while (match := _ATTRIBUTE.match(rest, place)) is not None:
            value = next(part for part in match.group("double", "single", "bare") if part is not None)
            end = match.end()
            if match["bare"] is not None:
                self._note(_UNQUOTED, rest, match.start("name"))
                if value.endswith("/") and end == len(rest):
                    value = value[:-1]
                    end = end - 1
            if not match["gap"]:
                self._note(_JOINED, rest, match.start("name"))
            for fault, found in ((_AMPERSAND, _ALONE.search(value)), (_LESS, re.search("<", value))):
                if found:
                    self._note(fault, rest, match.start("name"))
            value = _ALONE.sub("&amp;", value).replace("<", "&lt;")
            quote = "'" if match["single"] is not None else '"'
            done.append(f"{match['gap'] or ' '}{match['name']}{match['equals']}{quote}{value}{quote}")
            place = end
        return "".join(done) + rest[place:]

    def _note(self, fault: str, text: str, place: int) -> None:
        self.faults.append((fault, self._line + text.count("\n", 0, place)))


def _blank(text: str) -> str:
    """Nothing but the ends of the lines."""
    return "\n" * text.count("\n")
