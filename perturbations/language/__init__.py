"""English for perturbations: words, clauses, sentences and their edits."""
