"""A function and all that it calls, compiled once.

numba compiles what a function calls as functions of their own: each is optimised and turned into machine code together
with all that it calls in turn, and once more as a part of every caller. Of a large function with many small ones inside
only the outermost ever runs; sparing the others saves a good third of the time. What they are linked into is optimised
as a whole either way, so the code that runs is as fast. numba also wraps each for callers from C, which there are none of.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.lowering import BaseLower

_OPTIMISE, _EMIT = JITCodeLibrary._optimize_final_module, JITCodeLibrary._finalize_final_module
_SET_ENV = JITCPUCodegen.set_env
_WRAP_FOR_C = BaseLower.create_cfunc_wrapper


@contextmanager
def only(name: str) -> Iterator[None]:
    """While it is open, machine code is made of functions of this name alone; numba compiles for no other thread then.

    Reaches into numba: an update of it must pass the tests of the compiled engine.
    """

    def optimise_wanted(library: Any) -> None:
        if library.name == name:
            _OPTIMISE(library)

    def emit_wanted(library: Any) -> None:
        if library.name == name:
            _EMIT(library)
        else:  # ready to be linked, and nothing more
            library._finalize_dynamic_globals()
            library._finalized = True

    def set_env_if_there(codegen: Any, place: str, env: Any) -> None:
        if codegen._engine.is_symbol_defined(place):
            _SET_ENV(codegen, place, env)

    with global_compiler_lock:
        JITCodeLibrary._optimize_final_module = optimise_wanted
        JITCodeLibrary._finalize_final_module = emit_wanted
        JITCPUCodegen.set_env = set_env_if_there
        BaseLower.create_cfunc_wrapper = lambda lower: None
        try:
            yield
        finally:
            JITCodeLibrary._optimize_final_module = _OPTIMISE
            JITCodeLibrary._finalize_final_module = _EMIT
            JITCPUCodegen.set_env = _SET_ENV
            BaseLower.create_cfunc_wrapper = _WRAP_FOR_C
