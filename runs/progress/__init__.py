"""Progress on the terminal and in the session log."""
