"""What a ledger says, as JSON, HTML, Markdown and figures."""
