"""The wire's three descriptions agree: the models, the TypeScript and the document."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from backend import frames, wire
from backend.declaration import Protocol
from engine.registry import describe, protocols
from tools import gen_wire

SERVER = get_args(get_args(wire.ServerMessage)[0])
DOC = (gen_wire.TARGET.parents[2] / "docs" / "wire.md").read_text("utf-8")


def test_the_typescript_is_up_to_date() -> None:
    assert gen_wire.TARGET.read_text("utf-8") == gen_wire.generate(), "run python -m tools.gen_wire"


@pytest.mark.parametrize("model", [*wire.CLIENT, *SERVER], ids=lambda m: m.__name__)
def test_the_document_tells_of_every_message_and_field(model: type[wire.Outgoing]) -> None:
    name = get_args(model.model_fields["type"].annotation)[0]
    row = next((line for line in DOC.splitlines() if re.match(rf"\|[^|]*`{name}`", line)), None)
    assert row is not None, f"docs/wire.md has no row for {name}"
    for field in model.model_fields:
        if field != "type":
            assert f"`{field}`" in row, f"docs/wire.md does not mention {name}.{field}"


def test_the_document_lists_every_section() -> None:
    sections = [
        v
        for k, v in vars(frames).items()
        if k.isupper() and isinstance(v, int) and k not in ("FULL", "DELTA", "VERSION")
    ]
    for tag in sections:
        assert re.search(rf"^\| {tag} ", DOC, re.MULTILINE), tag


def test_the_document_lists_every_close_code() -> None:
    for name, code in vars(wire.Close).items():
        if name.isupper():
            assert re.search(rf"^\| {code} ", DOC, re.MULTILINE), name


def test_protocols_are_declared_as_the_models_say() -> None:
    for spec in protocols().values():
        declared = describe(spec)
        assert Protocol.model_validate(declared).model_dump() == declared
