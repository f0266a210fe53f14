"""What an answer is that cannot be read."""


class Unreadable(ValueError):
    """No answer can be read in a reply: a failure of its form, whose cause the message says."""
