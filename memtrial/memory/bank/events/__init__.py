"""The log of a bank: what happened, in order, in one SQLite file; everything else is read from it."""
