"""Items and their markdown, Trigger and check predicates, records, banks, retrieval."""
