"""The layouts, other than markdown headings, in which models write memory items."""
