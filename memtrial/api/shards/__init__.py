"""Runs cut into shards for machines that share nothing, and made one again."""
