"""How little a trial of one memory asks again unless it is told otherwise."""

FEW_CALLS = 100
"""Requests of coding agents are long: so many calls cost a few dollars."""
