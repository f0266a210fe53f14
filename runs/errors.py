"""What stops a run, and with which exit code.

These rise through preparation, lock, play and the verbs; a function says so only where it means more:

- SpecFault: a wrong call, found before anything is begun.
- RunFault: the run cannot go on; WorldFault, LedgerFault and StoreFault become one where a session ends.
- ModelFault: no answer could be had; of a trial it makes an error row.
- HaltFault: nothing more may be sent (budget, interrupt, another model); the session ends with its reason.
"""

from __future__ import annotations

RESUME = "progress is saved; run the same command to resume"
"""How an interrupted run continues: the end of a message."""


class SpecFault(ValueError):
    """A wrong call or a wrong spec: one clear line, exit code 2, nothing written."""


class RunFault(RuntimeError):
    """The run cannot continue: one clear line, exit code 1, progress is saved."""
