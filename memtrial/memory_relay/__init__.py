"""A relay between a coding agent and the user's memory server: what reading gives is the memory on trial."""
