"""Damage that a model writes, held to what it claims by a program and a judge."""
