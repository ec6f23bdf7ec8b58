"""The benchmarks: every line is there, and the contenders do the same work."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from backend.bench import engine, kernels, main, more, proof, report
from backend.bench.contender import make
from backend.bench.race import Child, Result, agree
from backend.bench.workload import network
from backend.cli import main as ringcast

GPP = shutil.which("g++") is not None
PEERS = network(100, 8, 1)


@pytest.fixture(scope="module")
def measured() -> report.Measured:
    return engine.run(quick=True, tell=lambda what: None)


def test_every_contender_has_its_line(measured: report.Measured) -> None:
    rows = re.findall(r"^\| 100 +\| (.+?) +\|", report.markdown(measured), re.MULTILINE)
    names = [name for name in report.TITLES if name != "C++" or GPP]
    assert rows == [report.TITLES[name] for name in names]
    text = report.markdown(measured)
    for line in ("| 1,000,000 ", "| interpreted ", "| compiled, cold ", "| compiled, warm ", "Machine: "):
        assert text.count(f"\n{line}") + text.startswith(line) == 1, line
    assert ("**Threads**" in text) == (measured.threads is not None)
    assert ("no g++" in text) == (not GPP)


def test_every_figure_is_a_measure_of_something(measured: report.Measured) -> None:
    for r in measured.results:
        assert 0 < r.median_rate <= r.rate, r.name
        assert all(events > 0 for events, _ in r.slices), r.name
        assert r.peak_mb > 1, r.name
    assert all(ns > 0 for _, ns in measured.growth)
    assert all(s.cpu_s > 0 and s.seconds > 0 for s in measured.starts)


def test_the_contenders_do_the_same_work(measured: report.Measured) -> None:
    by_name = {r.name: r for r in measured.results}
    ours = by_name["beacons interpreted"]
    for name in ("simpy lean", "simpy idiomatic"):
        assert by_name[name].warm_events == pytest.approx(ours.warm_events, rel=0.01)
    for r in by_name.values():
        if not r.name.startswith("psvr"):
            assert r.check == ours.check, r.name
    for same in ["beacons compiled", "C++"] if GPP else ["beacons compiled"]:
        assert by_name[same].warm_events == ours.warm_events
    assert len({r.warm_events for r in by_name.values() if r.name.startswith("psvr")}) == 1
    for more_ in ("", " digest"):
        assert by_name[f"psvr compiled{more_}"].check == by_name[f"psvr interpreted{more_}"].check


@pytest.mark.skipif(not GPP, reason="there is no g++ here")
def test_the_cpp_program_plays_the_very_same_events(tmp_path: Path) -> None:
    program = more.compile_cpp(tmp_path)
    assert program is not None
    ours = make("beacons interpreted", PEERS)
    theirs = Child("C++", PEERS, [str(program)])
    try:
        for t in (0.3, 1.0, 2.5, 12.0):  # on the way to the tree, not only there
            theirs.play(t - theirs.t)
            ours.play(t)
            *_, check = theirs.play(0.0)
            assert (theirs.events, check) == (ours.events, ours.check())
    finally:
        theirs.close()


def test_other_work_is_noticed() -> None:
    one = Result("a", 100, warm_events=1000, check=7)
    agree([one, Result("b", 100, warm_events=1010, check=7)])
    with pytest.raises(RuntimeError, match="1,011 events"):
        agree([one, Result("b", 100, warm_events=1011, check=7)])
    with pytest.raises(RuntimeError, match="states differ"):
        agree([one, Result("b", 100, warm_events=1000, check=8)])


def test_a_contender_that_dies_is_named() -> None:
    with pytest.raises(RuntimeError, match=r"the contender C\+\+ ended with code 0"):
        Child("C++", PEERS, ["true"]).play(1.0)


def test_without_a_compiler_the_rest_goes_on(
    measured: report.Measured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert more.compile_cpp(tmp_path) is None
    measured = report.Measured(**{**vars(measured), "cpp": False})
    measured.results = [r for r in measured.results if r.name != "C++"]
    text = report.markdown(measured)
    assert "\nNo C++ figures: " in text
    assert "SimPy, lean" in text


def test_figures_go_between_the_marks_and_the_plot_is_drawn(
    measured: report.Measured, tmp_path: Path
) -> None:
    (tmp_path / "images").mkdir()
    page, picture = report.write(measured, tmp_path)
    fresh = page.read_text()
    page.write_text(f"before\n{fresh}after\n")
    report.write(measured, tmp_path)
    assert page.read_text() == f"before\n{fresh}after\n"
    drawn = picture.read_bytes()
    text = "".join(ElementTree.fromstring(drawn).itertext())  # noqa: S314
    for label in (
        "SimPy, lean",
        "SimPy, idiomatic",
        "compiled",
        "with digest",
        "nodes",
        *["C++ by hand"] * GPP,
    ):
        assert label in text, label
    report.write(measured, tmp_path)
    assert picture.read_bytes() == drawn


@pytest.mark.parametrize(
    "argv", [["--help"], ["interpreted", "--help"], ["engine", "--help"], ["kernels", "--help"]]
)
def test_help_tells_of_all(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(argv)
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "engine" in out
    assert ("--quick" in out) == (argv[0] in ("engine", "kernels"))


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--nodes", "0"], "--nodes: '0'; allowed are whole numbers from 1 to"),
        (["--nodes", "8"], "--nodes: too few"),
        (["--repeat", "few"], "--repeat: 'few'; allowed are whole numbers from 1 to"),
        (["--memory-nodes", "-1"], "--memory-nodes: '-1'; allowed are whole numbers from 0 to"),
        (["kernels", "--prove", "0"], "--prove: '0'; allowed are whole numbers from 1 to"),
        (["kernels", "--prove", "9" * 30], "allowed are whole numbers from 1 to 10,000,000"),
        (["kernels", "--way", "ringps"], "--way: the benchmark counts all ways"),
        (["radio", "--stretch", "0"], "--stretch: '0'; allowed are more than 0 and at most"),
        (["radio", "--stretch", "nan"], "--stretch: 'nan'; allowed are more than 0 and at most"),
        (["spark", "--runs", "1.5"], "--runs: '1.5'; allowed are whole numbers from 1 to"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(
    argv: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = ringcast(["bench", *argv])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert told in capsys.readouterr().err


def test_the_interpreted_engine_beside_simpy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--nodes", "60", "--repeat", "1", "--memory-nodes", "60"]) == 0
    out = capsys.readouterr().out
    for name in ("ringcast, tree layer", "SimPy, lean", "SimPy, idiomatic", "ringcast, PSVR stack, digest"):
        assert re.search(rf"^{name}.* \d+\.\d\d\d ", out, re.MULTILINE), name
    assert re.search(r"peak memory \d+ MB", out)


def test_kernels_beside_networkx(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["kernels", "--quick", "--write", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    for degree in kernels.DEGREES:
        rows = re.findall(rf"^\| {degree} +\| (.+?) +\| .* \| ([\d.,]+) +\|$", out, re.MULTILINE)
        assert [name for name, _ in rows] == ["**kernel**", "kernel, all five ways", "networkx"]
        ours, _, theirs = (float(ratio.replace(",", "")) for _, ratio in rows)
        assert ours > 20 > theirs == 1
    page = (tmp_path / "performance.md").read_text()
    assert page.count("× networkx") == 1
    report.replace(tmp_path / "performance.md", "another", "more\n")
    report.replace(tmp_path / "performance.md", kernels.MARK, "less\n")
    assert (
        (tmp_path / "performance.md").read_text().startswith(f"<!-- measured: {kernels.MARK} -->\n\nless\n\n")
    )
    assert "× networkx" not in (tmp_path / "performance.md").read_text()
    assert (tmp_path / "performance.md").read_text().endswith("\n\nmore\n\n<!-- /measured -->\n")


def test_networkx_and_kernel_must_agree() -> None:
    found = {"tree_of_root": 7}
    kernels.agree(8, {"tree_of_root": [7, 8], "ringps": [1, 2]}, [found])
    with pytest.raises(RuntimeError, match="degree 8: the kernel counts"):
        kernels.agree(8, {"tree_of_root": [7, 8]}, [found, found])


def test_kernels_are_proved_on_as_many_networks_as_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "PLAYED", {"psvr_all_links": proof.PLAYED["psvr_all_links"]})
    assert main(["kernels", "--prove", "20"]) == 0
    told = "psvr_all_links: 200 publications on 20 networks, the same in both engines"
    assert capsys.readouterr().out.startswith(told)
