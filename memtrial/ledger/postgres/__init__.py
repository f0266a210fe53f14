"""The ledger of many workers: runs in a PostgreSQL database."""
