"""What a ledger or a table says, as frozen types: read by command line, report and pages."""
