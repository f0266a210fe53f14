"""The text that a bank is searched by: the task's, and what is observed where that counts.

Source: seeds/000 (a query is formed of the task's specification and cues of the environment); A-19.
"""


def form_query(task: str, observed: str = "") -> str:
    """The task's text, and below it what is observed; without an observation the task's text as it is."""
    return f"{task}\n\n{observed.strip()}" if observed.strip() else task
