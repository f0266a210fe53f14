"""The desks of a run: its drafts that wait, and the files of labels in its folder."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from memtrial.faults import SpecFault
from memtrial.ledger.run_plan import identity_in_force
from memtrial.outcomes.count_words import how_many
from memtrial.pages.desk import Desk
from memtrial.pages.desk_choice import choose_desk
from memtrial.pages.desk_page import PlacedDesk
from memtrial.pages.draft_desk import DraftDesk, read_queue
from memtrial.pages.failure_desk import FailureDesk
from memtrial.pages.page_address import address_of
from memtrial.pages.page_lock import page_is_open
from memtrial.pages.view.opened_run import RunReader

DRAFTS = "drafts"
"""What the desk for drafts is called in an address; a file of labels is called as it is."""
LABELS = "*.jsonl"
MOST_FILES = 16
BACK = "../../"
"""From a page of a desk to the page of the run."""
UNNAMED = "say who labels: `memtrial view --by NAME`"


class DeskEntry(NamedTuple):
    """A desk as the run's page names it; `shut` says why it does not open, empty where it does."""

    name: str
    says: str
    shut: str = ""


def list_desks(reader: RunReader, by: str) -> Iterator[DeskEntry]:
    """Where there is something to decide; nowhere while arms are masked, as texts would tell them apart."""
    if reader.mask:
        return
    queue = read_queue(reader.index.ledger, by)
    if queue.drafts:
        yield DeskEntry(DRAFTS, f"{how_many(len(queue.drafts), queue.manner.noun)} for review: {queue.told}")
    for path in _label_files(reader.folder):
        try:
            state = path.stat()
            says = _count_labels(path, by, state.st_mtime_ns, state.st_size)
        except (SpecFault, OSError):
            continue  # a file of something else
        shut = UNNAMED if says.startswith("cases") and not by else ""
        yield DeskEntry(path.name, says, shut)


def find_desk(reader: RunReader, name: str, by: str) -> PlacedDesk | None:
    """The desk of a name in an address; None where there is none, or none that may be shown now.

    Raises:
        SpecFault: nobody is named, and the file is for several people.
    """
    if reader.mask:
        return None
    if name == DRAFTS:
        blind = bool((identity_in_force(reader.index.ledger) or {}).get("review.blind"))
        waiting = f"{address_of(reader.folder)}end" if page_is_open(reader.folder) else ""
        return PlacedDesk(DraftDesk(reader.folder, blind, by, visiting=True), BACK, waiting)
    path = next((path for path in _label_files(reader.folder) if path.name == name), None)
    return None if path is None else PlacedDesk(choose_desk(path, by), BACK)


def _label_files(folder: Path) -> list[Path]:
    """Files that may hold labels; links are passed over, as they lead elsewhere."""
    files = (path for path in sorted(folder.glob(LABELS)) if path.is_file() and not path.is_symlink())
    return list(files)[:MOST_FILES]


@lru_cache(maxsize=64)
def _count_labels(path: Path, by: str, _written: int, _size: int) -> str:
    """What waits in a file of labels, read anew when it was written anew; SpecFault where it is none."""
    desk: Desk = choose_desk(path, by or "nobody")
    queue = desk.queue()
    noun = "cases of failure" if isinstance(desk, FailureDesk) else "items to label"
    return f"{noun}: {queue.told}"
