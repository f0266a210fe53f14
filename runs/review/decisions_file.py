"""Files of people's rows: JSON lines, taken whole or not at all; so are decisions made elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from loadbearing.ledger.review_facts import ReviewDecision
from loadbearing.runs.errors import SpecFault, refused

LARGEST = 512 * 2**20
FORM = 'a line is {"draft": ID, "how": "accept" | "edit" | "reject", "markdown": TEXT of an edit}'
Row = TypeVar("Row", bound=BaseModel)


def read_decisions(path: Path) -> tuple[ReviewDecision, ...]:
    """The decisions of a file, in its order; SpecFault where it cannot be read, or a line is none."""
    return tuple(read_rows(path, ReviewDecision, FORM))


def read_rows(path: Path, kind: type[Row], form: str) -> Iterator[Row]:
    """The rows of a file, in its order; SpecFault where it cannot be read, or a line is not of the form."""
    with refused(
        OSError, UnicodeDecodeError, said=f"a file of JSON lines is needed; {path} cannot be read: "
    ):
        # a pipe would be waited for, and a device never ends
        if path.exists() and not (path.is_file() and path.stat().st_size <= LARGEST):
            raise SpecFault(f"a plain file of at most {LARGEST // 2**20} MiB is needed; {path} is none")
        text = path.read_text(encoding="utf-8-sig")
    # not splitlines(): JSON may hold U+2028 and its like unescaped
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield kind.model_validate_json(line)
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            what = ".".join(map(str, first["loc"])) or "JSON"
            raise SpecFault(f"{path}, line {number}: {what}: {first['msg']}; {form}") from None
