"""Verbs that read: they spend nothing and change nothing in a run."""
