"""Results computed from a ledger or a table."""
