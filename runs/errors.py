"""What stops a run, and with which exit code."""

from __future__ import annotations


class SpecFault(ValueError):
    """A wrong call or a wrong spec: one clear line, exit code 2, nothing written."""


class RunFault(RuntimeError):
    """The run cannot go on: one clear line, exit code 1, what is done stays done."""
