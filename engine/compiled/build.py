"""From a declared protocol to one compiled function.

Theory of operation. Protocol modules stay plain Python: every function that the rules reach is handed to numba as it is.
`net.broadcast` and its like are compiled by the type of the message, from small functions written here out of the
declarations. A module is generated that dispatches timers and messages to the rules, with the event loop behind it; it is
kept as a file in the cache, readable, and numba keeps the machine code beside it.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import Any

import numba
from numba.core.errors import NumbaError
from numba.extending import overload_method, register_jitable

from engine.compiled import airborne, cache, loop, machine, subset, truth
from engine.compiled.rows import (
    Reference,
    at,
    prefetch,
    prefetch_inner,
    prefetch_inside,
    prefetch_offsets,
    prefetch_row,
    prefetch_table,
    reference,
    view,
)
from engine.core.declare import ProtocolSpec, has_list, int_fields
from engine.core.errors import OutsideSubset
from engine.core.rng import P_PROTOCOL
from engine.core.storage import columns
from engine.oracle.legitimacy import Judge

INLINE = {"forceinline": True, "_nrt": False}
NO_FLIGHTS = "@inlined\ndef fly(st, net, x):\n    pass\n"
FLIGHTS = """
from engine.compiled.airborne import M_DEPTH, M_PUBLICATION
from engine.compiled.machine import low as cramped
from engine.core.medium import (
    ACKS, COMING, M_BITS, M_GOT, M_KIND, M_NODE, M_SEQ, M_SLOT, M_STATE, M_WHY, ON, due, over, received,
)
"""
JUDGED = {  # by way of judging
    "neighbourhood": truth.count_neighbourhood,
    "tree": truth.count_tree,
    "ring": truth.count_ring,
    "next": truth.count_next,
    "branches": truth.count_branches,
    "table": truth.count_table,
}
REFRESHED = {  # with the subscriptions
    "next": truth.refresh_next,
    "branches": truth.refresh_branches,
    "table": truth.refresh_branches,
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
    shared: bool = False  # its frames share a medium
    name: str = ""  # of its module
    net: Any = None
    par: Any = None
    state: Any = None
    advance: Any = None
    source: str = field(default="", repr=False)

    @property
    def cold(self) -> bool:
        """Whether nothing compiled for this machine is in the cache yet."""
        return not any(self.place.glob(f"**/{self.name}.*.nbc"))


_stacks: dict[tuple[str, tuple[str, ...], bool], Stack] = {}
_by_net: dict[type, Stack] = {}
_inlined: set[int] = set()
_making = RLock()  # numba's settings are global


def stack_of(spec: ProtocolSpec, parameters: tuple[str, ...], *, shared: bool = False) -> Stack:
    """The stack of a protocol whose rules read these parameters; made once a process.

    `shared`: its frames share a medium (engine.core.medium). Raises OutsideSubset.
    """
    key = (spec.name, parameters, shared)
    with _making:
        if key not in _stacks or _stacks[key].spec is not spec:
            subset.check(spec)
            _stacks[key] = _make(spec, parameters, shared)
        return _stacks[key]


def _make(spec: ProtocolSpec, parameters: tuple[str, ...], shared: bool) -> Stack:
    kinds = {m.type: k for k, m in enumerate(spec.messages)}
    names = [int_fields(m.type) for m in spec.messages]
    lists = [m.type._fields[-1] if has_list(m.type) else None for m in spec.messages]  # type: ignore[attr-defined]
    gates, gate_fields = _gates(spec, kinds)
    judge = Judge(spec)
    judged, ways = (
        (judge.layers, judge.ways) if all(judge.ways) else ([], [])
    )  # a judge in Python needs lists
    width = max([len(row) for row in names] or [0])
    sending = {kinds[m] for layer in spec.layers for m, handler in layer.on.items() if subset.sends(handler)}
    place = cache.folder(subset.sources(spec), subset.frozen(spec))
    stack = Stack(spec, kinds, names, lists, gates, width, judged, sending, place, shared)
    for f in subset.reachable(spec):
        if id(f) not in _inlined:
            _inlined.add(id(f))
            register_jitable(_nrt=False)(f)
    scope: dict[str, Any] = {
        "Any": Any,
        "at": at,
        "prefetch": prefetch,
        "prefetch_inner": prefetch_inner,
        "prefetch_inside": prefetch_inside,
        "prefetch_table": prefetch_table,
        "prefetch_offsets": prefetch_offsets,
        "prefetch_row": prefetch_row,
        "view": view,
        "reference": reference,
    }
    text = [
        f'"""The {spec.title} stack as one function: generated from its declarations; do not edit."""',
        "from collections import namedtuple",
        "import numpy as np",
        f"from engine.compiled.machine import ({_names(machine)})",
        "from engine.core.trace import (DEAD_LINK, DEAD_NODE, FILTERED, LOSS)",
        "from engine.compiled.folding import fold",
        "from engine.compiled.loop import (BESIDE, DONE, LOW, ROOM, SPAN, STOPPED)",
        "from engine.core.medium import AIR",
        "from engine.core.rng import P_LOSS, P_TIMER",
        f"Net = namedtuple('Net', {' '.join(machine.FIELDS + shared * airborne.FIELDS)!r}, module=__name__)",
        f"Par = namedtuple('Par', {' '.join(parameters)!r}, module=__name__)",
        # The protocol's own may be made in a function; numba's cache finds its code by types that have a module.
        f"State = namedtuple('State', {' '.join(spec.state._fields)!r}, module=__name__)",  # type: ignore[attr-defined]
        _fire(spec, scope),
        _serve(stack, scope),
        _opens(gate_fields),
        _touch(stack),
        _sample(stack, ways, scope),
        _copied(loop),
        FLIGHTS + _copied(airborne) if shared else NO_FLIGHTS,
    ]
    stack.source = "\n".join(text)
    stack.name = (
        "".join(c if c.isalnum() else "_" for c in spec.name)
        + "_"
        + blake2b(stack.source.encode(), digest_size=4).hexdigest()
    )
    module = cache.load(stack.name, stack.source, stack.place, scope)
    stack.net, stack.par = module.Net, module.Par
    _by_net[stack.net] = stack
    stack.state = module.State
    stack.advance = _Explained(spec, cache.compiled(module.advance, stack.place, _nrt=False))
    return stack


class _Explained:
    """A compiled function. Its typing errors become `OutsideSubset`: numba's run to ninety lines. What has been compiled
    for arguments of a `shape` is called without looking at their types again, which takes numba a millisecond.
    """

    def __init__(self, spec: ProtocolSpec, function: Any) -> None:
        self.spec, self.function = spec, function
        self.ready: dict[Any, Any] = {}

    def __call__(self, shape: Any, *args: Any) -> Any:
        entry = self.ready.get(shape)
        if entry is not None:
            return entry(*args)
        types = tuple(numba.typeof(x) for x in args)
        try:
            self.function.compile(types)
        except NumbaError as error:
            raise OutsideSubset(self.spec.name, [_innermost(str(error))]) from None
        entry = self.ready[shape] = self.function.get_overload(types)
        return entry(*args)


def _innermost(text: str) -> str:
    """The innermost place of a numba error, the statement there, and what is wrong with it.

    numba tells from the outside in, names the places from the inside out, and underlines the statement.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    places = [i for i, line in enumerate(lines) if line.startswith('File "')]
    written = [i for i in places if not lines[i].startswith('File "<')]  # not made up here
    if not written:
        return lines[0] if lines else "does not compile"
    first = places[0]
    begins = [i for i in range(first) if "Failed in nopython mode" in lines[i]]
    what = lines[begins[-1] + 1] if begins else lines[0]
    tried = [
        line.removeprefix(">>> ")
        for line in lines[begins[-1] if begins else 0 : first]
        if line.startswith(">>> ")
    ]
    if tried:
        what = f"nothing compiled does {tried[-1]}"
    name, line = lines[written[0]].removeprefix('File "').rstrip(":").split('", line ')
    marked = next((i for i in range(written[0], len(lines)) if lines[i].startswith("^")), None)
    statement = f"`{lines[marked - 1]}`: " if marked is not None else ""
    return f"{name.rsplit('/', 1)[-1]}:{line}: {statement}{what}"


def _copied(module: Any) -> str:
    return inspect.getsource(module).split("# --- copied from here\n")[1]


def _names(module: Any) -> str:
    own = [
        n
        for n in vars(module)
        if not n.startswith("__") and n not in ("annotations", "register_jitable", "Any", "np")
    ]
    return ", ".join(sorted(own))


def _gates(spec: ProtocolSpec, kinds: dict[type, int]) -> tuple[list[int], list[str]]:
    """Per message kind the number of its gate, and what the gates are."""
    gates, gate = [machine.NONE] * len(kinds), machine.NONE
    found: list[str] = []
    for layer in spec.layers:
        for message in layer.on:
            gates[kinds[message]] = gate
        if layer.gate:
            gate = len(found)
            found.append(f"{layer.key}.{layer.gate}")
    return gates, found


# --- generated functions


def _lines(text: str, depth: int = 0, **names: Any) -> str:
    """A piece of code, indented by `depth`, with every ‹name› filled in."""
    text = textwrap.dedent(text).strip("\n")
    for name, value in names.items():
        text = text.replace(f"‹{name}›", str(value))
    return textwrap.indent(text, "    " * depth)


def _chain(test: str, cases: list[tuple[int, str]]) -> str:
    """if test == a: …, elif test == b: …, in the body of a function."""
    lines = ["    pass"] if not cases else []
    for i, (value, body) in enumerate(cases):
        lines += [f"    {'elif' if i else 'if'} {test} == {value}:", textwrap.indent(body, "        ")]
    return "\n".join(lines)


def _fire(spec: ProtocolSpec, scope: dict[str, Any]) -> str:
    cases = []
    for k, rule in enumerate(f for layer in spec.layers for f in layer.every):
        scope[f"timer_{k}"] = rule
        cases.append((k, f"timer_{k}(st, net, v)"))
    return "@inlined\ndef fire(st, net, kind, v):\n" + _chain("kind", cases)


def _handlers(stack: Stack, scope: dict[str, Any]) -> list[int]:
    """The kinds that a layer listens to; handlers and message types go into the scope."""
    for layer in stack.spec.layers:
        for message, handler in layer.on.items():
            kind = stack.kinds[message]
            scope[f"on_{kind}"], scope[f"Message_{kind}"] = handler, message
    return [k for k in range(len(stack.kinds)) if f"on_{k}" in scope]


def _serve(stack: Stack, scope: dict[str, Any]) -> str:
    cases = []
    for kind in _handlers(stack, scope):
        given = [f"row[F_FIELDS + {a}]" for a in range(len(stack.fields[kind]))]
        if stack.lists[kind]:
            given.append("view(net.lists, row[F_LIST], row[F_LIST] + row[F_SIZE])")
        body = """
            m_‹kind› = Message_‹kind›(‹given›)
            while i < count‹room›:
                on_‹kind›(st, net, net.reached[i][0], net.reached[i][1], m_‹kind›)
                i += 1
            """
        room = " and not low(net)" if kind in stack.sending else ""
        cases.append((kind, _lines(body, kind=kind, given=", ".join(given), room=room)))
    text = """
        @inlined
        def serve(st, net, f):
            row, i, count = net.frame[f], net.k[AT], net.k[COUNT]
            kind = row[F_KIND]
        ‹cases›
            net.k[AT] = i
            return i == count
        """
    return _lines(text, cases=_chain("kind", cases))


def _opens(gate_fields: list[str]) -> str:
    cases = [(g, f"return at(st.{name}, place) != 0") for g, name in enumerate(gate_fields)]
    return "@inlined\ndef opens(st, gate, place):\n" + _chain("gate", cases) + "\n    return True"


def _touch(stack: Stack) -> str:
    """All fields with a value a slot lie in one record, and so do those with one a node: one of them stands for all. Where
    a slot has rows of its own, the messages of that layer look into them; where a node has a table for every channel, the
    timers of that layer do.
    """
    spec, found = stack.spec, [(key, f) for key, f in columns(stack.spec)]
    record: dict[tuple[str, ...], str] = {}
    for key, f in found:
        if not f.kind.needs:
            record.setdefault(f.axes, f"prefetch(st.{key}.{f.name}, ‹place›)")
    slot = record.get(("slot",), "pass").replace("‹place›", "place")
    node = record.get((), "pass").replace("‹place›", "v")
    near: dict[str, str] = {}  # layer: the first field of that form
    wide: dict[str, str] = {}
    for key, f in found:
        if len(f.axes) == 2 and f.axes[0] in ("slot", "channel"):
            (near if f.axes[0] == "slot" else wide).setdefault(key, f"st.{key}.{f.name}")
    listed = [
        (stack.kinds[m], near[layer.key])
        for layer in spec.layers
        if layer.key in near
        for m in layer.on
        if stack.lists[stack.kinds[m]]
    ]
    keys = [layer.key for layer in spec.layers for _ in layer.every]
    timers = [(i, f"prefetch_table({wide[key]}, v)") for i, key in enumerate(keys) if key in wide]
    return (
        f"@inlined\ndef touch(st, kind, place):\n    {slot}\n"
        + _chain("kind", [(kind, f"prefetch_inner({rows}, place)") for kind, rows in listed])
        + "\n@inlined\ndef touch_rows(st, kind, place):\n    pass\n"
        + _chain("kind", [(kind, f"prefetch_inside({rows}, place)") for kind, rows in listed])
        + "\n@inlined\ndef touch_offsets(st, v):\n"
        + "".join(f"    prefetch_offsets({table}, v)\n" for table in wide.values())
        + "    pass\n"
        + f"\n@inlined\ndef touch_node(st, timer, v):\n    {node}\n"
        + _chain("timer", timers)
    )


def _sample(stack: Stack, ways: list[str], scope: dict[str, Any]) -> str:
    keys = {layer.name: layer.key for layer in stack.spec.layers}
    counting, refresh = [], ""
    for k, (name, way) in enumerate(zip(stack.judged, ways, strict=True)):
        scope[f"count_{k}"] = JUDGED[way]
        text = """
            wrong = count_‹k›(st.‹key›, truth, net, v)
            if wrong:
                net.wrong[‹k›] += wrong
                bits |= ‹bit›
            """
        counting.append(_lines(text, 3, k=k, key=keys[name], bit=1 << k))
        if way in REFRESHED:
            scope["refresh"] = REFRESHED[way]
            refresh = f"refresh(st.{keys[name]}.wants, truth, st.env.channels)"
    text = """
        @called
        def sample(st, net, truth, t):
            row = net.k[SAMPLES]
            net.sample_t[row] = t
            ‹refresh›
            for k in range(‹layers›):
                net.wrong[k] = 0
            for v in range(st.env.n):
                bits = 0
                if net.alive[v]:
                    wrong = 0
        ‹counting›
                net.bits[v] = bits
                if bits == 0:
                    net.still[v] = 0
            for k in range(‹layers›):
                net.sample[row][k] = net.wrong[k]
            for kind in range(len(net.counts)):
                net.sample[row][‹layers› + kind] = net.counts[kind]
            net.k[SAMPLES] = row + 1
        """
    return _lines(text, refresh=refresh, layers=len(stack.judged), counting="\n".join(counting))


# --- `net`, by type of message


def _generate(name: str, args: str, body: list[str]) -> Callable[..., Any]:
    """A function out of pieces of its body. What they hold comes from declarations, which are Python names."""
    scope = vars(machine) | vars(airborne)
    text = f"def {name}({args}):\n" + textwrap.indent("\n".join(body), "    ")
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


def _size(kind: int, listed: str | None) -> str:
    """How many entries of its list a message carries."""
    text = """
        size = np.int64(m.size)
        if size < 0 or size > len(m.‹listed›):
            fault(net, LIST_SIZE, ‹kind›, size, len(m.‹listed›))
        """
    return _lines(text, kind=kind, listed=listed) if listed else "size = 0"


def _sender(net: Any, m: Any, args: str) -> Callable[..., Any] | None:
    """How one kind of message is sent; without an argument j, to everybody."""
    found = _kind_of(net, m)
    if found is None:
        return None
    stack, kind = found
    listed, names = stack.lists[kind], stack.fields[kind]
    body = [] if "j" in args.split(", ") else ["j = NONE"]
    start = "start_flight" if stack.shared else "start_frame"
    body += [_size(kind, listed), f"f = {start}(net, v, j, {kind}, size)", "row = net.frame[f]"]
    body += [f"row[F_FIELDS + {a}] = m.{name}" for a, name in enumerate(names)]
    if listed:
        text = """
            at = row[F_LIST]
            for i in range(size):
                net.lists[at + i] = m.‹listed›[i]
            """
        body.append(_lines(text, listed=listed))
    told = [f"word(net, m.{name})" for name in names]
    if listed:
        told.append(f"for i in range(size):\n    word(net, m.{listed}[i])")
    if told:
        body.append("if net.k[OBSERVE] == 1:\n" + textwrap.indent("\n".join(told), "    "))
    if stack.spec.messages[kind].shape == "publication" and "publication" in names:
        body.append("book_send(net, f, v, j, m.publication)")
    if stack.shared:
        carries = int(stack.spec.messages[kind].shape == "publication")
        body.append(f"launch(net, f, {len(names)}, {carries})")
    return _generate("send", args, body)


def _after(net: Any, m: Any) -> Callable[..., Any] | None:
    """after(net, v, delay, m) for one kind of message."""
    found = _kind_of(net, m)
    if found is None:
        return None
    stack, kind = found
    listed, names = stack.lists[kind], stack.fields[kind]
    text = """
        x = start_local(net, v, ‹kind›, delay, size)
        place = x - net.k[TIMERS]
        """
    body = [_size(kind, listed), _lines(text, kind=kind)]
    body += [f"net.local[place][E_SIZE + 1 + {a}] = m.{name}" for a, name in enumerate(names)]
    if listed:
        body.append(f"for i in range(size):\n    net.local_list[place][i] = m.{listed}[i]")
    return _generate("after", "net, v, delay, m", [*body, "push(net, x)"])


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

    def build(net: Any, v: Any, channel: Any, publication: Any) -> None:
        machine.deliver(net, v, channel, publication)

    return build


@overload_method(Reference, "uniform", jit_options=INLINE, strict=False)
def _uniform(net: Any, v: Any) -> Any:
    if net.instance_class not in _by_net:
        return None
    return lambda net, v: machine.uniform(net, P_PROTOCOL, v)


@overload_method(Reference, "now", jit_options=INLINE, strict=False)
def _now(net: Any) -> Any:
    return (lambda net: net.clock[0]) if net.instance_class in _by_net else None


# --- `net`, for the medium


def _offer(name: str, asked: Callable[..., Any]) -> None:
    """`net.name(…)` is `asked(net, …)`."""

    def of_one(net: Any, a: Any) -> Any:
        return asked if net.instance_class in _by_net else None

    def of_two(net: Any, a: Any, b: Any) -> Any:
        return of_one(net, a)

    method = of_one if len(inspect.signature(asked).parameters) == 2 else of_two
    overload_method(Reference, name, jit_options=INLINE, strict=False)(method)


_offer("chance", airborne.chance)
_offer("fade", airborne.fade)
_offer("rank", airborne.rank)
_offer("reach", airborne.reach)
_offer("at", airborne.call_at)
_offer("release", airborne.release)
_offer("lose", airborne.lose)
