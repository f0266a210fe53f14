"""Verbs for the parts on their own: analyze, condense, perturb, check, calibrate, serve-scripted."""
