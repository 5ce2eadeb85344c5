"""Expressions of laws and constraints: arithmetic over positions of joints, from text to a tape.

The text is parsed by Python's own grammar and nothing but a list of nodes passes: + - * / % **, parentheses, numbers,
pi, the functions of `FUNCTIONS`, and choices (`a if q < 1 else b`) by comparisons with and, or, not.
"""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING

from simulator.errors import UsageError, closest
from simulator.model import tape as t
from simulator.model.tape import Tape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.model.tape import Instruction

    Variable = Callable[[str], int]

FUNCTIONS = {
    "sin": t.SIN, "cos": t.COS, "tan": t.TAN, "asin": t.ASIN, "acos": t.ACOS, "atan": t.ATAN, "sinh": t.SINH,
    "cosh": t.COSH, "tanh": t.TANH, "exp": t.EXP, "log": t.LOG, "sqrt": t.SQRT, "abs": t.ABS,
}  # fmt: skip
OF_TWO = ("atan2", "hypot", "min", "max")
CONSTANTS = {"pi": math.pi}
OPERATORS: dict[type[ast.operator], int] = {
    ast.Add: t.ADD,
    ast.Sub: t.SUBTRACT,
    ast.Mult: t.MULTIPLY,
    ast.Div: t.DIVIDE,
    ast.Mod: t.MODULO,
}
MOST = 2000
"""Instructions of a law: longer ones are no law but a program."""
LONGEST = 20_000
"""Characters of a law."""
GREATEST_POWER = 64


def parse_expression(text: str, variable: Variable, variables: int = 0, *, constant: bool = False) -> Tape:
    """`variable`: the number of the variable of a name, raising UsageError for one that is none; `variables`: how many
    there are (those that were asked for, if 0); `constant`: whether there may be none. Raises UsageError that says what
    is wrong in the text."""
    if len(text) > LONGEST:
        raise UsageError(f"it has {len(text)} characters, more than {LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return _Writer(text.strip(), variable).finished(tree.body, variables, constant=constant)
    except SyntaxError as error:
        raise UsageError(_what_is_wrong(text.strip(), error)) from None
    except (RecursionError, MemoryError):
        raise UsageError(f"'{_short(text)}' is nested too deeply, or a sum of too many parts") from None
    except ValueError as error:
        raise UsageError(f"'{_short(text)}' is not an expression: {error}") from None


def _what_is_wrong(text: str, error: SyntaxError) -> str:
    if not text:
        return "it is empty"
    hint = ": powers are written **" if "^" in text else ""
    return f"'{_short(text)}' is not an expression: {error.msg} at character {error.offset or 1}{hint}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"


class _Writer:
    """Instructions as they are found; the same one is written once."""

    def __init__(self, text: str, variable: Variable) -> None:
        self._text = text
        self._variable = variable
        self._places: dict[Instruction, int] = {}
        self._numbers: dict[float, int] = {}

    def finished(self, node: ast.expr, variables: int, *, constant: bool) -> Tape:
        last = self._place(node)
        code = tuple(self._places)
        used = [a for op, a, _, _ in code if op == t.VARIABLE]
        if not used and not constant:
            raise UsageError(f"'{_short(self._text)}' depends on no position")
        if last != len(code) - 1:
            # The result was there before, as a part of what a choice between equal sides left over.
            code = code[: last + 1]
        return Tape(code, tuple(self._numbers), (), variables or 1 + max(used, default=0))

    def _add(self, op: int, a: int, b: int = 0, c: int = 0) -> int:
        if len(self._places) >= MOST:
            raise UsageError(f"'{_short(self._text)}' has more than {MOST} operations")
        return self._places.setdefault((op, a, b, c), len(self._places))

    def _number(self, value: float) -> int:
        if not math.isfinite(value):
            raise UsageError(f"'{_short(self._text)}' has a number that is not finite")
        return self._add(t.NUMBER, self._numbers.setdefault(value, len(self._numbers)))

    def _place(self, node: ast.expr) -> int:
        match node:
            case ast.Constant() | ast.Name():
                return self._leaf(node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                inner = self._place(operand)
                return inner if isinstance(sign, ast.UAdd) else self._add(t.NEGATE, inner)
            case ast.BinOp():
                return self._of_two(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._chosen(test, self._place(body), self._place(orelse))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._call(name, args)
        raise self._strange(node)

    def _leaf(self, node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return self._number(float(number))
            case ast.Constant(value=str() as name):
                return self._add(t.VARIABLE, self._variable(name))
            case ast.Name(id=name):
                return self._named(name)
        raise self._strange(node)

    def _of_two(self, node: ast.BinOp) -> int:
        if isinstance(node.op, ast.Pow):
            return self._power(node.left, node.right)
        if type(node.op) not in OPERATORS:
            raise self._strange(node)
        return self._add(OPERATORS[type(node.op)], self._place(node.left), self._place(node.right))

    def _strange(self, node: ast.AST) -> UsageError:
        part = ast.get_source_segment(self._text, node) or type(node).__name__
        hint = ": powers are written **" if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor) else ""
        return UsageError(f"'{_short(part)}' has no place in an expression{hint}")

    def _named(self, name: str) -> int:
        if name in CONSTANTS:
            return self._number(CONSTANTS[name])
        if name in FUNCTIONS or name in OF_TWO:
            raise UsageError(f"'{name}' is a function: write what it is of, {name}(…)")
        return self._add(t.VARIABLE, self._variable(name))

    def _power(self, base: ast.expr, exponent: ast.expr) -> int:
        number = _literal(exponent)
        if number is None or not number.is_integer() or abs(number) > GREATEST_POWER:
            return self._add(t.POWER, self._place(base), self._place(exponent))
        return self._add(t.INTEGER_POWER, self._place(base), int(number))

    def _call(self, name: str, args: list[ast.expr]) -> int:
        wanted = 1 if name in FUNCTIONS else 2 if name in OF_TWO else 0
        if not wanted:
            guess = closest(name, (*FUNCTIONS, *OF_TWO))
            close = f"; did you mean '{guess}'?" if guess else ""
            raise UsageError(f"there is no function '{name}': there are {', '.join((*FUNCTIONS, *OF_TWO))}{close}")
        if len(args) != wanted:
            raise UsageError(f"{name} takes {wanted} value{'s' if wanted > 1 else ''}, not {len(args)}")
        values = [self._place(arg) for arg in args]
        if wanted == 1:
            return self._add(FUNCTIONS[name], values[0])
        x, y = values
        if name == "atan2":
            return self._add(t.ATAN2, x, y)
        if name == "hypot":
            squares = self._add(t.INTEGER_POWER, x, 2), self._add(t.INTEGER_POWER, y, 2)
            return self._add(t.SQRT, self._add(t.ADD, *squares))
        difference = self._add(t.SUBTRACT, x, y)
        return self._add(t.CHOOSE, difference, *((x, y) if name == "max" else (y, x)))

    # -- choices -------------------------------------------------------------------------------------------------------

    def _chosen(self, test: ast.expr, yes: int, no: int) -> int:
        """`yes` where the test holds, else `no`, as choices by the sign of a difference."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._chosen(operand, no, yes)
            case ast.BoolOp(op=ast.And(), values=values):
                for value in reversed(values):
                    yes = self._chosen(value, yes, no)
                return yes
            case ast.BoolOp(values=values):
                for value in reversed(values):
                    no = self._chosen(value, yes, no)
                return no
            case ast.Compare(left=left, ops=ops, comparators=rights):
                sides = [self._place(side) for side in (left, *rights)]
                for i in reversed(range(len(ops))):
                    yes = self._compared(ops[i], (sides[i], sides[i + 1]), yes, no)
                return yes
        raise UsageError(f"'{ast.unparse(test)}' is not a condition: compare two values, q < 1")

    def _compared(self, op: ast.cmpop, sides: tuple[int, int], yes: int, no: int) -> int:
        left, right = sides
        match op:
            case ast.GtE():
                return self._add(t.CHOOSE, self._add(t.SUBTRACT, left, right), yes, no)
            case ast.LtE():
                return self._add(t.CHOOSE, self._add(t.SUBTRACT, right, left), yes, no)
            case ast.Lt():
                return self._add(t.CHOOSE, self._add(t.SUBTRACT, left, right), no, yes)
            case ast.Gt():
                return self._add(t.CHOOSE, self._add(t.SUBTRACT, right, left), no, yes)
        raise UsageError("positions are compared by < <= > and >=")


def _literal(node: ast.expr) -> float | None:
    """The number that is written there, with its sign."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _literal(operand)
            return None if inner is None else -inner
    return None


# -- other names -----------------------------------------------------------------------------------------------------


def with_names(text: str, names: Mapping[str, str]) -> str:
    """An expression with other names of its variables, in quotes where they are no identifiers."""
    if all(written == name for written, name in names.items()):
        return text
    tree = ast.parse(text, mode="eval")
    return ast.unparse(_Renamed(names).visit(tree))


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._named(node.id) if node.id in self._names else node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self._named(node.value) if isinstance(node.value, str) and node.value in self._names else node

    def _named(self, written: str) -> ast.expr:
        name = self._names[written]
        return ast.Name(name) if name.isidentifier() else ast.Constant(name)
