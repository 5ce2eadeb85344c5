"""Notes with formulas: TeX between `$`, as rich text for the window (a subset: italic letters, indices, powers, signs)
or as MathML for pages.

Markdown: paragraphs, lists, tables, pictures, links, **bold**, *italic* and `code`.
"""

from __future__ import annotations

import base64
import html
import mimetypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from simulator.formats.files import read_regular

LARGEST_PICTURE = 5_000_000
"""Bytes of a picture in notes."""

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "varphi": "φ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ",
    "Phi": "Φ", "Omega": "Ω",
}  # fmt: skip
SIGNS = {
    "cdot": " · ", "times": " × ", "pm": " ± ", "le": " ≤ ", "ge": " ≥ ", "ne": " ≠ ", "approx": " ≈ ", "to": " → ",
    "Rightarrow": " ⇒ ", "infty": "∞", "partial": "∂", "sum": "Σ", "int": "∫", "circ": "°", "degree": "°", "dots": "…",
    "in": " ∈ ", "|": "‖", "mid": " | ", "quad": "   ", ",": " ", ";": " ", " ": " ", "left": "", "right": "",
    "%": "%", "{": "{", "}": "}",
}  # fmt: skip
WORDS = frozenset({"sin", "cos", "tan", "arcsin", "arccos", "arctan", "ln", "exp", "det", "rank", "lim", "max", "min"})
LETTERS = {
    **{name: f"<i>{letter}</i>" for name, letter in GREEK.items()},
    **SIGNS,
    **{name: name for name in WORDS},
}
THIN = "\u2009"
"""The space about the name of a function."""
ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "bar": "\u0304", "hat": "\u0302", "vec": "\u20d7"}
BINARY = {"=": " = ", "+": " + ", "-": " − ", "<": " &lt; ", ">": " &gt; ", "*": " · "}
BLOCKS = frozenset({"frac", "begin"})
"""What has more than one line, where a formula stands by itself."""
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_BLOCK = re.compile("\x00(.*?)\x01", re.DOTALL)
"""A fraction with a bar, or a matrix, among other parts."""
BRACKETS = {"pmatrix": True, "bmatrix": True, "vmatrix": False}
"""Matrices, and whether they have brackets or plain bars. Brackets are square, whichever are asked for: rich text has
no round ones that grow."""
_BOARD = {"R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "H": "ℍ", "P": "ℙ"}
_FORMULA = re.compile(r"\$([^$]+)\$")
_CODE = '<code style="white-space:nowrap">'
"""What is to be typed stays on one line."""
_MARKS = (
    (re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)"), r'<img src="\2" alt="\1">'),
    (re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+)\)"), r'<a href="\2">\1</a>'),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*([^*\s][^*]*)\*"), r"<i>\1</i>"),
    (re.compile(r"`([^`]+)`"), rf"{_CODE}\1</code>"),
)


class FormulaError(ValueError):
    """A formula that is not of the subset."""


def _board(letter: str) -> str:
    """A letter for a set of numbers."""
    if letter not in _BOARD:
        raise FormulaError(f"\\mathbb{{{letter}}} is not known")
    return _BOARD[letter]


FONTS: dict[str, Callable[[str], str]] = {
    "text": str,
    "mathrm": str,
    "mathbf": lambda text: f"<b>{text}</b>",
    "mathbb": _board,
}


def formula_html(text: str) -> str:
    """A formula as rich text. Raises FormulaError for a command that is not known and for braces without a partner."""
    reader = _Formula([token for token in _TOKEN.findall(text) if not token.isspace()])
    result = reader.group("")
    return re.sub(" {2,}", " ", result).strip()


def display_html(text: str) -> str:
    """A formula in a line of its own: its fractions have a bar. Raises as `formula_html`."""
    tokens = [token for token in _TOKEN.findall(text) if not token.isspace()]
    parts = _BLOCK.split(_Formula(tokens, stacked=True).group(""))
    # Parts of the text and blocks take turns.
    written = [part if number % 2 else _unbroken(part) for number, part in enumerate(parts) if part.strip()]
    cells = [f'<td style="vertical-align:middle">{part}</td>' for part in written]
    return f'<table align="center" cellpadding="2"><tr>{"".join(cells)}</tr></table>'


def _fraction(above: str, below: str) -> str:
    return (
        '\x00<table cellspacing="0" cellpadding="2">'
        f'<tr><td align="center" style="border-bottom:1px solid gray">{_unbroken(above)}</td></tr>'
        f'<tr><td align="center">{_unbroken(below)}</td></tr></table>\x01'
    )


def _matrix(rows: list[list[str]], *, hooked: bool) -> str:
    """A table with bars beside it, which have hooks where they are brackets."""
    lines = []
    for number, row in enumerate(rows):
        ends = [
            f"border-{side}:1px solid gray;" for side, here in (("top", 0), ("bottom", len(rows) - 1)) if number == here
        ]
        hooks = "".join(ends) if hooked else ""
        left, right = (f'<td style="border-{side}:1px solid gray;{hooks}">&nbsp;</td>' for side in ("left", "right"))
        inside = "".join(f'<td align="center" style="padding:2px 5px">{_unbroken(cell)}</td>' for cell in row)
        lines.append(f"<tr>{left}{inside}{right}</tr>")
    return f'\x00<table cellspacing="0" cellpadding="0">{"".join(lines)}</table>\x01'


def _unbroken(text: str) -> str:
    """In one line; Qt breaks lines within cells, unless they are a paragraph."""
    return f'<p style="white-space:nowrap; margin:0">{re.sub(" {2,}", " ", text).strip()}</p>'


class Formulas(NamedTuple):
    """How formulas are set: `inline` in a line of text, `display` in a line of their own. Both raise FormulaError for
    one that they cannot set."""

    inline: Callable[[str], str]
    display: Callable[[str], str]


def _mathml(display: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        from latex2mathml import exceptions
        from latex2mathml.converter import convert as to_mathml

        its_own = [one for one in vars(exceptions).values() if isinstance(one, type) and issubclass(one, Exception)]
        wrong: tuple[type[Exception], ...] = (*its_own, IndexError, KeyError, ValueError)
        try:
            made: str = to_mathml(text.strip(), display=display)
        except wrong as error:
            raise FormulaError(str(error)) from None
        return made

    return convert


MATHML = Formulas(_mathml("inline"), _mathml("block"))
"""For browsers, which draw it without a script."""


def notes_html(text: str, formulas: Formulas | None = None, folder: Path | None = None) -> str:
    """Paragraphs, lists of lines with a dash, **bold**, *italic*, `code` and formulas.

    A formula that cannot be set shows its source. A paragraph that is one formula stands by itself in the middle, its
    fractions with a bar. `formulas`: as rich text where they are left out. `folder`: pictures below it become part of
    the text.
    """
    formulas = formulas or RICH_TEXT
    if not text.strip():
        return ""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.strip().split("\n")]
        alone = _FORMULA.fullmatch(" ".join(lines))
        if alone is not None:
            blocks.append(_alone(alone[1], formulas))
        elif all(line.startswith("|") and line.endswith("|") for line in lines):
            blocks.append(_table(lines, formulas))
        elif all(line.startswith("- ") for line in _joined(lines)):
            blocks.append(
                "<ul>" + "".join(f"<li>{_inline(line[2:], formulas)}</li>" for line in _joined(lines)) + "</ul>"
            )
        else:
            blocks.append(f"<p>{_inline(' '.join(lines), formulas)}</p>")
    made = "".join(blocks)
    return made if folder is None else _with_pictures(made, folder)


def _with_pictures(text: str, folder: Path) -> str:
    """Pictures of files as data, so that the text needs no other file."""

    def held(found: re.Match[str]) -> str:
        path = folder / html.unescape(found[1])
        if re.match(r"[a-z]+:", found[1]) or not path.is_file():
            return found[0]
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return f'<img src="data:{kind};base64,{base64.b64encode(read_regular(path, LARGEST_PICTURE)).decode()}"'

    return re.sub(r'<img src="([^"]*)"', held, text)


def _table(lines: list[str], formulas: Formulas) -> str:
    """Rows with their cells between bars; above a row of dashes stand the names of the columns."""
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line[1:-1])] for line in lines]
    ruled = len(rows) > 1 and all(re.fullmatch(r":?-+:?", cell) for cell in rows[1])
    written = []
    for number, row in enumerate(rows):
        if ruled and number == 1:
            continue
        tag = "th" if ruled and number == 0 else "td"
        cells = "".join(f'<{tag} align="left">{_inline(cell, formulas)}</{tag}>' for cell in row)
        written.append(f"<tr>{cells}</tr>")
    return (
        f'<table cellpadding="3" border="1" cellspacing="0" style="border-collapse:collapse">{"".join(written)}</table>'
    )


def _alone(text: str, formulas: Formulas) -> str:
    try:
        return formulas.display(text)
    except FormulaError:
        return f"<p>{_set(text, formulas)}</p>"


def _joined(lines: list[str]) -> list[str]:
    """Append continuation lines to the dash that they belong to."""
    found: list[str] = []
    for line in lines:
        if line.startswith("- ") or not found:
            found.append(line)
        else:
            found[-1] += f" {line}"
    return found


def _inline(text: str, formulas: Formulas) -> str:
    parts = _FORMULA.split(text)
    return "".join(_set(part, formulas) if index % 2 else _plain(part) for index, part in enumerate(parts))


def _plain(text: str) -> str:
    result = html.escape(text, quote=True)
    for pattern, replacement in _MARKS:
        result = pattern.sub(replacement, result)
    return result


def _set(text: str, formulas: Formulas) -> str:
    try:
        return f'<span style="white-space:nowrap">{formulas.inline(text)}</span>'
    except FormulaError:
        return f"{_CODE}{html.escape(text, quote=False)}</code>"


class _Formula:
    """Reads tokens from left to right; groups within groups call themselves."""

    def __init__(self, tokens: list[str], *, stacked: bool = False) -> None:
        self._tokens = tokens
        self._at = 0
        self._stacked = stacked
        self._depth = 0

    def group(self, *ends: str) -> str:
        """Everything up to one of `ends`, or to the end of the formula."""
        parts: list[str] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token in ends:
                self._at += 1
                return "".join(parts)
            if token == "}":
                raise FormulaError("a closing brace without an opening one")
            sign = BINARY.get(token)
            if sign is not None:
                self._at += 1
                first = not parts or parts[-1].endswith((" ", "("))
                parts.append(sign.strip() if first and token in "+-" else sign)
            elif token.startswith("\\") and token[1:] in WORDS:
                parts.append(self._function(parts[-1] if parts else ""))
            else:
                parts.append(self._atom())
        if any(ends):
            raise FormulaError("an opening brace without a closing one")
        return "".join(parts)

    def _function(self, before: str) -> str:
        """The name of a function, its exponent right behind it, apart from what is before and after it."""
        name = self._atom()
        if self._at < len(self._tokens) and self._tokens[self._at] in "_^":
            name += self._atom()
        gap = "" if not before or before.endswith((" ", "(", THIN)) else THIN
        return f"{gap}{name}{THIN}"

    def _atom(self) -> str:
        if self._at >= len(self._tokens):
            raise FormulaError("something is missing at the end")
        token = self._tokens[self._at]
        self._at += 1
        if token == "{":
            self._depth += 1
            inner = self.group("}")
            self._depth -= 1
            return inner
        if token in "_^":
            kind = "sub" if token == "_" else "sup"
            return f"<{kind}>{self._atom().strip()}</{kind}>"
        if token.startswith("\\"):
            return self._command(token[1:])
        return f"<i>{token}</i>" if token.isalpha() else html.escape(token, quote=False)

    def _command(self, name: str) -> str:
        if name in LETTERS:
            return LETTERS[name]
        if name in ACCENTS:
            return re.sub(r"([^<>])(</i>)?$", rf"\1{ACCENTS[name]}\2", self._atom())
        if name in FONTS:
            return FONTS[name](re.sub("</?i>", "", self._atom()))
        if name in BLOCKS and self._stacked and self._depth == 0:
            return _fraction(self._atom(), self._atom()) if name == "frac" else self._matrix()
        if name == "sqrt":
            inner = self._atom()
            return f"√{inner}" if _is_short(inner) else f"√({inner})"
        if name == "frac":
            return f"{_one(self._atom())}\u2009/\u2009{_one(self._atom())}"
        raise FormulaError(f"\\{name} is not known")

    def _matrix(self) -> str:
        """Cells between `&`, rows between `\\\\`, up to `\\end`."""
        kind = self._word()
        if kind not in BRACKETS:
            raise FormulaError(f"\\begin{{{kind}}} is not known")
        self._depth += 1
        rows: list[list[str]] = [[]]
        ended = ""
        while ended != "\\end":
            rows[-1].append(self.group("&", "\\\\", "\\end"))
            ended = self._tokens[self._at - 1]
            if ended == "\\\\":
                rows.append([])
        self._depth -= 1
        if self._word() != kind:
            raise FormulaError(f"\\begin{{{kind}}} has another end")
        return _matrix([row for row in rows if any(cell.strip() for cell in row)], hooked=BRACKETS[kind])

    def _word(self) -> str:
        """The name in braces that comes next."""
        return re.sub("<[^>]*>", "", self._atom())


def _is_short(text: str) -> bool:
    return re.search(r"[ /]", re.sub(r"<[^>]*>", "", text).strip()) is None


def _one(text: str) -> str:
    """A numerator or denominator; sums in brackets."""
    return text if _is_short(text) else f"({text.strip()})"


RICH_TEXT = Formulas(formula_html, display_html)
"""For Qt, which knows no MathML."""
