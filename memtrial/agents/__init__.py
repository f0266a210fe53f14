"""One agent in one task: steps, trajectories, slots, the injection protocol. Blind to the arm."""
