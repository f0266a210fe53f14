"""The lock: what is frozen before the first trial, and who looked under the mask."""
