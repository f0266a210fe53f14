"""Estimates and verdicts: pure functions on arrays."""
