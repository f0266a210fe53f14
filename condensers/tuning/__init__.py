"""Tuning of instructions on one half of the labelled examples, and its score on the other half."""
