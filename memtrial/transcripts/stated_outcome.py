"""An outcome as a field states it: a word, a truth value or a score."""

from memtrial.transcripts.log_text import Json, compact
from memtrial.transcripts.logged_run import LogFault, StatedOutcome

GOOD = frozenset(
    {"success", "succeeded", "solved", "resolved", "pass", "passed", "correct", "true", "yes", "c"}
)
BAD = frozenset(
    {"failure", "fail", "failed", "unsolved", "unresolved", "incorrect", "wrong", "false", "no", "i", "n"}
)
LOOKS = (
    "outcome",
    "success",
    "score",
    "reward",
    "resolved",
    "correct",
    "passed",
    "is_correct",
    "is_success",
    "solved",
)
"""Names of fields that may state an outcome; none is taken for one unless it is named."""


def read_outcome(
    value: Json, where: str, success_from: float | None = None
) -> tuple[StatedOutcome, float | None]:
    """The outcome and the score that a value states; neither where it is missing.

    Args:
        success_from: from this score on it is a success; without it a score is 0 or 1.

    Raises:
        LogFault: the value is neither a word for an outcome nor a score that can be read.
    """
    if value is None or value == "":
        return "", None
    word = compact(value).strip().lower()
    if word in GOOD | BAD:
        return ("success" if word in GOOD else "failure"), None
    try:
        score = float(word)
    except ValueError:
        shown = f"got {word[:60]!r}"
        raise LogFault(f"{where}: an outcome is success or failure, or a score; {shown}") from None
    if not 0 <= score <= 1:
        raise LogFault(f"{where}: a score lies in [0, 1]; got {word[:60]}")
    if success_from is None and 0 < score < 1:
        need = "say where success begins: --success-from 0.5"
        raise LogFault(f"{where}: the score {word[:60]} is neither 0 nor 1; {need}")
    return ("success" if score >= (1 if success_from is None else success_from) else "failure"), score


def look_for_outcomes(record: Json) -> tuple[str, ...]:
    """The names of a record's fields, and of those of its metadata, that look like an outcome."""
    if not isinstance(record, dict):
        return ()
    inner = record.get("metadata")
    pairs = [(name, record.get(name)) for name in LOOKS]
    if isinstance(inner, dict):
        pairs += [(f"metadata.{name}", inner.get(name)) for name in LOOKS]
    return tuple(name for name, value in pairs if isinstance(value, bool | int | float | str))
