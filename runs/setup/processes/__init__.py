"""Processes of this program that a run begins for what takes processor time."""
