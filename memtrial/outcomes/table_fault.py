"""What is wrong with a table of outcomes; it is known without the libraries that read tables."""


class TableFault(ValueError):
    """A table or an option that cannot be read as outcomes: one clear line, exit code 2, nothing written."""
