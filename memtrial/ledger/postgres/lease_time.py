"""How long the lease of a worker lasts, for who offers another time and needs no database."""

LEASE_S = 30.0
"""How long a worker that says nothing is waited for before others take its blocks."""
