"""Decisions that were asked again: how far what is done next depends on the memory, by condition and item."""
