"""What was read of a bank of ReasoningBank's, and what of it could not be taken over: nothing is silent."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class BankReport:
    """Counts and ids of one import; ids are source tasks in the order of the file.

    Args:
        form: which keys its records have.
        n_records: records that were taken in.
        n_items: memory items in them.
        n_traces: trajectories that came with them.
        duplicates: later records of a task, which upstream never reaches; left out.
        number_ids: ids that are numbers, which upstream never matches; taken in as text.
        string_items: records whose items are one text, which upstream reads by the character; taken in whole.
        first_of_several: records whose items are a client's answer with the raw answer behind; the text alone
            was taken in.
        blank: records without a text.
        no_outcome: records without a status; no trajectory of them can be written.
        no_query: records without a query of their own; the cache's text stands in where it has one.
        orphans: vectors of the cache without a record: upstream finds them first, and then shows nothing.
        unsearched: records without a vector in the cache, which upstream never finds.
        n_vectors: rows of the cache, which are not taken over; None where there is no cache.
        lengths: how long they are; upstream needs one length.
        blank_lines: of the bank, on which upstream stops.
        unused: keys that are kept in the record and used by nothing.
    """

    form: str
    n_records: int
    n_items: int
    n_traces: int
    duplicates: tuple[str, ...] = ()
    number_ids: tuple[str, ...] = ()
    string_items: tuple[str, ...] = ()
    first_of_several: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()
    no_outcome: tuple[str, ...] = ()
    no_query: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    unsearched: tuple[str, ...] = ()
    n_vectors: int | None = None
    lengths: tuple[int, ...] = ()
    blank_lines: int = 0
    unused: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The same as an object."""
        return asdict(self)
