"""Trajectories to memory items: the control, the treatment, the baseline."""
