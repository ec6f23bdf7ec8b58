"""From a declared protocol to one compiled function.

Theory of operation. Protocol modules stay plain Python: every function that the rules reach is handed to numba as it is, to be
inlined. `net.broadcast` and its like are compiled by the type of the message, from small functions written here out of the
declarations. A module is generated that dispatches timers and messages to the rules, with the event loop behind it; it is
kept as a file in the cache, readable, and numba keeps the machine code beside it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numba
from numba.core.errors import NumbaError
from numba.extending import overload_method, register_jitable

from engine.compiled import cache, loop, machine, subset, truth
from engine.compiled.rows import Reference, at, prefetch, prefetch_inner, prefetch_row, reference, view
from engine.core.declare import ProtocolSpec, has_list, int_fields
from engine.core.storage import columns
from engine.oracle.legitimacy import Judge

INLINE = {"forceinline": True, "_nrt": False}
JUDGED = {  # by name of the layer
    "neighbourhood": truth.count_neighbourhood,
    "tree": truth.count_tree,
    "ring": truth.count_ring,
    "pubsub": truth.count_pubsub,
}


@dataclass
class Stack:
    """A protocol, ready to be compiled or loaded; `advance` is what runs it."""

    spec: ProtocolSpec
    kinds: dict[type, int]
    fields: list[list[str]]  # per message kind: its whole-number fields
    lists: list[str | None]  # per message kind: its list
    gates: list[int]  # per message kind: the gate it comes through, or NONE
    width: int  # whole-number fields at most
    judged: list[str]  # names of the layers judged in compiled code
    sending: set[int]  # message kinds whose handlers may send or deliver something
    place: Path
    net: Any = None
    par: Any = None
    advance: Any = None
    source: str = field(default="", repr=False)

    @property
    def cold(self) -> bool:
        """Whether nothing compiled for this machine is in the cache yet."""
        return not any(self.place.glob("**/*.nbc"))


_stacks: dict[tuple[str, tuple[str, ...]], Stack] = {}
_by_net: dict[type, Stack] = {}
_inlined: set[int] = set()


def stack_of(spec: ProtocolSpec, parameters: tuple[str, ...]) -> Stack:
    """The stack of a protocol whose rules read these parameters; made once a process. Raises OutsideSubset."""
    key = (spec.name, parameters)
    if key not in _stacks or _stacks[key].spec is not spec:
        subset.check(spec)
        _stacks[key] = _make(spec, parameters)
    return _stacks[key]


def _make(spec: ProtocolSpec, parameters: tuple[str, ...]) -> Stack:
    kinds = {m.type: k for k, m in enumerate(spec.messages)}
    names = [int_fields(m.type) for m in spec.messages]
    lists = [m.type._fields[-1] if has_list(m.type) else None for m in spec.messages]  # type: ignore[attr-defined]
    gates, gate_fields = _gates(spec, kinds)
    judged = Judge(spec).layers
    if any(spec.layer(name).judge is not None for name in judged):
        judged = []  # a judge in Python needs lists
    width = max([len(row) for row in names] or [0])
    sending = {kinds[m] for layer in spec.layers for m, handler in layer.on.items() if subset.sends(handler)}
    place = cache.folder(subset.sources(spec))
    stack = Stack(spec, kinds, names, lists, gates, width, judged, sending, place)
    for f in subset.reachable(spec):
        if id(f) not in _inlined:
            _inlined.add(id(f))
            register_jitable(_nrt=False)(f)
    scope: dict[str, Any] = {
        "Any": Any,
        "at": at,
        "prefetch": prefetch,
        "prefetch_inner": prefetch_inner,
        "prefetch_row": prefetch_row,
        "view": view,
        "reference": reference,
        "refresh_next": truth.refresh_next,
    }
    text = [
        f'"""The {spec.title} stack as one function: generated from its declarations; do not edit."""',
        "from collections import namedtuple",
        "import numpy as np",
        f"from engine.compiled.machine import ({_names(machine)})",
        "from engine.core.trace import (DEAD_LINK, DEAD_NODE, FILTERED, LOSS)",
        "from engine.compiled.loop import (BESIDE, DONE, FAULTY, LOW, ROOM, SPAN, STOPPED)",
        f"Net = namedtuple('Net', {' '.join(machine.FIELDS)!r}, module=__name__)",
        f"Par = namedtuple('Par', {' '.join(parameters)!r}, module=__name__)",
        *_fire(spec, scope),
        *_serve(stack, scope),
        *_opens(gate_fields),
        *_touch(stack),
        *_sample(stack, scope),
        inspect.getsource(loop).split("# --- copied from here\n")[1],
    ]
    stack.source = "\n".join(text)
    name = (
        "".join(c if c.isalnum() else "_" for c in spec.name)
        + "_"
        + blake2b(stack.source.encode(), digest_size=4).hexdigest()
    )
    module = cache.load(name, stack.source, stack.place, scope)
    stack.net, stack.par = module.Net, module.Par
    _by_net[stack.net] = stack
    stack.advance = _Explained(spec, cache.compiled(module.advance, stack.place, _nrt=False))
    return stack


class _Explained:
    """A compiled function. Its typing errors become `OutsideSubset`: numba's run to ninety lines. What has been compiled for
    arguments of a `shape` is called without looking at their types again, which takes numba a millisecond.
    """

    def __init__(self, spec: ProtocolSpec, function: Any) -> None:
        self.spec, self.function = spec, function
        self.ready: dict[Any, Any] = {}

    def __call__(self, shape: Any, *args: Any) -> Any:
        entry = self.ready.get(shape)
        if entry is not None:
            return entry(*args)
        try:
            result = self.function(*args)
        except NumbaError as error:
            raise subset.OutsideSubset(self.spec.name, [_innermost(str(error))]) from None
        self.ready[shape] = self.function.get_overload(tuple(numba.typeof(x) for x in args))
        return result


def _innermost(text: str) -> str:
    """The last place that a numba error names, with what it says first."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    where = [line for line in lines if line.startswith("File ")]
    what = [line for line in lines if not line.startswith(("File ", "During", "Failed", "- "))]
    place = where[-1].removeprefix("File ").rstrip(":").replace('"', "") if where else "?"
    return f"{place.rsplit('/', 1)[-1].replace(', line ', ':')}: {what[0] if what else 'does not compile'}"


def _names(module: Any) -> str:
    own = [
        n
        for n in vars(module)
        if not n.startswith("__") and n not in ("annotations", "register_jitable", "Any", "np")
    ]
    return ", ".join(sorted(own))


def _gates(spec: ProtocolSpec, kinds: dict[type, int]) -> tuple[list[int], list[str]]:
    """Per message kind the number of its gate, and what the gates are."""
    gates, found, gate = [machine.NONE] * len(kinds), [], machine.NONE
    for layer in spec.layers:
        for message in layer.on:
            gates[kinds[message]] = gate
        if layer.gate:
            gate = len(found)
            found.append(f"{layer.key}.{layer.gate}")
    return gates, found


# --- generated functions


def _chain(test: str, cases: list[tuple[int, list[str]]], indent: str = "    ") -> list[str]:
    """if test == a: …, elif test == b: …"""
    lines = []
    for i, (value, body) in enumerate(cases):
        lines.append(f"{indent}{'elif' if i else 'if'} {test} == {value}:")
        lines += [f"{indent}    {line}" for line in body]
    return lines


def _fire(spec: ProtocolSpec, scope: dict[str, Any]) -> list[str]:
    cases = []
    for k, rule in enumerate(f for layer in spec.layers for f in layer.every):
        scope[f"timer_{k}"] = rule
        cases.append((k, [f"timer_{k}(st, net, v)"]))
    return ["@inlined", "def fire(st, net, kind, v):", "    pass", *_chain("kind", cases)]


def _handlers(stack: Stack, scope: dict[str, Any]) -> list[int]:
    """The kinds that a layer listens to; handlers and message types go into the scope."""
    for layer in stack.spec.layers:
        for message, handler in layer.on.items():
            kind = stack.kinds[message]
            scope[f"on_{kind}"], scope[f"Message_{kind}"] = handler, message
    return [k for k in range(len(stack.kinds)) if f"on_{k}" in scope]


def _serve(stack: Stack, scope: dict[str, Any]) -> list[str]:
    cases = []
    for kind in _handlers(stack, scope):
        given = [f"row[F_FIELDS + {a}]" for a in range(len(stack.fields[kind]))]
        if stack.lists[kind]:
            given.append("view(net.lists, row[F_LIST], row[F_LIST] + row[F_SIZE])")
        room = " and not low(net)" if kind in stack.sending else ""
        body = [
            f"m_{kind} = Message_{kind}({', '.join(given)})",
            f"while i < count{room}:",
            f"    on_{kind}(st, net, net.reached[i][0], net.reached[i][1], m_{kind})",
            "    i += 1",
        ]
        cases.append((kind, body))
    return [
        "@inlined",
        "def serve(st, net, f):",
        "    row, i, count = net.frame[f], net.k[AT], net.k[COUNT]",
        "    kind = row[F_KIND]",
        *_chain("kind", cases),
        "    net.k[AT] = i",
        "    return i == count",
    ]


def _opens(gate_fields: list[str]) -> list[str]:
    cases = [(g, [f"return at(st.{name}, place) != 0"]) for g, name in enumerate(gate_fields)]
    return ["@inlined", "def opens(st, gate, place):", *_chain("gate", cases), "    return True"]


def _touch(stack: Stack) -> list[str]:
    """All fields with a value a slot lie in one record: one of them stands for all. Where a slot has rows of its own, the
    messages of that layer look up where they begin.
    """
    found = [(key, f) for key, f in columns(stack.spec)]
    slots = [f"prefetch(st.{key}.{f.name}, place)" for key, f in found if f.axes == ("slot",)]
    inner = {
        key: f"prefetch_inner(st.{key}.{f.name}, place)" for key, f in found if f.axes == ("slot", "near")
    }
    cases = [
        (stack.kinds[m], [inner[layer.key]])
        for layer in stack.spec.layers
        if layer.key in inner
        for m in layer.on
        if stack.lists[stack.kinds[m]]
    ]
    return [
        "@inlined",
        "def touch(st, net, kind, place):",
        f"    {slots[0] if slots else 'pass'}",
        *_chain("kind", cases),
    ]


def _sample(stack: Stack, scope: dict[str, Any]) -> list[str]:
    keys = {layer.name: layer.key for layer in stack.spec.layers}
    lines = [
        "@called",
        "def sample(st, net, truth, t):",
        "    row = net.k[SAMPLES]",
        "    net.sample_t[row] = t",
    ]
    if "pubsub" in stack.judged:
        lines.append(f"    refresh_next(st.{keys['pubsub']}.wants, truth, st.env.channels)")
    lines += [f"    net.wrong[{k}] = 0" for k in range(len(stack.judged))]
    lines += [
        "    for v in range(st.env.n):",
        "        bits = 0",
        "        if net.alive[v]:",
        "            wrong = 0",
    ]
    for k, name in enumerate(stack.judged):
        scope[f"count_{k}"] = JUDGED[name]
        lines += [
            f"            wrong = count_{k}(st.{keys[name]}, truth, net, v)",
            "            if wrong:",
            f"                net.wrong[{k}] += wrong",
            f"                bits |= {1 << k}",
        ]
    lines += ["        net.bits[v] = bits"]
    lines += [f"    net.sample[row][{k}] = net.wrong[{k}]" for k in range(len(stack.judged))]
    return [*lines, "    net.k[SAMPLES] = row + 1"]


# --- `net`, by type of message


def _generate(name: str, args: str, lines: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    """A function out of lines. What they hold comes from declarations, which are Python names."""
    text = f"def {name}({args}):\n" + "".join(f"    {line}\n" for line in lines)
    exec(compile(text, f"<{name}>", "exec"), scope)
    made: Callable[..., Any] = scope[name]
    return made


def _kind_of(net: Any, m: Any) -> tuple[Stack, int] | None:
    stack = _by_net.get(getattr(net, "instance_class", None))  # type: ignore[arg-type]
    if stack is None:
        return None
    kind = stack.kinds.get(getattr(m, "instance_class", None))  # type: ignore[arg-type]
    if kind is None:
        raise numba.errors.TypingError(f"{m} is not a message of protocol {stack.spec.name}")
    return stack, kind


def _sender(net: Any, m: Any, args: str) -> Callable[..., Any] | None:
    """How one kind of message is sent; without an argument j, to everybody."""
    found = _kind_of(net, m)
    if found is None:
        return None
    stack, kind = found
    listed, names = stack.lists[kind], stack.fields[kind]
    lines = ["size = 0"]
    if listed:
        lines = [
            "size = np.int64(m.size)",
            f"if size < 0 or size > len(m.{listed}):",
            f"    fault(net, LIST_SIZE, {kind}, size, len(m.{listed}))",
            "    return",
        ]
    lines += [f"f = start_frame(net, v, j, {kind}, size)", "if f < 0:", "    return", "row = net.frame[f]"]
    lines += [f"row[F_FIELDS + {a}] = m.{name}" for a, name in enumerate(names)]
    if listed:
        lines += ["at = row[F_LIST]", "for i in range(size):", f"    net.lists[at + i] = m.{listed}[i]"]
    lines += ["if net.k[OBSERVE] == 1:", "    pass", *(f"    word(net, m.{name})" for name in names)]
    if listed:
        lines += ["    for i in range(size):", f"        word(net, m.{listed}[i])"]
    if stack.spec.messages[kind].shape == "publication" and "publication" in names:
        lines.append("book_send(net, f, v, j, m.publication)")
    if "j" not in args.split(", "):
        lines.insert(0, "j = NONE")
    return _generate("send", args, lines, dict(vars(machine)))


def _after(net: Any, m: Any) -> Callable[..., Any] | None:
    """after(net, v, delay, m) for one kind of message."""
    found = _kind_of(net, m)
    if found is None:
        return None
    stack, kind = found
    listed = stack.lists[kind]
    lines = ["size = 0"]
    if listed:
        lines = [
            "size = np.int64(m.size)",
            f"if size < 0 or size > len(m.{listed}):",
            f"    fault(net, LIST_SIZE, {kind}, size, len(m.{listed}))",
            "    return",
        ]
    lines += [f"x = start_local(net, v, {kind}, delay, size)", "if x < 0:", "    return"]
    lines += [
        f"net.local[x - net.k[TIMERS]][E_SIZE + 1 + {a}] = m.{name}"
        for a, name in enumerate(stack.fields[kind])
    ]
    if listed:
        lines += ["for i in range(size):", f"    net.local_list[x - net.k[TIMERS]][i] = m.{listed}[i]"]
    lines.append("push(net, x)")
    return _generate("after", "net, v, delay, m", lines, dict(vars(machine)))


@overload_method(Reference, "unicast", jit_options=INLINE, strict=False)
def _unicast(net: Any, v: Any, j: Any, m: Any) -> Any:
    return _sender(net, m, "net, v, j, m")


@overload_method(Reference, "broadcast", jit_options=INLINE, strict=False)
def _broadcast(net: Any, v: Any, m: Any) -> Any:
    return _sender(net, m, "net, v, m")


@overload_method(Reference, "after", jit_options=INLINE, strict=False)
def _later(net: Any, v: Any, delay: Any, m: Any) -> Any:
    return _after(net, m)


@overload_method(Reference, "deliver", jit_options=INLINE, strict=False)
def _deliver(net: Any, v: Any, channel: Any, publication: Any) -> Any:
    if net.instance_class not in _by_net:
        return None
    return lambda net, v, channel, publication: machine.deliver(net, v, channel, publication)


@overload_method(Reference, "uniform", jit_options=INLINE, strict=False)
def _uniform(net: Any, v: Any) -> Any:
    if net.instance_class not in _by_net:
        return None
    return lambda net, v: machine.uniform(net, machine.P_PROTOCOL, v)


@overload_method(Reference, "now", jit_options=INLINE, strict=False)
def _now(net: Any) -> Any:
    return (lambda net: net.clock[0]) if net.instance_class in _by_net else None
