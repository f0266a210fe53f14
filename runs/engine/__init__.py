"""Playing the trials: sessions, blocks, schedule, streams."""
