"""The command line: what is printed, where mistakes go, and the exit codes."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend.cli import main, play
from backend.report import Report
from engine.core.errors import ScenarioError
from engine.registry import protocols
from engine.world import share
from tests.backend.support import scenario

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command in this process: (exit code, standard output, standard error)."""

    def run(*argv: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main(list(argv))
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def document(tmp_path: Path) -> str:
    """A scenario in a file."""
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(scenario()))
    return str(path)


def mistake(answer: tuple[int, str, str]) -> str:
    """The one line of a user's mistake."""
    code, out, err = answer
    assert code == 2, err
    assert out == ""
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    return err


def test_run_writes_the_report(call: Call, document: str) -> None:
    code, out, err = call("run", document)
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert Report.model_validate(report).model_dump(mode="json", by_alias=True) == report
    assert report["end_s"] == 60.0
    assert report["legitimacy"]["pubsub"]["wrong"] == 0
    assert call("run", document)[1] == out, "the same scenario, the same report"


def test_run_reads_standard_input_and_writes_files(call: Call, document: str, tmp_path: Path) -> None:
    report, trace = tmp_path / "report.json", tmp_path / "trace.jsonl"
    code, out, err = call(
        "run",
        "-",
        "--until",
        "5",
        "--report",
        str(report),
        "--trace",
        str(trace),
        stdin=Path(document).read_bytes(),
    )
    assert (code, out, err) == (0, "", "")
    assert json.loads(report.read_text())["end_s"] == 5.0
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    assert lines[0]["do"] == "send"
    assert {"send", "receive", "command"} <= {line["do"] for line in lines}
    assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)
    assert not list(tmp_path.glob("*.part"))


def test_what_is_no_ordinary_file_stays_what_it_is(call: Call, document: str, tmp_path: Path) -> None:
    pipe, link, real = tmp_path / "pipe", tmp_path / "link", tmp_path / "real"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    link.symlink_to(real)
    for target in (pipe, link):
        assert call("run", document, "--until", "5", "--report", str(target)) == (0, "", "")
    assert pipe.is_fifo()
    assert json.loads(os.read(reader, 1 << 20))["end_s"] == 5.0
    os.close(reader)
    assert link.is_symlink()
    assert json.loads(real.read_text())["end_s"] == 5.0
    assert not list(tmp_path.glob("*.part"))
    code, _, err = call("run", document, "--until", "5", "--report", f"{real}/below")
    assert code == 2
    assert "a file that can be written" in err


def test_every_engine_writes_the_same_report(call: Call, document: str) -> None:
    reports = [call("run", document, "--engine", name) for name in ("auto", "compiled", "interpreted")]
    assert {code for code, _, _ in reports} == {0}
    assert len({out for _, out, _ in reports}) == 1


def test_compiling_is_told_once(
    call: Call, document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import engine.compiled.build as build

    monkeypatch.setattr(build.Stack, "cold", property(lambda stack: True))
    code, _, err = call("run", document, "--engine", "compiled")
    assert code == 0
    assert re.fullmatch(r"Compiling PSVR .*\nCompiled PSVR in [0-9.]+ s\n", err)


def test_the_compiled_engine_keeps_no_trace(call: Call, document: str, tmp_path: Path) -> None:
    trace = str(tmp_path / "t.jsonl")
    assert "--engine" in mistake(call("run", document, "--engine", "compiled", "--trace", trace))


def test_a_long_run_tells_on_a_terminal_how_far_it_is(
    call: Call, document: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "QUIET_S", 0.0)
    monkeypatch.setattr(play, "TELL_S", 0.0)
    assert call("run", document)[2] == "", "standard error is no terminal here"
    monkeypatch.setattr(play, "is_terminal", lambda: True)
    assert "of 60.0 s (" in call("run", document)[2]


def test_link_and_unlink_are_each_others_inverse(call: Call, document: str) -> None:
    code, fragment, err = call("link", document, "--until", "10")
    assert (code, err) == (0, "")
    shared = share.decode(fragment)
    assert shared.end_s == 10.0
    assert json.loads(call("run", document, "--until", "10")[1])["digest"] == shared.digest
    for text in (fragment.strip(), "#" + fragment.strip(), "https://example.org/#" + fragment.strip()):
        code, out, err = call("unlink", text)
        assert (code, err) == (0, "")
        assert json.loads(out)["events"] == scenario()["events"]
    assert call("unlink", "-", stdin=fragment.encode())[1] == out


def test_topology_tells_facts_or_writes_the_network(call: Call, tmp_path: Path) -> None:
    code, out, err = call("topology", "leipzig")
    assert (code, err) == (0, "")
    assert "nodes       210\n" in out
    assert "links       413\n" in out
    assert "components  1 (210 nodes)\n" in out
    for form in ("json", "graphml", "gml", "edgelist", "netjson"):
        code, text, err = call("topology", "mesh-17", "--to", form)
        assert (code, err) == (0, "")
        path = tmp_path / f"net.{form}"
        path.write_text(text)
        assert "nodes       17\n" in call("topology", str(path))[1]
        assert "nodes       17\n" in call("topology", "-", stdin=text.encode())[1]


def test_protocols_and_schemas(call: Call) -> None:
    assert "psvr: " in call("protocols")[1]
    assert [p["name"] for p in json.loads(call("protocols", "--json")[1])] == list(protocols())
    for name in ("scenario", "run-report", "protocols", "sweep"):
        assert json.loads(call("schema", name)[1])["$schema"]


def test_version_and_help(call: Call) -> None:
    assert call("--version")[1].startswith("ringcast ")
    code, out, _ = call("--help")
    assert code == 0
    for command in ("serve", "run", "topology", "link", "unlink", "protocols", "schema", "sweep", "bench"):
        assert re.search(rf"^    {command}\s", out, re.MULTILINE), command


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "COMMAND"),
        (["dance"], "choose from"),
        (["run"], "file"),
        (["run", "/nowhere/at/all.json"], "no such file"),
        (["run", "/"], "is a directory"),
        (["run", "\0"], "not a file name"),
        (["run", "DOC", "--until", "-1"], "more than 0"),
        (["run", "DOC", "--until", "nan"], "more than 0"),
        (["run", "DOC", "--until", "soon"], "more than 0"),
        (["run", "DOC", "--report", "/nowhere/report.json"], "no such file"),
        (["run", "DOC", "--trace", "-"], "--report F"),
        (["topology", "atlantis"], "leipzig"),
        (["topology", "leipzig", "--to", "png"], "graphml"),
        (["topology", "leipzig", "--to", "csv"], "positions"),
        (["unlink", "s1.AAAA"], "link"),
        (["unlink", "nonsense"], "share link"),
        (["schema", "nothing"], "run-report"),
        (["serve", "--port", "70000"], "0 to 65535"),
        (["serve", "--port", "x"], "0 to 65535"),
        (["serve", "--host", "no.such.host.invalid"], "--host"),
        (["serve", "--host", "203.0.113.7"], "--host"),
    ],
)
def test_mistakes_are_told_in_one_line(call: Call, document: str, argv: list[str], words: str) -> None:
    assert words in mistake(call(*[document if a == "DOC" else a for a in argv]))


BAD = [
    b"",
    b"{",
    b"\xff\xfe\x00",
    b"[]",
    b'{"version": 1, "version": 1}',
    b"[" * 100_000,
    json.dumps(scenario(protocol={"name": "pigeon"})).encode(),
    json.dumps(scenario(events=[{"t": 1, "do": "fail-node", "node": "x\ny"}])).encode(),
    b" " * 5_000_001,
]


@pytest.mark.parametrize("data", BAD, ids=range(len(BAD)))
def test_bad_documents_are_told_in_one_line(call: Call, data: bytes) -> None:
    for command in ("run", "link"):
        assert "allowed" in mistake(call(command, "-", stdin=data))


def test_a_taken_port(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RINGCAST_DATA", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "this port is taken" in mistake(call("serve", "--port", str(port)))


def test_a_data_folder_or_setting_that_cannot_be_used(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RINGCAST_DATA", str(tmp_path / "file"))
    assert "RINGCAST_DATA" in mistake(call("serve", "--port", "0"))
    monkeypatch.setenv("RINGCAST_MAX_NODES", "many")
    assert "RINGCAST_MAX_NODES" in mistake(call("serve", "--port", "0"))


def test_a_mistake_of_ours_is_not_called_the_users(
    call: Call, document: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Any) -> Any:
        raise RuntimeError("made to fail")

    monkeypatch.setattr("engine.api.Run.report", broken)
    code, out, err = call("run", document)
    assert (code, out) == (1, "")
    assert "made to fail" in err
    assert err.startswith("ringcast: ")


def test_a_stopped_run_leaves_no_half_file(
    call: Call, document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(self: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.api.Run.report", stopped)
    report = tmp_path / "report.json"
    code, _, err = call("run", document, "--report", str(report))
    assert (code, err) == (130, "stopped\n")
    assert [p.name for p in tmp_path.iterdir()] == ["scenario.json"]


def test_a_closed_pipe_ends_the_command_quietly(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "backend.cli", "topology", "munich", "--to", "json"]
    with os.fdopen(write, "wb") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.stderr == b""
    assert done.returncode != 0


def test_errors_of_the_engine_are_one_line_even_with_line_breaks_in_them() -> None:
    assert "\n" not in str(ScenarioError("a", "x\ny", "b"))
