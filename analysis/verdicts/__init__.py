"""Verdict rules and guards."""
