"""The plan of a run's blocks: numbers for all of them, of which each is laid out when it is played."""
