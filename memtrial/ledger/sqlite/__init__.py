"""The ledger in a file of SQLite: tables, rows, calls, accounts, audit."""
