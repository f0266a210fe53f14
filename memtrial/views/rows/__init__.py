"""The results of a run as frozen, versioned types: what `results.json` holds."""
