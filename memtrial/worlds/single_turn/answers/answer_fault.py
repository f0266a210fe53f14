"""What an answer is that cannot be read."""


class AnswerFault(ValueError):
    """No answer can be read in a reply: a failure of its form, never an error. The message says why."""
