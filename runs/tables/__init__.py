"""Anyone's outcome table: read it, say which column was taken for what, shape it into outcomes."""
