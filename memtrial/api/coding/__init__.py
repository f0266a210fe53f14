"""Coding agents from Python: a memory file on trial with the agent that reads it."""
