"""The methods of a run as a paragraph for a paper: what was done, from what was recorded, no more."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import NONE, WITHOUT
from memtrial.reports.text.hypothesis_answers import status_sentence
from memtrial.reports.text.reading import SIMULATED, capital, list_with_and
from memtrial.views.lookup import reference_of
from memtrial.views.rows.results import Results


@dataclass(frozen=True, slots=True)
class PlayRecord:
    """What a ledger says of its sessions.

    Args:
        versions: of memtrial that played, in the order of the sessions.
        first, last: days on which the first session began and the last one that ended did so; empty where
            that is not recorded.
        flips: random sign flips of a test.
        temperature: asked for in play; None for the provider's own.
    """

    versions: tuple[str, ...]
    first: str
    last: str
    flips: int
    temperature: float | None


def methods_paragraph(results: Results, record: PlayRecord, version: str) -> str:
    """Design, unit, tests, corrections, margin, models and dates, versions and digests.

    Args:
        version: of memtrial that analyses.
    """
    sentences = (
        *_design(results),
        *_inference(results, record),
        *_families(results),
        *_losses(results),
        *_models(results, record),
        *_software(results, record, version),
    )
    return " ".join((*((SIMULATED,) if results.simulated else ()), *sentences))


def _design(results: Results) -> Iterator[str]:
    arms = [arm for arm in results.arms if arm != NONE]
    world = f" of {results.world}" if results.world else ""
    repeats = f", {results.repeats:,} times each" if results.repeats > 1 else ""
    who = "Scripted participants" if results.simulated else "Language-model agents"
    yield (
        f"{who} ({list_with_and(results.backbones)}) played"
        f" {how_many(results.tasks, 'task')}{world}{repeats}."
    )
    if reference_of(results):
        reference = reference_of(results)
        yield f"The {results.outcome} of each arm was compared with that of {reference} on the same tasks."
        return
    damage = [name for name in results.conditions if name != WITHOUT]
    before = f"without memory and with the memory of {how_many(len(arms), 'arm')} ({list_with_and(arms)})"
    shown = f", shown intact and damaged ({', '.join(damage)})" if damage else ""
    yield f"Each task was played {before}{shown}; all cells of a task and repeat form a block."
    yield (
        f"The outcome was {results.outcome}. Utility is the score with the intact memory less that without;"
        " drop is the score with the intact memory less that with the damaged one; a contrast is the"
        " difference of the drops of two arms."
    )
    if results.control:
        yield f"{capital(results.control)}."
    yield f"Seed: {results.seed}."


def _inference(results: Results, record: PlayRecord) -> Iterator[str]:
    flips = f"; at most {record.flips:,} random flips" if record.flips else ""
    yield (
        f"The unit of inference was the {results.cluster}. Estimates are means over tasks with"
        f" {100 * (1 - results.alpha):g} % intervals by Student's t over units, with a standard error that is"
        " robust to clusters (CR2) and Satterthwaite's degrees of freedom. p-values were adjusted within each"
        f" family of tests by a step-down max-T over sign flips (mid-p{flips})"
        f" at alpha {results.alpha:g}. The absence of an effect was claimed only where two one-sided tests"
        f" showed it to lie within ±{results.margin:g} points of score; verdicts were chosen by fixed rules."
    )


def _families(results: Results) -> Iterator[str]:
    multiplicity = results.multiplicity
    if multiplicity is not None:
        listed = [f"{family.name} ({family.claim}, {family.tested})" for family in multiplicity.families]
        if listed:
            yield f"Families of tests, with their claim and number: {', '.join(listed)}."
        if multiplicity.looks > 1:
            yield f"The primary family was looked at {multiplicity.looks} times, by planned boundaries."
    status = status_sentence(results).rstrip(".")
    yield f"The analysis is {status}."
    if results.lock is not None and results.lock.digest:
        yield f"Digest of the lock: {results.lock.digest}."


def _losses(results: Results) -> Iterator[str]:
    lost = sum(results.errors.values())
    trials = sum(row.trials for row in results.attrition.values())
    if trials:
        were = "was" if lost == 1 else "were"
        errors = how_many(lost, "error") if lost else "none"
        yield f"Of {how_many(trials, 'trial')}, {errors} {were} lost to the infrastructure and left out."


def _models(results: Results, record: PlayRecord) -> Iterator[str]:
    named = [
        f"{row.asked}{f' (which answered as {row.answered})' if row.answered != row.asked else ''}"
        f" for {how_many(row.calls, 'call')}"
        for row in results.models
    ]
    if named:
        asked = "" if record.temperature is None else f"; temperature {record.temperature:g} in play"
        yield f"Models: {', '.join(named)}{asked}."
    if record.first:
        until = f" to {record.last}" if record.last not in ("", record.first) else ""
        yield f"Played {'from' if until else 'on'} {record.first}{until}."


def _software(results: Results, record: PlayRecord, version: str) -> Iterator[str]:
    played = list_with_and(record.versions) if record.versions else ""
    by = f"memtrial {played}" if played else "memtrial, in a version that was not recorded"
    analysed = f", analysed by memtrial {version}" if played != version else ""
    yield f"Played by {by}{analysed}."
    if results.digests:
        listed = "".join(f"{name} {digest}\n" for name, digest in sorted(results.digests.items()))
        whole = sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()
        count = how_many(len(results.digests), "digest")
        yield f"The {count} of all texts, files and memories that were sent are in results.json"
        yield f"(sha256 of the sorted list, a line each: {whole})."
