"""The forecast of a run: usage, cost, power."""
