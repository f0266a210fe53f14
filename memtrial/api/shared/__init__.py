"""Runs that many workers play together, by a ledger in a database."""
