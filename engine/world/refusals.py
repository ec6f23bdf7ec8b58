"""pydantic's errors in our words: the path in the document, what stood there, what is allowed.

Most field types already carry their own words (`engine.world.fields`); this module handles structure: missing
and unknown fields, wrong kinds, lists and objects of the wrong shape.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from engine.core.errors import ScenarioError
from engine.world.words import Loc, listed, nearest, path_of

TAGS = ("kind", "do")
NOTHING = "nothing"


def explain(
    error: ValidationError, document: Any, annotation: Any, at: tuple[str | int, ...] = ()
) -> ScenarioError:
    """The error a reader should see first; `at` is where `document` stands in the whole."""
    found = [_one(e, document, annotation, at) for e in error.errors(include_url=False)]
    # A misspelt name shows up twice, as missing and as unknown: the unknown one carries the remedy.
    return min(found, key=lambda f: f[0])[1]


def _one(
    e: ErrorDetails, document: Any, annotation: Any, at: tuple[str | int, ...]
) -> tuple[int, ScenarioError]:
    """How soon to tell this one (0 first), and the error itself."""
    loc, value, spec = _resolve(e["loc"], document, annotation)
    ctx = e.get("ctx", {})
    kind = e["type"]
    path = path_of((*at, *loc))
    if kind == "refused":
        # A whole object is no help as "found": the problem says what is wrong with it.
        return 1, ScenarioError(path, value, str(ctx["allowed"]), str(ctx["problem"]))
    if kind == "extra_forbidden":
        fields = _field_names(spec)
        guess = nearest(loc[-1], fields)
        hint = f"did you mean {guess!r}? Fields: " if guess else "the fields "
        return (0 if guess else 1), ScenarioError(path, value, hint + listed(fields, 20), "unknown field")
    if kind == "missing":
        return 1, ScenarioError(path, NOTHING, spec_words(spec), "missing")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return 1, _wrong_tag(path, value, spec)
    if kind == "literal_error":
        return 1, ScenarioError(path, value, str(ctx["expected"]).replace("'", '"'), "not a known value")
    if kind in ("too_long", "too_short"):
        low, high = ctx.get("min_length"), ctx.get("max_length")
        allowed = f"at most {high:,} entries" if high is not None else f"{low:,} or more entries"
        return 1, ScenarioError(
            path, f"{ctx['actual_length'] or 0:,} entries", allowed, kind.replace("_", " ")
        )
    return 1, ScenarioError(path, value, spec_words(spec), _wrong_shape(value))


def _wrong_tag(path: str, value: Any, spec: Any) -> ScenarioError:
    """No `kind` or `do`, or an unknown one."""
    models = [m for m in _members(spec) if _is_model(m)]
    tag = next(t for t in TAGS if t in models[0].model_fields)
    known = [_tag_of(m, tag) for m in models]
    if not isinstance(value, dict):
        return ScenarioError(path, value, f"an object with {tag!r} and its fields", _wrong_shape(value))
    where = path_of((tag,)) if path == "scenario" else f"{path}.{tag}"
    if tag not in value:
        return ScenarioError(where, NOTHING, "one of: " + listed(known, 20), "missing")
    guess = nearest(value[tag], known)
    hint = f"{guess!r}? " if guess else ""
    return ScenarioError(where, value[tag], hint + "one of: " + listed(known, 20), f"unknown {tag}")


def _wrong_shape(value: Any) -> str:
    names = {
        dict: "an object",
        list: "a list",
        tuple: "a list",
        str: "text",
        bool: "a flag",
        type(None): "null",
    }
    return f"{names.get(type(value), 'a number')} does not belong here"


def spec_words(spec: Any) -> str:
    """What a field allows, from its declaration."""
    if isinstance(spec, FieldInfo):
        for marker in spec.metadata:
            if hasattr(marker, "words"):
                return str(marker.words())
        return spec_words(spec.annotation)
    if get_origin(spec) is Annotated:
        inner, *markers = get_args(spec)
        return next((str(m.words()) for m in markers if hasattr(m, "words")), "") or spec_words(inner)
    if get_origin(spec) is Literal:
        return " or ".join(f'"{v}"' if isinstance(v, str) else str(v) for v in get_args(spec))
    members = [m for m in _members(spec) if m is not type(None)]
    tags = [_tag_of(m, t) for t in TAGS for m in members if _is_model(m) and t in m.model_fields]
    if len(members) > 1 and tags:
        return f"an object of the kind {listed(tags, 20)}"
    if len(members) == 1 and members[0] is not spec:
        return spec_words(members[0])
    if members and all(_is_model(m) for m in members):
        fields = _field_names(members[0]) if len(members) == 1 else []
        return "an object" + (f" with {listed(fields, 20)}" if fields else "")
    origin = get_origin(spec) or spec
    if origin in (tuple, list):
        return "a list"
    return "an object" if origin is dict else "a value of the documented type"


def _resolve(loc: Loc, document: Any, annotation: Any) -> tuple[tuple[str | int, ...], Any, Any]:
    """The place without pydantic's union tags, the value there, and the declaration it had to meet.

    For a missing field the value is None; for an unknown one the declaration is that of the object around it.
    """
    place: list[str | int] = []
    value, spec = document, annotation
    for part in loc:
        models = [m for m in _members(spec) if _is_model(m)]
        if isinstance(value, dict) and len(models) > 1:
            chosen = [m for m in models if part in [_tag_of(m, t) for t in TAGS]]
            if chosen:
                spec = chosen[0]
                continue
        if isinstance(value, dict) and models:
            place.append(part)
            field = next((f for n, f in models[0].model_fields.items() if part in (n, f.alias)), None)
            spec = field if field is not None else spec
            value = value.get(part)
        elif isinstance(value, dict) and isinstance(part, str) and part in value:
            place.append(part)
            value, spec = value[part], _args(spec, -1)
        elif isinstance(value, list | tuple) and isinstance(part, int) and part < len(value):
            place.append(part)
            value, spec = value[part], _args(spec, part)
        else:
            break
    return tuple(place), value, spec


def _args(spec: Any, index: int) -> Any:
    """The declaration of an entry of a list or of an object's values."""
    spec = _bare(spec)
    for member in _members(spec):
        args = get_args(member)
        if get_origin(member) in (tuple, dict) and args:
            return args[0] if args[-1] is Ellipsis else args[min(index, len(args) - 1)]
    return spec


def _bare(spec: Any) -> Any:
    if isinstance(spec, FieldInfo):
        spec = spec.annotation
    while get_origin(spec) is Annotated:
        spec = get_args(spec)[0]
    return spec


def _members(spec: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the declaration itself."""
    spec = _bare(spec)
    if get_origin(spec) in (Union, UnionType):
        return tuple(_bare(m) for m in get_args(spec))
    return (spec,)


def _is_model(spec: Any) -> bool:
    return isinstance(spec, type) and issubclass(spec, BaseModel)


def _tag_of(model: Any, tag: str) -> str:
    field = model.model_fields.get(tag)
    return str(get_args(field.annotation)[0]) if field is not None else ""


def _field_names(spec: Any) -> list[str]:
    model = next((m for m in _members(spec) if _is_model(m)), None)
    return [f.alias or n for n, f in model.model_fields.items()] if model is not None else []
