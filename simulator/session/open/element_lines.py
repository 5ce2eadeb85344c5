"""The lines of an element of a document."""

from __future__ import annotations

from xml.parsers import expat


def element_lines(text: str, line: int) -> tuple[int, int]:
    """First and last line, from 1, of the outermost element whose start tag ends or begins on `line`; that line alone
    if there is none, or if the text is not well-formed up to there."""
    parser = expat.ParserCreate()
    opened: list[int] = []
    found: list[tuple[int, int]] = []

    def start(_name: str, _attributes: dict[str, str]) -> None:
        opened.append(parser.CurrentLineNumber)

    def end(_name: str) -> None:
        first = opened.pop()
        if first <= line <= _last_of_tag(lines, first) and (not found or first <= found[0][0]):
            found[:] = [(first, parser.CurrentLineNumber)]

    lines = text.split("\n")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(text, True)
    except expat.ExpatError:
        return found[0] if found else (line, line)
    return found[0] if found else (line, line)


def _last_of_tag(lines: list[str], first: int) -> int:
    """The line on which a start tag that begins on `first` ends."""
    for number in range(first, min(first + 20, len(lines)) + 1):
        if ">" in lines[number - 1]:
            return number
    return first
