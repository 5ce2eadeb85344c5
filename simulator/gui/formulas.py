"""Notes with formulas as rich text: a subset of TeX between `$`, set with italic letters, indices, powers and signs."""

from __future__ import annotations

import html
import re

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "varphi": "φ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ",
    "Phi": "Φ", "Omega": "Ω",
}  # fmt: skip
SIGNS = {
    "cdot": " · ", "times": " × ", "pm": " ± ", "le": " ≤ ", "ge": " ≥ ", "ne": " ≠ ", "approx": " ≈ ", "to": " → ",
    "Rightarrow": " ⇒ ", "infty": "∞", "partial": "∂", "sum": "Σ", "int": "∫", "circ": "°", "degree": "°", "dots": "…",
    "quad": "   ", ",": " ", ";": " ", " ": " ", "left": "", "right": "", "%": "%", "{": "{", "}": "}", "mid": " | ",
}  # fmt: skip
WORDS = frozenset({"sin", "cos", "tan", "arcsin", "arccos", "arctan", "ln", "exp", "det", "rank", "lim", "max", "min"})
LETTERS = {
    **{name: f"<i>{letter}</i>" for name, letter in GREEK.items()},
    **SIGNS,
    **{name: f"{name}\u2009" for name in WORDS},
}
ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "bar": "\u0304", "hat": "\u0302", "vec": "\u20d7"}
BINARY = {"=": " = ", "+": " + ", "-": " − ", "<": " &lt; ", ">": " &gt; ", "*": " · "}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_STACKED = re.compile("\x00(.*?)\x01(.*?)\x02", re.DOTALL)
"""A fraction with a bar among other parts."""
_FORMULA = re.compile(r"\$([^$]+)\$")
_MARKS = (
    (re.compile(r"\*\*([^*]+)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*([^*\s][^*]*)\*"), r"<i>\1</i>"),
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
)


class FormulaError(ValueError):
    """A formula that is not of the subset."""


def formula_html(text: str) -> str:
    """A formula as rich text. Raises FormulaError for a command that is not known and for braces without a partner."""
    reader = _Formula([token for token in _TOKEN.findall(text) if not token.isspace()])
    result = reader.group("")
    return re.sub(" {2,}", " ", result).strip()


def display_html(text: str) -> str:
    """A formula in a line of its own: its fractions have a bar. Raises as `formula_html`."""
    tokens = [token for token in _TOKEN.findall(text) if not token.isspace()]
    parts = _STACKED.split(_Formula(tokens, stacked=True).group(""))
    cells = []
    for index in range(0, len(parts), 3):
        if parts[index].strip():
            cells.append(f'<td style="vertical-align:middle">{parts[index]}</td>')
        if index + 2 < len(parts):
            above, below = parts[index + 1], parts[index + 2]
            cells.append(
                '<td style="vertical-align:middle"><table cellspacing="0" cellpadding="2">'
                f'<tr><td align="center" style="border-bottom:1px solid gray">{above.strip()}</td></tr>'
                f'<tr><td align="center">{below.strip()}</td></tr></table></td>'
            )
    return f'<table align="center" cellpadding="2"><tr>{"".join(cells)}</tr></table>'


def notes_html(text: str) -> str:
    """Paragraphs, lists of lines with a dash, **bold**, *italic*, `code` and formulas.

    A formula that cannot be set shows its source. A paragraph that is one formula stands by itself in the middle, its
    fractions with a bar.
    """
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.strip().split("\n")]
        alone = _FORMULA.fullmatch(" ".join(lines))
        if alone is not None:
            blocks.append(_alone(alone[1]))
        elif all(line.startswith("- ") for line in _joined(lines)):
            blocks.append("<ul>" + "".join(f"<li>{_inline(line[2:])}</li>" for line in _joined(lines)) + "</ul>")
        else:
            blocks.append(f"<p>{_inline(' '.join(lines))}</p>")
    return "".join(blocks)


def _alone(text: str) -> str:
    try:
        return display_html(text)
    except FormulaError:
        return f"<p>{_set(text)}</p>"


def _joined(lines: list[str]) -> list[str]:
    """Lines that go on are put behind the dash that they belong to."""
    found: list[str] = []
    for line in lines:
        if line.startswith("- ") or not found:
            found.append(line)
        else:
            found[-1] += f" {line}"
    return found


def _inline(text: str) -> str:
    parts = _FORMULA.split(text)
    return "".join(_set(part) if index % 2 else _plain(part) for index, part in enumerate(parts))


def _plain(text: str) -> str:
    result = html.escape(text, quote=False)
    for pattern, replacement in _MARKS:
        result = pattern.sub(replacement, result)
    return result


def _set(text: str) -> str:
    try:
        return f'<span style="white-space:nowrap">{formula_html(text)}</span>'
    except FormulaError:
        return f"<code>{html.escape(text, quote=False)}</code>"


class _Formula:
    """Reads tokens from left to right; groups within groups call themselves."""

    def __init__(self, tokens: list[str], *, stacked: bool = False) -> None:
        self._tokens, self._at = tokens, 0
        self._stacked, self._depth = stacked, 0

    def group(self, end: str) -> str:
        """Everything up to `end`, or to the end of the formula."""
        parts: list[str] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token == end:
                self._at += 1
                return "".join(parts)
            if token == "}":
                raise FormulaError("a closing brace without an opening one")
            sign = BINARY.get(token)
            if sign is not None:
                self._at += 1
                first = not parts or parts[-1].endswith((" ", "("))
                parts.append(sign.strip() if first and token in "+-" else sign)
            else:
                parts.append(self._atom())
        if end:
            raise FormulaError("an opening brace without a closing one")
        return "".join(parts)

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
        if name in {"text", "mathrm"}:
            return re.sub("</?i>", "", self._atom())
        if name == "sqrt":
            inner = self._atom()
            return f"√{inner}" if _is_short(inner) else f"√({inner})"
        if name == "frac" and self._stacked and self._depth == 0:
            return f"\x00{self._atom()}\x01{self._atom()}\x02"
        if name == "frac":
            return f"{_one(self._atom())}\u2009/\u2009{_one(self._atom())}"
        raise FormulaError(f"\\{name} is not known")


def _is_short(text: str) -> bool:
    return re.search(r"[ /]", re.sub(r"<[^>]*>", "", text).strip()) is None


def _one(text: str) -> str:
    """A numerator or denominator; sums in brackets."""
    return text if _is_short(text) else f"({text.strip()})"
