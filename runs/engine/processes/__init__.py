"""Blocks played by processes beside this one, which alone writes the ledger."""
