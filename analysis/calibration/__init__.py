"""The instrument on known truth: simulated experiments through the real estimators, held against bands."""
