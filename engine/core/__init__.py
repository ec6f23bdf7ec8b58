"""The kernel: declarations, simulator, randomness, trace."""
