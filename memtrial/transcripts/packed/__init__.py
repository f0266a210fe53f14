"""Packed files of others, read within bounds and never run."""
