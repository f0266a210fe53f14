"""Rankings of a bank that is open: its items stay in memory and are kept level with its log."""
