"""Ragged tables in flat arrays, read in compiled code just as nested lists are in plain Python.

    heard[v][j]         Ragged   data[offset[v] + j]
    near[v][j][i]       Ragged3  data[inner[outer[v] + j] + i]

`heard[v]` and `near[v][j]` are views of whole rows, with a length; nothing is allocated. Offsets are shared between fields
of the same shape, so a network of n nodes and m links takes O(n + m) memory, a star included.
"""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import (
    intrinsic,
    NativeValue,
    lower_builtin,
    make_attribute_wrapper,
    models,
    overload,
    register_model,
    unbox,
)
from numba.np import arrayobj
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

_INDEX = types.Array(types.int64, 1, "C")


class _RaggedType(types.Type):
    """What numba knows of a table: the type of its entries and how deep it is."""

    def __init__(self, entry: Any, parts: tuple[str, ...]) -> None:
        self.entry, self.parts = entry, parts
        super().__init__(name=f"Ragged{len(parts) + 1}({entry})")

    def members(self) -> list[tuple[str, Any]]:
        return [("data", types.Array(self.entry, 1, "C")), *((part, _INDEX) for part in self.parts)]


class _Table2Type(_RaggedType):
    pass


class _Table3Type(_RaggedType):
    pass


def _model(kind: type) -> None:
    @register_model(kind)
    class Model(models.StructModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, kind.members())

    @unbox(kind)
    def open_box(kind: Any, box: Any, c: Any) -> Any:
        made = cgutils.create_struct_proxy(kind)(c.context, c.builder)
        for name, member in kind.members():
            held = c.pyapi.object_getattr_string(box, name)
            setattr(made, name, c.unbox(member, held).value)
            c.pyapi.decref(held)  # the table keeps its arrays
        return NativeValue(made._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


for _kind, _parts in ((_Table2Type, ("offset",)), (_Table3Type, ("outer", "inner"))):
    _model(_kind)
    for _name in ("data", *_parts):
        make_attribute_wrapper(_kind, _name, _name)


@infer_global(operator.getitem)
class _Row(AbstractTemplate):
    """table[v]: the row, or the table of rows, of node v."""

    key = operator.getitem

    def generic(self, args: Any, kws: Any) -> Any:
        table, v = args
        if isinstance(table, _Table2Type) and isinstance(v, types.Integer):
            return signature(types.Array(table.entry, 1, "C"), table, types.intp)
        if isinstance(table, _Table3Type) and isinstance(v, types.Integer):
            return signature(_Table2Type(table.entry, ("offset",)), table, types.intp)
        return None


def _part(context: Any, builder: Any, kind: Any, value: Any, begin: Any, end: Any) -> Any:
    """value[begin:end] as a borrowed view; slicing would count references, which takes an allocator."""
    whole = arrayobj.make_array(kind)(context, builder, value)
    made = arrayobj.make_array(kind)(context, builder)
    step = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    arrayobj.populate_array(
        made,
        data=builder.gep(whole.data, [begin]),
        shape=[builder.sub(end, begin)],
        strides=[step],
        itemsize=step,
        meminfo=None,
    )
    return made._getvalue()


@intrinsic
def view(typing: Any, data: Any, begin: Any, end: Any) -> Any:
    """data[begin:end] of a flat array, in compiled code."""

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _part(context, builder, sig.return_type, *args)

    return data(data, types.intp, types.intp), build


def _span(context: Any, builder: Any, offset: Any, v: Any) -> tuple[Any, Any]:
    """offset[v], offset[v + 1]."""
    ends = arrayobj.make_array(_INDEX)(context, builder, offset).data
    after = builder.add(v, context.get_constant(types.intp, 1))
    return builder.load(builder.gep(ends, [v])), builder.load(builder.gep(ends, [after]))


@lower_builtin(operator.getitem, _Table2Type, types.Integer)
def _lower_row(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    table = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
    begin, end = _span(context, builder, table.offset, args[1])
    return _part(context, builder, sig.return_type, table.data, begin, end)


@lower_builtin(operator.getitem, _Table3Type, types.Integer)
def _lower_rows(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    table = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
    begin, end = _span(context, builder, table.outer, args[1])
    made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    made.data = table.data
    made.offset = _part(
        context, builder, _INDEX, table.inner, begin, builder.add(end, context.get_constant(types.intp, 1))
    )
    return made._getvalue()


@overload(len, jit_options={"forceinline": True, "_nrt": False}, strict=False)
def _rows(table: Any) -> Any:
    if isinstance(table, _Table2Type):
        return lambda table: len(table.offset) - 1
    return (lambda table: len(table.outer) - 1) if isinstance(table, _Table3Type) else None


class Ragged:
    """Rows of different lengths: row v is data[offset[v] : offset[v + 1]]."""

    __slots__ = ("_numba_type_", "data", "offset")

    def __init__(self, data: NDArray[Any], offset: NDArray[np.int64]) -> None:
        self.data, self.offset = data, offset
        self._numba_type_ = _type_of(_Table2Type, data.dtype, ("offset",))

    def __getitem__(self, v: int) -> NDArray[Any]:
        return self.data[self.offset[v] : self.offset[v + 1]]

    def __len__(self) -> int:
        return len(self.offset) - 1

    def lists(self) -> list[Any]:
        """The same as nested lists."""
        flat, ends = self.data.tolist(), self.offset.tolist()
        return [flat[a:b] for a, b in pairwise(ends)]


class Ragged3:
    """A table of rows a node: row j of node v is data[inner[outer[v] + j] : inner[outer[v] + j + 1]]."""

    __slots__ = ("_numba_type_", "data", "inner", "outer")

    def __init__(self, data: NDArray[Any], outer: NDArray[np.int64], inner: NDArray[np.int64]) -> None:
        self.data, self.outer, self.inner = data, outer, inner
        self._numba_type_ = _type_of(_Table3Type, data.dtype, ("outer", "inner"))

    def __getitem__(self, v: int) -> Ragged:
        return Ragged(self.data, self.inner[self.outer[v] : self.outer[v + 1] + 1])

    def __len__(self) -> int:
        return len(self.outer) - 1

    def lists(self) -> list[Any]:
        """The same as nested lists."""
        rows, ends = Ragged(self.data, self.inner).lists(), self.outer.tolist()
        return [rows[a:b] for a, b in pairwise(ends)]


_made: dict[Any, Any] = {}


def _type_of(kind: type, dtype: Any, parts: tuple[str, ...]) -> Any:
    key = (kind, np.dtype(dtype).str)
    if key not in _made:
        _made[key] = kind(from_dtype(np.dtype(dtype)), parts)
    return _made[key]
