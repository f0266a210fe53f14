"""Estimands beside utility, drop and contrast, each with its verdict words."""
