"""What a condenser made of one run: drafts with their findings, revisions, and the run with quotes lit up."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from memtrial.agents.traces import TraceFault, trace_from_json
from memtrial.agents.trajectory import Trajectory
from memtrial.ledger.row_text import parse_json
from memtrial.pages.page_templates import cut_text
from memtrial.pages.quote_marks import Quote, mark_quotes
from memtrial.pages.view.grid_query import QueryFault
from memtrial.pages.view.opened_run import RunReader
from memtrial.pages.view.word_difference import mark_difference

FLAGS = ("FAIL", "WARN")


class ReadFinding(NamedTuple):
    """One finding; `number` stands behind the marks of its quote, 0 where it marks nothing."""

    number: int
    gate: str
    word: str
    reason: str
    quote: str
    where: str


class ReadDraft(NamedTuple):
    """One draft of an item.

    Args:
        text: escaped, with the quotes of its findings marked.
        before, after: the draft before and this one, with what was left out and what is new marked; None for
            the first.
    """

    round: int
    text: Markup
    findings: tuple[ReadFinding, ...]
    before: Markup | None = None
    after: Markup | None = None


@dataclass(frozen=True, slots=True)
class ItemReading:
    """One condensation.

    Args:
        items: by number of the item its drafts in order; the last one was kept, unless it was dropped.
        kept: markdown of what came into the bank, where no draft was judged.
        dropped: markdown and why.
        run: what it was made of; None where it is not kept.
        quotes: of flags that quote the run.
    """

    backbone: str
    condenser: str
    task: str
    items: dict[str, tuple[ReadDraft, ...]]
    kept: tuple[str, ...]
    dropped: tuple[tuple[str, str], ...]
    run: Trajectory | None
    quotes: tuple[Quote, ...]


def read_items(reader: RunReader, number: str) -> ItemReading:
    """The condensation of a number. QueryFault: there is none."""
    row = reader.index.condensation(int(number)) if number.isdecimal() and len(number) < 16 else None
    if row is None:
        raise QueryFault("this run has condensed nothing under that number")
    judged = [entry for entry in row.body.get("findings") or () if isinstance(entry, dict)]
    findings = [_finding(place, entry) for place, entry in enumerate(judged, 1)]
    by_item: dict[str, dict[str, list[int]]] = {}
    for place, entry in enumerate(judged):
        drafts = by_item.setdefault(str(entry.get("item", "")), {})
        drafts.setdefault(str(entry.get("draft") or ""), []).append(place)
    return ItemReading(
        backbone=row.backbone,
        condenser=row.condenser,
        task=row.task,
        items={name: _drafts(drafts, judged, findings) for name, drafts in by_item.items()},
        kept=tuple(str(item.get("markdown", "")) for item in row.body.get("items") or ()),
        dropped=tuple(
            (str(entry.get("markdown", "")), str(entry.get("why", "")))
            for entry in row.body.get("dropped") or ()
        ),
        run=_read_run(reader, row.backbone, row.task),
        quotes=_quotes(findings, "trace"),
    )


def _read_run(reader: RunReader, backbone: str, task: str) -> Trajectory | None:
    """What was condensed; None where it is not kept, or in a shape that no program of this version reads."""
    trace = reader.index.trace(backbone, task)
    with suppress(TraceFault):
        return None if trace is None else trace_from_json(parse_json(trace))
    return None


def _drafts(
    drafts: Mapping[str, Sequence[int]], judged: Sequence[Mapping[str, Any]], findings: Sequence[ReadFinding]
) -> tuple[ReadDraft, ...]:
    read: list[ReadDraft] = []
    before = None
    for text, places in drafts.items():
        own = [findings[place] for place in places]
        shown = mark_quotes(cut_text(text), _quotes(own, "item"))
        changed = (None, None) if before is None else mark_difference(before, text)
        read.append(ReadDraft(int(judged[places[0]].get("round") or 0), shown, tuple(own), *changed))
        before = text
    return tuple(read)


def _finding(number: int, entry: Mapping[str, Any]) -> ReadFinding:
    word, quote = str(entry.get("finding", "")), str(entry.get("quote") or "")
    marks = word in FLAGS and quote
    texts = (str(entry.get(name) or "") for name in ("reason", "where"))
    reason, where = texts
    return ReadFinding(number if marks else 0, str(entry.get("gate", "")), word, reason, quote, where)


def _quotes(findings: Sequence[ReadFinding], where: str) -> tuple[Quote, ...]:
    return tuple(
        Quote(finding.number, finding.quote)
        for finding in findings
        if finding.number and finding.where == where
    )
