"""The answer of a run in a sentence for each declared hypothesis, its status, and what may be wrong."""

from collections import Counter
from dataclasses import dataclass

from memtrial.analysis.reasons import Caveat, Reason
from memtrial.analysis.result import Estimate, Hypothesis
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.count_words import list_names as first_few
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.reserved_names import REMOVAL, WITHOUT
from memtrial.reports.text.arm_readings import read_arm
from memtrial.reports.text.reading import capital, list_with_and, margin_text, numbers_of, sizes
from memtrial.views.lookup import by_backbone, find, judged_backbones, reference_of
from memtrial.views.numbers import is_known, share, with_sign
from memtrial.views.rows.results import Results

MOST_EMPTY = 0.1
"""A larger share of empty slots is said on the first screen."""
SHORTEST = 3
"""So many answers are given in full in a terminal."""


_CONTROL_NOTES = {
    "embedded": ": our wording of the same contract, not upstream's own text",
    "unverified": ": a text whose digest is not known from upstream",
}


@dataclass(frozen=True, slots=True)
class Clause:
    """The answer on one backbone.

    Args:
        says, why: what the verdict comes to, and what is behind it, in brackets; may be empty.
        estimate: in points of score; empty without one.
        numbers: estimate and interval, what would settle it, and what a reader has to know of both.
    """

    backbone: str
    word: str
    says: str
    why: str
    estimate: str
    numbers: str


@dataclass(frozen=True, slots=True)
class HypothesisAnswer:
    """The answer about a pair of arms, or the one that is judged, under a condition or none, by backbone."""

    pair: str
    under: str
    clauses: tuple[Clause, ...]

    @property
    def sentence(self) -> str:
        """The whole in one sentence."""
        about = f"{self.pair}, {self.under}" if self.under else self.pair
        several = len(self.clauses) > 1
        clauses = (
            (f"on {clause.backbone} " if several else "")
            + f"{clause.says}{clause.why}, {clause.numbers}".rstrip(", ")
            for clause in self.clauses
        )
        return f"{about}: {'; '.join(clauses)}."


def answers(results: Results) -> tuple[HypothesisAnswer, ...]:
    """One answer for each declared hypothesis; where none was declared, one for each arm."""
    clauses = [
        (
            (f"{hypothesis.treatment} vs {hypothesis.control}", hypothesis.condition),
            _of_hypothesis(results, hypothesis),
        )
        for hypothesis in by_backbone(results, results.hypotheses)
    ]
    reference = reference_of(results)
    if not results.hypotheses:
        clauses = [
            ((f"{arm} vs {reference}" if reference else arm, ""), _of_arm(results, backbone, arm))
            for backbone, arms in judged_backbones(results).items()
            for arm in arms
        ]
    groups = group_by(clauses, lambda entry: entry[0])
    return tuple(
        HypothesisAnswer(*about, tuple(clause for _, clause in own)) for about, own in groups.items()
    )


def _of_hypothesis(results: Results, entry: Hypothesis) -> Clause:
    row = find(results, "contrast", entry.backbone, entry.treatment, entry.condition, entry.control)
    code = row.code if row is not None else None
    bare = entry.verdict not in ("inconclusive", "untestable") or code in (None, Reason.UNDECIDED)
    why = "" if bare or code is None else f" ({code.replace('-', ' ')})"
    says = {
        "load-bearing": f"{entry.treatment} depends on its text more",
        "reversed": f"{entry.treatment} depends on its text less",
        "inert": f"no difference beyond ±{margin_text(results)}",
        "inconclusive": "not settled",
        "untestable": "untestable",
        "insensitive": "not judged, as the positive control did not work",
    }.get(entry.verdict, entry.verdict)
    numbers = "; ".join([_numbers(row), *_caveats(results, entry, row)])
    return Clause(entry.backbone, entry.verdict, says, why, _estimate(row), numbers)


def _caveats(results: Results, entry: Hypothesis, row: Estimate | None) -> list[str]:
    """Where interval and p disagree, or the contrast is about how good the intact memories are."""
    caveats = []
    if row is not None and Caveat.DISAGREE in row.caveats:
        caveats.append(Caveat.DISAGREE.sentence)
    if row is not None and row.same_text:
        where = "all tasks" if row.same_text >= 1 else f"{share(row.same_text)} of the tasks"
        caveats.append(f"on {where} both arms showed the same damaged text, and only utilities are compared")
    if entry.condition == WITHOUT or results.effects.get(entry.condition) == REMOVAL:
        caveats.append(f"{entry.condition} removes the content, so this is mostly a difference of utilities")
    return caveats


def limits(results: Results) -> str:
    """What no contrast of this run says, whatever its verdict."""
    untold = ["which arm serves the agent better (for that, see the utilities)"]
    if results.control.startswith(("control: embedded", "control: unverified")):
        untold.append("what would come of upstream's own condenser, whose text this run did not have")
    return f"No contrast says {' or '.join(untold)}."


def _of_arm(results: Results, backbone: str, arm: str) -> Clause:
    says = read_arm(results, backbone, arm).headline
    word = results.utility.get(backbone, {}).get(arm, "")
    row = find(results, "utility", backbone, arm)
    numbers = _numbers(row) if row else ""
    if row and is_known(row.estimate) and not reference_of(results):
        numbers = "; ".join([f"utility {numbers}", *_bill(results, backbone, arm, word)])
    return Clause(backbone, word, says[:1].lower() + says[1:], "", _estimate(row), numbers)


def _bill(results: Results, backbone: str, arm: str, word: str) -> list[str]:
    """That a memory which is shown not to help takes more tokens, or fewer."""
    own = (backbone, arm, WITHOUT)
    ratios = (c.versus_tokens for c in results.cost_ratios if (c.backbone, c.arm, c.condition) == own)
    ratio = next(ratios, None)
    if word not in ("none", "harms") or ratio is None or ratio.word not in ("more", "less"):
        return []
    return [f"and it takes {ratio.ratio:.2f} times as many tokens [{ratio.low:.2f}, {ratio.high:.2f}]"]


def _numbers(row: Estimate | None) -> str:
    if row is None or row.code != Reason.UNDECIDED or not row.tasks_to_settle:
        return numbers_of(row)
    return f"{numbers_of(row)} (about {how_many(row.tasks_to_settle, 'task')} would settle it)"


def _estimate(row: Estimate | None) -> str:
    return with_sign(row.estimate) if row is not None and is_known(row.estimate) else ""


def answer_lines(results: Results) -> tuple[str, ...]:
    """The answers in at most three lines, for the end of a command."""
    all_answers = answers(results)
    if not all_answers:
        return ("Nothing was compared.",)
    if sum(len(answer.clauses) for answer in all_answers) <= SHORTEST:
        return tuple(answer.sentence for answer in all_answers)
    several = len(results.backbones) > 1
    pairs: dict[str, list[tuple[str, Clause]]] = {}
    for answer in all_answers:
        pairs.setdefault(answer.pair, []).extend((answer.under, clause) for clause in answer.clauses)
    lines = [f"{pair}: {_together(clauses, several)}." for pair, clauses in pairs.items()]
    if len(lines) <= SHORTEST:
        return tuple(lines)
    return (*lines[: SHORTEST - 1], f"And {len(lines) - SHORTEST + 1} more, all of them in the report.")


def _together(clauses: list[tuple[str, Clause]], several: bool) -> str:
    """What is said of a pair: by backbone, of one backbone by damage, or counted where there are many."""
    places: dict[str, dict[str, None]] = {}
    for under, clause in clauses:
        place = clause.backbone if several else f"{under} {clause.estimate}".strip()
        places.setdefault(clause.says, {})[place] = None
    if not several:
        return "; ".join(f"{says} ({', '.join(some)})".replace(" ()", "") for says, some in places.items())
    asked = Counter(clause.backbone for _, clause in clauses)
    if len(asked) <= SHORTEST or sum(map(len, places.values())) == len(asked):
        given = Counter((clause.says, clause.backbone) for _, clause in clauses)
        parts = (
            f"{says} on {list_with_and([_part(name, given[says, name], asked[name]) for name in some])}"
            for says, some in places.items()
        )
        return "; ".join(parts)
    counts = Counter(clause.says for _, clause in clauses)
    return "; ".join(f"{says} in {n} of {len(clauses)}" for says, n in counts.items())


def _part(name: str, n: int, n_asked: int) -> str:
    """A backbone, with how many of its answers are meant where it is not all."""
    return name if n == n_asked else f"{name} ({n} of {n_asked})"


def doubts(results: Results) -> tuple[str, ...]:
    """What may be wrong with the answers, one line each; alarms and the label of a simulation stand above."""
    sentences: list[str] = []
    lock = results.lock
    if lock is not None and (lock.locked or lock.file_left) and not lock.confirmatory:
        sentences.append(f"{capital(status_sentence(results).rstrip('.'))}.")
    return (*sentences, *results.notes, *losses(results))


def losses(results: Results) -> tuple[str, ...]:
    """Unread replies, empty slots and errors: any of the first and last, and many of the others."""
    sentences = [
        f"Replies of condenser {row.condenser} that could not be read whole: {row.unread:,} of "
        f"{row.traces * row.draws:,}, of {first_few(row.unread_tasks)} ({row.backbone})."
        for row in results.condensation
        if row.unread
    ]
    if empty := [f"{arm} {share(part)}" for arm, part in results.empty_slots.items() if part > MOST_EMPTY]:
        sentences.append(f"Intact trials without an item to show: {', '.join(empty)}.")
    if lost := [f"{arm} {n:,}" for arm, n in results.errors.items() if n]:
        first = next((own.first for own in results.attrition.values() if own.first), "")
        said = f" The first says: {first}" if first else ""
        sentences.append(f"Errors of the infrastructure, in no mean: {', '.join(lost)}.{said}")
    return tuple(sentences)


def status_sentence(results: Results) -> str:
    """The status with its reason."""
    status, lock = results.status, results.lock
    if lock is None or not (lock.locked or lock.file_left) or not lock.says:
        before = "the plan" if status == "confirmatory" else "no plan"
        return f"{status}: {before} was locked before the data were seen"
    if status == "exploratory":
        return f"{status}: {lock.says.removeprefix('Exploratory: ')}"
    return f"{status}. {lock.says}"


def lock_lines(results: Results) -> list[str]:
    """Digest, amendments, every named difference and unmasked looks, a line each; none without a lock."""
    lock = results.lock
    if lock is None or not lock.locked:
        return [lock.says] if lock and lock.says else []
    lines = [lock.says, f"Digest of the lock: {lock.digest}."]
    if lock.trials_before:
        lines.append(f"It was made after {how_many(lock.trials_before, 'trial')}.")
    lines += [change.says for change in lock.amendments]
    lines += [change.says for change in lock.differences]
    if more := lock.differences_in_all - len(lock.differences):
        lines.append(f"And {how_many(more, 'more difference')}.")
    if lock.unmasked_looks:
        when = ", ".join(f"{how_many(look.trials, 'trial')} ({look.by})" for look in lock.unmasked_looks)
        lines.append(f"Arms were unmasked before the locked data were complete, after {when}.")
    if lock.exploratory_analyses:
        lines.append(f"Exploratory by the lock itself: {'; '.join(lock.exploratory_analyses)}.")
    return lines


def facts(results: Results) -> list[tuple[str, str]]:
    """How the run was designed; facts that were not recorded are left out."""
    control = results.control.removeprefix("control: ")
    control += next((note for start, note in _CONTROL_NOTES.items() if control.startswith(start)), "")
    design = [results.world, sizes(results), f"outcome {results.outcome}", f"seed {results.seed}"]
    facts = [
        ("Status", status_sentence(results)),
        ("Control", "; ".join(filter(None, (control, results.cue)))),
        ("Backbones", ", ".join(results.backbones)),
        ("Design", ", ".join(filter(None, design))),
        ("Rules", f"margin ±{results.margin:g} of the score, alpha {results.alpha:g}"),
    ]
    return [(name, text) for name, text in facts if text]
