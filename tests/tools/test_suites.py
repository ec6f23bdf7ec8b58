"""The closing line tells the truth: what failed counts, and so does a suite that tested nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import suites
from tools.suites import Check, Counts, Suite, read_junit, read_playwright, read_vitest

Run = Callable[..., tuple[int, list[str]]]


def suite(*programs: str, alone: bool = False) -> Suite:
    """A suite of small Python programs, one a check."""
    return Suite("", [Check(text[:20], [sys.executable, "-c", text]) for text in programs], alone=alone)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs made-up suites and returns the exit code and the lines printed."""

    def run(**made: Suite) -> tuple[int, list[str]]:
        monkeypatch.setattr(suites, "SUITES", made)
        monkeypatch.setattr(suites, "LOGS", tmp_path)
        monkeypatch.setattr(suites, "ROOT", tmp_path)
        code = suites.run(list(made), [])
        return code, capsys.readouterr().out.splitlines()

    return run


def reported(path: Path, text: str, code: int = 0) -> Suite:
    """A suite whose command leaves `text` as pytest's report and ends with `code`."""
    program = f"import pathlib; pathlib.Path({str(path)!r}).write_text({text!r}); raise SystemExit({code})"
    return Suite("", [Check("pytest", [sys.executable, "-c", program], path, read_junit)])


def junit(tests: int, failures: int = 0, errors: int = 0, skipped: int = 0) -> str:
    numbers = f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    return f'<?xml version="1.0"?><testsuites><testsuite name="pytest" {numbers}/></testsuites>'


def test_a_check_without_a_report_counts_as_one(run: Run) -> None:
    code, lines = run(a=suite("pass", "print(1)"), b=suite("2", alone=True))
    assert (code, lines[-1]) == (0, "3 passed, 0 failed")


def test_a_failure_does_not_keep_the_others_from_running(run: Run) -> None:
    code, lines = run(a=suite("raise SystemExit(3)"), b=suite("pass"), c=suite("1", alone=True))
    assert (code, lines[-1]) == (1, "2 passed, 1 failed")


def test_only_failures_show_what_they_printed(run: Run) -> None:
    _, lines = run(a=suite("print('the reason'); raise SystemExit(1)"), b=suite("print('all is well')"))
    assert "the reason" in lines
    assert "all is well" not in lines


def test_a_long_output_loses_its_middle(run: Run) -> None:
    _, lines = run(a=suite("for i in range(999): print('line', i)\nraise SystemExit(1)", "pass"))
    assert "line 0" in lines
    assert "line 998" in lines
    assert "line 500" not in lines


def test_a_report_is_counted_by_its_tests(run: Run, tmp_path: Path) -> None:
    code, lines = run(
        a=reported(tmp_path / "r.xml", junit(10, failures=1, errors=2, skipped=3), 1), b=suite("pass")
    )
    assert (code, lines[-1]) == (1, "5 passed, 3 failed, 3 skipped")


@pytest.mark.parametrize(
    ("text", "code", "closing"),
    [
        (junit(3), 0, "4 passed, 0 failed"),
        (junit(3), 1, "4 passed, 1 failed"),  # a warning as an error, or a crash after the last test
        (junit(0), 0, "1 passed, 1 failed"),  # nothing was tested
        (junit(3)[:40], 1, "1 passed, 1 failed"),
        ("", 0, "1 passed, 1 failed"),
    ],
)
def test_a_report_and_its_command_must_both_be_good(
    run: Run, tmp_path: Path, text: str, code: int, closing: str
) -> None:
    assert run(a=reported(tmp_path / "r.xml", text, code), b=suite("pass"))[1][-1] == closing


def test_yesterdays_report_does_not_count(run: Run, tmp_path: Path) -> None:
    report = tmp_path / "r.xml"
    report.write_text(junit(7))
    crashed = Suite("", [Check("pytest", [sys.executable, "-c", ""], report, read_junit)])
    assert run(a=crashed, b=suite("pass"))[1][-1] == "1 passed, 1 failed"


def test_vitest_counts_a_file_that_does_not_load(tmp_path: Path) -> None:
    report = tmp_path / "unit.json"
    report.write_text("""{"numPassedTests": 4, "numFailedTests": 1, "numPendingTests": 2, "numTodoTests": 1,
        "testResults": [
        {"status": "failed", "assertionResults": []},
        {"status": "failed", "assertionResults": [{"status": "failed"}]},
        {"status": "passed", "assertionResults": [{"status": "passed"}]}]}""")
    assert read_vitest(report) == Counts(4, 2, 3)


def test_playwright_counts_flaky_tests_and_broken_files_as_failures(tmp_path: Path) -> None:
    report = tmp_path / "e2e.json"
    report.write_text(
        '{"stats": {"expected": 5, "unexpected": 1, "flaky": 1, "skipped": 2}, "errors": [{"message": "x"}]}'
    )
    assert read_playwright(report) == Counts(5, 3, 2)
