"""Logs of other programs as traces."""
