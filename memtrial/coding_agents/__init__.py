"""Coding agents that people run: how each is started, which memory it reads, what of it reached its model."""
