"""What results are computed from: planned cells, trials, masks."""
