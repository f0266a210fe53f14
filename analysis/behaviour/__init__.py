"""What the agent did, beside how it ended: distances between actions, divergence, cancelling effects."""
