"""Settings come from the environment and are checked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from backend.settings import PREFIX, ROOT, Settings, default_data
from engine.core.errors import ScenarioError


def test_every_setting_can_be_given_in_the_environment() -> None:
    settings = Settings.from_env(
        {
            "RINGCAST_MAX_NODES": "77",
            "RINGCAST_DATA": "/tmp/x",
            "RINGCAST_PAUSE_S": "1.5",
            "RINGCAST_HOSTS": "A.example, b",
        }
    )
    assert settings.max_nodes == 77
    assert settings.data == Path("/tmp/x")
    assert settings.pause_s == 1.5
    assert settings.allowed_hosts == {"a.example", "b"}


def test_variables_of_others_are_left_alone() -> None:
    assert Settings.from_env({"RINGCAST_NODE": "/usr/bin/node", "MAX_NODES": "1"}).max_nodes == 20_000


@pytest.mark.parametrize(
    ("name", "value"),
    [("MAX_NODES", "many"), ("MAX_NODES", "0"), ("PAUSE_S", "-1"), ("MAX_BODY", "1e400"), ("FRAME_S", "nan")],
)
def test_a_wrong_setting_is_named(name: str, value: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Settings.from_env({PREFIX + name: value})
    assert caught.value.path == PREFIX + name
    assert Settings.model_fields[name.lower()].description in caught.value.allowed  # type: ignore[operator]


def test_data_lives_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert default_data() == Path("/somewhere/ringcast")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert default_data() == Path.home() / ".local" / "share" / "ringcast"


def test_the_document_lists_every_setting_with_its_default() -> None:
    doc = (ROOT / "docs" / "api.md").read_text("utf-8")
    for name, field in Settings.model_fields.items():
        row = next(
            (
                line
                for line in doc.splitlines()
                if line.startswith("|") and f"`{PREFIX}{name.upper()}`" in line
            ),
            None,
        )
        assert row is not None, name
        if isinstance(field.default, int | float):
            assert f"{field.default:.12g}" in re.split(r"[|, ]+", row), name
