"""Spec, plan, execution and the command line."""
