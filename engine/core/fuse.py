"""Loop fusion: one call a broadcast instead of one a receiver.

Theory of operation. Many nodes hear a broadcast, and most handlers are a few stores: calling them, and looking up anew
what is the same for all receivers, costs more than the stores. So from the source on the left the right one is made:

    def on_beacon(st, net, v, j, m):              def on_beacon(st, net, receivers, m):
        tree = st.tree                                "st.tree.heard" = st.tree.heard
        tree.heard[v][j] = m.dist                     "m.dist" = m.dist
                                                      for v, j in receivers:
                                                          "st.tree.heard"[v][j] = "m.dist"

(What leaves the loop is kept in a local called by its own text, which no name in a source can be.) Receivers are served
in the same order, each after all that the ones before it did. So both do the same, provided that

- what leaves the loop is constant while a frame is handled: messages are immutable, no handler gives a field of the state
  another list (to them they are named tuples), columns are changed in place, `net.now()` is the time of the event; so is a
  name given such a value in one place only;
- nothing leaks from one receiver to the next: a local is read only where it certainly has a value (`_settle`);
- `return` can become `continue`: it stands in no inner loop;
- the source is that of the running code: compiled again, it gives the same.

Whatever is not plainly so (closures, decorators, comprehensions, `try`, a parameter given a new value …) is not fused,
and the handler is called for one receiver at a time. Fusing is an optimisation, never a requirement.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, TypeAlias

Fused: TypeAlias = Callable[[Any, Any, list[tuple[int, int]], Any], None]
Names: TypeAlias = frozenset[str]

SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
UNFIT = (*SCOPES, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class _Unfit(Exception):
    """This handler has to be called for one receiver at a time."""


@lru_cache(maxsize=256)
def fuse(handler: Callable[..., None]) -> Fused | None:
    """`handler(st, net, v, j, m)` as a function of (st, net, [(v, j) …], m); None where that is not plainly the same."""
    try:
        return _fused(handler)
    except (_Unfit, OSError, SyntaxError):  # OSError: there is no source
        return None


def _fused(handler: Callable[..., None]) -> Fused:
    if not isinstance(handler, FunctionType) or handler.__closure__:
        raise _Unfit
    code = handler.__code__
    if code.co_argcount != 5 or code.co_kwonlyargcount or code.co_flags & VARIADIC:
        raise _Unfit
    tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    rule = tree.body[0]
    if not isinstance(rule, ast.FunctionDef) or rule.decorator_list:
        raise _Unfit
    again = [c for c in compile(tree, code.co_filename, "exec").co_consts if isinstance(c, CodeType)]
    if [_essence(c) for c in again] != [_essence(code)]:
        raise _Unfit
    st, net, v, j, m = code.co_varnames[:5]
    stored = Counter(x.id for x in ast.walk(rule) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store))
    if stored.keys() & {st, net, v, j, m} or any(isinstance(x, UNFIT) for x in ast.walk(rule)):
        raise _Unfit
    _settle(rule.body, frozenset(), frozenset(stored), inner=False)

    outside = _Outside(st, net, m, {name for name, times in stored.items() if times == 1})
    loop = ast.parse(f"for {v}, {j} in 0: 0").body[0]
    assert isinstance(loop, ast.For)
    loop.iter = ast.Name("receivers of the frame", ast.Load())
    loop.body = [outside.visit(statement) for statement in rule.body]
    constants = [
        ast.copy_location(ast.Assign([ast.Name(text, ast.Store())], ast.parse(text, mode="eval").body), node)
        for text, node in outside.found.items()
    ]
    rule.args.args = [ast.arg(name) for name in (st, net, "receivers of the frame", m)]
    rule.body, rule.returns, rule.args.defaults = [*constants, loop], None, []
    ast.increment_lineno(
        ast.fix_missing_locations(tree), code.co_firstlineno - 1
    )  # tracebacks show the handler
    made: dict[str, Fused] = {}
    exec(compile(tree, code.co_filename, "exec"), handler.__globals__, made)
    return made[rule.name]


def _essence(code: CodeType) -> tuple[Any, ...]:
    return code.co_code, repr(code.co_consts), code.co_names, code.co_varnames


def _settle(body: Sequence[ast.stmt], known: Names, local: Names, *, inner: bool) -> Names:
    """The locals that certainly have a value after `body` if `known` had one before; all of them if it never gets there.

    Raises _Unfit for a read of any other, for a `return` within a loop, and for every statement not listed here.
    """
    for statement in body:
        match statement:
            case ast.If(test, then, otherwise):
                _read(test, known, local)
                known = _settle(then, known, local, inner=inner) & _settle(
                    otherwise, known, local, inner=inner
                )
            case ast.For(target, source, then, otherwise):
                _read(source, known, local)
                _settle(then, known | _read(target, known, local), local, inner=True)
                _settle(otherwise, known, local, inner=True)
            case ast.While(test, then, otherwise):
                _read(test, known, local)
                _settle([*then, *otherwise], known, local, inner=True)
            case ast.Return(None) if not inner:
                return local
            case ast.Break() | ast.Continue():
                return local
            case ast.AugAssign(ast.Name(name)) if name not in known:
                raise _Unfit
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign(value=ast.expr()) | ast.Expr() | ast.Pass():
                known |= _read(statement, known, local)
            case _:
                raise _Unfit
    return known


def _read(node: ast.AST, known: Names, local: Names) -> Names:
    """The names stored to in this piece of code without branches. Raises _Unfit if it reads a local not `known`."""
    names = [x for x in ast.walk(node) if isinstance(x, ast.Name)]
    if any(isinstance(x.ctx, ast.Load) and x.id in local - known for x in names):
        raise _Unfit
    return frozenset(x.id for x in names if isinstance(x.ctx, ast.Store))


class _Outside(ast.NodeTransformer):
    """Names what is constant by its text, notes it in `found`, and turns `return` into `continue`."""

    def __init__(self, st: str, net: str, m: str, once: set[str]) -> None:
        self.st, self.net, self.m, self.once = st, net, m, once
        self.alias: dict[str, str] = {}  # a name for a constant, and the constant's text
        self.found: dict[str, ast.expr] = {}  # texts, and where they were met first

    def constant(self, node: ast.expr) -> str | None:
        """The text of a constant: `st.tree`, `st.tree.heard`, `m.dist`, `net.now()`, or a name for one of these."""
        match node:
            case ast.Name(name, ast.Load()):
                return self.alias.get(name)
            case ast.Call(ast.Attribute(ast.Name(self.net), "now"), [], []):
                return f"{self.net}.now()"
            case ast.Attribute(ast.Name(self.st | self.m as name), field, ast.Load()):
                return f"{name}.{field}"
            case ast.Attribute(value, field, ast.Load()):
                layer = self.constant(value)
                inside = layer is not None and layer.startswith(f"{self.st}.") and layer.count(".") == 1
                return f"{layer}.{field}" if inside else None
        return None

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and (text := self.constant(node)) is not None:
            self.found.setdefault(text, node)
            return ast.copy_location(ast.Name(text, ast.Load()), node)
        return super().visit(node)

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return ast.copy_location(ast.Continue(), node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """Names for constants are no longer needed; the rest is assigned as before."""
        match node:
            case ast.Assign([ast.Tuple(lefts)], ast.Tuple(rights)) if len(lefts) == len(rights):
                pairs = list(zip(lefts, rights, strict=True))
            case ast.Assign([left], right):
                pairs = [(left, right)]
            case _:
                pairs = []
        rest = []
        for left, right in pairs:
            text = self.constant(right)
            if text is not None and isinstance(left, ast.Name) and left.id in self.once:
                self.alias[left.id] = text
            else:
                rest.append((left, right))
        if len(rest) < len(pairs):
            if not rest:
                return ast.copy_location(ast.Pass(), node)
            lefts, rights = [left for left, _ in rest], [right for _, right in rest]
            one = len(rest) == 1
            node.targets = [lefts[0] if one else ast.Tuple(lefts, ast.Store())]
            node.value = rights[0] if one else ast.Tuple(rights, ast.Load())
        return self.generic_visit(node)  # type: ignore[return-value]
