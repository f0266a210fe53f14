"""Evolutions: memories that grow over streams of tasks."""
