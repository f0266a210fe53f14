"""Verdicts and numbers in words."""
