"""What the gates found of a draft as a person reads it: one group for each quote, and what of it is marked.

Only a flag marks something. A finding of absence quotes the whole claim, in which nothing shows what is
missing, so that it marks nothing (`prompts/judge.jinja`, `gates.gate.evidence`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memtrial.condensers.schema_form import SCHEMA_FORM
from memtrial.gates.gate import evidence
from memtrial.gates.suite import ALL
from memtrial.ledger.review_facts import GateFinding
from memtrial.memory.heading import field_heading, item_label, unguard
from memtrial.memory.item import Item
from memtrial.memory.item_roles import roles_of
from memtrial.pages.quote_marks import Quote

FLAGS = ("FAIL", "WARN")
WHOLE = "Nothing is marked: it is about the whole claim, or about what is missing beside it."
NOWHERE = "Nothing is marked: the quote does not stand in the text that is shown."
OWN = "A gate of your own: its file says what it looks for."
LACKS_FORM = "The item lacks the form of its schema, which a program reads whatever gates are on."


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings with one and the same quote.

    Args:
        number: behind their marks; 0 where nothing is marked.
        note: why nothing is marked; empty where something is, and for findings that flag nothing.
    """

    findings: tuple[GateFinding, ...]
    quote: str
    where: str
    number: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a gate looks for: the failure in one sentence, and the question to its judge, empty if none."""

    failure: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class ReadFindings:
    """The findings of one draft, in groups, with what they mark in each field of the item and in the run."""

    flagged: tuple[FindingGroup, ...] = ()
    others: tuple[FindingGroup, ...] = ()
    in_fields: Mapping[str, tuple[Quote, ...]] | None = None
    in_run: tuple[Quote, ...] = ()

    def quotes_of(self, field: str) -> tuple[Quote, ...]:
        """What is marked in a field."""
        return (self.in_fields or {}).get(field, ())


def criterion_of(gate: str) -> Criterion:
    """By the gate's name, which may be that of a user's own."""
    if gate == SCHEMA_FORM:
        return Criterion(LACKS_FORM)
    kind = next((kind for kind in ALL if kind.name == gate), None)
    if kind is None:
        return Criterion(OWN)
    return Criterion(kind.failure, kind.question.render() if kind.question else "")


def read_findings(
    findings: Sequence[GateFinding], item: Item, fields: Mapping[str, str], run: Sequence[str]
) -> ReadFindings:
    """Group findings and find their quotes.

    Args:
        fields: by name, the texts of the item as they are shown.
        run: the texts of the run as they are shown.
    """
    flagged: list[FindingGroup] = []
    in_fields: dict[str, list[Quote]] = {name: [] for name in fields}
    in_run: list[Quote] = []
    number = 1
    for group in _group_findings(
        finding for word in FLAGS for finding in findings if finding.finding == word
    ):
        note = WHOLE if not group.quote or _is_whole(group, item) else ""
        if group.where == "item" and not note:
            places = [
                (name, Quote(number, text))
                for field, piece in quote_pieces(group.quote, fields)
                for name in ([field] if field else fields)
                for text in dict.fromkeys((piece, unguard(piece)))
                if text and text in fields[name]
            ]
            for name, quote in places:
                in_fields[name].append(quote)
            note = "" if places else NOWHERE
        elif not note:
            in_run.append(Quote(number, group.quote))
            note = "" if any(group.quote in text for text in run) else NOWHERE
        flagged.append(replace(group, number=0 if note else number, note=note))
        number += not note
    others = _group_findings(finding for finding in findings if finding.finding not in FLAGS)
    shown = {name: tuple(quotes) for name, quotes in in_fields.items()}
    return ReadFindings(tuple(flagged), tuple(others), shown, tuple(in_run))


def quote_pieces(quote: str, fields: Iterable[str]) -> list[tuple[str, str]]:
    """A quote cut at the headings that it holds: each part with its field, which is empty before a heading.

    A judge copies from the item's markdown, the page shows its fields.
    """
    names, parts = frozenset(fields), [("", list[str]())]
    for line in quote.split("\n"):
        heading = field_heading(line)
        if heading is not None and heading.name in names:
            parts.append((heading.name, [heading.text]))
        elif item_label(line) is None:
            parts[-1][1].append(line)
    return [(field, text) for field, lines in parts if (text := "\n".join(lines).strip())]


def _group_findings(findings: Iterable[GateFinding]) -> list[FindingGroup]:
    """In the order of the first finding of each group; one without a quote stands alone."""
    groups: dict[object, list[GateFinding]] = {}
    for number, finding in enumerate(findings):
        key = (finding.where, " ".join(finding.quote.split())) if finding.quote else number
        groups.setdefault(key, []).append(finding)
    return [FindingGroup(tuple(group), group[0].quote or "", group[0].where) for group in groups.values()]


def _is_whole(group: FindingGroup, item: Item) -> bool:
    """Whether the quote is the claim and nothing else, with or without its heading."""
    if group.where != "item":
        return False
    claim = roles_of(item).what
    parts = quote_pieces(group.quote, ("claim", "content"))
    alone = [_bare(text) for _, text in parts]
    return group.quote == evidence(item) or alone == [_bare(claim)] or not alone


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" .\"'`")
