"""The answer of a run in a sentence for each declared hypothesis, its status, and what may be wrong."""

from collections import Counter
from dataclasses import dataclass

from memtrial.analysis.reasons import Caveat, Reason
from memtrial.analysis.result import Estimate, Hypothesis
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.count_words import listed as first_few
from memtrial.outcomes.grouping import grouped
from memtrial.outcomes.reserved_names import REMOVAL, WITHOUT
from memtrial.reports.text.arm_readings import read_arm
from memtrial.reports.text.reading import capital, listed, margin_text, numbers_of, sizes
from memtrial.views.lookup import by_backbone, find, judged, reference_of
from memtrial.views.numbers import is_known, share, signed
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
        told = (
            f"{f'on {one.backbone} ' if several else ''}{one.says}{one.why}, {one.numbers}".rstrip(", ")
            for one in self.clauses
        )
        return f"{about}: {'; '.join(told)}."


def answers(results: Results) -> tuple[HypothesisAnswer, ...]:
    """One answer for each declared hypothesis; where none was declared, one for each arm."""
    found = [
        ((f"{one.treatment} vs {one.control}", one.condition), _of_hypothesis(results, one))
        for one in by_backbone(results, results.hypotheses)
    ]
    reference = reference_of(results)
    if not results.hypotheses:
        found = [
            ((f"{arm} vs {reference}" if reference else arm, ""), _of_arm(results, backbone, arm))
            for backbone, arms in judged(results).items()
            for arm in arms
        ]
    groups = grouped(found, lambda entry: entry[0])
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
    told = "; ".join([_numbers(row), *_caveats(results, entry, row)])
    return Clause(entry.backbone, entry.verdict, says, why, _estimate(row), told)


def _caveats(results: Results, entry: Hypothesis, row: Estimate | None) -> list[str]:
    """Where interval and p disagree, or the contrast is about how good the intact memories are."""
    said = []
    if row is not None and Caveat.DISAGREE in row.caveats:
        said.append(Caveat.DISAGREE.sentence)
    if row is not None and row.same_text:
        where = "all tasks" if row.same_text >= 1 else f"{share(row.same_text)} of the tasks"
        said.append(f"on {where} both arms showed the same damaged text, and only utilities are compared")
    if entry.condition == WITHOUT or results.effects.get(entry.condition) == REMOVAL:
        said.append(f"{entry.condition} removes the content, so this is mostly a difference of utilities")
    return said


def limits(results: Results) -> str:
    """What no contrast of this run says, whatever its verdict."""
    said = ["which arm serves the agent better (for that, see the utilities)"]
    if results.control.startswith(("control: embedded", "control: unverified")):
        said.append("what would come of upstream's own condenser, whose text this run did not have")
    return f"No contrast says {' or '.join(said)}."


def _of_arm(results: Results, backbone: str, arm: str) -> Clause:
    says = read_arm(results, backbone, arm).headline
    word = results.utility.get(backbone, {}).get(arm, "")
    row = find(results, "utility", backbone, arm)
    numbers = _numbers(row) if row else ""
    return Clause(backbone, word, says[:1].lower() + says[1:], "", _estimate(row), numbers)


def _numbers(row: Estimate | None) -> str:
    if row is None or row.code != Reason.UNDECIDED or not row.tasks_to_settle:
        return numbers_of(row)
    return f"{numbers_of(row)} (about {how_many(row.tasks_to_settle, 'task')} would settle it)"


def _estimate(row: Estimate | None) -> str:
    return signed(row.estimate) if row is not None and is_known(row.estimate) else ""


def answer_lines(results: Results) -> tuple[str, ...]:
    """The answers in at most three lines, for the end of a command."""
    told = answers(results)
    if not told:
        return ("Nothing was compared.",)
    if sum(len(one.clauses) for one in told) <= SHORTEST:
        return tuple(one.sentence for one in told)
    several = len(results.backbones) > 1
    pairs: dict[str, list[tuple[str, Clause]]] = {}
    for one in told:
        pairs.setdefault(one.pair, []).extend((one.under, clause) for clause in one.clauses)
    lines = [f"{pair}: {_together(found, several)}." for pair, found in pairs.items()]
    if len(lines) <= SHORTEST:
        return tuple(lines)
    return (*lines[: SHORTEST - 1], f"And {len(lines) - SHORTEST + 1} more, all of them in the report.")


def _together(found: list[tuple[str, Clause]], several: bool) -> str:
    """What is said of a pair: by backbone, of one backbone by damage, or counted where there are many."""
    places: dict[str, dict[str, None]] = {}
    for under, one in found:
        place = one.backbone if several else f"{under} {one.estimate}".strip()
        places.setdefault(one.says, {})[place] = None
    if not several:
        return "; ".join(f"{says} ({', '.join(some)})".replace(" ()", "") for says, some in places.items())
    asked = Counter(one.backbone for _, one in found)
    if len(asked) <= SHORTEST or sum(map(len, places.values())) == len(asked):
        given = Counter((one.says, one.backbone) for _, one in found)
        told = (
            f"{says} on {listed([_part(name, given[says, name], asked[name]) for name in some])}"
            for says, some in places.items()
        )
        return "; ".join(told)
    counts = Counter(one.says for _, one in found)
    return "; ".join(f"{says} in {n} of {len(found)}" for says, n in counts.items())


def _part(name: str, n: int, n_asked: int) -> str:
    """A backbone, with how many of its answers are meant where it is not all."""
    return name if n == n_asked else f"{name} ({n} of {n_asked})"


def doubts(results: Results) -> tuple[str, ...]:
    """What may be wrong with the answers, one line each; alarms and the label of a simulation stand above."""
    said: list[str] = []
    lock = results.lock
    if lock is not None and (lock.locked or lock.file_left) and not lock.confirmatory:
        said.append(f"{capital(status_sentence(results).rstrip('.'))}.")
    return (*said, *results.notes, *losses(results))


def losses(results: Results) -> tuple[str, ...]:
    """Unread replies, empty slots and errors: any of the first and last, and many of the others."""
    said = [
        f"Replies of condenser {row.condenser} that could not be read whole: {row.unread:,} of "
        f"{row.traces * row.draws:,}, of {first_few(row.unread_tasks)} ({row.backbone})."
        for row in results.condensation
        if row.unread
    ]
    if empty := [f"{arm} {share(part)}" for arm, part in results.empty_slots.items() if part > MOST_EMPTY]:
        said.append(f"Intact trials without an item to show: {', '.join(empty)}.")
    if lost := [f"{arm} {n:,}" for arm, n in results.errors.items() if n]:
        said.append(f"Errors of the infrastructure, in no mean: {', '.join(lost)}.")
    return tuple(said)


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
    lines += [one.says for one in lock.amendments]
    lines += [one.says for one in lock.differences]
    if more := lock.differences_in_all - len(lock.differences):
        lines.append(f"And {how_many(more, 'more difference')}.")
    if lock.unmasked_looks:
        when = ", ".join(f"{how_many(one.trials, 'trial')} ({one.by})" for one in lock.unmasked_looks)
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
