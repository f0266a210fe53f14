"""Tables that are rows of the results under columns: evidence, play, memory, monitoring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtrial.reports.text.text_table import LEAST, Column, Listing, TextTable, fields, tabulate
from memtrial.views import numbers
from memtrial.views.lookup import by_backbone, find, subject

if TYPE_CHECKING:
    from memtrial.ledger.run_plan import Look
    from memtrial.protocol.monitoring_rows import Monitoring
    from memtrial.views.rows.evidence_rows import DivergenceRow
    from memtrial.views.rows.results import Results

OF = Column("of", "name", subject)
TOKENS = ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "usd")

FUNNEL = Listing(
    "funnel",
    "Items of all intact trials; each stage counts those of the stage before. Fired: the Trigger held, "
    "or what the text asks for stood there. Acted: what it advises was done from then on. Mattered: and the "
    "trial scored more than the one without memory in the same block. Cited: a thought quotes or names it.",
    (
        *fields("backbone", "arm", "retrieved"),
        Column("shown", "number", lambda row: numbers.count(row.shown)),  # elsewhere `shown` is a share
        *fields("fired", "acted", "mattered", "cited"),
    ),
)
PER_EXPOSURE = Listing(
    "per_exposure",
    "Per exposure: which blocks these are was seen after the fact, by the firings in the episode without "
    "memory; the estimates of the report count all blocks (intention to treat). Intervals are unadjusted.",
    fields("backbone", "arm", "condition", "blocks", "n_tasks: tasks", "estimate", "low..high: interval"),
)
AUDIT = Listing(
    "audit",
    "First requests of intact trials. Words and characters: by how much the first arm has more, or the size "
    "of what one arm has alone. What stands in every memory of an arm is an instruction.",
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
        Column("by bank", "number", lambda row: " ".join(map(numbers.with_sign, row.by_draw))),
        *fields("sd: SD between banks", "p: p alike", "estimate"),
        *fields("low_both..high_both: other banks and tasks"),
    ),
)
FACTORS = Listing(
    "factors",
    "Main effects: the mean at the second level less the mean at the first, over arms that are alike in every"
    " other factor, of the intact score and of the drop under each kind of damage. Factors joined by + change"
    " together in every arm. Intervals are of each row alone; p is adjusted over all main effects.",
    (
        *fields("backbone"),
        Column("factor", "name", lambda row: row.factor),
        Column("compared", "name", lambda row: row.level_pair),
        *fields("outcome: effect on", "estimate", "low..high: interval", "verdict", "p", "p_adjusted"),
        *fields("n_tasks: tasks", "n_clusters: clusters"),
    ),
)
STRAINS = Listing(
    "strains",
    "Does not apply: a gate had nothing to judge in a draft. Never satisfied: it flagged each. Pull against "
    "each other: one revision ends a flag of one gate and brings one of another, a later one the reverse. "
    "Named: register, prose asked of a trace; system definition, what could run asked of knowledge.",
    fields("condenser", "strain", "named", "gates", "items", "example"),
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
    "the task. Changed: of the slots that advise an action, those that do so no more when damaged; by "
    "itself: when asked once more. Damage that changes few, or a placebo that changes most, is untestable.",
    fields("backbone", "arm", "condition", "asked: slots", "advising: advise an action", "changed")
    + fields("twice_changed of twice: changed by itself", "faults: not read", "reason"),
)
FIRINGS = Listing(
    "firings",
    "Share of trials with at least one firing: shown to the agent, or only logged (shadow). Counts of "
    "proposed actions: those that broke a check (executed with injection enforce, else only logged); those "
    "withheld; and those of these that the agent then replaced. Items against the world's own path: false "
    "fires told nothing it called for just then; missed ones told it and had not come up by then.",
    fields("backbone", "arm", "condition", "shown", "shadow")
    + fields("broken: broke a check", "withheld", "changed: then replaced")
    + fields("false_fires of timed: false fires", "missed of moments: missed"),
)
CONDENSATION = Listing(
    "condensation",
    "Counts, summed over the draws. Flagged: drafts with a WARN or FAIL; dropped: items that still failed "
    "after the last revision; faults: items left out because a gate could not be asked. Unread: replies that "
    "could not be read whole, a trace and draw each.",
    fields("backbone", "condenser", "draws", "traces", "items", "drafts", "flagged")
    + fields("passed_after_revision", "unchanged: revisions without a change", "dropped", "faults", "unread"),
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
        Column("asked for", "name", lambda row: row.asked),
        *fields("answered", "calls"),
        Column("temperatures", "number", lambda row: ", ".join(map(_temperature, row.temperatures))),
        *fields("altered"),
    ),
)


def _temperature(sent: float | None) -> str:
    return "none" if sent is None else f"{sent:g}"


def divergence(results: Results) -> TextTable:
    """How far damage moves what the agent does, a row a damaged cell, beside what it costs."""

    def drop(row: DivergenceRow) -> str:
        return numbers.interval(find(results, "drop", row.backbone, row.arm, row.condition))

    return tabulate(
        "Edit distance between the actions of episodes on one task: across intact and damaged memory, and "
        "between two intact episodes (A/A). Delta is what damage adds to the distance that chance makes: is "
        "the text read? The drop beside it: does that matter? Parts at: the first turn at which two episodes "
        f"act differently, across and A/A. {LEAST}",
        by_backbone(results, results.divergence),
        *fields("backbone", "arm", "condition", "n_tasks: tasks", "delta", "across", "aa: A/A"),
        *fields("p_adjusted from least_p: p adjusted", "placebo_p from placebo_least_p: p beyond placebo"),
        *fields("word: is it read?"),
        Column("parts at", "number", lambda row: _pair(row.parting, row.parting_aa)),
        *fields("parting_p from least_p: p"),
        Column("first action", "number", lambda row: numbers.with_sign(row.first_delta)),
        *fields("first_p from least_p: p"),
        Column("does it matter? drop", "number", drop),
    )


def _pair(first: float | None, second: float | None) -> str:
    known = numbers.is_known(first) and numbers.is_known(second)
    return f"{first:.1f} / {second:.1f}" if known else numbers.MISSING


def families(results: Results) -> TextTable:
    """Every family of tests: how large, what fell, what it may claim."""
    multiplicity = results.multiplicity
    if multiplicity is None:
        return TextTable("Nothing was tested.", (), ())
    return tabulate(
        f"Tests of one family share alpha {multiplicity.alpha:g}; looks at the primary family:"
        f" {multiplicity.looks}. Gatekeeping is {multiplicity.gatekeeping}. Outside all families, and"
        f" unadjusted: {', '.join(multiplicity.exploratory)}.",
        multiplicity.families,
        *fields("name: family", "role", "order", "claim", "tested: tests", "rejected", "adjusted_by"),
    )


def e_table(monitoring: Monitoring) -> TextTable:
    """Where the e-process of each hypothesis stands."""
    return tabulate(
        f"E of each hypothesis after the tasks complete so far. If there is no effect, the chance that E ever"
        f" reaches {monitoring.threshold:g} is at most alpha, however often one looks; anytime p is 1"
        f" over the largest E.",
        monitoring.hypotheses,
        *fields("backbone"),
        Column("of", "name", lambda row: f"{row.treatment} − {row.control}"),
        *fields("condition", "n_units: units"),
        Column("E", "number", lambda row: f"{row.e:.3g}"),
        *fields("anytime_p"),
    )


def looks_table(monitoring: Monitoring) -> TextTable:
    """The looks that were planned, with their boundaries and what was decided at those taken."""
    looks = monitoring.looks
    state = "locked before the first trial" if looks.in_force else "not locked: none is taken"
    return tabulate(
        f"Looks ({state}; {looks.spacing}). A hypothesis is decided where its p, adjusted for its"
        " family, is at most the level, which is the boundary of one hypothesis at its share of alpha; the"
        f" run stops when {looks.rule} are.",
        range(len(looks.counts)),
        Column("look", "name", lambda number: f"{number + 1} of {len(looks.counts)}"),
        Column("tasks", "number", lambda number: numbers.count(looks.counts[number])),
        Column("boundary of |z|", "number", lambda number: f"{looks.boundaries[number]:.3f}"),
        Column("level of p", "number", lambda number: numbers.probability(looks.levels[number])),
        Column("decided", "text", lambda number: _decided_text(looks.taken, number + 1)),
    )


def _decided_text(taken: tuple[Look, ...], number: int) -> str:
    look = next((look_taken for look_taken in taken if look_taken.number == number), None)
    if look is None:
        return "not taken"
    crossed = sum(hypothesis.crossed for hypothesis in look.seen)
    return f"{crossed} of {len(look.seen)}{'; the run ended here' if look.stop else ''}"
