"""Spec, setup, preparation, trials, play, lock and forecast of a run."""
