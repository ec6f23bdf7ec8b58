"""Write frontend/src/wire.gen.ts: the messages, API bodies and frame constants as TypeScript.

    python -m tools.gen_wire [--check]

The pydantic models are the source; a test compares the file with what this writes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from backend import declaration, documents, frames, refusal, wire
from backend.sweeps import bodies
from engine.core.trace import REASONS

TARGET = Path(__file__).resolve().parent.parent / "frontend" / "src" / "wire.gen.ts"

HEAD = """\
// Written by tools/gen_wire.py from the models in backend/. Do not edit.
/* eslint-disable */

"""


def models() -> list[type[BaseModel]]:
    """Everything that crosses the wire, in a stable order."""
    client = get_args(get_args(wire.ClientMessage)[0])
    server = get_args(get_args(wire.ServerMessage)[0])
    api = [
        m
        for module in (documents, bodies, refusal)
        for m in vars(module).values()
        if isinstance(m, type)
        and issubclass(m, BaseModel)
        and m.__module__ == module.__name__
        and m is not documents.Asked
    ]
    return [*client, *server, declaration.Protocol, *api]


def ts_type(schema: dict[str, Any]) -> str:
    """A JSON schema as a TypeScript type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "const" in schema:
        return _literal(schema["const"])
    if "enum" in schema:
        return " | ".join(_literal(v) for v in schema["enum"])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(ts_type(s) for s in schema[key]))
    match schema.get("type"):
        case "string":
            return "string"
        case "integer" | "number":
            return "number"
        case "boolean":
            return "boolean"
        case "null":
            return "null"
        case "array":
            inner = ts_type(schema["items"])
            return f"({inner})[]" if " " in inner else f"{inner}[]"
        case "object":
            more = schema.get("additionalProperties", True)
            return f"Record<string, {ts_type(more) if isinstance(more, dict) else 'unknown'}>"
    return "unknown"


def _literal(value: object) -> str:
    return "'" + value + "'" if isinstance(value, str) else json.dumps(value)


def _doc(text: str, indent: str = "") -> str:
    return f"{indent}/** {' '.join(text.split())} */\n" if text else ""


def interface(name: str, schema: dict[str, Any], asked: bool) -> str:
    """One model; in what a browser sends, fields with defaults may be left out."""
    out = _doc(schema.get("description", "")) + f"export interface {name} {{\n"
    required = set(schema.get("required", ()))
    for field, inner in schema.get("properties", {}).items():
        optional = "?" if asked and field not in required else ""
        out += _doc(inner.get("description", ""), "  ") + f"  {field}{optional}: {ts_type(inner)};\n"
    return out + "}\n\n"


def generate() -> str:
    """The whole file."""
    asked = {m.__name__ for m in get_args(get_args(wire.ClientMessage)[0])}
    asked |= {m.__name__ for m in documents.Asked.__subclasses__()}
    _, schema = models_json_schema(
        [(m, "validation" if m.__name__ in asked else "serialization") for m in models()]
    )
    out = HEAD
    for name, definition in sorted(schema["$defs"].items()):
        out += interface(name, definition, name in asked)
    for union in ("ClientMessage", "ServerMessage"):
        names = [m.__name__ for m in get_args(get_args(getattr(wire, union))[0])]
        out += f"export type {union} =\n  | " + "\n  | ".join(names) + ";\n\n"
    sections = {
        name: value
        for name, value in vars(frames).items()
        if name.isupper() and isinstance(value, int) and name not in ("VERSION", "FULL", "DELTA")
    }
    closes = {k: v for k, v in vars(wire.Close).items() if k.isupper()}
    out += f"export const WIRE_VERSION = {wire.VERSION};\n"
    out += f"export const HEADER_BYTES = {frames.HEADER.size};\n"
    out += f"export const SECTION_HEADER_BYTES = {frames.SECTION.size};\n"
    out += _const("FRAME", {"FULL": frames.FULL, "DELTA": frames.DELTA})
    out += _const("SECTION", sections)
    out += _const("CLOSE", closes)
    out += "export const DROP_REASONS = [" + ", ".join(f"'{r}'" for r in REASONS) + "] as const;\n"
    out += f"export const MIN_SPEED = {wire.MIN_SPEED:g};\nexport const MAX_SPEED = {wire.MAX_SPEED:g};\n"
    return out


def _const(name: str, values: dict[str, int]) -> str:
    return (
        f"export const {name} = {{\n" + "".join(f"  {k}: {v},\n" for k, v in values.items()) + "} as const;\n"
    )


def main(argv: list[str]) -> int:
    text = generate()
    if "--check" in argv:
        if TARGET.exists() and TARGET.read_text("utf-8") == text:
            return 0
        print(f"{TARGET} is out of date: run python -m tools.gen_wire", file=sys.stderr)
        return 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
