"""The test suites: what they run, how their results are counted, and in which order.

A suite is one or more checks. A check is a command: one that writes a report is counted by its tests, any
other counts as one. Checks run two at a time, the longest first; the browser tests look at times, so they
run alone, last.
"""

from __future__ import annotations

import json
import os
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tools.console import CACHE, ROOT, Stop, run_logged, say, show, stopping
from tools.install import build
from tools.steps import COMPILED, LOGS, MODULES, VENV, environment

REPORTS = CACHE / "report"

# No suite should come near this; it is there so that a hang ends as a failure with a log.
LIMIT_S = 2400.0


@dataclass
class Counts:
    """Numbers of tests."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"

    def add(self, other: Counts) -> None:
        """Add the numbers of another check."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


Reader = Callable[[Path], Counts]


@dataclass(frozen=True)
class Check:
    """One command; `report` and `reader` where it tells about single tests."""

    name: str
    command: Sequence[str | Path]
    report: Path | None = None
    reader: Reader | None = None
    env: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Suite:
    """A name for the command line and what belongs to it."""

    about: str
    checks: Sequence[Check]
    needs_page: bool = False
    alone: bool = False


def read_junit(report: Path) -> Counts:
    """Count pytest's tests."""
    total = Counts()
    for suite in ElementTree.parse(report).iter("testsuite"):  # noqa: S314 (written by pytest, just now)
        tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        total.add(Counts(max(0, tests - failed - skipped), failed, skipped))
    return total


def read_vitest(report: Path) -> Counts:
    """Count vitest's tests; a file that does not load counts as one that failed."""
    told = json.loads(report.read_text())
    files = told["testResults"]
    broken = sum(1 for file in files if file["status"] == "failed" and not file["assertionResults"])
    skipped = told["numPendingTests"] + told.get("numTodoTests", 0)
    return Counts(told["numPassedTests"], told["numFailedTests"] + broken, skipped)


def read_playwright(report: Path) -> Counts:
    """Count Playwright's tests; one that passes only when tried again has failed."""
    told = json.loads(report.read_text())
    stats = told["stats"]
    failed = stats["unexpected"] + stats["flaky"] + len(told["errors"])
    return Counts(stats["expected"], failed, stats["skipped"])


def _node(name: str) -> Path:
    return MODULES / ".bin" / name


def _python(name: str) -> Path:
    return VENV / "bin" / name


_SVELTE_CHECK = ("--tsconfig", "frontend/tsconfig.json", "--fail-on-warnings")
# What has not changed since it was found good is not looked at again; by contents, for a clone's files are all new.
_PRETTIER_CACHE = ("--cache", "--cache-strategy", "content", "--cache-location", CACHE / "prettier")
_TWO_REPORTS = ("--reporter=default", "--reporter=json")
_VITEST, _PLAYWRIGHT = REPORTS / "unit.json", REPORTS / "e2e.json"
_SERVER, _SPARK = "tests/backend", "tests/spark"
_COMPILED = [
    "tests/engine/test_compiled.py",
    "tests/engine/test_compiled_cache.py",
    "tests/engine/test_engines_agree.py",
    "tests/engine/test_kernels.py",
    "tests/engine/test_search.py",
    "tests/engine/test_seen.py",
    "tests/backend/test_bench.py",
    "tests/backend/test_compile.py",
    "tests/backend/test_studies.py",
]


def _pytest(name: str, *tests: str, without: Sequence[str] = ()) -> Check:
    report = REPORTS / f"{name}.xml"
    options = [f"--junit-xml={report}", *tests, *(f"--ignore={path}" for path in without)]
    return Check(name, [_python("pytest"), "-q", *options], report, read_junit)


SUITES = {
    "format": Suite(
        "ruff format and prettier, changing nothing",
        [
            Check("ruff format", [_python("ruff"), "format", "--check", "--output-format=concise", "."]),
            Check("prettier", [_node("prettier"), "--check", "--log-level", "warn", *_PRETTIER_CACHE, "."]),
        ],
    ),
    "lint": Suite(
        "ruff and oxlint",
        [
            Check("ruff", [_python("ruff"), "check", "--output-format=concise", "."]),
            Check("oxlint", [_node("oxlint"), "--deny-warnings", "--format=unix", "frontend", "e2e"]),
        ],
    ),
    "types": Suite(
        "mypy, svelte-check and tsc, all strict",
        [
            Check("mypy", [_python("mypy")]),
            Check("svelte-check", [_node("svelte-check"), *_SVELTE_CHECK]),
            Check("tsc", [_node("tsc"), "--noEmit", "-p", "e2e/tsconfig.json"]),
        ],
    ),
    "layers": Suite(
        "import-linter: who may import whom",
        [Check("import-linter", [_python("lint-imports"), "--no-logo"])],
    ),
    "unit": Suite(
        "vitest: the front end without a browser",
        [
            Check(
                "vitest",
                [_node("vitest"), "run", "--root", "frontend", *_TWO_REPORTS, f"--outputFile.json={_VITEST}"],
                _VITEST,
                read_vitest,
            )
        ],
    ),
    "python": Suite(
        "pytest: the engine, the networks and the tools",
        [_pytest("pytest", without=[_SERVER, _SPARK, *_COMPILED])],
    ),
    "server": Suite(
        "pytest: the server and the command line",
        [_pytest("server", _SERVER, without=_COMPILED)],
        needs_page=True,
    ),
    "compiled": Suite(
        "pytest: the compiled engine, which takes its time to compile",
        [_pytest("compiled", *_COMPILED)],
    ),
    "spark": Suite(
        "pytest: sweeps on Spark, on this machine and on a cluster that is started for it",
        [_pytest("spark", _SPARK)],
    ),
    "e2e": Suite(
        "Playwright: a real browser against the real server",
        [
            Check(
                "playwright",
                [_node("playwright"), "test", "--config", "e2e/playwright.config.ts", "--reporter=list,json"],
                _PLAYWRIGHT,
                read_playwright,
                {"PLAYWRIGHT_JSON_OUTPUT_FILE": str(_PLAYWRIGHT)},
            )
        ],
        needs_page=True,
        alone=True,
    ),
}


def run(names: Sequence[str], extra: Sequence[str]) -> int:
    """Run suites, print what failed and one closing line; return 0 if all is well.

    `extra` goes to the command of a suite that has only one, whose output is then shown as it comes.
    """
    total, bad = Counts(), []
    aloud = sum(len(SUITES[name].checks) for name in names) == 1
    if extra and not aloud:
        raise Stop("arguments after -- need exactly one suite before it, one that is a single command")

    def note(check: Check, counts: Counts, seconds: float, log: Path | None) -> None:
        total.add(counts)
        verdict = "FAIL" if counts.failed else "ok"
        if counts.failed:
            bad.append(check.name)
        if log and counts.failed:
            show(_excerpt(log))
        say(f"{verdict:4} {check.name:13} {seconds:6.1f} s   {counts}")

    if any(SUITES[name].needs_page for name in names) and not _page_builds(note):
        names = [name for name in names if name != "e2e"]

    together = [check for name in names if not SUITES[name].alone for check in SUITES[name].checks]
    longest = ["spark", "server", "compiled", "pytest"]
    together.sort(key=lambda check: longest.index(check.name) if check.name in longest else len(longest))
    alone = [check for name in names if SUITES[name].alone for check in SUITES[name].checks]
    for checks, workers in ((together, min(2, os.cpu_count() or 1)), (alone, 1)):
        with ThreadPoolExecutor(workers) as pool:
            running = {pool.submit(_run_check, check, extra, aloud): check for check in checks}
            try:
                for done in as_completed(running):
                    note(running[done], *done.result())
            except BaseException:
                stopping.set()
                pool.shutdown(cancel_futures=True)
                raise

    if bad:
        logs = "" if aloud else f"; see above or {LOGS.relative_to(ROOT)}"
        say(f"Failed: {', '.join(bad)}{logs}")
    show(str(total))
    return 1 if total.failed else 0


def _excerpt(log: Path) -> str:
    """A log, without its middle if it is long."""
    lines = log.read_text(errors="replace").rstrip().splitlines()
    if len(lines) > 240:
        left_out = f"  … {len(lines) - 240} lines more in {log.relative_to(ROOT)} …"
        lines = [*lines[:80], left_out, *lines[-160:]]
    return "\n".join(lines)


def _page_builds(note: Callable[[Check, Counts, float, Path | None], None]) -> bool:
    """Build the page as a check of its own: a broken page must not keep the other suites from running."""
    started = time.monotonic()
    check = Check("build", [])
    try:
        build()
    except Stop as stop:
        show(str(stop))
        note(check, Counts(failed=1), time.monotonic() - started, None)
        return False
    note(check, Counts(passed=1), time.monotonic() - started, None)
    return True


def _run_check(check: Check, extra: Sequence[str], aloud: bool) -> tuple[Counts, float, Path | None]:
    """Run one check; the log is None where it was shown already."""
    log = LOGS / f"{check.name.replace(' ', '-')}.log"
    if check.report:
        check.report.parent.mkdir(parents=True, exist_ok=True)
        check.report.unlink(missing_ok=True)
    # A setting of the user's own server would make it another program than the one under test.
    kept = {name: value for name, value in environment().items() if not name.startswith("RINGCAST_")}
    env = kept | {"RINGCAST_CACHE": str(COMPILED)}
    started = time.monotonic()
    command = [*check.command, *extra]
    code = run_logged(check.name, command, None if aloud else log, env | check.env, limit_s=LIMIT_S)
    seconds = time.monotonic() - started
    counts = Counts()
    if check.reader and check.report:
        # A crash may leave no report, or half of one.
        with suppress(OSError, ValueError, LookupError, ElementTree.ParseError):
            counts = check.reader(check.report)
    elif code == 0:
        counts = Counts(passed=1)
    # Whatever the report says: a command that failed has failed, and a suite that tested nothing as well.
    if not counts.failed and (code or not counts.passed):
        counts.failed = 1
    return counts, seconds, None if aloud else log
