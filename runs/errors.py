"""What stops a run, and with which exit code."""

RESUME = "progress is saved; run the same command to resume"
"""How an interrupted run continues: the end of a message."""


class SpecFault(ValueError):
    """A wrong call or a wrong spec: one clear line, exit code 2, nothing written."""


class RunFault(RuntimeError):
    """The run cannot continue: one clear line, exit code 1, progress is saved."""
