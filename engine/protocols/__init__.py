"""One protocol a file: its own layers, and the stack it stands on."""
