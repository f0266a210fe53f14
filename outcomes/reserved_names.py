"""Names that stand for something in every table of outcomes."""

from __future__ import annotations

ALL = "all"
"""Stands in the place of a backbone where an estimate is the mean over all of them."""

INSTRUCTED = "instructed"
"""The condition in which an arm's own items stand under the plain instruction to follow them."""
