"""One closed question about one named failure of an item, one gate a file."""
