"""The all-seeing judge: legitimacy, delivery, cost. Nodes never see any of it."""
