"""Sweeps: one scenario, many variations. The document, its arithmetic, and where results lie; pure Python.

sweep = load_sweep(text)
sweep.runs                   # points × repetitions
sweep.run(17)                # what run 17 is given: a value for each axis path, and a seed
sweep.document(17)           # its scenario document: any run can be opened and played
"""

from engine.sweeps.document import Sweep, load_sweep, schema, sweep_id
from engine.sweeps.folder import Folder
from engine.sweeps.plan import Plan

__all__ = ["Folder", "Plan", "Sweep", "load_sweep", "schema", "sweep_id"]
