"""Compiled code kept on disk: never stale, shared between processes, and never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from engine.compiled import cache

ROOT = Path(__file__).parents[2]

RULES = """
from typing import Annotated, Any, NamedTuple
from engine.core.declare import Column, Env, Int, Layer, Message, Param, ProtocolSpec
from made.helper import step
from made.number import STRIDE

class Kept(NamedTuple):
    total: Annotated[Column[int], Int("total", 0, 1 << 40)]

class Ping(NamedTuple):
    number: Annotated[int, Int("number", 0, 9)]

def state():  # made in a function, no name of the module leads to it
    return NamedTuple("State", [("env", Env), ("par", Any), ("kept", Kept)])

def tick(st, net, v):
    st.kept.total[v] = step(st.kept.total[v]) * STRIDE

def on_ping(st, net, v, j, m):
    st.kept.total[v] += m.number

LAYER = Layer("kept", "kept", "", "", Kept, {tick: "tick_s"}, {Ping: on_ping},
              (Param("tick_s", "float", 1.0, "", "", 0.1, 60.0),))
PING = Message(Ping, "PING", "structure", "")
SPEC = ProtocolSpec("made", "Made", "", "", state(), (LAYER,), (PING,), (), {}, False, True)
"""
PLAY = """
import sys, time
from engine.api import Run
from engine.registry import PROTOCOLS
from engine.world.scenario import load_scenario
from made.rules import SPEC
for path, text in zip(sys.argv[1::2], sys.argv[2::2]):
    open(path, "w").write(text)  # after the import: this process still has the old rules
PROTOCOLS["made"] = SPEC
begin, told = time.perf_counter(), []
document = {"version": 1, "topology": {"kind": "line", "n": 1}, "protocol": {"name": "made"}, "duration_s": 9}
run = Run(load_scenario(document), engine="compiled", compiling=told.append)
run.advance(1.0)
print(int(run.scene.sim.st.kept.total[0]), "cold" if told else "warm", round(time.perf_counter() - begin, 2))
"""
HELPER = "def step(x):\n    return x + {}\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A protocol whose rule calls a function of one module and multiplies by a number of another."""
    made = tmp_path / "made"
    made.mkdir()
    (made / "rules.py").write_text(RULES)
    (made / "helper.py").write_text(HELPER.format(3))
    (made / "number.py").write_text("STRIDE = 2\n")
    return made


def started(package: Path, *edits: str, **env: str) -> subprocess.Popen[str]:
    base = package.parent
    return subprocess.Popen(
        [sys.executable, "-B", "-c", PLAY, *edits],
        env={**os.environ, "PYTHONPATH": f"{base}:{ROOT}", "RINGCAST_CACHE": str(base / "cache"), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """What it came to, and whether something had to be compiled. Prints how long that took."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    total, state, seconds = out.split()
    print(f"{state} start: {seconds} s")  # noqa: T201
    return int(total), state


def test_an_edit_is_never_played_with_old_code(package: Path) -> None:
    helper = package / "helper.py"
    # Edited while the process runs: what it compiles later is still the old code, and must be kept as such.
    assert ended(started(package, str(helper), HELPER.format(4))) == (6, "cold")
    assert helper.read_text() == HELPER.format(4)
    assert ended(started(package)) == (8, "cold")
    assert ended(started(package)) == (8, "warm")
    (package / "number.py").write_text("STRIDE = 7\n")
    assert ended(started(package)) == (28, "cold")


def test_two_processes_may_compile_at_once_and_where_they_can_write(package: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    spare = tmp_path / "spare"
    spare.mkdir()
    env = {"RINGCAST_CACHE": str(blocked / "cache"), "TMPDIR": str(spare)}
    both = [started(package, **env), started(package, **env)]
    assert [ended(process)[0] for process in both] == [6, 6]
    assert list(spare.glob("ringcast-*/*/made_*.py"))
    assert ended(started(package, **env)) == (6, "warm")


def test_a_temporary_folder_that_others_can_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("RINGCAST_CACHE", str(blocked / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    usual = cache.home()
    assert usual == tmp_path / f"ringcast-{os.getuid()}"
    usual.chmod(0o777)
    assert cache.home() not in (usual, blocked / "cache")


def test_pruning_keeps_what_was_used_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RINGCAST_CACHE", str(tmp_path))
    for age in range(cache.KEPT + 3):
        (tmp_path / f"old{age}").mkdir()
        os.utime(tmp_path / f"old{age}", (1e9 - age, 1e9 - age))
    place = cache.folder([], "a test")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {place.name, *(f"old{age}" for age in range(cache.KEPT - 1))}


def test_two_threads_may_compile_at_once(tmp_path: Path) -> None:
    def run(pair: int) -> list[int]:
        functions = [_made(f"f{pair}_{k}", k, tmp_path) for k in range(2)]
        together = Barrier(2)

        def call(function: Any) -> int:
            together.wait()
            return int(function(pair))

        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(call, functions))

    assert [run(pair) for pair in range(4)] == [[pair, pair + 1] for pair in range(4)]


def _made(name: str, plus: int, place: Path) -> Any:
    module = cache.load(f"made_{name}", f"def {name}(x):\n    return x + {plus}\n", place, {})
    return cache.compiled(getattr(module, name), place, _nrt=False)
