"""Static routing analyses, compiled: what a legitimate network costs, without playing it event by event."""
