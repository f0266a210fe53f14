"""Decisions made elsewhere, as by a colleague: a file of JSON lines, taken whole or not at all."""

from pathlib import Path

from pydantic import ValidationError

from loadbearing.ledger.review_facts import ReviewDecision
from loadbearing.runs.errors import SpecFault

LARGEST = 64 * 2**20
FORM = 'a line is {"draft": ID, "how": "accept" | "edit" | "reject", "markdown": TEXT of an edit}'


def read_decisions(path: Path) -> tuple[ReviewDecision, ...]:
    """The decisions of a file, in its order.

    Raises:
        SpecFault: it cannot be read, is too large, or a line is no decision or decides a draft anew.
    """
    try:
        # a pipe would be waited for, and a device never ends
        if path.exists() and not (path.is_file() and path.stat().st_size <= LARGEST):
            raise SpecFault(
                f"a plain file of JSON lines is needed, of at most {LARGEST // 2**20} MiB; got {path}"
            )
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise SpecFault(f"a file of decisions is needed; {path} cannot be read: {fault}") from fault
    found: dict[str, ReviewDecision] = {}
    # not splitlines(): JSON may hold U+2028 and its like unescaped
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            one = ReviewDecision.model_validate_json(line)
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            what = ".".join(map(str, first["loc"]))
            raise SpecFault(f"{path}, line {number}: {what}: {first['msg']}; {FORM}") from None
        if one.draft in found:
            raise SpecFault(f"{path}, line {number}: draft {one.draft!r} stands twice; decide it once")
        found[one.draft] = one
    if not found:
        raise SpecFault(f"{path} holds no decision; {FORM}")
    return tuple(found.values())
