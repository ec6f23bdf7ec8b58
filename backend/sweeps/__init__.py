"""Sweeps in the server: a queue of jobs, one batch process that works on them, and readers of what it wrote."""
