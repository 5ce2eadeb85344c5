"""Findings of one kind are reported once, with their number."""

from __future__ import annotations

from simulator.diagnostics import MOST_OF_A_CODE, DiagnosticLog, Source


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


def test_what_folded_findings_are_about_is_named_once() -> None:
    log = DiagnosticLog()
    for name in ("a", "b", "a", "b", "c"):
        log.warning("NOTE", None, f"'{name}' is not read", fold="link", about=name)
    (finding,) = log
    assert finding.folded_message == "'a' is not read (and 4 more like it: 'b', 'c')"
    assert DiagnosticLog(log).as_tuple() == (finding,)
    for i in range(20):
        log.warning("NOTE", None, f"'{i}' is not read", fold="link", about=str(i))
    assert next(iter(log)).folded_message.endswith("(and 24 more like it: 'b', 'c', '0', '1', '2', '3', …)")


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


def test_many_findings_of_a_code_are_folded_behind_the_first_hundred() -> None:
    log = DiagnosticLog()
    for i in range(100_000):
        log.warning("ATTRIBUTE_INCORRECT_TYPE", None, f"<link> has no attribute 'a{i}'; it is not read")
    log.error("ATTRIBUTE_INCORRECT_TYPE", None, "another severity")
    log.warning("ELEMENT_INVALID", None, "another code")
    found = log.as_tuple()
    assert len(found) == MOST_OF_A_CODE + 3
    assert sum(item.count for item in found) == 100_002
    assert found[MOST_OF_A_CODE].folded_message.endswith("'a100'; it is not read (and 99899 more like it)")
    assert not log.may_hint


def test_findings_of_another_reader_are_folded_too() -> None:
    first, second = DiagnosticLog(), DiagnosticLog()
    for i in range(MOST_OF_A_CODE + 50):
        first.info("LOOP_JOINT_CUT", None, f"joint {i}")
    second.extend([*first, *first])
    assert len(second) == MOST_OF_A_CODE + 1
    assert sum(item.count for item in second) == 2 * len([*range(MOST_OF_A_CODE + 50)])


def test_an_endless_message_is_cut() -> None:
    log = DiagnosticLog()
    log.warning("ELEMENT_INVALID", None, "x" * 10**7, "y" * 10**7)
    (found,) = log
    assert len(str(found)) < 6000
    assert found.message.endswith("…")
