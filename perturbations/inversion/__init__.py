"""Sentences turned into their opposite."""
