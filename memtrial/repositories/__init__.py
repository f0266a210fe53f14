"""Coding tasks from git and from folders, and the work tree that a trial is played and scored in."""
