"""Harm looked at closely: what precedes a failure with memory, and the clearest pair of each mode."""
