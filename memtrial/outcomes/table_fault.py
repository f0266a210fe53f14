"""What is wrong with a table of outcomes; it is known without the libraries that read tables."""


class TableFault(ValueError):
    """A table or an option that cannot be read as outcomes: one clear line, exit code 2, nothing written."""


class UnclearTable(TableFault):
    """A question that only the user can answer.

    Args:
        question: what is not clear, and the option that settles it.
        option: that option, as `--reference`.
        answer: its likeliest value; empty for an option that takes none.
    """

    def __init__(self, question: str, option: str, answer: str = "") -> None:
        super().__init__(question)
        self.option = option
        self.answer = answer
