"""Tables that are rows of the results under columns: evidence beside the verdicts, damage, play, memory."""

from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import by_backbone, find, subject
from loadbearing.reports.model.results import Results
from loadbearing.reports.model.rows import DivergenceRow
from loadbearing.reports.text.table import Column, Listing, Table, fields, tabulate

OF = Column("of", "name", subject)
TOKENS = ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "usd")

TASK_FAMILIES = Listing(
    "task_families",
    "Intervals hold for all families of one drop at once (Bonferroni). An effect that lives"
    " in some families only shows here and not in the pooled drop. Exploratory: no word rests on it.",
    fields("backbone", "arm", "condition")
    + fields("family: family of tasks", kind="name")
    + fields("n_tasks: tasks", "estimate", "low..high: interval"),
)
FUNNEL = Listing(
    "funnel",
    "Items of all intact trials; each stage counts those of the stage before. Fired: the Trigger held, "
    "or what the text asks for stood there. Acted: what it advises was done from then on; an agent may "
    "do so without it (see follow). Mattered: and the trial scored more than the one without memory in "
    "the same block. Cited: a thought quotes or names it.",
    (
        *fields("backbone", "arm", "retrieved"),
        Column("shown", "number", lambda row: numbers.count(row.shown)),  # elsewhere `shown` is a share
        *fields("fired", "acted", "mattered", "cited"),
    ),
)
PER_EXPOSURE = Listing(
    "per_exposure",
    "Per exposure: which blocks these are was seen after the fact, by the firings in the episode without "
    "memory, and nothing was drawn at random here. The estimates of the report count all blocks "
    "(intention to treat). Under `without` stands the utility. Intervals are unadjusted.",
    fields("backbone", "arm", "condition")
    + fields("blocks", kind="text")
    + fields("n_tasks: tasks", "estimate", "low..high: interval"),
)
AUDIT = Listing(
    "audit",
    "First requests of intact trials, block by block. Words and characters: by how much the first arm "
    "has more, or the size of what one arm has alone. What stands in every memory of an arm is an "
    "instruction.",
    (
        *fields("backbone"),
        Column("of", "name", lambda row: f"{row.arm} / {row.versus}"),
        *fields("what: differ in"),
        Column("words", "number", lambda row: "" if row.words is None else f"{row.words:+g}"),
        Column("characters", "number", lambda row: "" if row.words is None else f"{row.characters:+g}"),
        *fields("blocks of of_blocks: blocks", "excerpt: text"),
    ),
)
BANKS = Listing(
    "banks",
    "Each repeat was played with a bank of its own. The verdicts speak of these banks; the last interval "
    "is for other draws of the condenser and other tasks, and with few banks it is wide.",
    (
        *fields("backbone", "estimand"),
        OF,
        *fields("condition"),
        Column("by bank", "number", lambda row: " ".join(map(numbers.signed, row.by_draw))),
        *fields("sd: SD between banks", "p: p alike", "estimate"),
        *fields("low_both..high_both: other banks and tasks"),
    ),
)
STRAINS = Listing(
    "strains",
    "Does not apply: a gate had nothing to judge in a first draft. Never satisfied: it flagged the draft "
    "and every revision of it. Pull against each other: one revision of the item ends a flag of the one "
    "gate and brings one of the other, and a later one the reverse. Counts of items; a single "
    "pull may be a judge's false alarm.",
    fields("condenser", "strain", "gates", "items", "example"),
)
PEOPLE = Listing(
    "people",
    "By: a person who gave a name; else the decisions that count. Blind: without the findings. Seconds: "
    "the median. Kappa: Cohen's, of gates (no flag or one) and people (accepted, or not) over the "
    "compared drafts; its 95 % interval is asymptotic and takes drafts as independent.",
    fields("backbone", "condenser", "by", "drafts", "accepted", "edited", "rejected", "blind")
    + fields("median_seconds: seconds", "compared", "kappa", "low..high: interval"),
)
DECISION = Listing(
    "decision",
    "A judge that knew neither arm nor damage was asked what a sample of slots advises at the start of "
    "the task. Changed: of the slots whose intact text advises an action, those whose damaged text "
    "advises another one or none. Changed by itself: the same intact text, asked about once more. Damage "
    "that leaves most as they were, or a placebo that changes most, makes the condition untestable.",
    fields("backbone", "arm", "condition", "asked: slots", "advising: advise an action", "changed")
    + fields("twice_changed of twice: changed by itself", "faults: not read", "reason"),
)
FIRINGS = Listing(
    "firings",
    "Share of trials with at least one firing: shown to the agent, or only logged (shadow). Counts of "
    "proposed actions: those that broke a check, executed with injection enforce and only logged with "
    "any other; those withheld, for a broken check or since an item came up with them; and those of "
    "these that the agent then replaced. The last two hold items that tell to do something against the "
    "world's own path. False fires: of those that came up, those that told nothing it called for just "
    "then. Missed: of those that told what it called for, those that had not come up by then.",
    fields("backbone", "arm", "condition", "shown", "shadow")
    + fields("broken: broke a check", "withheld", "changed: then replaced")
    + fields("false_fires of timed: false fires", "missed of moments: missed"),
)
CONDENSATION = Listing(
    "condensation",
    "Counts; all but draws and traces are sums over the draws, which are banks of the same traces. "
    "Flagged: drafts with a WARN or FAIL; dropped: items that still failed after the last "
    "revision; faults: items left out because a gate could not be asked, which is no verdict on them.",
    fields("backbone", "condenser", "draws", "traces", "items", "drafts", "flagged")
    + fields("passed_after_revision", "unchanged: revisions without a change", "dropped", "faults"),
)
PREPARATION = Listing(
    "preparation",
    "Preparation, by purpose: collecting, condensing, gates. Each call counts once, however often its "
    "answer was used.",
    fields("purpose", *TOKENS),
)
MODELS = Listing(
    "models",
    "Models as they were asked for and as they named themselves. Temperatures: those really sent. "
    "Altered: calls in whose request a text did not stand verbatim.",
    (
        *fields("asked: asked for", kind="name"),
        *fields("answered", "calls"),
        Column("temperatures", "number", lambda row: ", ".join(map(_temperature, row.temperatures))),
        *fields("altered"),
    ),
)


def _temperature(sent: float | None) -> str:
    return "none" if sent is None else f"{sent:g}"


def divergence(results: Results) -> Table:
    """How far damage moves what the agent does, a row a damaged cell, beside what it costs."""

    def drop(row: DivergenceRow) -> str:
        return numbers.interval(find(results, "drop", row.backbone, row.arm, row.condition))

    return tabulate(
        "Edit distance between the actions of episodes on one task: across intact and damaged memory, and "
        "between two intact episodes (A/A). Delta is what damage adds to the distance that chance makes. It "
        "says whether the text is read (moves the agent), the drop beside it whether that matters. Parts at: "
        "the first turn at which two episodes act differently, across and A/A. Only actions are compared: "
        "observations in another order are no difference.",
        by_backbone(results, results.divergence),
        *fields("backbone", "arm", "condition", "n_tasks: tasks", "delta", "across", "aa: A/A"),
        *fields("p_adjusted", "placebo_p: p beyond placebo", "word: is it read?"),
        Column("parts at", "number", lambda row: _pair(row.parting, row.parting_aa)),
        *fields("parting_p: p"),
        Column("first action", "number", lambda row: numbers.signed(row.first_delta)),
        *fields("first_p: p"),
        Column("does it matter? drop", "number", drop),
    )


def _pair(one: float | None, other: float | None) -> str:
    known = numbers.is_known(one) and numbers.is_known(other)
    return f"{one:.1f} / {other:.1f}" if known else numbers.MISSING
