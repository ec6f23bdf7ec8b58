"""Ringcast's protocol engine: pure Python, no I/O, deterministic."""

ENGINE_VERSION = "1.0.0"
