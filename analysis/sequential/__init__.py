"""Looking at a run before it ends without raising its error rate: boundaries, e-process, intervals."""
