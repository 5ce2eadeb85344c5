"""Formulas over named values, compiled once: `-(pole/position**2 + 0.1 * pole/velocity**2)`, `abs(swing - 0.8) > 0.2`.

A formula is arithmetic (+ - * / **, parentheses, numbers, pi), the functions of `FUNCTIONS`, comparisons, and, or, not.
The values are channels, measures, or reductions of channels. A channel is written as in `run["pole/position"]`; in
quotes if its name contains characters other than letters, digits and _.
"""

from __future__ import annotations

import ast
import math
import re
from typing import TYPE_CHECKING, Any

from simulator.errors import UnknownNameError, UsageError, closest
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs, "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "sin": math.sin, "cos": math.cos,
    "tan": math.tan, "tanh": math.tanh, "atan2": math.atan2, "hypot": math.hypot, "min": min, "max": max,
}  # fmt: skip
CONSTANTS = {"pi": math.pi}
WORDS = ("and", "or", "not")
BOUNDED = ("sin", "cos", "tanh")
"""Functions whose values are between -1 and 1."""
_TOKEN = re.compile(
    r"""(?P<quoted>'[^']*'|"[^"]*")|(?P<name>[A-Za-z_]\w*(?:(?:::?|/)[A-Za-z_]\w*)*)"""
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<sign>\*\*|<=|>=|==|!=|[-+*/()<>,])|(?P<space>\s+)"
)
_ALLOWED = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Constant, ast.Name, ast.Subscript, ast.Call, ast.expr_context,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


@dataclass(frozen=True)
class Formula:
    """`text` as written; `code`: as Python over a sequence `v` of all values."""

    text: str
    code: str

    def __post_init__(self) -> None:
        names: dict[str, Any] = {"__builtins__": {}, **FUNCTIONS, **CONSTANTS}
        object.__setattr__(self, "_function", eval(f"lambda v: {self.code}", names))

    def of(self, values: Sequence[float]) -> float:
        """The value, 1 or 0 of a condition; nan if arithmetic has none."""
        try:
            found = self._function(values)  # type: ignore[attr-defined]  # made in `__post_init__`
        except (ZeroDivisionError, OverflowError, ValueError):
            return math.nan
        return math.nan if isinstance(found, complex) else float(found)

    @property
    def only(self) -> int | None:
        """The place of the value if the formula is one value; else None."""
        found = re.fullmatch(r"v\[(\d+)\]", self.code)
        return int(found[1]) if found else None

    @property
    def is_condition(self) -> bool:
        """Whether it is a condition rather than a number."""
        node = ast.parse(self.code, mode="eval").body
        return isinstance(node, ast.Compare | ast.BoolOp) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        )

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest value of the outermost function."""
        node = ast.parse(self.code, mode="eval").body
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BOUNDED:
            return -1.0, 1.0
        return -math.inf, math.inf

    def __reduce__(self) -> tuple[type[Formula], tuple[str, str]]:
        return Formula, (self.text, self.code)


def parse_formula(text: str, place: Callable[[str], int], *, over: str = "channels", shown: str = "") -> Formula:
    """Compile a formula. `place`: index of a name, raising UsageError for one that does not exist. `over`: what values
    are called; `shown`: how the formula was written, if that is not `text`. Raises UsageError."""
    shown = shown or text
    parts: list[str] = []
    used: list[int] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            hint = ": powers are written **" if text[at] == "^" else ""
            raise UsageError(f"'{text[at]}' in the formula '{shown}' is not understood{hint}")
        at = match.end()
        if match["quoted"] or match["name"]:
            is_call = text[at:].lstrip().startswith("(")
            parts.append(_named(match["name"], match["quoted"], shown, used, place, is_call=is_call))
        elif not match["space"]:
            parts.append(match[0])
    code = " ".join(parts)
    _check(code, shown, over)
    found = Formula(shown, code)
    try:
        found.of([1.0] * (max(used, default=0) + 1))
    except TypeError:
        raise UsageError(f"a function in '{shown}' has too few or too many numbers") from None
    return found


def _named(
    name: str | None, quoted: str | None, text: str, used: list[int], place: Callable[[str], int], *, is_call: bool
) -> str:
    if name is not None and (name in WORDS or name in CONSTANTS):
        return name
    if name is not None and is_call:
        if name not in FUNCTIONS:
            guess = closest(name, FUNCTIONS)
            close = f"; did you mean '{guess}'?" if guess else ""
            raise UsageError(f"'{text}' has no function '{name}': there are {', '.join(FUNCTIONS)}{close}")
        return name
    whole = name or (quoted or "")[1:-1]
    try:
        found = [place(whole)]
    except UnknownNameError:
        found = _quotient(whole, place) if name is not None else []
        if not found:
            raise
    used += found
    return "/".join(f"v[{one}]" for one in found)


def _quotient(whole: str, place: Callable[[str], int]) -> list[int]:
    """Reads `a/b` that is not a channel as a division of two names."""
    try:
        return [place(part) for part in whole.split("/")]
    except UsageError:
        return []


def _check(code: str, text: str, over: str) -> None:
    """Raise UsageError for text that is not arithmetic."""
    try:
        tree = ast.parse(code, mode="eval")
    except SyntaxError:
        raise UsageError(f"'{text}' is not a formula over {over}") from None
    for node in ast.walk(tree.body):
        called = not isinstance(node, ast.Call) or isinstance(node.func, ast.Name)
        if not isinstance(node, _ALLOWED) or not called:
            raise UsageError(f"'{text}' is not a formula over {over}: it contains other Python")
    lone = {node.id for node in ast.walk(tree.body) if isinstance(node, ast.Name)} & set(FUNCTIONS)
    called_names = {n.func.id for n in ast.walk(tree.body) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    if lone - called_names:
        raise UsageError(f"'{sorted(lone - called_names)[0]}' in '{text}' is a function: write its argument")
