"""Layers that protocol stacks are composed of; each reads the ones below and writes only its own state."""
