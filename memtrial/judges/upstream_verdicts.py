"""ReasoningBank's own readers of its judges' replies, to the letter (UPSTREAM 3.5).

They differ from what a person would read: to the judge for SWE "unsuccessful" is a success, to that for
WebArena `Success.` is a failure, and so is a reply without a status. The profile `upstream` reads so.
"""

from memtrial.judges.verdict_words import Label


def read_upstream_lines(reply: str) -> tuple[Label, str]:
    """The verdict and the thoughts of the judge for WebArena: the first line that begins with each tag."""
    lines = reply.split("\n")
    thoughts = next((line for line in lines if line.startswith("Thoughts:")), "Thoughts:")
    status = next((line for line in lines if line.startswith("Status:")), "Status:")
    label = status.removeprefix("Status:").strip().strip('"').strip().lower()
    return ("success" if label == "success" else "failure"), thoughts.removeprefix("Thoughts:").strip()


def read_upstream_substring(reply: str) -> Label:
    """The verdict of the judge for SWE."""
    return "success" if "success" in reply.lower() else "failure"
