"""The pages as text: a draft with the run behind it, what the gates found, and the end.

Text is escaped, and no script or style runs but the page's own.
"""

from dataclasses import dataclass
from functools import cache

from jinja2 import Template

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View
from memtrial.ledger.review_facts import DraftForReview
from memtrial.memory.item import field_names, schema_of
from memtrial.memory.markdown import parse
from memtrial.pages.desk import Desk, Queue
from memtrial.pages.finding_groups import ReadFindings, read_findings
from memtrial.pages.page_templates import HERE, cut_text, open_templates


@dataclass(frozen=True, slots=True)
class RefusedText:
    """Why a decision was refused, how it decided, and the text that came with it."""

    fault: str
    how: str
    text: str


@dataclass(frozen=True, slots=True)
class PlacedDesk:
    """A desk where it is reached.

    Args:
        back: the address of the page that led to it, as seen from its pages; empty: it stands alone.
        waiting: where somebody waits for the word that all is decided, at another page of the same desk.
    """

    desk: Desk
    back: str = ""
    waiting: str = ""


def draft_page(
    placed: PlacedDesk, queue: Queue, draft: DraftForReview, nonce: str, refused: RefusedText | None = None
) -> str:
    """The page of a draft."""
    desk, names = placed.desk, [waiting.id for waiting in queue.drafts]
    place, runs = names.index(draft.id), desk.runs(draft)
    if queue.manner.whole:
        fields, groups = {queue.manner.whole: cut_text(draft.markdown)}, ReadFindings()
    else:
        item = parse(draft.markdown)
        fields = {name: cut_text(getattr(item, name)) for name in field_names(schema_of(item))}
        shown = [text for run in runs for text in _texts_of(run, draft.view)]
        groups = read_findings(() if desk.blind else draft.findings, item, fields, shown)
    return _template().render(
        nonce=nonce,
        placed=placed,
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


def end_page(placed: PlacedDesk, queue: Queue, nonce: str, finished: bool) -> str:
    """The page where a person says that all is decided, and the last one, after they did."""
    return _template().render(nonce=nonce, placed=placed, queue=queue, draft=None, finished=finished)


def _texts_of(run: Trajectory, view: View) -> list[str]:
    """The texts of a run that the page shows."""
    full = view != "actions"
    texts = [run.query, run.reason, *([run.start] if full else [])]
    for step in run.steps:
        texts += [step.thought, step.action, *([step.observation] if full else [])]
    return [cut_text(text) for text in texts]


@cache
def _template() -> Template:
    return open_templates(HERE).get_template("desk.html.jinja")
