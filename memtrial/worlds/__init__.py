"""Worlds that pose tasks and score episodes, one adapter a file."""
