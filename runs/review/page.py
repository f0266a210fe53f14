"""The page of one draft, and the one where all is decided: text escaped, no script or style but its own."""

import re
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from loadbearing.ledger.review_facts import DraftForReview
from loadbearing.memory.item import field_names, schema_of
from loadbearing.memory.markdown import parse
from loadbearing.reports.base.escape import printable, shortened
from loadbearing.runs.review.desk import Desk, Queue
from loadbearing.runs.review.failure_desk import FailureDesk
from loadbearing.runs.review.label_desk import LabelDesk

AnyDesk = Desk | LabelDesk | FailureDesk
MOST_SHOWN = 41_000
"""Characters of one text: a run as coders of failures read it is whole, and so is the text to be edited."""
MOST_QUOTES, MOST_PLACES = 40, 100
"""Quotes of findings that are looked for, and places of one text that are marked."""


def draft_page(
    desk: AnyDesk, queue: Queue, draft: DraftForReview, nonce: str, fault: str = "", edited: str = ""
) -> str:
    """The page of a draft.

    Args:
        nonce: what the page's own style and script carry.
        fault: why a decision was refused; `edited` is the text that came with it.
    """
    names = [one.id for one in queue.drafts]
    at, decided = names.index(draft.id), queue.decided.get(draft.id)
    if queue.manner.whole:
        fields = [(queue.manner.whole, draft.markdown)]
    else:
        item = parse(draft.markdown)
        fields = [(name.capitalize(), getattr(item, name)) for name in field_names(schema_of(item))]
    findings = () if desk.blind else sorted(draft.findings, key=lambda one: one.finding == "PASS")
    return _template().render(
        nonce=nonce,
        queue=queue,
        draft=draft,
        number=at + 1,
        before=names[at - 1] if at else "",
        after=names[at + 1] if at + 1 < len(names) else "",
        decided=decided,
        fault=fault,
        text=edited or (decided.markdown if decided else ""),
        fields=fields,
        findings=findings,
        quotes={
            place: tuple(one.quote for one in findings if one.quote and one.where == place)
            for place in ("item", "trace")
        },
        about=desk.about(draft),
        blind=desk.blind,
        runs=tuple(zip(queue.manner.runs, desk.runs(draft), strict=True)),
    )


def end_page(queue: Queue, nonce: str, finished: bool) -> str:
    """The page where a person says that all is decided, and the last one, after they did."""
    return _template().render(nonce=nonce, queue=queue, draft=None, finished=finished)


def marked(text: str, quotes: Sequence[str]) -> Markup:
    """The text, escaped, and marked where a quote stands; of two that overlap, the first place."""
    longest_first = sorted(filter(None, quotes), key=len, reverse=True)[:MOST_QUOTES]
    pattern = "|".join(map(re.escape, longest_first))
    pieces = re.split(f"({pattern})", text, maxsplit=MOST_PLACES) if pattern else [text]
    shown = (escape(printable(piece)) for piece in pieces)
    return Markup("").join(Markup("<mark>%s</mark>") % one if at % 2 else one for at, one in enumerate(shown))


def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda shown: shown if isinstance(shown, Markup) else printable(shown),
    )
    environment.filters["marked"] = marked
    environment.filters["cut"] = lambda text: shortened(text, MOST_SHOWN)
    return environment.get_template("page.html.jinja")
