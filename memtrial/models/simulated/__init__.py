"""Participants of known disposition. They read the same prompts as a real model, and nothing else."""
