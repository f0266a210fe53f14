"""Preparation of a backbone: trajectories, banks, recalled memories, slots."""
