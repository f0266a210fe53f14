"""Which desk a file of labels is for."""

from pathlib import Path

from pydantic import JsonValue, RootModel

from memtrial.faults import SpecFault
from memtrial.outcomes.count_words import list_names
from memtrial.pages.decision_file import read_rows
from memtrial.pages.failure_desk import FailureDesk
from memtrial.pages.label_desk import LabelDesk

FORM = "a file of `failures --label-file` (case, solved, failed) or of `gates label` (item, trajectory)"


def choose_desk(file: Path, by: str) -> FailureDesk | LabelDesk:
    """By the keys of its first line; SpecFault where it is of neither kind, or nobody is named."""
    first = next(read_rows(file, RootModel[dict[str, JsonValue]], FORM), None)
    keys = set(first.root if first else ())
    if keys >= {"case", "solved", "failed"}:
        if not by:
            raise SpecFault(f"several people may label {file}: say who does, with --by NAME")
        return FailureDesk(file, by)
    if keys & {"item", "like"}:
        return LabelDesk(file, by)
    raise SpecFault(
        f"{FORM} is needed; {file} begins with {list_names(tuple(sorted(keys))[:12]) or 'nothing'}"
    )
