"""Tables of failures by mode."""
