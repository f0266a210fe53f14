"""A small text world of machines with hidden rules. It exists to calibrate the instrument."""

from loadbearing.environments.workshop.world import Workshop

__all__ = ["Workshop"]
