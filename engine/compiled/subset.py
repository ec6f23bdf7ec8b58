"""The subset of Python that compiles, checked on the source: what is outside, on which line, and what to write instead.

Inside: numbers, tuples, loops, conditions, calls between module functions, state fields, and `net`. The check looks at the
rules of a stack and at every function they call.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from engine.core.declare import ProtocolSpec
from engine.core.errors import OutsideSubset

_OUTSIDE: dict[type, str] = {
    ast.ListComp: "builds a list; write a loop over numbers",
    ast.SetComp: "builds a set; write a loop over numbers",
    ast.DictComp: "builds a dictionary; keep it in declared state",
    ast.GeneratorExp: "is a generator; write a loop",
    ast.List: "builds a list; send a declared list of the state, with its size",
    ast.Set: "builds a set; keep it in declared state, or as bits of a number",
    ast.Dict: "builds a dictionary; keep it in declared state",
    ast.Lambda: "is a function inside a rule; write it at module level",
    ast.FunctionDef: "is a function inside a rule; write it at module level",
    ast.ClassDef: "is a class inside a rule; write it at module level",
    ast.Yield: "makes a generator; write a loop",
    ast.YieldFrom: "makes a generator; write a loop",
    ast.Await: "waits; rules run at once",
    ast.Try: "catches errors; test for them before",
    ast.Raise: "raises; a rule must go on from any state",
    ast.With: "opens a context; rules have none",
    ast.JoinedStr: "makes text; rules work on numbers",
    ast.Import: "imports; do it at the top of the module",
    ast.ImportFrom: "imports; do it at the top of the module",
    ast.Global: "changes a global; keep it in declared state",
    ast.Nonlocal: "changes an outer variable; keep it in declared state",
    ast.Delete: "deletes; state has a fixed size",
    ast.Starred: "unpacks; name the values",
    ast.Match: "matches patterns; write conditions",
    ast.Pow: "raises to a power, whose last bit depends on who works it out; multiply, or shift",
}
EXITS = frozenset(["broadcast", "unicast", "after", "deliver"])
EXACT = frozenset(["ceil", "copysign", "fabs", "floor", "isfinite", "isinf", "isnan", "sqrt", "trunc"])
"""Of `math`: what every library works out to the same bit."""
BUILTINS = frozenset(["range", "len", "min", "max", "abs", "int", "float", "bool", "round", "divmod"])


def rules(spec: ProtocolSpec) -> list[Callable[..., Any]]:
    """All timers and handlers of a stack, bottom up."""
    found: list[Callable[..., Any]] = []
    for layer in spec.layers:
        found += [*layer.every, *layer.on.values()]
    return found


def reachable(spec: ProtocolSpec) -> list[FunctionType]:
    """The rules and every function they call, by way of names of their modules."""
    return _closure(rules(spec))


def sends(rule: Callable[..., Any]) -> bool:
    """Whether the rule, or a function it calls, may use one of the ways out of a node."""
    return any(_names(f.__code__) & EXITS for f in _closure([rule]))


def _closure(rules: list[Callable[..., Any]]) -> list[FunctionType]:
    found: dict[int, FunctionType] = {}
    ahead = list(rules)
    while ahead:
        f = ahead.pop()
        if isinstance(f, FunctionType) and id(f) not in found:
            found[id(f)] = f
            for name in sorted(_names(f.__code__)):
                called = f.__globals__.get(name)
                if isinstance(called, FunctionType):
                    ahead.append(called)
    return list(found.values())


def _names(code: Any) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, type(code))]
    return set(code.co_names).union(*(_names(c) for c in inner))


def sources(spec: ProtocolSpec) -> set[Path]:
    """The files that the functions of a stack are written in, and those of its declarations."""
    things: list[Any] = [*reachable(spec), spec.state, *(layer.state for layer in spec.layers)]
    things += [m.type for m in spec.messages]
    found = set()
    for thing in things:
        try:
            found.add(Path(inspect.getfile(thing)).resolve())
        except (OSError, TypeError):
            continue
    return found


def frozen(spec: ProtocolSpec) -> str:
    """What compiled code takes over from the loaded modules: the functions as they are, and what they read by name.

    A file may have been edited since it was imported, and a constant may come from a file that no function is in.
    """
    parts = []
    for f in sorted(reachable(spec), key=lambda f: (f.__module__, f.__qualname__)):
        parts.append(f"{f.__module__}.{f.__qualname__} {_essence(f.__code__)} {f.__defaults__!r}")
        parts += [f"  {name} {value}" for name, value in _read_by_name(f)]
    return "\n".join(parts)


def _essence(code: Any) -> str:
    constants = [_essence(c) if isinstance(c, type(code)) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames}"


def _read_by_name(f: FunctionType) -> Iterator[tuple[str, str]]:
    names = sorted(_names(f.__code__))
    for name in names:
        value = f.__globals__.get(name)
        if isinstance(value, ModuleType):
            yield from ((f"{name}.{x}", repr(v)) for x in names if _is_number(v := getattr(value, x, None)))
        elif isinstance(value, np.ndarray):
            yield name, value.tobytes().hex()
        elif isinstance(value, type):
            members = dict(getattr(value, "__members__", {}))  # of an enumeration
            yield name, f"{value.__qualname__} {getattr(value, '_fields', ())} {members}"
        elif value is not None and not callable(value):
            yield name, repr(value)


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float))


def check(spec: ProtocolSpec) -> None:
    """Raises OutsideSubset if the stack cannot be compiled."""
    breaches = []
    for f in rules(spec):
        if not isinstance(f, FunctionType) or f.__closure__ or "<locals>" in f.__qualname__:
            where = getattr(f, "__qualname__", repr(f))
            breaches.append(f"{where}: not a function at module level; a rule may not close over anything")
    for f in reachable(spec):
        try:
            lines, first = inspect.getsourcelines(f)
        except (OSError, TypeError):
            breaches.append(f"{f.__qualname__}: no source to be read")
            continue
        name = Path(f.__code__.co_filename).name
        tree = ast.parse(textwrap.dedent("".join(lines)))
        breaches += [f"{name}:{first + line - 1}: {why}" for line, why in _breaches(tree.body[0], f)]
    if breaches:
        raise OutsideSubset(spec.name, breaches)


def _breaches(tree: ast.AST, f: FunctionType) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if node is tree or isinstance(node, ast.operator):
            continue
        why = _OUTSIDE.get(type(node)) or _OUTSIDE.get(type(getattr(node, "op", None)))
        if why is not None:
            yield getattr(node, "lineno", 1), f"`{_first_line(node)}` {why}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not _is_docstring(node, tree):
            yield node.lineno, f"`{node.value!r}` is text; rules work on numbers"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from _call(node, node.func.id, f)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from _call_in_module(node, node.func, f)


def _call(node: ast.Call, name: str, f: FunctionType) -> Iterator[tuple[int, str]]:
    if name in f.__globals__:
        yield from _inexact(node, f.__globals__[name])
        if isinstance(f.__globals__[name], ModuleType):
            yield node.lineno, f"`{name}` is a module"
    elif name == "round" and len(node.args) > 1:
        yield node.lineno, "`round` to digits depends on who works it out; round to whole numbers"
    elif hasattr(builtins, name) and name not in BUILTINS:
        yield node.lineno, f"`{name}(…)` does not compile; allowed are {', '.join(sorted(BUILTINS))}"
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return  # named by the walk


def _call_in_module(node: ast.Call, func: ast.Attribute, f: FunctionType) -> Iterator[tuple[int, str]]:
    """A function is followed, and compiled, by its own name only."""
    module = f.__globals__.get(func.value.id) if isinstance(func.value, ast.Name) else None
    if not isinstance(module, ModuleType):
        return
    called = getattr(module, func.attr, None)
    yield from _inexact(node, called)
    if isinstance(called, FunctionType):
        yield (
            node.lineno,
            f"`{ast.unparse(func)}` is called by way of its module; import `{func.attr}` by its name",
        )


def _inexact(node: ast.Call, called: object) -> Iterator[tuple[int, str]]:
    if getattr(called, "__module__", None) == "math" and getattr(called, "__name__", "") not in EXACT:
        yield (
            node.lineno,
            f"`{ast.unparse(node.func)}` depends in its last bit on who works it out; exact are {', '.join(sorted(EXACT))}",
        )


def _is_docstring(node: ast.Constant, tree: ast.AST) -> bool:
    body = getattr(tree, "body", [])
    return bool(body) and isinstance(body[0], ast.Expr) and body[0].value is node


def _first_line(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 50 else text[:49] + "…"
