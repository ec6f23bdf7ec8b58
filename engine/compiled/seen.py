"""The state of a compiled run for a judge that is plain Python: lists, kept up to date rather than made anew.

Converting all columns costs many times what playing until the next sample does, and from one sample to the next little
changes. So a column becomes lists when it is asked for, and from then on only rows that have changed are copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.compiled.arrays import Column
from engine.compiled.rows import Ragged


class Seen:
    """What has been asked for of a `CompiledSimulator`'s state. Readers must not change the lists."""

    def __init__(self, sim: Any) -> None:
        self._sim = sim
        self._held: list[Column] = []
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._asked = False  # for a column that is new, since the last `changed`

    def state(self) -> Any:
        """The state as the interpreted engine holds it: `state.layer.field[v]`."""
        spec = self._sim.spec
        layers = {layer.key: _Layer(self, layer.key) for layer in spec.layers}
        return spec.state(env=self._sim.env, par=self._sim.given_par, **layers)

    def column(self, key: str, name: str) -> list[Any]:
        """A field as nested lists."""
        if (kept := self._kept.get((key, name))) is None:
            column = next(c for c in self._sim.held if (c.layer, c.field.name) == (key, name))
            kept = self._kept[key, name] = _Kept(column)
            self._asked = True
        return kept.lists

    def changed(self) -> bool:
        """Bring all that was asked for up to date; whether anything is new since the last call."""
        changed, self._asked = self._asked, False
        if self._held is not self._sim.held:  # another network: nothing is where it was
            self._held, changed = self._sim.held, True
            self._kept.clear()
        for kept in self._kept.values():
            changed |= kept.refresh()
        return changed


class _Layer:
    """A layer's state; fields are looked up when they are read."""

    def __init__(self, seen: Seen, key: str) -> None:
        self._seen, self._key = seen, key

    def __getattr__(self, name: str) -> list[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._seen.column(self._key, name)
        setattr(self, name, found)
        return found


class _Kept:
    """A column as it was the last time, and as lists; `rows` are the innermost of these."""

    def __init__(self, column: Column) -> None:
        self._column, self._was = column, column.data.copy()
        self.lists = column.table().lists()
        self._rows = [row for rows in self.lists for row in rows] if len(column.offsets) == 2 else self.lists

    def refresh(self) -> bool:
        """Copy what has changed; whether anything has."""
        data = self._column.data
        differs = self._was != data
        if not differs.any():
            return False
        where = differs.nonzero()[0]
        self._was[where] = data[where]
        if not self._column.offsets:
            self.lists[:] = data.tolist()
            return True
        row_of = self._column.offsets[-1]
        table = Ragged(data, row_of)
        for row in np.unique(np.searchsorted(row_of, where, side="right") - 1).tolist():
            self._rows[row][:] = table[row].tolist()
        return True
