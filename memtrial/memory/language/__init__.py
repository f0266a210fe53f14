"""How any memory text is read: its parts, sentences, clauses and roles."""
