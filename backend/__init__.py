"""The server: live sessions of the engine, streamed to browsers."""
