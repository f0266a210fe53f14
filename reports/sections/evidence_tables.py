"""Tables of what stands beside the verdicts: other methods, actions, banks, families, looks."""

from loadbearing.analysis.result import Estimate
from loadbearing.analysis.sensitivity.trial_methods import THESE_TASKS
from loadbearing.analysis.sequential.interim import Look
from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import by_backbone, find, reference_of, subject
from loadbearing.reports.model.monitoring import Monitoring
from loadbearing.reports.model.play import MakingRow
from loadbearing.reports.model.results import Results
from loadbearing.reports.model.rows import DivergenceRow, OfContrast, SensitivityRow
from loadbearing.reports.text.table import Column, Table, fields, tabulate

OF = Column("of", "name", subject)


def sensitivity(results: Results) -> Table:
    """The same contrasts by other methods, a row a method."""
    compared = bool(reference_of(results))
    return tabulate(
        "Each row is one contrast by one method; none of these decides. A row without numbers says why.",
        by_backbone(results, results.sensitivity),
        *fields(*(["backbone"] if compared else ["backbone", "estimand"])),
        OF,
        *fields(*([] if compared else ["condition"]), "method", "estimate"),
        Column("interval", "number", lambda row: numbers.ends(row.low, row.high)),
        *fields("p", "note"),
    )


def disagreements(results: Results) -> tuple[str, ...]:
    """Contrasts on which another method finds an effect where Student's t finds none, or the reverse.

    By each row's own p, at alpha, before any adjustment for the family. What holds for these tasks only
    answers another question and is left out.
    """
    others: dict[tuple[str, ...], list[SensitivityRow]] = {}
    for row in results.sensitivity:
        if numbers.is_known(row.p) and row.method != THESE_TASKS:
            others.setdefault(_place(row), []).append(row)
    found = []
    for estimate in results.estimates:
        p = estimate.p
        if not numbers.is_known(p):
            continue
        shown = p <= results.alpha
        apart = [
            row for row in others.get(_place(estimate), []) if ((row.p or 0.0) <= results.alpha) != shown
        ]
        if apart:
            named = ", ".join(f"{row.method} ({numbers.probability(row.p)})" for row in apart)
            what = subject(estimate)
            if not reference_of(results):
                what = f"{estimate.estimand} of {what}, {estimate.condition}"
            student = f"Student's t {numbers.probability(p)}"
            found.append(f"{estimate.backbone}, {what}: {student}; otherwise {named}.")
    return tuple(found)


def _place(row: Estimate | OfContrast) -> tuple[str, ...]:
    return row.estimand, row.backbone, row.arm, row.versus, row.condition


def divergence(results: Results) -> Table:
    """How far damage moves what the agent does, a row a damaged cell."""
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
        Column("does it matter? drop", "number", lambda row: numbers.interval(_drop(results, row))),
    )


def _pair(one: float | None, other: float | None) -> str:
    known = numbers.is_known(one) and numbers.is_known(other)
    return f"{one:.1f} / {other:.1f}" if known else numbers.MISSING


def _drop(results: Results, row: DivergenceRow) -> Estimate | None:
    return find(results, "drop", row.backbone, row.arm, row.condition)


def task_families(results: Results) -> Table:
    """The drops within each family of tasks."""
    return tabulate(
        "Intervals hold for all families of one drop at once (Bonferroni). An effect that lives"
        " in some families only shows here and not in the pooled drop. Exploratory: no word rests on it.",
        by_backbone(results, results.task_families),
        *fields("backbone", "arm", "condition"),
        Column("family of tasks", "name", lambda row: row.family),
        *fields("n_tasks: tasks", "estimate"),
        Column("interval", "number", lambda row: numbers.ends(row.low, row.high)),
    )


def funnel(results: Results) -> Table:
    """How far the items of each arm went, a row an arm."""
    return tabulate(
        "Items of all intact trials; each stage counts those of the stage before. Fired: the Trigger held, "
        "or what the text asks for stood there. Acted: what it advises was done from then on; an agent may "
        "do so without it (see follow). Mattered: and the trial scored more than the one without memory in "
        "the same block. Cited: a thought quotes or names it.",
        by_backbone(results, results.funnel),
        *fields("backbone", "arm", "retrieved"),
        Column("shown", "number", lambda row: numbers.count(row.shown)),  # elsewhere `shown` is a share
        *fields("fired", "acted", "mattered", "cited"),
    )


def per_exposure(results: Results) -> Table:
    """Effects where a Trigger held, and where none did, a row each."""
    return tabulate(
        "Per exposure: which blocks these are was seen after the fact, by the firings in the episode without "
        "memory, and nothing was drawn at random here. The estimates of the report count all blocks "
        "(intention to treat). Under `without` stands the utility. Intervals are unadjusted.",
        by_backbone(results, results.per_exposure),
        *fields("backbone", "arm", "condition"),
        Column("blocks", "text", lambda row: row.blocks),
        *fields("n_tasks: tasks", "estimate"),
        Column("interval", "number", lambda row: numbers.ends(row.low, row.high)),
    )


def audit(results: Results) -> Table:
    """In what the requests of two arms differ, a row each."""

    def size(value: float | None) -> str:
        return "" if value is None else f"{value:+g}"

    return tabulate(
        "First requests of intact trials, block by block. Words and characters: by how much the first arm "
        "has more, or the size of what one arm has alone. What stands in every memory of an arm is an "
        "instruction.",
        by_backbone(results, results.audit),
        *fields("backbone"),
        Column("of", "name", lambda row: f"{row.arm} / {row.versus}"),
        Column("differ in", "text", lambda row: row.what),
        Column("words", "number", lambda row: size(row.words)),
        Column("characters", "number", lambda row: size(row.characters)),
        Column("blocks", "number", lambda row: f"{row.blocks} of {row.of_blocks}"),
        Column("text", "remark", lambda row: row.excerpt),
    )


def banks(results: Results) -> Table:
    """The spread between banks, a row a contrast."""
    return tabulate(
        "Each repeat was played with a bank of its own. The verdicts speak of these banks; the last interval "
        "is for other draws of the condenser and other tasks, and with few banks it is wide.",
        by_backbone(results, results.banks),
        *fields("backbone", "estimand"),
        OF,
        *fields("condition"),
        Column("by bank", "number", lambda row: " ".join(map(numbers.signed, row.by_draw))),
        *fields("sd: SD between banks", "p: p alike", "estimate"),
        Column("other banks and tasks", "number", lambda row: numbers.ends(row.low_both, row.high_both)),
    )


def families(results: Results) -> Table:
    """Every family of tests: how large, what fell, what it may claim."""
    found = results.multiplicity
    if found is None:
        return Table("Nothing was tested.", (), ())
    return tabulate(
        f"Tests of one family share alpha {found.alpha:g}; looks at the primary family: {found.looks}."
        f" Gatekeeping is {found.gatekeeping}. Outside all families, and unadjusted:"
        f" {', '.join(found.exploratory)}.",
        found.families,
        *fields("name: family", "role", "order", "claim", "tested: tests", "rejected", "adjusted_by"),
    )


def e_table(found: Monitoring) -> Table:
    """Where the e-process of each hypothesis stands."""
    return tabulate(
        f"E of each hypothesis after the tasks complete so far. If there is no effect, the chance that E ever"
        f" reaches {found.threshold:g} is at most alpha, however often one looks; anytime p is 1 over the"
        f" largest E.",
        found.hypotheses,
        *fields("backbone"),
        Column("of", "name", lambda row: f"{row.treatment} − {row.control}"),
        *fields("condition", "n_units: units"),
        Column("E", "number", lambda row: f"{row.e:.3g}"),
        *fields("anytime_p"),
    )


def looks_table(found: Monitoring) -> Table:
    """The looks that were planned, with their boundaries and what was decided at those taken."""
    looks = found.looks
    state = "locked before the first trial" if looks.in_force else "not locked: none is taken"
    return tabulate(
        f"Looks ({state}; {looks.spacing}). A hypothesis is decided where its p, adjusted for its"
        " family, is at most the level, which is the boundary of one hypothesis at its share of alpha; the"
        f" run stops when {looks.rule} are.",
        range(len(looks.counts)),
        Column("look", "name", lambda at: f"{at + 1} of {len(looks.counts)}"),
        Column("tasks", "number", lambda at: numbers.count(looks.counts[at])),
        Column("boundary of |z|", "number", lambda at: _boundary(looks.boundaries[at])),
        Column("level of p", "number", lambda at: numbers.probability(looks.levels[at])),
        Column("decided", "text", lambda at: _decided(looks.taken, at + 1)),
    )


def _boundary(z: float | None) -> str:
    return f"{z:.3f}" if numbers.is_known(z) else "none"


def _decided(taken: tuple[Look, ...], number: int) -> str:
    look = next((one for one in taken if one.number == number), None)
    if look is None:
        return "not taken"
    crossed = sum(one.crossed for one in look.seen)
    return f"{crossed} of {len(look.seen)}{'; the run ended here' if look.stop else ''}"


def strains(results: Results) -> Table:
    """Where the theory behind the gates does not carry over, with one example each."""
    return tabulate(
        "Does not apply: a gate had nothing to judge in a first draft. Never satisfied: it flagged the draft "
        "and every revision of it. Pull against each other: one revision of the item ends a flag of the one "
        "gate and brings one of the other, and a later one the reverse. Counts of items; a single "
        "pull may be a judge's false alarm.",
        results.strains,
        *fields("condenser"),
        Column("strain", "text", lambda row: row.strain),
        Column("gates", "text", lambda row: row.gates),
        *fields("items"),
        Column("example", "remark", lambda row: row.example),
    )


def people(results: Results) -> Table:
    """What people decided on the drafts of each condenser, and how far the gates agree with them."""
    return tabulate(
        "By: a person who gave a name; else the decisions that count. Blind: without the findings. Seconds: "
        "the median. Kappa: Cohen's, of gates (no flag or one) and people (accepted, or not) over the "
        "compared drafts; its 95 % interval is asymptotic and takes drafts as independent.",
        results.people,
        *fields("backbone", "condenser", "by", "drafts", "accepted", "edited", "rejected", "blind"),
        Column("seconds", "number", lambda row: numbers.plain(row.median_seconds)),
        *fields("compared"),
        Column("kappa", "number", lambda row: numbers.plain(row.kappa)),
        Column("interval", "number", lambda row: numbers.ends(row.low, row.high)),
    )


def gates(results: Results) -> Table:
    """Of each gate what its judge may do."""
    return tabulate(
        "A program's flag always counts. A judge's FAIL drops an item only where its calibration is fresh; "
        "otherwise it leads to a revision.",
        results.gates.items(),
        Column("gate", "name", lambda entry: entry[0]),
        Column("its judge", "text", lambda entry: entry[1]),
    )


def making(results: Results) -> Table:
    """What each arm's memory is and took, beside what its trials took."""

    def of_trial(row: MakingRow, name: str) -> str:
        trials, spent = results.attrition[row.arm].trials, results.cost.get(row.arm)
        return numbers.count(round(getattr(spent, name) / trials)) if spent is not None and trials else ""

    return tabulate(
        "Calls and tokens to make each memory, in all, and of a mean trial that shows it. A call counts for "
        "every condenser that made it, also where the answer was another's. Words: of the mean record.",
        results.making,
        *fields("arm"),
        Column("injection", "text", lambda row: row.injection),
        Column("words", "number", lambda row: "" if row.words is None else f"{row.words:.0f}"),
        *fields("calls", "gate_calls", "input_tokens", "output_tokens"),
        Column("calls a trial", "number", lambda row: of_trial(row, "calls")),
        Column("input tokens a trial", "number", lambda row: of_trial(row, "input_tokens")),
        Column("made by", "remark", lambda row: row.memory),
    )
