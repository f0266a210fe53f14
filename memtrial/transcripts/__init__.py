"""Logs of other programs: what each format holds of an agent's runs, and what a file looks like."""
