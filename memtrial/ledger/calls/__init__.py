"""Calls that cost nothing, as ledgers keep them: many in one row, without their texts."""
