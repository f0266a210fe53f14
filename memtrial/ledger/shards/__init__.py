"""Runs that were cut into shards, each with a ledger of its own, and their rows in one ledger again."""
