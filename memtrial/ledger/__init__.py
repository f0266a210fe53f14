"""Row types, the append-only store, outcome tables."""
