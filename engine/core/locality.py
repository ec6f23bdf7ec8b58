"""Locality and layering, read off the source: what a guard at run time would miss.

In a rule every state field is indexed first by the acting node, `v`, and only fields of the own layer are stored to. The
check follows names bound to a layer (`tree = st.tree`) or to one of its rows (`near = st.ring.near[v][j]`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

FREE = {"env", "par"}  # sizes and parameters: not state


def violations(source: str, own: str, name: str = "<source>") -> list[str]:
    """`file:line: what is wrong` for every breach in a module whose rules belong to the layer with key `own`."""
    found: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and [a.arg for a in node.args.args][:1] == ["st"]:
            found += [f"{name}:{line}: {what}" for line, what in _in_function(node, own)]
    return found


def _in_function(function: ast.FunctionDef, own: str) -> Iterator[tuple[int, str]]:
    bound: dict[str, str] = {}  # a local name: the layer, or the layer whose row it is

    def layer(node: ast.expr) -> str | None:
        """The layer that an expression denotes as a whole: `st.tree`, or a name bound to it."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "st":
            return node.attr
        return bound.get(node.id) if isinstance(node, ast.Name) else None

    def root(node: ast.expr) -> str | None:
        """The layer that an indexed expression is part of."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name):
            return bound.get(node.id)
        return layer(node.value) if isinstance(node, ast.Attribute) else None

    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for left, right in _pairs(target, node.value):
                    origin = layer(right) or (root(right) if isinstance(right, ast.Subscript) else None)
                    if isinstance(left, ast.Name) and origin is not None:
                        bound[left.id] = origin
    indexed = {id(x.value): x for x in ast.walk(function) if isinstance(x, ast.Subscript)}
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and (of := layer(node.value)) is not None and of not in FREE:
            subscript = indexed.get(id(node))
            if subscript is None:
                yield node.lineno, f"{of}.{node.attr} is used whole, not for one node"
            elif not (isinstance(subscript.slice, ast.Name) and subscript.slice.id == "v"):
                yield node.lineno, f"{of}.{node.attr}[{ast.unparse(subscript.slice)}] is another node's state"
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            of = root(node)
            if of is not None and of != own:
                yield node.lineno, f"writes layer {of} from layer {own}"


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]
