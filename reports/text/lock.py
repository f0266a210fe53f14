"""What a reader is told of a lock: status, differences and amendments, in sentences."""

from __future__ import annotations

from loadbearing.reports.base.lookup import Results

STATUS = {
    "exploratory": "exploratory: no plan was locked before the data were seen",
    "confirmatory": "confirmatory: the plan was locked before the data were seen",
}


def status_sentence(results: Results) -> str:
    """The status with its reason."""
    status, lock = str(results.get("status") or ""), results.get("lock") or {}
    if (lock.get("locked") or lock.get("file_left")) and lock.get("says"):
        says = str(lock["says"])
        return (
            f"{status}: {says.removeprefix('Exploratory: ')}"
            if status == "exploratory"
            else f"{status}. {says}"
        )
    return STATUS.get(status, status)


def lock_lines(results: Results) -> list[str]:
    """Digest, amendments, every named difference and unmasked looks, a line each; none without a lock."""
    lock = results.get("lock") or {}
    if not lock.get("locked"):
        return [str(lock["says"])] if lock.get("says") else []
    before = lock.get("trials_before") or 0
    lines = [str(lock.get("says", "")), f"Digest of the lock: {lock.get('digest', '')}."]
    if before:
        lines.append(f"It was made after {before} trials.")
    lines += [str(one["says"]) for one in lock.get("amendments") or ()]
    found = lock.get("differences") or ()
    lines += [str(one["says"]) for one in found]
    more = int(lock.get("differences_in_all") or 0) - len(found)
    if more > 0:
        lines.append(f"And {more} more differences.")
    looks = lock.get("unmasked_looks") or ()
    if looks:
        when = ", ".join(f"{one['trials']} trials ({one['by']})" for one in looks)
        lines.append(f"Arms were unmasked before the locked data were complete, after {when}.")
    listed = lock.get("exploratory_analyses") or ()
    if listed:
        lines.append(f"Exploratory by the lock itself: {'; '.join(map(str, listed))}.")
    return lines
