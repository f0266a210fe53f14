"""Commits that changed sources and tests become tasks; all others are left out, by kind."""
