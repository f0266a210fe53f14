"""The spec: a run as a frozen value, read from YAML, variables and options."""
