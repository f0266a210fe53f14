"""What a reader is told of a lock: status, differences and amendments, in sentences."""

from __future__ import annotations

from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.model.results import Results

STATUS = {
    "exploratory": "exploratory: no plan was locked before the data were seen",
    "confirmatory": "confirmatory: the plan was locked before the data were seen",
}


def status_sentence(results: Results) -> str:
    """The status with its reason."""
    status, lock = results.status, results.lock
    if lock is None or not (lock.locked or lock.file_left) or not lock.says:
        return STATUS[status]
    if status == "exploratory":
        return f"{status}: {lock.says.removeprefix('Exploratory: ')}"
    return f"{status}. {lock.says}"


def lock_lines(results: Results) -> list[str]:
    """Digest, amendments, every named difference and unmasked looks, a line each; none without a lock."""
    lock = results.lock
    if lock is None:
        return []
    if not lock.locked:
        return [lock.says] if lock.says else []
    lines = [lock.says, f"Digest of the lock: {lock.digest}."]
    if lock.trials_before:
        lines.append(f"It was made after {how_many(lock.trials_before, 'trial')}.")
    lines += [one.says for one in lock.amendments]
    lines += [one.says for one in lock.differences]
    more = lock.differences_in_all - len(lock.differences)
    if more > 0:
        lines.append(f"And {how_many(more, 'more difference')}.")
    if lock.unmasked_looks:
        when = ", ".join(f"{how_many(one.trials, 'trial')} ({one.by})" for one in lock.unmasked_looks)
        lines.append(f"Arms were unmasked before the locked data were complete, after {when}.")
    if lock.exploratory_analyses:
        lines.append(f"Exploratory by the lock itself: {'; '.join(lock.exploratory_analyses)}.")
    return lines
