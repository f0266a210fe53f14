"""Which items a task is shown, and why: profiles, score parts, selection, a budget of tokens, abstention."""
