"""Decisions made elsewhere, as by a colleague: a file of JSON lines, taken whole or not at all."""

from pathlib import Path

from pydantic import ValidationError

from loadbearing.ledger.review_facts import ReviewDecision
from loadbearing.runs.errors import SpecFault

LARGEST = 64 * 2**20
FORM = 'a line is {"draft": ID, "how": "accept" | "edit" | "reject", "markdown": TEXT of an edit}'


def read_decisions(path: Path) -> tuple[ReviewDecision, ...]:
    """The decisions of a file, in its order; SpecFault where it cannot be read, or a line is none."""
    try:
        # a pipe would be waited for, and a device never ends
        if path.exists() and not (path.is_file() and path.stat().st_size <= LARGEST):
            raise SpecFault(f"a plain file of at most {LARGEST // 2**20} MiB is needed; {path} is none")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise SpecFault(f"a file of decisions is needed; {path} cannot be read: {fault}") from fault
    found = []
    # not splitlines(): JSON may hold U+2028 and its like unescaped
    for number, line in enumerate(text.split("\n"), 1):
        try:
            found += [ReviewDecision.model_validate_json(line)] if line.strip() else []
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            what = ".".join(map(str, first["loc"]))
            raise SpecFault(f"{path}, line {number}: {what}: {first['msg']}; {FORM}") from None
    return tuple(found)
