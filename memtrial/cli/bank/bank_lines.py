"""Items and changes of a bank as lines, and items as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from math import isfinite

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.confidence.bank_meters import Criterion, MeterReading
from memtrial.memory.bank.consolidation.consolidation_plan import ConsolidationPlan
from memtrial.memory.bank.events.audit_trail import AuditLine
from memtrial.memory.bank.events.item_body import item_body
from memtrial.memory.bank.rated_items import RatedItem
from memtrial.memory.item import Item, ProseItem, TheoryItem

LONGEST = 60
"""Characters of an item's own words in a line."""


def item_lines(items: Sequence[BankItem]) -> list[str]:
    """Two lines an item, and one of how many there are."""
    lines = []
    for item in items:
        uses, where = item.uses, item.origin.project or "no project"
        used = f"{uses.cited} citations, won {uses.wins}, lost {uses.losses}" if uses.cited else "never cited"
        lines.append(f"{item.id}  {name_words(item.item)}")
        used = "; ".join(filter(None, [used, ", ".join(item.origin.tags)]))
        lines.append(
            f"  version {item.version}, {item.standing}, confidence {item.confidence:.3f}, {where}; {used}"
        )
    n_active = sum(item.standing == "active" for item in items)
    return [*lines, f"{len(items)} items, {n_active} active"]


def name_words(words: Item) -> str:
    """What an item is called: its title or Claim, or how its text begins."""
    match words:
        case TheoryItem():
            text = words.claim
        case ProseItem():
            text = words.text
        case _:
            text = words.title
    line = " ".join(text[: 4 * LONGEST].split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} …"


def audit_lines(changes: Sequence[AuditLine]) -> list[str]:
    """A line a change: its number and time (UTC), what changed, who did it and why."""
    return [
        f"{change.sequence}  {time_of(change.moment)}  {change.what}; {change.who}"
        + (f": {change.why}" if change.why else "")
        for change in changes
    ] or ["nothing was changed yet"]


MEASURED: dict[Criterion, str] = {
    "SC-001": "rated items that were shown and helped",
    "SC-002": "tokens shown to a task, on average",
    "SC-003": "successful tasks that gave an item",
    "SC-004": "mistakes repeated with guardrails, by those without",
    "SC-005": "largest change of a learnt weight in seven days, once there are 50 ratings",
    "SC-006": "ratings of items above .8 in confidence that helped",
}
"""What each criterion of seeds/001 measures."""


def meter_lines(readings: Sequence[MeterReading]) -> list[str]:
    """A line a criterion: its verdict, what it measures and its target, the figure with its interval."""
    return [
        f"{reading.criterion}  {reading.verdict}: {MEASURED[reading.criterion]},"
        f" {'above' if reading.above else 'below'} {reading.target:g} is wanted; {_figure_words(reading)}"
        for reading in readings
    ]


def _figure_words(reading: MeterReading) -> str:
    figure = reading.figure
    if figure is None:
        return "no data"
    inside = "" if figure.low == figure.high else f" ({figure.low:.3g} to {figure.high:.3g})"
    return f"{figure.figure:.3g}{inside} of n = {figure.n}"


def describe_meter(reading: MeterReading) -> dict[str, object]:
    """A criterion for programs; bounds that are not finite are None, as JSON has no other word for them."""
    figure = reading.figure
    return {
        "criterion": reading.criterion,
        "verdict": reading.verdict,
        "measures": MEASURED[reading.criterion],
        "above": reading.above,
        "target": reading.target,
        "n": 0 if figure is None else figure.n,
        "figure": None if figure is None else figure.figure,
        "low": figure.low if figure is not None and isfinite(figure.low) else None,
        "high": figure.high if figure is not None and isfinite(figure.high) else None,
    }


def plan_lines(plan: ConsolidationPlan, applied: bool) -> list[str]:
    """A line for each link and change with its reason, and one of what was done."""
    lines = [f"{link.source} {link.relation} {link.target}: {link.reason}" for link in plan.links]
    for change in plan.changes:
        what = "promoted" if change.before == change.after else change.after
        lines.append(f"{change.id} {what}: {change.reason}")
    done = "changed" if applied else "nothing was changed; --apply does it"
    return [*lines, f"{len(plan.links)} links, {len(plan.changes)} items; {done}"]


def describe_plan(plan: ConsolidationPlan, applied: bool) -> dict[str, object]:
    """The same for programs."""
    return {
        "applied": applied,
        "links": [asdict(link) for link in plan.links],
        "changes": [asdict(change) for change in plan.changes],
    }


def rated_lines(rated: RatedItem) -> list[str]:
    """What the item is trusted with now, and the guardrails that came of it, or why there is none."""
    made = [f"guardrail {name}" for name in rated.taught.item_ids]
    none = [f"no guardrail: {rated.lacking}"] if rated.lacking else []
    return [f"{rated.item.id}: confidence {rated.item.confidence:.3f}", *made, *none]


def describe_rated(rated: RatedItem) -> dict[str, object]:
    """The same for programs."""
    return {
        "id": rated.item.id,
        "confidence": rated.item.confidence,
        "guardrails": list(rated.taught.item_ids),
        "lacking": rated.lacking,
    }


def time_of(moment: float) -> str:
    """Seconds since 1970 as date and time, UTC."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S")


def describe_item(item: BankItem) -> dict[str, object]:
    """An item for programs."""
    return item_body(item)
