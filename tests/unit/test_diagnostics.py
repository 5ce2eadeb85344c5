"""Findings of one kind are told once, with their number."""

from __future__ import annotations

from simulator.diagnostics import DiagnosticLog, Source


def test_equal_findings_are_folded_into_the_first() -> None:
    log = DiagnosticLog()
    for line in (3, 5, 9):
        log.warning("ELEMENT_INVALID", Source("w.sdf", line), "it is not read")
    (finding,) = log
    assert (finding.line, finding.count) == (3, 3)
    assert str(finding) == "w.sdf:3: warning[ELEMENT_INVALID]: it is not read (and 2 more like it)"


def test_a_kind_folds_findings_of_different_words() -> None:
    log = DiagnosticLog()
    for name in ("a", "b"):
        log.info("NOTE", None, f"link '{name}'", fold="link")
    assert [(item.message, item.count) for item in log] == [("link 'a'", 2)]


def test_severity_and_code_keep_findings_apart() -> None:
    log = DiagnosticLog()
    log.warning("A", None, "x")
    log.error("A", None, "x")
    log.warning("B", None, "x")
    assert [item.count for item in log] == [1, 1, 1]
    assert len(log) == 3


def test_findings_of_another_log_keep_their_number() -> None:
    first = DiagnosticLog()
    first.warning("A", None, "x")
    first.warning("A", None, "x")
    assert [item.count for item in DiagnosticLog(first)] == [2]
