"""Guards: each may take a word away from a row; they act one after the other, in a fixed order."""
