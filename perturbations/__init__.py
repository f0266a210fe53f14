"""Damage of a known kind to a slot, and the check that it was done."""
