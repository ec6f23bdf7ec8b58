"""Sweeps on Spark: grid to rows to statistics, on this machine or on a cluster."""
