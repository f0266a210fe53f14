"""A bank of ReasoningBank's and its cache of vectors, read as they lie, with what is wrong in them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from memtrial.agents.trajectory import Step, Trajectory, Verdict
from memtrial.faults import SpecFault
from memtrial.memory.interchange.bank_report import BankReport
from memtrial.memory.interchange.upstream_record import BETWEEN
from memtrial.memory.markdown import item_texts
from memtrial.prompts.plain_text import lines_of, text_of

NEEDED = "a bank of ReasoningBank is JSON lines with task_id and memory_items"
OF_CACHE = "a cache of vectors is JSON lines with id and embedding"
USED = ("task_id", "query", "think_list", "action_list", "status", "memory_items", "template_id")
OUTCOMES: Mapping[str, Verdict] = {"success": "success", "fail": "failure", "failure": "failure"}
_OBJECT = TypeAdapter(dict[str, JsonValue])


class _CacheRow(BaseModel):
    """A line of the cache. Its numbers are read to be counted alone."""

    model_config = ConfigDict(extra="ignore")
    id: JsonValue
    text: str = ""
    embedding: list[float]


@dataclass(frozen=True, slots=True)
class UpstreamEntry:
    """One record that was taken in.

    Args:
        outcome: None where the record has no status.
        reply: what upstream's agent is shown of it.
        trajectory: its turns; None where it has none, or no outcome.
        record: the line as it was, with an id and items that upstream can read.
    """

    task_id: str
    query: str
    outcome: Verdict | None
    template: str
    reply: str
    trajectory: Trajectory | None
    record: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class UpstreamBank:
    """The records of a bank, the first of each task, and what was seen on the way."""

    entries: tuple[UpstreamEntry, ...]
    report: BankReport


def cache_beside(bank: Path) -> Path:
    """Where upstream keeps the vectors of a bank."""
    return bank.with_name(f"{bank.stem}_embeddings.jsonl")


def read_upstream_bank(path: Path) -> UpstreamBank:
    """The bank of a file, and the cache beside it where there is one.

    Raises:
        SpecFault: a file cannot be read, or a line is no record.
    """
    rows = [_read_object(line, where) for where, line in lines_of(path, NEEDED, SpecFault)]
    if not rows:
        raise SpecFault(f"{NEEDED}; {path} holds none")
    cache = cache_beside(path)
    vectors = _read_cache(cache) if cache.exists() else None
    texts = {_id_text(row.id): row.text for row in vectors or ()}
    entries: dict[str, UpstreamEntry] = {}
    seen: dict[str, list[str]] = {}
    for (where, _), row in zip(lines_of(path, NEEDED, SpecFault), rows, strict=True):
        entry, oddities = _read_record(row, where, texts)
        if entry.task_id in entries:
            oddities = ("duplicates",)
        for oddity in oddities:
            seen.setdefault(oddity, []).append(entry.task_id)
        entries.setdefault(entry.task_id, entry)
    kept = tuple(entries.values())
    cached = [row.id for row in vectors or ()]

    def named(oddity: str) -> tuple[str, ...]:
        return tuple(seen.get(oddity, ()))

    report = BankReport(
        form=_name_form(rows),
        n_records=len(kept),
        n_items=sum(len(item_texts(entry.reply)) for entry in kept if entry.reply.strip()),
        n_traces=sum(entry.trajectory is not None for entry in kept),
        duplicates=named("duplicates"),
        number_ids=named("number_ids"),
        string_items=named("string_items"),
        first_of_several=named("first_of_several"),
        blank=named("blank"),
        no_outcome=named("no_outcome"),
        no_query=named("no_query"),
        orphans=tuple(dict.fromkeys(_id_text(name) for name in cached if name not in entries)),
        unsearched=() if vectors is None else tuple(name for name in entries if name not in cached),
        n_vectors=None if vectors is None else len(vectors),
        lengths=tuple(sorted({len(row.embedding) for row in vectors or ()})),
        blank_lines=_count_blank(path),
        unused=tuple(sorted({key for row in rows for key in row if key not in USED})),
    )
    return UpstreamBank(kept, report)


def _read_record(
    row: dict[str, JsonValue], where: str, texts: Mapping[str, str]
) -> tuple[UpstreamEntry, tuple[str, ...]]:
    """A record, and the fields of the report that it belongs to."""
    task_id = _id_text(row.get("task_id"))
    if not task_id or "memory_items" not in row:
        raise SpecFault(f"{NEEDED}; {where} has {', '.join(row) or 'nothing'}")
    pieces, oddities = _read_items(row["memory_items"], where)
    if not isinstance(row["task_id"], str):
        oddities.append("number_ids")
    query = row.get("query")
    if not isinstance(query, str) or not query.strip():
        oddities.append("no_query")
        query = texts.get(task_id, "")
    outcome = OUTCOMES.get(str(row.get("status")))
    if outcome is None:
        oddities.append("no_outcome")
    reply = BETWEEN.join(pieces)
    if not reply.strip():
        oddities.append("blank")
    template = row.get("template_id")
    steps = _read_steps(row, where)
    trajectory = Trajectory(task_id, task_id, query, outcome, steps) if outcome and steps else None
    record = row | {"task_id": task_id, "memory_items": list[JsonValue](pieces)}
    named = "" if template is None else _id_text(template)
    return UpstreamEntry(task_id, query, outcome, named, reply, trajectory, record), tuple(oddities)


def _read_items(given: JsonValue, where: str) -> tuple[list[str], list[str]]:
    """The pieces of a record, and what is odd in them: v0 stored a text, or the client's pair with its text
    before the raw answer."""
    if isinstance(given, str):
        return given.split(BETWEEN), ["string_items"]
    if isinstance(given, list):
        texts = [piece for piece in given if isinstance(piece, str)]
        if len(texts) == len(given):
            return texts, []
        if len(given) == 2 and isinstance(given[0], str):
            return given[0].split(BETWEEN), ["first_of_several"]
    raise SpecFault(f"{NEEDED}; {where}: memory_items needs a list of texts, or a text")


def _read_steps(row: Mapping[str, JsonValue], where: str) -> tuple[Step, ...]:
    thoughts, actions = row.get("think_list", []), row.get("action_list", [])
    if not isinstance(thoughts, list) or not isinstance(actions, list) or len(thoughts) != len(actions):
        raise SpecFault(f"{where}: think_list and action_list need to be lists of the same length")
    pairs = zip(thoughts, actions, strict=True)
    return tuple(Step(_text_of(thought), _text_of(action)) for thought, action in pairs)


def _text_of(value: JsonValue) -> str:
    """A thought or an action; v0 kept the actions of a turn as a list."""
    if isinstance(value, list):
        return "\n".join(map(_text_of, value))
    return "" if value is None else str(value)


def _read_object(line: str, where: str) -> dict[str, JsonValue]:
    try:
        return _OBJECT.validate_json(line)
    except ValidationError as fault:
        raise SpecFault(f"{NEEDED}; {where}: {fault.errors(include_url=False)[0]['msg']}") from None


def _read_cache(path: Path) -> list[_CacheRow]:
    rows = []
    for where, line in lines_of(path, OF_CACHE, SpecFault):
        try:
            rows.append(_CacheRow.model_validate_json(line))
        except ValidationError as fault:
            raise SpecFault(f"{OF_CACHE}; {where}: {fault.errors(include_url=False)[0]['msg']}") from None
    return rows


def _id_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _name_form(rows: list[dict[str, JsonValue]]) -> str:
    """Which of upstream's three writers the records are of; by the keys that most of them have."""
    keys = Counter(key for row in rows for key in row)
    if keys["think_list"] * 2 > len(rows):
        return "webarena"
    return "scaling" if keys["template_id"] * 2 > len(rows) else "swe"


def _count_blank(path: Path) -> int:
    lines = text_of(path, NEEDED, SpecFault).split("\n")
    return sum(not line.strip() for line in (lines[:-1] if not lines[-1].strip() else lines))
