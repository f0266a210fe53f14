"""Preregistration: what is locked, which looks are taken, and under which names a run may be read."""
