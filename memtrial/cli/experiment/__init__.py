"""Verbs that carry an experiment out: init, plan, lock, run."""
