"""A skill's file: its front matter, by which it is activated, and its body."""

from memtrial.faults import SpecFault

FENCE = "---"


def split_skill(text: str, path: str) -> tuple[str, str]:
    """Front matter with its fences, and the body. SpecFault where there is no front matter."""
    lines = text.splitlines(keepends=True)
    if lines and lines[0].strip() == FENCE:
        for number, line in enumerate(lines[1:], start=1):
            if line.strip() == FENCE:
                return "".join(lines[: number + 1]), "".join(lines[number + 1 :])
    raise SpecFault(
        f"a skill begins with its front matter (name and description between two lines of {FENCE});"
        f" {path} does not; add it"
    )
