"""A named tuple by reference: what handlers get as `st` and `net` in compiled code.

numba passes tuples by value. A stack's state is some fifty arrays, seven words each; handing all of them through every call
made compiling ten times slower. Here the loop puts the tuple on its stack once and passes the address; `st.tree.heard` is then a
load. Once everything is inlined nothing of it is left.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, models, register_model


class Reference(types.Type):
    """The address of a named tuple of type `inner`."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        super().__init__(name=f"Reference({inner.name})")

    @property
    def instance_class(self) -> type:
        """The class of the tuple."""
        held: type = self.inner.instance_class
        return held


@register_model(Reference)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, manager.lookup(kind.inner).get_value_type().as_pointer())


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


@intrinsic
def reference(typing: Any, value: Any) -> Any:
    """The address of a copy of this named tuple, good until the function returns."""

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return cgutils.alloca_once_value(builder, args[0])

    return Reference(value)(value), build
