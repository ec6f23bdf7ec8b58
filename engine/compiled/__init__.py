"""The compiled engine: the same protocol files as machine code, by numba. See docs/engine.md and docs/adr/0006."""
