"""What a document that closes a loop in another program's way is read as: one finding for each loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog, Source

CODE = "LOOP_READ"
_KINDS = {"ball": "a ball", "fixed": "a weld"}


def report_read_loop(
    log: DiagnosticLog, where: Source, how: str, name: str, kind: str, ends: tuple[str, str], form: str
) -> None:
    """`how` names the element or plugin, `kind` is the type of joint that holds its `ends` (child and parent link), and
    `form` is how the loop is written independently of that program."""
    joined = _KINDS.get(kind, f"a {kind} joint")
    message = f"{how} '{name}' closes a loop by {joined} of '{ends[0]}' on '{ends[1]}'"
    hint = f"write the loop as {form} to be independent of that program"
    log.info(CODE, where, message, hint, fold=how, about=name)
