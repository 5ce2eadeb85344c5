"""Which expressions of a xacro document are evaluated.

xacro evaluates Python with most built-in functions taken away, and forbids names that begin with `__`. It does not look
into lambdas and comprehensions, so that `(lambda: ().__class__.__base__.__subclasses__())()` leads to everything that
Python can do. Here the whole expression is judged, and also the attributes of frames and code that lead out without an
underscore, as RestrictedPython lists them (INSPECT_ATTRIBUTES in its transformer.py).
"""

from __future__ import annotations

import ast

LONGEST = 10_000
"""Characters of an expression."""
_OF_INTERPRETER = ("tb_", "f_", "co_", "gi_", "cr_", "ag_")
REMOVED = ("type", "vars")
"""Functions of xacro's `python` that make classes and look into them."""


class RefusedExpressionError(ValueError):
    """An expression that reaches for the inside of Python."""


def check_expression(text: str) -> None:
    """Raises RefusedExpressionError for an expression that could do more than compute; SyntaxError if it is none."""
    if len(text) > LONGEST:
        raise RefusedExpressionError(f"an expression of {len(text)} characters is not evaluated")
    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        name = ""
        if isinstance(node, ast.Attribute):
            name = node.attr if node.attr.startswith(("_", *_OF_INTERPRETER)) else ""
        elif isinstance(node, ast.Name):
            name = node.id if node.id.startswith("__") else ""
        if name:
            raise RefusedExpressionError(f"'{name}' in an expression is refused: it leads to the inside of Python")
