"""A proxy on loopback: the agent's requests pass to the provider untouched, are kept, counted and bounded."""
