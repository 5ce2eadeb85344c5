"""Statements about other programs that concern a document, as findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.diagnostics import Diagnostic, DiagnosticLog, Severity
from simulator.errors import UnknownNameError
from simulator.records import dataclass
from simulator.session.other_programs.features import FEATURES
from simulator.session.other_programs.statements import READ, RUN, Statement, Verdict, known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.session.open.opening import Opened
    from simulator.session.other_programs.statements import Program

CODES = {
    Verdict.IGNORED: "PROGRAM_IGNORES",
    Verdict.APPROXIMATED: "PROGRAM_APPROXIMATES",
    Verdict.REFUSED: "PROGRAM_REFUSES",
}

NAMES = {
    "sdf": "SDFormat",
    "urdf": "URDF",
    "mjcf": "MJCF",
    "usd": "OpenUSD",
    "asmt": "an assembly of OndselSolver",
    "fcstd": "an assembly of FreeCAD",
}
"""Names of formats in messages."""


@dataclass(frozen=True)
class ProgramFinding:
    """What one program does with one feature of a document; `diagnostic` counts the places."""

    program: Program
    statement: Statement
    diagnostic: Diagnostic


def check_programs(names: Sequence[str]) -> None:
    """Raise UnknownNameError for an unknown program."""
    for name in names:
        if name not in known().programs:
            raise UnknownNameError("program", name, tuple(known().programs))


def findings_for(opened: Opened, names: Sequence[str], *, strict: bool = False) -> tuple[ProgramFinding, ...]:
    """One finding for each statement that concerns the document, by program. An approximation is information,
    an ignored or refused feature a warning, and an error if `strict`."""
    found = []
    for program in (known().programs[name] for name in names):
        written = opened.document.format
        form = program.format_of(written)
        if form != written:
            found.append(_not_read(opened, program))
        for statement in known().statements:
            if statement.program == program.key and statement.concerns(written, form):
                found += _found(opened, program, statement, strict=strict)
    return tuple(found)


def _not_read(opened: Opened, program: Program) -> ProgramFinding:
    """The finding that the program does not read the format of the document."""
    path = opened.path
    names = ", ".join(NAMES[form] for form in program.reads)
    statement = Statement(
        feature="document",
        program=program.key,
        verdict=Verdict.REFUSED,
        says=f"it reads {names}; what follows is about the {NAMES[program.via]} that the document is converted to",
        remedy=f"simulator convert {path} -o {path.stem}.{program.via}"
        + (f", or -o {path.stem}.usda, which has loops and springs" if "usd" in program.reads else ""),
        source="",
        checked=RUN if program.runs else READ,
        formats=(opened.document.format,),
    )
    message = f"{program.name}: {NAMES[opened.document.format]} is refused: {statement.says} ({program.version})"
    finding = Diagnostic(Severity.WARNING, CODES[Verdict.REFUSED], str(path), 1, message, statement.remedy)
    return ProgramFinding(program, statement, finding)


def _found(opened: Opened, program: Program, statement: Statement, *, strict: bool) -> list[ProgramFinding]:
    log = DiagnosticLog()
    title = known().features[statement.feature]
    code = CODES[statement.verdict]
    report = log.info if statement.verdict is Verdict.APPROXIMATED else log.error if strict else log.warning
    for place in FEATURES[statement.feature](opened):
        message = (
            f"{program.name}: {title} '{place.name}' is {statement.verdict.value}: {statement.says} "
            f"({'; '.join(part for part in (program.version, statement.source) if part)})"
        )
        report(code, place.source, message, statement.remedy, fold=statement.feature, about=place.name)
    return [ProgramFinding(program, statement, diagnostic) for diagnostic in log]
