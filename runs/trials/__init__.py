"""Trials, their damage and the run plan, fixed before the first one is played."""
