"""An evolution in words: what each backbone gains by memories that grow, what was played, what to doubt."""

from collections.abc import Iterator, Sequence
from math import ceil

from memtrial.analysis.result import Estimate
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.grouping import group_by
from memtrial.reports.text.backbone_answers import BackboneAnswer, UseSentence
from memtrial.reports.text.reading import list_with_and
from memtrial.reports.text.verdict_glossary import verdict_word
from memtrial.views.numbers import dollars, is_known, with_sign
from memtrial.views.rows.evolution_rows import EvolutionResults, EvolvedArm

ONE_OBSERVATION = "A stream is one observation of what memory learns: intervals and tests are over streams."
TOO_FEW = "No verdicts before two streams have ended."
NO_PAIR = "No verdicts: no arm does each task once without memory, and no two arms are a pair."
STOPPED = "The evolution was not played to its end ({}): the same command goes on where it stopped."
FEWEST_STREAMS = 6
"""Fewer cannot show an effect by sign flips alone at .05."""
_USES = {
    "helps": "gains by {}",
    "harms": "loses by {}",
    "none": "neither gains nor loses {margin} or more by {}",
    "inconclusive": "may or may not gain by {}, which is not settled",
}
"""What a backbone does with arms, by their verdict; what is settled first."""
_STANDS = {
    "helps": "better",
    "harms": "worse",
    "none": "the same within ±{margin}",
    "inconclusive": "not settled",
}
"""How arms stand to another, by their verdict."""


def answer_evolution(results: EvolutionResults) -> tuple[BackboneAnswer, ...]:
    """For each backbone what it gains by memory, at as many tries, and what by more tries."""
    return tuple(
        BackboneAnswer(backbone, tuple(_tell(results, asked)), " ".join(_compare(results, backbone)))
        for backbone in results.backbones
        if (asked := memory_estimates(results, backbone))
    )


def why_unjudged(results: EvolutionResults) -> str:
    """What to say where there is no verdict: streams are too few, or no arms are compared."""
    ended = min((row.streams for row in results.metrics), default=0)
    return NO_PAIR if ended >= 2 and not results.comparisons else TOO_FEW


def memory_estimates(results: EvolutionResults, backbone: str) -> tuple[Estimate, ...]:
    """What tells of the memory of each arm that has one: of more tries the comparison with as many without.

    An arm of more tries that has no such twin tells of memory and tries together, and is none of these.
    """
    arms = {arm.name: arm for arm in results.arms}
    told: dict[str, Estimate] = {}
    for compared in results.comparisons:
        reference = arms[compared.reference]
        for row in compared.estimates:
            fair = arms[row.arm].tries == reference.tries and not reference.learns
            if row.backbone == backbone and arms[row.arm].learns and fair:
                told.setdefault(row.arm, row)
    return tuple(told[name] for name in arms if name in told)


def _compare(results: EvolutionResults, backbone: str) -> Iterator[str]:
    """What more tries do, and what one way to learn adds to another."""
    arms = {arm.name: arm for arm in results.arms}
    for compared in results.comparisons:
        reference = arms[compared.reference]
        rows = [row for row in compared.estimates if row.backbone == backbone]
        if reference.learns and rows:
            yield f"Against {reference.name}: {_state(results, rows)}."
        more = [row for row in rows if arms[row.arm].tries > reference.tries]
        if more:
            yield f"More tries against {reference.name}: {_state(results, more)}."


def _tell(results: EvolutionResults, rows: Sequence[Estimate]) -> Iterator[UseSentence]:
    """A sentence for the arms of each verdict, what is settled first."""
    by_word = group_by(rows, lambda row: row.verdict)
    order = {word: place for place, word in enumerate(_USES)}
    for place, word in enumerate(sorted(by_word, key=lambda word: order.get(word, len(order)))):
        use = _USES.get(word, f"is not judged by {{}}: {word}")
        text = use.format(_name(by_word[word]), margin=f"{results.margin:.2f}")
        yield UseSentence(f"{'It ' if place else ''}{text}.", verdict_word(word).tone)


def _state(results: EvolutionResults, rows: Sequence[Estimate]) -> str:
    by_word = group_by(rows, lambda row: row.verdict)
    return "; ".join(
        f"{_name(own)} {_STANDS.get(word, word).format(margin=f'{results.margin:.2f}')}"
        for word, own in by_word.items()
    )


def _name(rows: Sequence[Estimate]) -> str:
    return list_with_and([f"{row.arm} ({with_sign(row.estimate)})" for row in rows])


def tries_words(arm: EvolvedArm) -> str:
    """How often an arm does a task."""
    if arm.mode == "parallel":
        return f"{arm.tries} side by side, the judge's best is handed in"
    if arm.mode == "sequential":
        return f"once, then check and correct ({how_many(arm.tries - 1, 'pass')})".replace("passs", "passes")
    return "once"


LEARNS = {
    "none": "nothing: no memory",
    "both": "strategies of successes, guardrails of failures",
    "raw": "the runs themselves",
    "success-only": "strategies of successes",
    "contrastive": "what tells successes from failures of like tasks",
}
"""What an arm keeps, by its `learn`."""


def state_settling(results: EvolutionResults, row: Estimate) -> str:
    """How many streams would settle an open verdict; empty where none is open, or that is not known."""
    if row.verdict != "inconclusive" or not is_known(row.tasks_to_settle):
        return ""
    streams = ceil(row.tasks_to_settle / max(1, results.tasks))
    return f"about {how_many(streams, 'stream')} would settle it"


def evolution_facts(results: EvolutionResults) -> Iterator[tuple[str, str]]:
    """What was played, by a term."""
    yield "World", results.world
    yield "Agent", results.agent
    ended = max((row.streams for row in results.metrics), default=0)
    planned = "" if ended == results.streams else f" of {results.streams:,}"
    yield "Streams", f"{ended:,}{planned}, each of {how_many(results.tasks, 'task')}"
    yield "Judge", "the world itself" if results.judge == "oracle" else results.judge
    yield "Writer", results.writer or "each backbone its own"
    every = "never" if results.consolidate is None else f"every {how_many(results.consolidate, 'new item')}"
    yield "Bank", f"profile {results.profile}, consolidated {every}"
    if results.calls_limit is not None:
        yield "Requests", f"{results.calls_limit:,} of the agent a task at most"
    spent = [row.usd for row in results.metrics]
    known = [usd for usd in spent if usd is not None]
    yield "Cost", dollars(sum(known) if len(known) == len(spent) else None)
    yield "Margin", f"{results.margin:.2f} of a score from 0 to 1"


def evolution_doubts(results: EvolutionResults) -> Iterator[str]:
    """What may be wrong with it, the worst first."""
    if results.ending != "done":
        yield STOPPED.format(results.ending)
    if results.truth_seen:
        yield "The writer was shown the right answers: success on these tasks is no success on others."
    ended = min((row.streams for row in results.metrics), default=0)
    if ended < 2:
        yield TOO_FEW
    elif ended < FEWEST_STREAMS:
        yield f"Only {ended} streams have ended: sign flips alone could show nothing, p rests on Student's t."
    errors = sum(row.errors for row in results.metrics)
    if errors:
        yield (
            f"{how_many(errors, 'task')} ended in an error of the infrastructure and"
            f" {'is' if errors == 1 else 'are'} in no mean; a bank learnt nothing of them."
        )
    yield from dict.fromkeys(note for compared in results.comparisons for note in compared.notes)


def evolution_limits(results: EvolutionResults) -> Iterator[str]:
    """What the words mean, and what they do not."""
    yield ONE_OBSERVATION
    yield (
        "All arms of a stream do the same tasks in the same order; a difference is of the mean scores of the"
        " same stream, which the words behind a verdict call a cluster. Intervals hold 95 % each."
    )
    yield (
        f"`helps` and `harms` are said with an error of {results.alpha:g} over all arms of a comparison,"
        f" `no effect` where a difference of {results.margin:.2f} or more is ruled out; `inconclusive` is"
        " neither."
    )
    if any(arm.tries > 1 for arm in results.arms):
        yield (
            "Arms of more tries cost more. What memory adds at equal compute is told by the arm of as many"
            " tries that learns nothing."
        )
    yield (
        "A later part with more success shows what memory learnt only where its lift is larger, too: its"
        " tasks may be easier. Intervals of a part rest on few tasks of few streams: where those agree by"
        " chance, theirs is too narrow."
    )
