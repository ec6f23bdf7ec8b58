"""Compiling ahead: the command, and the process that a server starts for it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from backend.ahead import COMMAND, Ahead
from backend.cli import main


def test_what_is_compiled_is_there_afterwards(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "flooding", "token-ring"]) == 0
    capsys.readouterr()
    # Another process finds it.
    again = subprocess.run([*COMMAND, "token-ring", "flooding"], check=True, capture_output=True, text=True)
    assert again.stdout == "token-ring: there already\nflooding: there already\n"


def test_a_protocol_that_is_none_is_refused_before_anything_is_compiled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compile", "flooding", "nothing"]) == 2
    told = capsys.readouterr()
    assert "protocol.name: unknown protocol (found 'nothing')" in told.err.replace('"', "'")
    assert told.out == ""


def test_the_process_ends_with_the_server(tmp_path: Path) -> None:
    said = tmp_path / "said"
    text = f"import os, time; open({str(said)!r}, 'w').write(str(os.getpid()) + '.'); time.sleep(600)"

    async def serve() -> int:
        ahead = Ahead([sys.executable, "-c", text], 0.0)
        ahead.start()
        until = time.monotonic() + 60
        while not (said.exists() and said.read_text().endswith(".")):
            assert time.monotonic() < until
            await asyncio.sleep(0.02)
        await ahead.close()
        return int(said.read_text()[:-1])

    pid = asyncio.run(serve())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_server_that_ends_at_once_starts_nothing(tmp_path: Path) -> None:
    said = tmp_path / "said"

    async def serve() -> None:
        never_started, soon_over = Ahead(), Ahead([sys.executable, "-c", f"open({str(said)!r}, 'w')"], 60.0)
        soon_over.start()
        await asyncio.sleep(0)
        await asyncio.gather(never_started.close(), soon_over.close())

    asyncio.run(serve())
    assert not said.exists()
