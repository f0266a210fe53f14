"""A trial of sections in words: one sentence, a table, what to do next, and what the words do not mean."""

from collections.abc import Iterator

from memtrial.outcomes.count_words import how_many
from memtrial.reports.text.verdict_glossary import Tone
from memtrial.views.numbers import dollars, ends, share, with_sign
from memtrial.views.rows.section_rows import SectionResults, SectionRow, SectionWord

HEAD = ("", "section", "lines", "tokens a turn", "effect", "interval", "word")
LONGEST = 48
"""Characters of a section's name."""
LOOKS: dict[SectionWord, tuple[str, Tone]] = {
    "helps": ("o", "effect"),
    "harms": ("v", "harm"),
    "can go": ("s", "absence"),
    "not settled": ("o", "open"),
}
"""The shape and the tone of each word in the figure."""


def section_sentence(results: SectionResults) -> str:
    """The end in one sentence."""
    counted = {word: _of_word(results, word) for word in LOOKS}
    helping, harming, going = (counted[word] for word in ("helps", "harms", "can go"))
    clauses = [
        f"{len(helping)} of {how_many(len(results.sections), results.kind)} shown to help{_name(helping)}",
        f"{len(harming) or 'none'} shown to harm{_name(harming)}",
    ]
    if going:
        tokens = sum(row.tokens for row in going)
        clauses.append(f"{len(going)} can go, each by itself ({tokens:,} tokens a turn){_name(going)}")
    if counted["not settled"]:
        clauses.append(f"{len(counted['not settled'])} not settled")
    return f"{results.memory}: {'; '.join(clauses)}."


def section_next_step(results: SectionResults) -> str:
    """What to do with it."""
    if results.alarms:
        return "See why the memory did not reach the agent's requests; the stages' reports name the trials."
    if results.solved_whole == results.solved_without == 1.0:
        return "All trials are solved, with the file and without it: take harder tasks, where it could help."
    if not results.room:
        return "Hardly a trial is solved with the file: take easier tasks, or allow more time."
    if _of_word(results, "harms"):
        return "Take out or mend what harms, and try the file again in another folder (--out)."
    if _of_word(results, "can go"):
        return "Take out one that can go, and run `memtrial try` with the shorter file before the next."
    if not _of_word(results, "helps"):
        return "Run `memtrial try` without --sections: whether the file helps at all takes far fewer trials."
    return "Keep what helps; more tasks, or --repeats in another folder, would settle more of the others."


def section_table(results: SectionResults) -> Iterator[tuple[str, ...]]:
    """A line for each section, in the order of the file."""
    for row in results.sections:
        yield (
            str(row.number),
            row.name[:LONGEST],
            f"{row.line}-{row.last_line}",
            f"{row.tokens:,}",
            f"{with_sign(row.estimate)}{'' if row.stage == 'confirmation' else ' *'}",
            ends(row.low, row.high),
            row.word,
        )


def section_facts(results: SectionResults) -> Iterator[tuple[str, str]]:
    """What was played, by a term."""
    yield "Agent", results.agent
    yield "Tasks", f"{results.n_tasks:,}"
    lost = f", {how_many(results.n_lost, 'trial')} lost" if results.n_lost else ""
    fresh = f"{results.n_confirmation:,} fresh ones to confirm{lost}"
    yield "Trials", f"{results.n_screening:,} to screen, {fresh}"
    if results.solved_whole is not None:
        without = share(results.solved_without)
        yield "Solved", f"{share(results.solved_whole)} with the file, {without} without"
    yield "Cost", dollars(results.usd)
    yield "Margin", f"{results.margin:.2f} of a score from 0 to 1"


def section_stages(results: SectionResults) -> str:
    """Where the reports of what was played are."""
    stages = {"screening": results.n_screening, "confirmation": results.n_confirmation}
    played = " and ".join(f"{stage}/report.html" for stage, n in stages.items() if n)
    return f"Every trial: {played}, below this folder."


def section_limits(results: SectionResults) -> Iterator[str]:
    """What the words mean, and what they do not."""
    some = any(row.stage == "screening" for row in results.sections)
    yield (
        "The effect of a section is the score where it stands less the score where it does not, averaged over"
        " texts in which the others stand and do not. Of a section that another one repeats it shows what is"
        " lost where both are gone, half of the time; of one that needs another, half of what both do."
    )
    if some:
        yield (
            "* from the screening, in which every other section stands half of the time. At most"
            f" {results.most} with the smallest p, up to {results.threshold:g}, were chosen there; to be"
            " chosen is no finding, and the others are not shown to do nothing."
        )
        if results.n_confirmation:
            yield "In the confirmation the sections that were not chosen always stand."
    alpha = 1 - results.alpha
    yield (
        f"`helps` and `harms` are said on fresh trials alone, with an error of {results.alpha:g} over all of"
        f" them; `can go` where an effect of {results.margin:.2f} or more is ruled out, with an error of"
        f" {results.alpha:g} over all sections. `not settled` is neither. Intervals hold together, with"
        f" {alpha:.0%}."
    )
    if any(row.word == "can go" for row in results.sections):
        yield "What can go can go by itself. Two such sections may say the same: take out one at a time."
    if not results.room:
        yield "With so low a score hardly anything can fall: no section is called one that can go."
    yield "The words are of these tasks; others may need what these do not."


def _of_word(results: SectionResults, word: SectionWord) -> list[SectionRow]:
    return [row for row in results.sections if row.word == word]


def _name(rows: list[SectionRow]) -> str:
    named = ", ".join(f"“{row.name[:LONGEST]}”" for row in rows[:4])
    more = f" and {len(rows) - 4} more" if len(rows) > 4 else ""
    return f": {named}{more}" if rows else ""
