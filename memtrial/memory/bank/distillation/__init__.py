"""What a model distils from trajectories: strategies, guardrails, contrasts, corrections."""
