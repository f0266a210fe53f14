"""Tests and intervals for contrasts."""
