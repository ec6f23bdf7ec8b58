"""Memory as compiled handlers see it: rows, tables of rows of different lengths, and tables of tables.

    dist[v]             Row      data + stride·v
    heard[v][j]         Table    data + stride·(offset[v] + j)
    near[v][j][i]       Cube     data + stride·(inner[outer[v] + j] + i)

Indexed just as nested lists are in plain Python, with a length. A row is an address, a length and a stride that is part of
its type, so an access is one multiplication by a constant; nothing is allocated and no references are counted. Whole
numbers come out as 64 bits whatever they are stored in, so a function is compiled once; storing one that does not fit
raises OverflowError. Negative indices do not wrap: with RINGCAST_BOUNDS=1 every index is checked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import (
    NativeValue,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)
from numba.np import arrayobj
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

from engine.compiled.cache import BOUNDS

BYTE = ir.IntType(8).as_pointer()
WORD, OFFSET = ir.IntType(64), ir.IntType(32)
ENTRY = OFFSET.width // 8  # bytes of an offset


class Memory(types.Type):
    """A type of the four below; `entry` is what is stored, `stride` the bytes from one entry to the next."""

    parts: tuple[tuple[str, Any], ...] = ()

    def __init__(self, entry: Any, stride: int = 0) -> None:
        self.entry, self.stride = entry, stride
        super().__init__(name=f"{type(self).__name__}({entry}, {stride})")

    @property
    def value(self) -> Any:
        """What an entry is once read."""
        return (
            types.int64 if isinstance(self.entry, types.Integer) and self.entry.bitwidth < 64 else self.entry
        )


class Row(Memory):
    parts = (("data", types.voidptr), ("size", types.intp))


class Grid(Memory):
    """Rows of the same length, one behind the other."""

    parts = (("data", types.voidptr), ("size", types.intp), ("width", types.intp))


class Table(Memory):
    parts = (("data", types.voidptr), ("size", types.intp), ("offset", types.voidptr))


class Cube(Memory):
    parts = (
        ("data", types.voidptr),
        ("size", types.intp),
        ("outer", types.voidptr),
        ("inner", types.voidptr),
    )


def _model(kind: type[Memory]) -> None:
    @register_model(kind)
    class Model(models.StructModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, list(kind.parts))


for _kind in (Row, Grid, Table, Cube):
    _model(_kind)


def new(context: Any, builder: Any, kind: Memory, value: Any = None) -> Any:
    """A struct of this type, empty or around a value."""
    return cgutils.create_struct_proxy(kind)(context, builder, value)


# --- how they are read and written


class _Item(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        memory, i = args
        if not isinstance(i, types.Integer):
            return None
        if isinstance(memory, Row):
            return signature(memory.value, memory, types.intp)
        if isinstance(memory, (Grid, Table)):
            return signature(Row(memory.entry, memory.stride), memory, types.intp)
        if isinstance(memory, Cube):
            return signature(Table(memory.entry, memory.stride), memory, types.intp)
        return None


class _Store(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        row, i, value = args
        if isinstance(value, types.Float) and isinstance(getattr(row, "entry", None), types.Integer):
            return None  # plain Python would keep the fraction
        if (
            isinstance(row, Row)
            and isinstance(i, types.Integer)
            and isinstance(value, (types.Number, types.Boolean))
        ):
            return signature(types.none, row, types.intp, row.value)
        return None


infer_global(operator.getitem)(_Item)
infer_global(operator.setitem)(_Store)


def _advance(builder: Any, data: Any, count: Any, stride: int) -> Any:
    """The address `count` entries on."""
    return builder.gep(data, [builder.mul(count, WORD(stride))])


def _check(context: Any, builder: Any, wrong: Any, error: type, text: str, *, always: bool = False) -> None:
    if BOUNDS or always:
        with builder.if_then(wrong, likely=False):
            context.call_conv.return_user_exc(builder, error, (text,))


def _in_range(context: Any, builder: Any, i: Any, size: Any) -> None:
    _check(context, builder, builder.icmp_unsigned(">=", i, size), IndexError, "index out of range")


def _place(context: Any, builder: Any, kind: Memory, row: Any, i: Any) -> Any:
    """The address of entry i of a row, as a pointer to what is stored."""
    _in_range(context, builder, i, row.size)
    stored = context.get_data_type(kind.entry)
    return builder.bitcast(_advance(builder, row.data, i, kind.stride), stored.as_pointer())


@lower_builtin(operator.getitem, Row, types.Integer)
def _read(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    found = builder.load(_place(context, builder, kind, new(context, builder, kind, args[0]), args[1]))
    return context.cast(builder, found, kind.entry, kind.value)


@lower_builtin(operator.setitem, Row, types.Integer, types.Number)
def _write(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    place = _place(context, builder, kind, new(context, builder, kind, args[0]), args[1])
    stored = context.cast(builder, args[2], kind.value, kind.entry)
    if kind.entry != kind.value:
        back = context.cast(builder, stored, kind.entry, kind.value)
        lost = builder.icmp_signed("!=", back, args[2])
        _check(context, builder, lost, OverflowError, "beyond its declared domain", always=True)
    builder.store(stored, place)
    return context.get_dummy_value()


@lower_builtin(operator.getitem, Grid, types.Integer)
def _grid_row(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, grid = sig.args[0], new(context, builder, sig.args[0], args[0])
    _in_range(context, builder, args[1], grid.size)
    made = new(context, builder, sig.return_type)
    made.data = _advance(builder, grid.data, builder.mul(args[1], grid.width), kind.stride)
    made.size = grid.width
    return made._getvalue()


def _offset(builder: Any, offsets: Any, v: Any) -> Any:
    """offsets[v]."""
    place = builder.gep(builder.bitcast(offsets, OFFSET.as_pointer()), [v])
    return builder.sext(builder.load(place), WORD)


def _bounds(builder: Any, offsets: Any, v: Any) -> tuple[Any, Any]:
    """offsets[v], offsets[v + 1]."""
    return _offset(builder, offsets, v), _offset(builder, offsets, builder.add(v, WORD(1)))


@lower_builtin(operator.getitem, Table, types.Integer)
def _table_row(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, table = sig.args[0], new(context, builder, sig.args[0], args[0])
    _in_range(context, builder, args[1], table.size)
    begin, end = _bounds(builder, table.offset, args[1])
    made = new(context, builder, sig.return_type)
    made.data, made.size = _advance(builder, table.data, begin, kind.stride), builder.sub(end, begin)
    return made._getvalue()


@lower_builtin(operator.getitem, Cube, types.Integer)
def _cube_table(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    cube = new(context, builder, sig.args[0], args[0])
    _in_range(context, builder, args[1], cube.size)
    begin, end = _bounds(builder, cube.outer, args[1])
    made = new(context, builder, sig.return_type)
    made.data, made.size = cube.data, builder.sub(end, begin)
    made.offset = _advance(builder, cube.inner, begin, ENTRY)
    return made._getvalue()


@infer_global(len)
class _Length(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.intp, *args) if isinstance(args[0], Memory) else None


@lower_builtin(len, Memory)
def _length(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return new(context, builder, sig.args[0], args[0]).size


@intrinsic
def view(typing: Any, row: Any, begin: Any, end: Any) -> Any:
    """row[begin:end], in compiled code."""

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind, whole = sig.args[0], new(context, builder, sig.args[0], args[0])
        _check(
            context, builder, builder.icmp_signed(">", args[2], whole.size), IndexError, "view beyond its row"
        )
        made = new(context, builder, kind)
        made.data, made.size = (
            _advance(builder, whole.data, args[1], kind.stride),
            builder.sub(args[2], args[1]),
        )
        return made._getvalue()

    return row(row, types.intp, types.intp), build


@intrinsic
def at(typing: Any, memory: Any, i: Any) -> Any:
    """Entry i of a table, whoever's it is."""

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind, held = sig.args[0], new(context, builder, sig.args[0], args[0])
        place = _advance(builder, held.data, args[1], kind.stride)
        stored = builder.load(builder.bitcast(place, context.get_data_type(kind.entry).as_pointer()))
        return context.cast(builder, stored, kind.entry, kind.value)

    return memory.value(memory, types.intp), build


def _ask(builder: Any, address: Any) -> None:
    flag = ir.IntType(32)
    taking = ir.FunctionType(ir.VoidType(), [BYTE, flag, flag, flag])
    ask = cgutils.get_or_insert_function(builder.module, taking, "llvm.prefetch.p0")
    builder.call(ask, [address, flag(1), flag(3), flag(1)])


def _asking(memory: Any, ask: Callable[[Any, Any, Any, Any], None]) -> Any:
    """What an intrinsic of (memory, place) returns that asks for memory: `ask(builder, type, memory, place)`."""

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = sig.args[0]
        ask(builder, kind, new(context, builder, kind, args[0]), args[1])
        return context.get_dummy_value()

    return types.none(memory, types.intp), build


@intrinsic
def prefetch(typing: Any, memory: Any, i: Any) -> Any:
    """Ask for the cache line of entry i, whoever's it is, to be written soon. Changes nothing but the time it takes."""
    return _asking(
        memory, lambda builder, kind, held, i: _ask(builder, _advance(builder, held.data, i, kind.stride))
    )


@intrinsic
def prefetch_row(typing: Any, grid: Any, i: Any) -> Any:
    """The same for row i of a grid."""

    def ask(builder: Any, kind: Any, held: Any, i: Any) -> None:
        _ask(builder, _advance(builder, held.data, builder.mul(i, held.width), kind.stride))

    return _asking(grid, ask)


@intrinsic
def prefetch_inner(typing: Any, cube: Any, i: Any) -> Any:
    """The same for where inner row i of a cube begins."""
    return _asking(
        cube, lambda builder, kind, held, i: _ask(builder, _advance(builder, held.inner, i, ENTRY))
    )


@intrinsic
def prefetch_offsets(typing: Any, cube: Any, v: Any) -> Any:
    """The same for where the inner rows of table v of a cube begin; reads where the table does."""

    def ask(builder: Any, kind: Any, held: Any, v: Any) -> None:
        _ask(builder, _advance(builder, held.inner, _offset(builder, held.outer, v), ENTRY))

    return _asking(cube, ask)


@intrinsic
def prefetch_inside(typing: Any, cube: Any, i: Any) -> Any:
    """The same for what is in inner row i of a cube; reads where it begins."""

    def ask(builder: Any, kind: Any, held: Any, i: Any) -> None:
        _ask(builder, _advance(builder, held.data, _offset(builder, held.inner, i), kind.stride))

    return _asking(cube, ask)


@intrinsic
def prefetch_table(typing: Any, cube: Any, v: Any) -> Any:
    """The same for the first entries of every inner row of table v of a cube; reads where they begin."""

    def ask(builder: Any, kind: Any, held: Any, v: Any) -> None:
        first, last = _bounds(builder, held.outer, v)
        with cgutils.for_range(builder, builder.sub(last, first)) as loop:
            begin = _offset(builder, held.inner, builder.add(first, loop.index))
            _ask(builder, _advance(builder, held.data, begin, kind.stride))

    return _asking(cube, ask)


# --- from Python


class Flat:
    """A field with one entry a node."""

    kind: type[Memory] = Row
    arrays: tuple[str, ...] = ("data",)

    def __init__(self, data: NDArray[Any], *offsets: NDArray[np.int32]) -> None:
        self.data, self.offsets = data, offsets
        self._numba_type_ = self.kind(from_dtype(data.dtype), data.strides[0])
        # What the compiled form holds, in the order of its parts; arrays never move.
        self.addresses = (data.ctypes.data, len(self), *(x.ctypes.data for x in offsets))

    def __len__(self) -> int:
        return len(self.offsets[0]) - 1 if self.offsets else len(self.data)

    def __getitem__(self, v: int) -> Any:
        return self.data[v]

    def __setitem__(self, v: int, value: Any) -> None:
        self.data[v] = value

    def lists(self) -> list[Any]:
        """The same as (nested) lists."""
        found: list[Any] = self.data.tolist()
        return found


class Ragged(Flat):
    """Rows of different lengths: row v is data[offset[v] : offset[v + 1]]."""

    kind = Table

    def __getitem__(self, v: int) -> NDArray[Any]:
        row: NDArray[Any] = self.data[self.offsets[0][v] : self.offsets[0][v + 1]]
        return row

    def lists(self) -> list[Any]:
        flat = self.data.tolist()
        return [flat[a:b] for a, b in pairwise(self.offsets[0].tolist())]


class Ragged3(Flat):
    """A table of rows a node: row j of node v is data[inner[outer[v] + j] : inner[outer[v] + j + 1]]."""

    kind = Cube

    def __getitem__(self, v: int) -> Ragged:
        outer, inner = self.offsets
        return Ragged(self.data, inner[outer[v] : outer[v + 1] + 1])

    def lists(self) -> list[Any]:
        rows = Ragged(self.data, self.offsets[1]).lists()
        return [rows[a:b] for a, b in pairwise(self.offsets[0].tolist())]


def _unboxing(kind: type[Memory]) -> None:
    @unbox(kind)
    def open_box(kind: Any, box: Any, c: Any) -> Any:
        made = new(c.context, c.builder, kind)
        numbers = c.pyapi.object_getattr_string(box, "addresses")
        for i, (name, part) in enumerate(kind.parts):
            number = c.pyapi.long_as_longlong(c.pyapi.tuple_getitem(numbers, i))
            setattr(made, name, c.builder.inttoptr(number, BYTE) if part is types.voidptr else number)
        c.pyapi.decref(numbers)
        return NativeValue(made._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


for _kind in (Row, Table, Cube):
    _unboxing(_kind)


# --- a named tuple by reference


class Reference(types.Type):
    """The address of a named tuple: what handlers get as `st` and `net`.

    numba passes tuples by value. A stack's state is some fifty arrays; handing all of them through every call made
    compiling ten times slower. The loop puts the tuple on its stack once, and `st.tree.heard` is a load. Arrays in it
    become rows.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        super().__init__(name=f"Reference({inner.instance_class.__module__}.{inner.name})")

    @property
    def key(self) -> Any:
        """Two stacks have tuples of the same name and form, but not of the same class."""
        return self.inner

    @property
    def instance_class(self) -> type:
        """The class of the tuple."""
        held: type = self.inner.instance_class
        return held


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, manager.lookup(kind.inner).get_value_type().as_pointer())


def _inside(kind: Any) -> Any:
    """What a member of a referenced tuple is."""
    if isinstance(kind, types.NamedTuple):
        return types.NamedTuple([_inside(part) for part in kind], kind.instance_class)
    if isinstance(kind, types.Array) and kind.layout == "C" and kind.ndim <= 2:
        return (Row if kind.ndim == 1 else Grid)(kind.dtype, kind.dtype.bitwidth // 8)
    return kind


def _converted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    inside = _inside(kind)
    if isinstance(kind, types.NamedTuple):
        parts = [
            _converted(context, builder, part, builder.extract_value(value, i)) for i, part in enumerate(kind)
        ]
        return (
            cgutils.pack_struct(builder, parts) if not parts else context.make_tuple(builder, inside, parts)
        )
    if inside is kind:
        return value
    array, made = arrayobj.make_array(kind)(context, builder, value), new(context, builder, inside)
    made.data = builder.bitcast(array.data, BYTE)
    sizes = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
    made.size = sizes[0]
    if kind.ndim == 2:
        made.width = sizes[1]
    return made._getvalue()


@intrinsic
def reference(typing: Any, value: Any) -> Any:
    """The address of this named tuple, copied; good until the function returns.

    Only in functions compiled with `_nrt=False`: where numba counts references it would drop those of the tuple's arrays.
    """

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return cgutils.alloca_once_value(builder, _converted(context, builder, sig.args[0], args[0]))

    return Reference(_inside(value))(value), build


def _member(kind: Reference, name: str) -> tuple[int, Any] | None:
    fields = kind.inner.fields
    if name not in fields:
        return None
    place = fields.index(name)
    return place, kind.inner[place]


@infer_getattr
class _Attribute(AttributeTemplate):
    key = Reference

    def generic_resolve(self, kind: Any, name: str) -> Any:
        member = _member(kind, name)
        if member is None:
            return None
        return Reference(member[1]) if isinstance(member[1], types.NamedTuple) else member[1]


@lower_getattr_generic(Reference)
def _load(context: Any, builder: Any, kind: Any, address: Any, name: str) -> Any:
    member = _member(kind, name)
    assert member is not None
    place = cgutils.gep_inbounds(builder, address, 0, member[0])
    return place if isinstance(member[1], types.NamedTuple) else builder.load(place)
