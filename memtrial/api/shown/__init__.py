"""One task of a run, looked at in a notebook or at a prompt."""
