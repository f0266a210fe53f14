"""How agents fail with memory where they succeed without: shares of modes, tests, agreement, correction."""
