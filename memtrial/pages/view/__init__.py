"""Pages on which results are looked at: a folder of runs, a run, its tasks and its trials."""
