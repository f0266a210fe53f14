"""Parts of the results that support or limit the verdicts."""
