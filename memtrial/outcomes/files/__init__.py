"""Readers of the files that tables come in."""
