"""How long a bank takes, beside plain programs that do the same, in the same run."""
