"""The pages as text: a draft with the run behind it, what the gates found, and the end.

Text is escaped, and no script or style runs but the page's own.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View
from memtrial.console.escape import printable, shorten
from memtrial.ledger.review_facts import DraftForReview
from memtrial.memory.item import field_names, schema_of
from memtrial.memory.markdown import parse
from memtrial.pages.desk import Desk, Queue
from memtrial.pages.file_desks import FailureDesk, LabelDesk
from memtrial.pages.finding_groups import ReadFindings, criterion_of, read_findings
from memtrial.pages.quote_marks import mark_quotes

AnyDesk = Desk | LabelDesk | FailureDesk
MOST_SHOWN = 41_000
"""Characters of one text: a run as coders of failures read it is whole, and so is the text to be edited."""


@dataclass(frozen=True, slots=True)
class RefusedText:
    """Why a decision was refused, how it decided, and the text that came with it."""

    fault: str
    how: str
    text: str


def draft_page(
    desk: AnyDesk, queue: Queue, draft: DraftForReview, nonce: str, refused: RefusedText | None = None
) -> str:
    """The page of a draft."""
    names = [waiting.id for waiting in queue.drafts]
    place, runs = names.index(draft.id), desk.runs(draft)
    if queue.manner.whole:
        fields, groups = {queue.manner.whole: _cut_parts(draft.markdown)}, ReadFindings()
    else:
        item = parse(draft.markdown)
        fields = {name: _cut_parts(getattr(item, name)) for name in field_names(schema_of(item))}
        shown = [text for run in runs for text in _texts_of(run, draft.view)]
        groups = read_findings(() if desk.blind else draft.findings, item, fields, shown)
    return _template().render(
        nonce=nonce,
        queue=queue,
        draft=draft,
        number=place + 1,
        before=names[place - 1] if place else "",
        after=names[place + 1] if place + 1 < len(names) else "",
        decided=queue.decided.get(draft.id),
        refused=refused,
        fields=fields,
        found=groups,
        about=desk.about(draft),
        blind=desk.blind,
        runs=tuple(zip(queue.manner.runs, runs, strict=True)),
    )


def end_page(queue: Queue, nonce: str, finished: bool) -> str:
    """The page where a person says that all is decided, and the last one, after they did."""
    return _template().render(nonce=nonce, queue=queue, draft=None, finished=finished)


def _cut_parts(text: str) -> str:
    return shorten(text, MOST_SHOWN)


def _texts_of(run: Trajectory, view: View) -> list[str]:
    """The texts of a run that the page shows."""
    full = view != "actions"
    texts = [run.query, run.reason, *([run.start] if full else [])]
    for step in run.steps:
        texts += [step.thought, step.action, *([step.observation] if full else [])]
    return [_cut_parts(text) for text in texts]


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda shown: shown if isinstance(shown, Markup) else printable(shown),
    )
    environment.filters["marked"] = mark_quotes
    environment.filters["cut"] = _cut_parts
    environment.globals["criterion_of"] = criterion_of
    return environment.get_template("page.html.jinja")
