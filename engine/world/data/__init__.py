"""The built-in networks as JSON; `bake` writes them, `docs/data.md` says whose they are."""
