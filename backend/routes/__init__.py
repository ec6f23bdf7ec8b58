"""The HTTP and WebSocket routes, a file for each noun."""
